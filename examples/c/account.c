// Two transfers between accounts, each with its lock: the sum is read while one of them is under way.
//@ interleaving: unsafe
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int money;
};

struct account one = { PTHREAD_MUTEX_INITIALIZER, 2 };
struct account other = { PTHREAD_MUTEX_INITIALIZER, 1 };

void add(struct account *account, int by) {
    pthread_mutex_lock(&account->lock);
    account->money += by;
    pthread_mutex_unlock(&account->lock);
}

void *transfer(void *argument) {
    add(&one, -1);
    add(&other, 1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, transfer, NULL);
    pthread_mutex_lock(&one.lock);
    pthread_mutex_lock(&other.lock);
    assert(one.money + other.money == 3);
    pthread_mutex_unlock(&other.lock);
    pthread_mutex_unlock(&one.lock);
    pthread_join(thread, NULL);
    return 0;
}
