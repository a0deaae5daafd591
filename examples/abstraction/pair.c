// Two numbers that are set together under a lock, and are equal whenever it is held. Safe for any number of threads. In `a == b` the
// number a is read in a step of its own, and others may run before it is compared: it is on its way. Predicates call it `a@26`.
// These three are those that `fpsolve abstract` finds; without the one about the number on its way there is no proof.
//@ predicate=a@26==b predicate=a==b predicate=a==v views_abstract: safe
//@ predicate=a==b predicate=a==v views_abstract: unknown
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int();

int a, b;
pthread_mutex_t m;

void *set(void *arg) {
  int v = __VERIFIER_nondet_int();
  pthread_mutex_lock(&m);
  a = v;
  b = v;
  pthread_mutex_unlock(&m);
  return 0;
}

void *look(void *arg) {
  pthread_mutex_lock(&m);
  // Both are read here, one after the other.
  assert(a == b);
  pthread_mutex_unlock(&m);
  return 0;
}

int main() {
  pthread_t id;
  while (1) {
    pthread_create(&id, 0, set, 0);
    pthread_create(&id, 0, look, 0);
  }
}
