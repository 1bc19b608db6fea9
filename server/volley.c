#include "server/volley.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Datagrams given to the kernel in one call: more save nothing that could be measured. */
#define BATCH 64u

struct ixor_volley {
    /* What is being sent; the caller's while nobody is busy. */
    int fd;
    struct mmsghdr *messages;
    size_t count;
    atomic_size_t next; /* the first that nobody has taken up */
    atomic_size_t sent;

    unsigned wanted, helpers; /* threads besides the caller's, and those that run */
    pthread_t threads[IXOR_VOLLEY_THREADS - 1];
    pthread_mutex_t mutex;
    pthread_cond_t begun, done;
    /* Under the mutex: */
    bool open, ending;
    unsigned busy;   /* helpers that are sending */
    uint64_t volley; /* its number: a helper takes part in each once */
};

/* Whether a full buffer of the kernel's has room again soon. */
static bool await_room(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
    return errno == EAGAIN && poll(&poll_fd, 1, IXOR_VOLLEY_ROOM_MS) > 0;
}

/* How many of a batch went. One that cannot be sent is left out, and the rest goes on. */
static size_t send_batch(int fd, struct mmsghdr *messages, size_t count)
{
    size_t lost = 0;
    for (size_t done = 0; done < count;) {
        const int sent = sendmmsg(fd, messages + done, (unsigned)(count - done), 0);
        if (sent > 0) {
            done += (size_t)sent;
        } else if (sent < 0 && errno != EINTR && !await_room(fd)) {
            done++;
            lost++;
        }
    }
    return count - lost;
}

/* Batches, as long as there are any that nobody else has. */
static void take_part(struct ixor_volley *v)
{
    size_t first;
    while ((first = atomic_fetch_add(&v->next, BATCH)) < v->count) {
        const size_t left = v->count - first;
        atomic_fetch_add(&v->sent,
                         send_batch(v->fd, v->messages + first, left < BATCH ? left : BATCH));
    }
}

static void *help(void *user)
{
    struct ixor_volley *v = user;
    uint64_t last = 0;
    pthread_mutex_lock(&v->mutex);
    while (!v->ending) {
        /* Who wakes up too late finds it closed: the caller waits for nobody who has not begun. */
        if (!v->open || v->volley == last) {
            pthread_cond_wait(&v->begun, &v->mutex);
            continue;
        }
        last = v->volley;
        v->busy++;
        pthread_mutex_unlock(&v->mutex);
        take_part(v);
        pthread_mutex_lock(&v->mutex);
        if (--v->busy == 0)
            pthread_cond_signal(&v->done);
    }
    pthread_mutex_unlock(&v->mutex);
    return NULL;
}

/* Signals are the loop's. A thread that cannot be had is done without. */
static void start_helpers(struct ixor_volley *v)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (v->helpers < v->wanted &&
           pthread_create(&v->threads[v->helpers], NULL, help, v) == 0) {
        pthread_setname_np(v->threads[v->helpers], "ixor-sender");
        v->helpers++;
    }
    v->wanted = v->helpers;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void send_together(struct ixor_volley *v)
{
    pthread_mutex_lock(&v->mutex);
    v->volley++;
    v->open = true;
    pthread_cond_broadcast(&v->begun);
    pthread_mutex_unlock(&v->mutex);
    take_part(v);
    pthread_mutex_lock(&v->mutex);
    v->open = false;
    while (v->busy)
        pthread_cond_wait(&v->done, &v->mutex);
    pthread_mutex_unlock(&v->mutex);
}

size_t ixor_volley_send(struct ixor_volley *v, int fd, struct mmsghdr *messages, size_t count)
{
    v->fd = fd;
    v->messages = messages;
    v->count = count;
    atomic_store(&v->next, 0);
    atomic_store(&v->sent, 0);
    if (count >= IXOR_VOLLEY_SHARED && v->helpers < v->wanted)
        start_helpers(v);
    if (count >= IXOR_VOLLEY_SHARED && v->helpers)
        send_together(v);
    else
        take_part(v);
    return atomic_load(&v->sent);
}

static unsigned processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

struct ixor_volley *ixor_volley_new(unsigned threads)
{
    struct ixor_volley *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    if (threads == 0)
        threads = processors();
    v->wanted = (threads < IXOR_VOLLEY_THREADS ? threads : IXOR_VOLLEY_THREADS) - 1;
    pthread_mutex_init(&v->mutex, NULL);
    pthread_cond_init(&v->begun, NULL);
    pthread_cond_init(&v->done, NULL);
    return v;
}

void ixor_volley_free(struct ixor_volley *v)
{
    if (!v)
        return;
    pthread_mutex_lock(&v->mutex);
    v->ending = true;
    pthread_cond_broadcast(&v->begun);
    pthread_mutex_unlock(&v->mutex);
    for (unsigned i = 0; i < v->helpers; i++)
        pthread_join(v->threads[i], NULL);
    pthread_mutex_destroy(&v->mutex);
    pthread_cond_destroy(&v->begun);
    pthread_cond_destroy(&v->done);
    free(v);
}
