// Any number of threads share a resource behind a lock of their own making. Looking at the lock and taking it are two
// steps, and two threads can both take it.
//@ k=1.. views: unsafe
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

bool locked;
bool busy;

void *worker(void *argument) {
    while (locked)
        ;
    locked = true;
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
