/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/api.h"

#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "server/viewer/live.h"
#include "server/viewer/stacks.h"
#include "server/viewer/waits.h"

struct job {
    struct job *next;
    struct ixor_route route;
    bool paused;
    void *ticket;
    int status;
    char *body; /* owned; NULL: memory ran out */
};

struct ixor_api {
    struct event *event;
    int done_fd; /* written when the thread has put something into `done` */
    void (*answered)(void *ticket, const struct ixor_api_reply *a);
    size_t asked; /* not answered yet; the loop's */

    pthread_t thread;
    bool started;
    pthread_mutex_t mutex; /* for the following */
    pthread_cond_t more;
    struct job *waiting, **waiting_end, *done;
    bool over;

    /* The thread's: */
    struct ixor_live *live;
    struct ixor_stacks *stacks;
    struct ixor_waits *waits;
};

/* ---- on the thread ---- */

static enum ixor_found from_log(struct ixor_api *a, const struct ixor_route *r, json_t **out,
                                struct ix_error *err)
{
    char *path;
    enum ixor_found found = ixor_live_log(a->live, r->vm, &path, err);
    if (found != IXOR_FOUND)
        return found;
    if (r->kind == IXOR_ROUTE_STACK)
        found = ixor_stacks_stack(a->stacks, path, (uint64_t)r->packet, r->thread, out, err);
    else
        found = ixor_stacks_threads(a->stacks, path, (uint64_t)r->packet, out, err);
    free(path);
    if (found == IXOR_FOUND)
        json_object_set_new(*out, "vm", json_integer(r->vm));
    return found;
}

static enum ixor_found answer(struct ixor_api *a, const struct job *job, json_t **out,
                              struct ix_error *err)
{
    const struct ixor_route *r = &job->route;
    enum ixor_found found;
    switch (r->kind) {
    case IXOR_ROUTE_STATE:
        found = ixor_live_state(a->live, r->execution, out, err);
        if (found == IXOR_FOUND)
            json_object_set_new(*out, "paused", json_boolean(job->paused));
        return found;
    case IXOR_ROUTE_WAITS:
        return ixor_waits_now(a->waits, a->live, r->execution, out, err);
    case IXOR_ROUTE_MOMENT:
        return ixor_live_moment(a->live, r->execution, r->packet, out, err);
    case IXOR_ROUTE_PACKETS:
        return ixor_live_packets(a->live, r->vm, out, err);
    case IXOR_ROUTE_THREADS:
    case IXOR_ROUTE_STACK:
        return from_log(a, r, out, err);
    default:
        break;
    }
    ix_fail(err, "there is nothing here");
    return IXOR_NOT_THERE;
}

static void work(struct ixor_api *a, struct job *job)
{
    struct ix_error err = {""};
    json_t *root = NULL;
    switch (answer(a, job, &root, &err)) {
    case IXOR_FOUND:
        job->status = 200;
        break;
    case IXOR_NOT_THERE:
        job->status = 404;
        break;
    case IXOR_BUSY:
        job->status = 503;
        break;
    default:
        job->status = 500;
        break;
    }
    if (job->status != 200)
        root = json_pack("{so}", "error", ixor_live_text(err.text, sizeof err.text));
    job->body = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
}

/* The next job, or NULL when it is over. */
static struct job *next_job(struct ixor_api *a)
{
    pthread_mutex_lock(&a->mutex);
    while (!a->waiting && !a->over)
        pthread_cond_wait(&a->more, &a->mutex);
    struct job *job = a->over ? NULL : a->waiting;
    if (job) {
        a->waiting = job->next;
        if (!a->waiting)
            a->waiting_end = &a->waiting;
    }
    pthread_mutex_unlock(&a->mutex);
    return job;
}

static void *run(void *user)
{
    struct ixor_api *a = user;
    const uint64_t one = 1;
    for (struct job *job; (job = next_job(a));) {
        work(a, job);
        pthread_mutex_lock(&a->mutex);
        job->next = a->done;
        a->done = job;
        pthread_mutex_unlock(&a->mutex);
        /* Fails only if 2^64 answers are waiting. */
        if (write(a->done_fd, &one, sizeof one) < 0)
            continue;
    }
    return NULL;
}

/* ---- in the event loop ---- */

static void hand_out(struct ixor_api *a, struct job *job)
{
    static const char nothing[] = "{\"error\":\"the server is out of memory\"}";
    const char *body = job->body ? job->body : nothing;
    const struct ixor_api_reply answer = {job->body ? job->status : 500, body, strlen(body)};
    a->asked--;
    a->answered(job->ticket, &answer);
    free(job->body);
    free(job);
}

static void done_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_api *a = user;
    uint64_t count;
    (void)what;
    if (read(fd, &count, sizeof count) < 0)
        return;
    pthread_mutex_lock(&a->mutex);
    struct job *done = a->done;
    a->done = NULL;
    pthread_mutex_unlock(&a->mutex);
    for (struct job *next; done; done = next) {
        next = done->next;
        hand_out(a, done);
    }
}

bool ixor_api_ask(struct ixor_api *a, const struct ixor_route *route, bool paused, void *ticket)
{
    struct job *job = a->asked < IXOR_QUESTIONS_MAX ? calloc(1, sizeof *job) : NULL;
    if (!job)
        return false;
    *job = (struct job){.route = *route, .paused = paused, .ticket = ticket};
    a->asked++;
    pthread_mutex_lock(&a->mutex);
    *a->waiting_end = job;
    a->waiting_end = &job->next;
    pthread_cond_signal(&a->more);
    pthread_mutex_unlock(&a->mutex);
    return true;
}

/* Signals are for the loop's thread alone. */
static int start_thread(struct ixor_api *a, struct ix_error *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int bad = pthread_create(&a->thread, NULL, run, a);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (bad)
        return ix_fail(err, "cannot start the viewer's thread: %s", strerror(bad));
    a->started = true;
    return 0;
}

struct ixor_api *ixor_api_new(struct event_base *base, const char *dir,
                              void (*answered)(void *ticket, const struct ixor_api_reply *a),
                              struct ix_error *err)
{
    struct ixor_api *a = calloc(1, sizeof *a);
    if (!a) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    a->answered = answered;
    a->waiting_end = &a->waiting;
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->more, NULL);
    a->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    a->stacks = ixor_stacks_new();
    a->waits = ixor_waits_new(IXOR_WAITS_PATIENCE_NS);
    a->event =
        a->done_fd >= 0 ? event_new(base, a->done_fd, EV_READ | EV_PERSIST, done_cb, a) : NULL;
    if (!a->stacks || !a->waits || !a->event || event_add(a->event, NULL) != 0) {
        ix_fail(err, "cannot start the viewer: out of memory or descriptors");
    } else {
        a->live = ixor_live_new(dir, err);
        if (a->live && start_thread(a, err) == 0)
            return a;
    }
    ixor_api_free(a);
    return NULL;
}

void ixor_api_free(struct ixor_api *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->mutex);
    a->over = true;
    pthread_cond_signal(&a->more);
    pthread_mutex_unlock(&a->mutex);
    if (a->started)
        pthread_join(a->thread, NULL);
    struct job *lists[] = {a->done, a->waiting};
    for (size_t i = 0; i < 2; i++) {
        for (struct job *job = lists[i], *next; job; job = next) {
            next = job->next;
            if (!job->status) {
                job->status = 503;
                job->body = strdup("{\"error\":\"the server is ending\"}");
            }
            hand_out(a, job);
        }
    }
    if (a->event)
        event_free(a->event);
    if (a->done_fd >= 0)
        close(a->done_fd);
    ixor_stacks_free(a->stacks);
    ixor_waits_free(a->waits);
    ixor_live_free(a->live);
    pthread_mutex_destroy(&a->mutex);
    pthread_cond_destroy(&a->more);
    free(a);
}
