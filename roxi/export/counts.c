/* SPDX-License-Identifier: Apache-2.0 */
/* How often each call stack was seen: shared by the formats that add up snapshots. */
#include <stdlib.h>
#include <string.h>

#include "roxi/export/export.h"
#include "schema/base/grow.h"

/* The number of the thread's group; EXPORT_NONE: out of memory. */
static uint32_t group_of(struct export *x, struct export_counts *counts, uint32_t thread,
                         unsigned by)
{
    struct export_group key = {0};
    char room[EXPORT_ROOM];
    bool added;
    if (by & EXPORT_BY_EXECUTION)
        key.execution = export_string(&x->dictionary, x->execution->name);
    if (by & EXPORT_BY_THREAD) {
        struct ix_thread t = ix_log_thread_at(x->reader, thread);
        key.role = export_string(&x->dictionary, x->vm->role);
        key.thread = export_string(&x->dictionary, export_thread_name(&t, room));
    }
    if (key.execution == EXPORT_NONE || key.role == EXPORT_NONE || key.thread == EXPORT_NONE)
        return EXPORT_NONE;
    counts->groups.key_size = sizeof key;
    return ix_intern(&counts->groups, &key, sizeof key, &added);
}

/* The thread is gone or has changed: counts how long it was in its stack. */
static void stop(struct export_counts *counts, struct export_running *thread)
{
    if (thread->place)
        counts->seen.counts[thread->place - 1] += counts->now - thread->since;
    thread->place = 0;
}

void export_count_end(struct export_counts *counts)
{
    for (size_t i = 0; i < counts->thread_count; i++)
        stop(counts, &counts->threads[i]);
    counts->thread_count = 0;
    counts->part = 0;
    counts->now = 0;
}

/* Makes room for all defined threads; in a new part the numbers mean other threads. */
static int take_threads(struct export *x, struct export_counts *counts)
{
    if (ix_log_part(x->reader) != counts->part) {
        const uint64_t now = counts->now;
        export_count_end(counts);
        counts->part = ix_log_part(x->reader);
        counts->now = now;
    }
    const size_t want = ix_log_thread_count(x->reader);
    struct export_running *threads =
        ix_grow(counts->threads, &counts->thread_cap, want, sizeof *threads);
    if (!threads)
        return -1;
    counts->threads = threads;
    memset(threads + counts->thread_count, 0, (want - counts->thread_count) * sizeof *threads);
    counts->thread_count = want;
    return 0;
}

static int start(struct export *x, struct export_counts *counts, uint32_t number,
                 uint32_t log_stack, unsigned by)
{
    struct export_running *thread = &counts->threads[number];
    stop(counts, thread);
    const uint32_t stack = export_log_stack(&x->log, log_stack);
    const uint32_t group = thread->group ? thread->group - 1 : group_of(x, counts, number, by);
    if (stack == EXPORT_NONE || group == EXPORT_NONE)
        return -1;
    const uint32_t place = roxi_tally_add(&counts->seen, roxi_pair(group, stack), 0);
    if (place == ROXI_NONE)
        return -1;
    *thread = (struct export_running){place + 1, group + 1, log_stack, counts->now};
    return 0;
}

static int take_changes(struct export *x, struct export_counts *counts, const struct ix_snapshot *s,
                        unsigned by)
{
    const struct ix_changes changes = ix_log_changes(x->reader);
    int result = 0;
    for (size_t i = 0; i < changes.gone_count; i++)
        stop(counts, &counts->threads[changes.gone[i]]);
    for (size_t i = 0; i < changes.redefined_count; i++)
        counts->threads[changes.redefined[i]].group = 0;
    for (size_t i = 0; i < changes.set_count && result == 0; i++) {
        const struct ix_entry *entry = &s->entries[changes.set[i]];
        result = start(x, counts, entry->thread, entry->stack, by);
    }
    for (size_t i = 0; i < changes.redefined_count && result == 0; i++) {
        const struct export_running *thread = &counts->threads[changes.redefined[i]];
        if (thread->place && !thread->group) /* renamed, but still in the same stack */
            result = start(x, counts, changes.redefined[i], thread->stack, by);
    }
    return result;
}

/* Counts a single packet: changes since the previous packet are irrelevant. */
static int take_all(struct export *x, struct export_counts *counts, const struct ix_snapshot *s,
                    unsigned by)
{
    int result = 0;
    for (size_t i = 0; i < s->count && result == 0; i++)
        result = start(x, counts, s->entries[i].thread, s->entries[i].stack, by);
    return result;
}

int export_count(struct export *x, struct export_counts *counts, const struct ix_snapshot *s,
                 unsigned by, struct ix_error *err)
{
    int result = take_threads(x, counts);
    if (result == 0)
        result = x->options->packet ? take_all(x, counts, s, by) : take_changes(x, counts, s, by);
    counts->now++;
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}

struct export_group export_group_at(const struct export_counts *counts, uint32_t group)
{
    struct export_group g;
    memcpy(&g, counts->groups.keys.data + group * sizeof g, sizeof g);
    return g;
}

void export_counts_free(struct export_counts *counts)
{
    ix_intern_free(&counts->groups);
    roxi_tally_free(&counts->seen);
    free(counts->threads);
}
