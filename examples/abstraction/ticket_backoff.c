// The ticket lock for high contention: who waits looks the less often, the more threads are before it. Safe as in ticket.c.
// The high-contention form in chapter 6 of Kaiser, Monotonicity in multi-threaded programs. How long a thread waits matters to
// nobody, so no predicate mentions `wait`: its 32 bits cost nothing. Numbers have no sign here, so that `m - s` has a value.
//@ views_abstract: safe
#include <assert.h>
#include <limits.h>
#include <pthread.h>

unsigned s = 0; // the ticket that is served
unsigned t = 0; // the next free ticket
_Bool inside = 0;

void *thread(void *arg) {
  unsigned m = 0;
  __CPROVER_predicate(s == m);
  __CPROVER_predicate(m < t);
  __CPROVER_predicate(s < t);
  __CPROVER_predicate(m != other.m);
  while (1) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(t < UINT_MAX);
    m = t;
    t = t + 1;
    __VERIFIER_atomic_end();
    while (m != s) {
      unsigned wait = m - s;
      while (wait > 0)
        wait = wait - 1;
    }
    assert(!inside);
    inside = 1;
    inside = 0;
    __VERIFIER_atomic_begin();
    s = s + 1;
    __VERIFIER_atomic_end();
  }
}

int main() {
  pthread_t id;
  while (1)
    pthread_create(&id, 0, thread, 0);
}
