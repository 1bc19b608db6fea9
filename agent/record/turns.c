/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/turns.h"

#include <stdlib.h>

int ixa_turns_start(struct ixa_turns *t, struct ixa_starts *starts)
{
    *t = (struct ixa_turns){.schedule = {.tasks = -1},
                            .list = calloc(IXA_TURNS_THREADS, sizeof *t->list)};
    if (!t->list)
        return -1;
    ixa_schedule_init(&t->schedule, IXA_SHARE_FACT);
    t->starts = starts;
    return 0;
}

void ixa_turns_stop(struct ixa_turns *t)
{
    for (size_t i = 0; t->starts && i < t->count; i++)
        ixa_schedule_close(&t->schedule, t->list[i].fd);
    if (t->starts)
        ixa_schedule_free(&t->schedule);
    ix_idmap_free(&t->by_key);
    free(t->list);
    *t = (struct ixa_turns){0};
}

/* ---- which threads ---- */

/* The last one takes its place. */
static void forget(struct ixa_turns *t, size_t place)
{
    ixa_schedule_close(&t->schedule, t->list[place].fd);
    t->list[place] = t->list[--t->count];
    ix_idmap_clear(&t->by_key);
    for (size_t i = 0; i < t->count; i++)
        ix_idmap_put(&t->by_key, t->list[i].key, (uint32_t)i + 1); /* has had room for more */
}

static void add(struct ixa_turns *t, const struct ixa_start *start)
{
    if (t->count == IXA_TURNS_THREADS)
        return;
    const int fd = ixa_schedule_open(&t->schedule, (pid_t)start->os_id);
    if (fd < 0)
        return;
    if (ix_idmap_put(&t->by_key, start->key, (uint32_t)t->count + 1) != 0) {
        ixa_schedule_close(&t->schedule, fd);
        return;
    }
    t->list[t->count++] = (struct ixa_turning){.key = start->key, .fd = fd, .due = true};
}

static void find_new(struct ixa_turns *t)
{
    struct ixa_start list[IXA_TURNS_LOOKS];
    uint32_t opened = 0;
    const size_t count = ixa_starts_next(t->starts, &t->next_start, list, IXA_TURNS_LOOKS);
    for (size_t i = 0; i < count && opened < IXA_TURNS_OPENS; i++) {
        if (ix_idmap_get(&t->by_key, list[i].key))
            continue;
        add(t, &list[i]);
        opened++;
    }
}

/* ---- the log ---- */

/* count: how often it has run so far. */
static int write_one(struct ixa_turning *x, uint64_t count, const struct ixa_threads *threads,
                     struct ix_log_writer *log)
{
    const uint32_t thread = count > x->turns ? ixa_threads_find(threads, x->key) : 0;
    x->due = count > x->turns && !thread; /* it is in no snapshot yet */
    if (!thread)
        return 0;
    const struct ix_turns turns = {.thread = thread, .turns = count - x->turns};
    x->turns = count;
    return ix_log_turns(log, &turns);
}

void ixa_turns_unchanged(struct ixa_turns *t, uint64_t key)
{
    const uint32_t place = ix_idmap_get(&t->by_key, key);
    if (place)
        t->list[place - 1].unchanged = true;
}

void ixa_turns_known(struct ixa_turns *t, uint64_t key, uint64_t count)
{
    const uint32_t place = ix_idmap_get(&t->by_key, key);
    if (place)
        t->list[place - 1].known = count;
}

/* Those that are known need not be looked at. */
static int write_known(struct ixa_turns *t, const struct ixa_threads *threads,
                       struct ix_log_writer *log)
{
    for (size_t i = 0; i < t->count; i++) {
        struct ixa_turning *x = &t->list[i];
        const uint64_t known = x->known;
        x->due |= !x->unchanged;
        x->unchanged = false;
        x->known = 0;
        if (known && write_one(x, known, threads, log) != 0)
            return -1;
    }
    return 0;
}

int ixa_turns_write(struct ixa_turns *t, const struct ixa_threads *threads,
                    struct ix_log_writer *log)
{
    if (!t->starts)
        return 0;
    find_new(t);
    if (write_known(t, threads, log) != 0)
        return -1;
    uint32_t looks = 0;
    for (size_t steps = t->count; steps && looks < IXA_TURNS_LOOKS; steps--) {
        bool gone = false;
        if (t->next >= t->count)
            t->next = 0;
        struct ixa_turning *x = &t->list[t->next];
        if (x->due) {
            looks++;
            const uint64_t count = ixa_schedule_count(x->fd);
            gone = !count;
            if (write_one(x, count, threads, log) != 0)
                return -1;
        }
        if (gone)
            forget(t, t->next);
        else
            t->next++;
    }
    return 0;
}
