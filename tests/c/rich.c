#include <pthread.h>
#include <stdbool.h>
#include <assert.h>
#include <stdatomic.h>

enum color { RED, GREEN = 3, BLUE };
struct pair { int first; unsigned char second; };
typedef unsigned int word;

int x = 2, y;
static struct pair p = { 1, 2 };
int table[4] = { 1, 2, [3] = 4 };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c;
_Thread_local int mine = 1;
atomic_int counter;

static int twice(int v) { return v + v; }

static void add(int *to, int by) {
    if (by < 0)
        return;
    *to += by;
}

void *worker(void *arg) {
    int i, local = *(int *)arg;
    enum color shade = GREEN;
    for (i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        while (!y)
            pthread_cond_wait(&c, &m);
        add(&x, local);
        table[i & 3] = x % 3;
        pthread_mutex_unlock(&m);
        if (i == 1) continue;
        mine = local ? mine : 0;
    }
    switch (shade) {
    case RED: x = 0; break;
    case GREEN: x = twice(1);
    default: y = x >> 1 | 1;
    }
    do { local--; } while (local > 0);
    atomic_fetch_add(&counter, 1);
    p.second = (unsigned char)(p.first ^ 3);
    return 0;
}

int main(void) {
    pthread_t t[2];
    word u = 3u;
    bool done = false;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &x);
    y = 1;
    pthread_cond_broadcast(&c);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    done = u > 2;
    if (done) goto out;
    assert(counter == 2);
out:
    assert(done || p.second != 9);
    return 0;
}
