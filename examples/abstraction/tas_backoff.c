// A test-and-set lock with exponential back-off, for any number of threads. Safe: the lock alone keeps others out. The delay is
// doubled up to a limit, and no predicate mentions it: 32 bits of it cost nothing.
// After figure 28 of Kaiser, Monotonicity in multi-threaded programs.
//@ views_abstract: safe
#include <assert.h>
#include <pthread.h>

_Bool lock = 0;
int c = 0;

void *thread(void *arg) {
  unsigned delay = 1;
  __CPROVER_predicate(c == 0);
  while (1) {
    _Bool free = 0;
    while (!free) {
      __VERIFIER_atomic_begin();
      free = !lock;
      lock = 1;
      __VERIFIER_atomic_end();
      unsigned rest = delay;
      while (!free && rest > 0)
        rest = rest - 1;
      if (delay < 1024)
        delay = delay * 2;
    }
    assert(c == 0);
    __VERIFIER_atomic_begin();
    c = c + 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    c = 0;
    __VERIFIER_atomic_end();
    lock = 0;
  }
}

int main() {
  pthread_t id;
  while (1)
    pthread_create(&id, 0, thread, 0);
}
