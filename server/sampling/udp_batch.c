/* SPDX-License-Identifier: Apache-2.0 */
#include "server/sampling/udp_batch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Datagrams per system call: more bring no measurable gain. */
#define SLICE 64u

struct ixor_udp_batch {
    /* What is being sent; owned by the caller while no helper is busy. */
    int fd;
    struct mmsghdr *messages;
    size_t count;
    atomic_size_t next; /* the first one that no thread has taken */
    atomic_size_t sent;

    unsigned wanted, helpers; /* threads wanted besides the caller's; threads running */
    pthread_t threads[IXOR_UDP_BATCH_THREADS - 1];
    pthread_mutex_t mutex;
    pthread_cond_t begun, done;
    /* Under the mutex: */
    bool open, ending;
    unsigned busy;   /* helpers that are sending */
    uint64_t number; /* of the batch: each helper takes part once */
};

/* Waits briefly for room in the kernel's full buffer; false if there is none. */
static bool await_room(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
    return errno == EAGAIN && poll(&poll_fd, 1, IXOR_UDP_BATCH_ROOM_MS) > 0;
}

/* Returns how many of a slice were sent. Skips a datagram that cannot be sent. */
static size_t send_slice(int fd, struct mmsghdr *messages, size_t count)
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

/* Sends slices until all have been taken. */
static void take_part(struct ixor_udp_batch *b)
{
    size_t first;
    while ((first = atomic_fetch_add(&b->next, SLICE)) < b->count) {
        const size_t left = b->count - first;
        atomic_fetch_add(&b->sent,
                         send_slice(b->fd, b->messages + first, left < SLICE ? left : SLICE));
    }
}

static void *help(void *user)
{
    struct ixor_udp_batch *b = user;
    uint64_t last = 0;
    pthread_mutex_lock(&b->mutex);
    while (!b->ending) {
        /* A helper that wakes up too late finds it closed: the caller does not wait for helpers
         * that have not begun. */
        if (!b->open || b->number == last) {
            pthread_cond_wait(&b->begun, &b->mutex);
            continue;
        }
        last = b->number;
        b->busy++;
        pthread_mutex_unlock(&b->mutex);
        take_part(b);
        pthread_mutex_lock(&b->mutex);
        if (--b->busy == 0)
            pthread_cond_signal(&b->done);
    }
    pthread_mutex_unlock(&b->mutex);
    return NULL;
}

/* Signals are handled by the loop's thread. If a thread cannot be started, sending works without
 * it. */
static void start_helpers(struct ixor_udp_batch *b)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (b->helpers < b->wanted && pthread_create(&b->threads[b->helpers], NULL, help, b) == 0) {
        pthread_setname_np(b->threads[b->helpers], "ixor-sender");
        b->helpers++;
    }
    b->wanted = b->helpers;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void send_together(struct ixor_udp_batch *b)
{
    pthread_mutex_lock(&b->mutex);
    b->number++;
    b->open = true;
    pthread_cond_broadcast(&b->begun);
    pthread_mutex_unlock(&b->mutex);
    take_part(b);
    pthread_mutex_lock(&b->mutex);
    b->open = false;
    while (b->busy)
        pthread_cond_wait(&b->done, &b->mutex);
    pthread_mutex_unlock(&b->mutex);
}

size_t ixor_udp_batch_send(struct ixor_udp_batch *b, int fd, struct mmsghdr *messages, size_t count)
{
    b->fd = fd;
    b->messages = messages;
    b->count = count;
    atomic_store(&b->next, 0);
    atomic_store(&b->sent, 0);
    if (count >= IXOR_UDP_BATCH_SHARED && b->helpers < b->wanted)
        start_helpers(b);
    if (count >= IXOR_UDP_BATCH_SHARED && b->helpers)
        send_together(b);
    else
        take_part(b);
    return atomic_load(&b->sent);
}

static unsigned processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

struct ixor_udp_batch *ixor_udp_batch_new(unsigned threads)
{
    struct ixor_udp_batch *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    if (threads == 0)
        threads = processors();
    b->wanted = (threads < IXOR_UDP_BATCH_THREADS ? threads : IXOR_UDP_BATCH_THREADS) - 1;
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->begun, NULL);
    pthread_cond_init(&b->done, NULL);
    return b;
}

void ixor_udp_batch_free(struct ixor_udp_batch *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&b->mutex);
    b->ending = true;
    pthread_cond_broadcast(&b->begun);
    pthread_mutex_unlock(&b->mutex);
    for (unsigned i = 0; i < b->helpers; i++)
        pthread_join(b->threads[i], NULL);
    pthread_mutex_destroy(&b->mutex);
    pthread_cond_destroy(&b->begun);
    pthread_cond_destroy(&b->done);
    free(b);
}
