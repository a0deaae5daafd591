// The ticket lock for high contention: who waits backs off for as long as there are others before it. Safe as in ticket.c: who holds a ticket has another one than all others
// (`m != other.m`), and while somebody is inside, a ticket is out (`s < t`).
// The high-contention form in chapter 6 of Kaiser, Monotonicity in multi-threaded programs. How long a thread waits matters to
// nobody, so no predicate mentions `wait`.
#include <assert.h>
#include <limits.h>
#include <pthread.h>

int s = 0; // the ticket that is served
int t = 0; // the next free ticket
_Bool inside = 0;

void *thread(void *arg) {
  int m = 0;
  __CPROVER_predicate(s == m);
  __CPROVER_predicate(m < t);
  __CPROVER_predicate(s < t);
  __CPROVER_predicate(m != other.m);
  while (1) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(t < INT_MAX);
    m = t;
    t = t + 1;
    __VERIFIER_atomic_end();
    int wait = m - s;
    while (wait != 0) {
      while (wait > 0)
        wait = wait - 1;
      wait = m - s;
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
