// The ticket lock for low contention, with any number of threads. Safe: who holds a ticket has another one than all others
// (`m != other.m`), and while somebody is inside, a ticket is out (`s < t`).
// Figure 5 of Kaiser, Monotonicity in multi-threaded programs. The counters are signed, so they must not overflow; here
// nobody takes the last ticket.
//@ views_abstract: safe
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
    while (m != s)
      ;
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
