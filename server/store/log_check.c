/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/log_check.h"

#include <stdlib.h>
#include <string.h>

#include "schema/tracelog/reader.h"
#include "server/base/units.h"

/* Time of one turn of the event loop; reading one record, 16 MiB at most, can exceed it. */
#define SLICE_NS UINT64_C(1000000)
#define SLICE_BYTES (UINT64_C(256) << 10) /* between two readings of the clock */

struct job {
    struct job *next;
    int64_t vm;
    char *path;
};

struct ixor_log_check {
    struct ixor_writer *writer;
    struct event *slice;
    struct job *first, *last;
    struct ix_log_reader *log; /* of the first one; NULL: not opened yet */
};

static int result(struct ix_log_reader *log, int status)
{
    return status == 0 && !ix_log_torn(log);
}

int ixor_log_is_complete(const char *path)
{
    uint64_t packet;
    int status;
    struct ix_log_reader *log = ix_log_open(path, NULL);
    if (!log)
        return -1;
    while ((status = ix_log_next_packet(log, &packet, NULL)) == 1)
        continue;
    const int whole = result(log, status);
    ix_log_reader_close(log);
    return whole;
}

static void again(struct ixor_log_check *w)
{
    event_add(w->slice, &(struct timeval){0});
}

static void drop_first(struct ixor_log_check *w)
{
    struct job *job = w->first;
    ix_log_reader_close(w->log);
    w->log = NULL;
    w->first = job->next;
    free(job->path);
    free(job);
}

static void slice_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_log_check *w = user;
    const uint64_t begin = ixor_mono_ns();
    uint64_t packet;
    int status = 1;
    (void)fd, (void)what;
    if (!w->log) {
        w->log = ix_log_open(w->first->path, NULL);
        if (w->log)
            ix_log_slice(w->log, SLICE_BYTES);
    }
    while (w->log && status > 0 && ixor_mono_ns() - begin < SLICE_NS)
        status = ix_log_next_packet(w->log, &packet, NULL);
    if (w->log && status > 0) {
        again(w);
        return;
    }
    if (w->log)
        ixor_writer_log(w->writer, w->first->vm, "collected", NULL, result(w->log, status));
    drop_first(w);
    if (w->first)
        again(w);
}

struct ixor_log_check *ixor_log_check_new(struct event_base *base, struct ixor_writer *writer,
                                          struct ix_error *err)
{
    struct ixor_log_check *w = calloc(1, sizeof *w);
    if (w) {
        w->writer = writer;
        w->slice = evtimer_new(base, slice_cb, w);
    }
    if (w && w->slice)
        return w;
    free(w);
    ix_fail(err, "out of memory");
    return NULL;
}

void ixor_log_check_free(struct ixor_log_check *w)
{
    if (!w)
        return;
    while (w->first)
        drop_first(w);
    event_free(w->slice);
    free(w);
}

void ixor_log_check_add(struct ixor_log_check *w, int64_t vm, const char *path)
{
    struct job *job = calloc(1, sizeof *job);
    char *copy = strdup(path);
    if (!job || !copy) {
        free(job);
        free(copy);
        return;
    }
    *job = (struct job){.vm = vm, .path = copy};
    if (w->first)
        w->last->next = job;
    else
        w->first = job;
    w->last = job;
    if (w->first == job)
        again(w);
}
