// A counter that any number of threads increase with compare-and-swap. Safe: whoever has increased it from m sees a larger
// value for ever, since the others only increase it too (`l > m`). A predicate about a shared and a local variable at once
// is needed to know what the comparison said (`s == m`).
// Figure 4 of Kaiser, Monotonicity in multi-threaded programs.
//@ views_abstract: safe
#include <assert.h>
#include <limits.h>
#include <pthread.h>

int s = 0;

void *thread(void *arg) {
  int m = 0, l = 0;
  _Bool done = 0;
  __CPROVER_predicate(s == m);
  __CPROVER_predicate(s > m);
  __CPROVER_predicate(l > m);
  while (!done) {
    m = s;
    if (m == INT_MAX)
      return 0;
    l = m + 1;
    __VERIFIER_atomic_begin();
    if (s == m) {
      s = l;
      done = 1;
    }
    __VERIFIER_atomic_end();
  }
  assert(s > m);
  return 0;
}

int main() {
  pthread_t id;
  while (1)
    pthread_create(&id, 0, thread, 0);
}
