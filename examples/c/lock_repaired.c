// The lock of lock.c, taken in one step: safe for any number of threads.
//@ k=1.. views: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

atomic_bool locked;
bool busy;

void *worker(void *argument) {
    while (atomic_exchange(&locked, true))
        ;
    assert(!busy);
    busy = true;
    busy = false;
    locked = false;
    return NULL;
}

int main(void) {
    pthread_t thread;
    while (1)
        pthread_create(&thread, NULL, worker, NULL);
}
