/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's thread, and how queued entries reach it. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/base/units.h"
#include "server/store/catalogue_writer_internal.h"

/* Pauses between tries: the first, doubled each time up to the longest, which is shorter while a
 * caller waits. */
#define PAUSE_MS 25
#define PAUSE_MAX_MS 5000
#define PAUSE_HURRY_MS 400
/* How long ixor_writer_flush_briefly waits. */
#define SETTLE_MS 250
#define TALLY_TEXT 160

/* ---- the writer ---- */

static struct timespec after_ms(unsigned ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000L;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* With the mutex held: pauses until the next try, or until a caller begins to wait. */
static void pause_writing(struct ixor_writer *w, unsigned *ms)
{
    const bool hurried = w->hurry;
    const unsigned longest = hurried ? PAUSE_HURRY_MS : PAUSE_MAX_MS;
    if (*ms > longest)
        *ms = longest;
    const struct timespec until = after_ms(*ms);
    while (!w->ending && w->hurry <= hurried &&
           pthread_cond_timedwait(&w->changed, &w->mutex, &until) == 0)
        ;
    *ms = *ms * 2;
}

/* Tries once to write. Called with the mutex held, which it releases meanwhile. */
static bool try_writing(struct ixor_writer *w)
{
    struct ixor_tally left_out;
    struct ix_error why = {""};
    pthread_mutex_unlock(&w->mutex);
    const bool done = ixor_entries_write(w->own, &w->writing, &w->ids, &left_out, &why) == 0;
    if (done)
        ixor_entries_clear(&w->writing);
    pthread_mutex_lock(&w->mutex);
    if (!done || (ixor_tally_sum(&left_out) && !ixor_tally_sum(&w->left_out)))
        w->why = why;
    ixor_tally_add(&w->left_out, &left_out);
    w->trouble = !done;
    w->busy = !done;
    pthread_cond_broadcast(&w->changed);
    return done;
}

static void *writer(void *user)
{
    struct ixor_writer *w = user;
    unsigned pause_ms = PAUSE_MS;
    pthread_mutex_lock(&w->mutex);
    for (;;) {
        while (!w->busy && !w->ending)
            pthread_cond_wait(&w->changed, &w->mutex);
        if (!w->busy)
            break;
        if (try_writing(w)) {
            pause_ms = PAUSE_MS;
            continue;
        }
        if (w->ending)
            break;
        pause_writing(w, &pause_ms);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

/* ---- telling ---- */

__attribute__((format(printf, 2, 3))) static void say(struct ixor_writer *w, const char *format,
                                                      ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (w->say)
        w->say(w->user, text);
}

/* What will never be written. */
static struct ixor_tally lost(const struct ixor_writer *w, const struct ixor_tally *left_out)
{
    struct ixor_tally t = w->dropped;
    ixor_tally_add(&t, left_out);
    return t;
}

static void tell_trouble(struct ixor_writer *w, bool trouble, const struct ix_error *why,
                         const struct ixor_tally *left_out)
{
    char text[TALLY_TEXT], took[IXOR_UNIT_TEXT];
    if (trouble && !w->told) {
        say(w, "%s; it is tried again, and what is to be written waits in memory (up to %u MiB)",
            why->text, IXOR_WRITER_ROOM >> 20);
        w->told_ns = ixor_mono_ns();
    } else if (!trouble && w->told) {
        const struct ixor_tally missing = lost(w, left_out);
        ixor_tally_text(&missing, text, sizeof text);
        ixor_duration_text((int64_t)(ixor_mono_ns() - w->told_ns), took);
        say(w, "'%s': written again after %s; %s%s", ix_catalogue_file(w->catalogue), took,
            text[0] ? text : "nothing", text[0] ? " are missing" : " is missing");
    }
    w->told = trouble;
}

static void tell_loss(struct ixor_writer *w, const struct ix_error *why,
                      const struct ixor_tally *left_out)
{
    const bool full = ixor_tally_sum(&w->dropped) > 0;
    if (full && !w->full)
        say(w, "'%s': no memory for more that waits to be written; it is dropped",
            ix_catalogue_file(w->catalogue));
    w->full = full;
    if (ixor_tally_sum(left_out) && !ixor_tally_sum(&w->told_left_out))
        say(w, "%s; such entries are left out", why->text);
    w->told_left_out = *left_out;
}

/* ---- handing over ---- */

/* With the mutex held and the writer idle: room for the ids of all runs. */
static bool make_ids(struct ixor_writer *w)
{
    if (w->executions <= w->ids.count)
        return true;
    const size_t more = w->executions + 64;
    int64_t *bigger = reallocarray(w->ids.of, more, sizeof *bigger);
    if (!bigger)
        return false;
    memset(bigger + w->ids.count, 0, (more - w->ids.count) * sizeof *bigger);
    w->ids = (struct ixor_execution_ids){bigger, more};
    return true;
}

/* Hands the queued entries to the writer, unless it is still busy. */
static void hand_over(struct ixor_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    if (!w->busy) {
        w->handed_bytes = 0;
        w->handed_over = (struct ixor_tally){{0}};
    }
    if (!w->busy && w->gathered.count && make_ids(w)) {
        struct ixor_entries empty = w->writing;
        w->writing = w->gathered;
        w->gathered = empty;
        w->handed_bytes = w->writing.bytes;
        w->handed_over = w->writing.tally;
        w->busy = true;
        pthread_cond_broadcast(&w->changed);
    }
    const bool trouble = w->trouble;
    const struct ix_error why = w->why;
    const struct ixor_tally left_out = w->left_out;
    pthread_mutex_unlock(&w->mutex);
    tell_loss(w, &why, &left_out);
    tell_trouble(w, trouble, &why, &left_out);
}

static void flush_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_writer *w = user;
    (void)fd, (void)what;
    ixor_writer_put_counts(w, IXOR_WRITER_COUNTS);
    hand_over(w);
}

/* With the mutex held, while the writer is busy: waits for it; false: it is late, and to go on
 * waiting is no use. While nothing has failed it is only slow, and who is `patient` waits for it:
 * ixor_writer_free does so as well. */
static bool wait_busy(struct ixor_writer *w, const struct timespec *until, bool patient)
{
    if (pthread_cond_timedwait(&w->changed, &w->mutex, until) == 0)
        return true;
    if (!patient || w->trouble)
        return false;
    if (w->busy)
        pthread_cond_wait(&w->changed, &w->mutex);
    return true;
}

/* Whether everything has been handed over and the writer is done with it; waits for that. */
static bool wait_idle(struct ixor_writer *w, const struct timespec *until, bool patient)
{
    bool idle = false, late = false;
    while (!idle && !late) {
        hand_over(w);
        pthread_mutex_lock(&w->mutex);
        const bool trouble = w->trouble;
        while (w->busy && w->trouble == trouble && !late)
            late = !wait_busy(w, until, patient);
        idle = !w->busy;
        pthread_mutex_unlock(&w->mutex);
        idle = idle && w->gathered.count == 0;
    }
    hand_over(w); /* only collects its result */
    return idle;
}

static void set_hurry(struct ixor_writer *w, bool hurry)
{
    pthread_mutex_lock(&w->mutex);
    w->hurry = hurry;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

/* 0 if nothing is missing. */
static int account(struct ixor_writer *w, struct ix_error *err)
{
    char text[TALLY_TEXT];
    pthread_mutex_lock(&w->mutex);
    struct ixor_tally missing = lost(w, &w->left_out);
    const struct ix_error why = w->why;
    if (w->busy)
        ixor_tally_add(&missing, &w->handed_over);
    pthread_mutex_unlock(&w->mutex);
    ixor_tally_add(&missing, &w->gathered.tally);
    if (ixor_tally_sum(&missing) == 0)
        return 0;
    ixor_tally_text(&missing, text, sizeof text);
    return ix_fail(err, "%s missing in the catalogue: %s", text,
                   why.text[0] ? why.text : "out of memory");
}

int ixor_writer_flush(struct ixor_writer *w, struct ix_error *err)
{
    const struct timespec until = after_ms(w->last_ms);
    ixor_writer_put_counts(w, SIZE_MAX);
    hand_over(w); /* tells trouble that nobody has told yet */
    if (w->told)
        say(w, "'%s': trying for another %u s to write what waits", ix_catalogue_file(w->catalogue),
            (w->last_ms + 999) / 1000);
    set_hurry(w, true);
    wait_idle(w, &until, true);
    set_hurry(w, false);
    return account(w, err);
}

void ixor_writer_flush_for(struct ixor_writer *w, unsigned ms)
{
    w->last_ms = ms;
}

int ixor_writer_flush_briefly(struct ixor_writer *w, bool wait, struct ix_error *err)
{
    const struct timespec until = after_ms(wait ? SETTLE_MS : 0);
    if (!w->told && wait_idle(w, &until, false))
        return 0;
    return ix_fail(err, "'%s' cannot be written for the moment", ix_catalogue_file(w->catalogue));
}

/* ---- from start to end ---- */

/* Signals are handled by the loop's thread. */
static int start_thread(struct ixor_writer *w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&w->thread, NULL, writer, w);
    if (!failed)
        pthread_setname_np(w->thread, "ixor-writer");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static int start(struct ixor_writer *w, struct event_base *base, struct ix_error *err)
{
    const struct timeval every = {.tv_usec = IXOR_WRITER_FLUSH_MS * 1000};
    w->own = ix_catalogue_open(ix_catalogue_dir(w->catalogue), IX_CATALOGUE_WRITE, err);
    if (!w->own)
        return -1;
    ix_catalogue_patience(w->own, IXOR_WRITER_LOCK_MS);
    w->timer = event_new(base, -1, EV_PERSIST, flush_cb, w);
    if (!w->timer || event_add(w->timer, &every) != 0)
        return ix_fail(err, "out of memory");
    const int failed = start_thread(w);
    if (failed)
        return ix_fail(err, "cannot start a thread: %s", strerror(failed));
    w->started = true;
    return 0;
}

struct ixor_writer *ixor_writer_new(struct event_base *base, struct ix_catalogue *c,
                                    void (*say_line)(void *user, const char *text), void *user,
                                    struct ix_error *err)
{
    struct ixor_writer *w = calloc(1, sizeof *w);
    if (!w) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    w->catalogue = c;
    w->last_ms = IXOR_WRITER_LAST_MS;
    w->say = say_line;
    w->user = user;
    pthread_mutex_init(&w->mutex, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (start(w, base, err) != 0) {
        ixor_writer_free(w);
        return NULL;
    }
    return w;
}

static void end_writer(struct ixor_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    w->ending = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);
}

void ixor_writer_free(struct ixor_writer *w)
{
    if (!w)
        return;
    if (w->started)
        end_writer(w);
    ixor_entries_clear(&w->gathered);
    ixor_entries_clear(&w->writing);
    while (w->vms) {
        struct ixor_writer_vm *vm = w->vms;
        w->vms = vm->next;
        ixor_writer_free_vm(vm);
    }
    if (w->timer)
        event_free(w->timer);
    ix_catalogue_close(w->own);
    pthread_mutex_destroy(&w->mutex);
    pthread_cond_destroy(&w->changed);
    free(w->gathered.at);
    free(w->writing.at);
    free(w->ids.of);
    free(w);
}

struct ix_catalogue *ixor_writer_catalogue(struct ixor_writer *w)
{
    return w->catalogue;
}
