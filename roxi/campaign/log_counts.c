#include "roxi/log_counts.h"

#include <stdlib.h>
#include <string.h>

#include "schema/grow.h"

/* Instead of a place in the tally: */
enum {
    ABSENT = 0,  /* not in the list of threads */
    UNKNOWN = 1, /* in the list; what it counts as is found out when a packet counts */
    IGNORED = 2, /* by a rule */
    PLACES = 3,  /* from here on: place in the tally + PLACES */
};

/* A thread of the part that is being read. */
struct running {
    uint32_t place;
    uint32_t stack; /* the log's */
    uint32_t name;  /* + 1, ROXI_LEFT_OUT + 1 if a rule ignores it; 0 not known (any more) */
    uint32_t group; /* + 1, likewise */
    uint64_t since; /* how many packets had counted when it came to this stack */
    struct roxi_past past; /* if aspects are wanted */
};

struct counter {
    struct roxi_log_counts *result;
    struct ix_log_reader *log;
    struct roxi_log_symbols *symbols;
    struct roxi_profiles *profiles;
    struct running *threads; /* by the log's number */
    size_t count, cap;
    uint32_t part;
    uint64_t counted; /* packets so far */
    bool unknown;     /* a thread that no change tells of may be UNKNOWN */
    size_t at;        /* in the chosen packets */
};

/* The thread is not, or may not be, what it was: counts what it has been. -1: memory ran out. */
static int stop(struct counter *c, struct running *thread, uint32_t place)
{
    struct roxi_log_aspects *aspects = c->result->aspects;
    int result = 0;
    if (thread->place >= PLACES) {
        c->result->seen.counts[thread->place - PLACES] += c->counted - thread->since;
        if (aspects)
            result = roxi_past_stop(aspects, &thread->past, c->counted);
    }
    thread->place = place;
    if (aspects && place == ABSENT && result == 0)
        result = roxi_past_end(aspects, &thread->past, c->counted);
    return result;
}

static int stop_all(struct counter *c)
{
    int result = 0;
    for (size_t i = 0; i < c->count; i++)
        if (stop(c, &c->threads[i], ABSENT) != 0)
            result = -1;
    return result;
}

/* Room for all threads that are defined; in another part they are others. -1: memory ran out. */
static int take_threads(struct counter *c)
{
    if (ix_log_part(c->log) != c->part) {
        if (stop_all(c) != 0)
            return -1;
        c->part = ix_log_part(c->log);
        c->count = 0;
    }
    const size_t want = ix_log_thread_count(c->log);
    struct running *threads = ix_grow(c->threads, &c->cap, want, sizeof *threads);
    if (!threads)
        return -1;
    c->threads = threads;
    memset(threads + c->count, 0, (want - c->count) * sizeof *threads);
    c->count = want;
    return 0;
}

/* A thread that is new, or may have another state or stack. */
static int take_entry(struct counter *c, const struct ix_entry *entry)
{
    struct running *thread = &c->threads[entry->thread];
    if (thread->place == ABSENT || thread->stack != entry->stack) {
        thread->stack = entry->stack;
        return stop(c, thread, UNKNOWN);
    }
    return c->result->aspects && thread->place >= PLACES
               ? roxi_past_change(c->result->aspects, &thread->past, entry->state, c->counted)
               : 0;
}

static int take_changes(struct counter *c, const struct ix_snapshot *snapshot,
                        const struct ix_changes *changes)
{
    int result = 0;
    for (size_t i = 0; i < changes->gone_count && result == 0; i++)
        result = stop(c, &c->threads[changes->gone[i]], ABSENT);
    for (size_t i = 0; i < changes->set_count && result == 0; i++)
        result = take_entry(c, &snapshot->entries[changes->set[i]]);
    for (size_t i = 0; i < changes->redefined_count && result == 0; i++) {
        struct running *thread = &c->threads[changes->redefined[i]];
        thread->name = thread->group = 0;
        if (thread->place == ABSENT)
            continue;
        result = stop(c, thread, UNKNOWN);
        c->unknown = true;
    }
    return result;
}

/* Finds out what an UNKNOWN thread counts as from now on. A group is made only if something counts
 * in it. -1: memory ran out. */
static int start(struct counter *c, const struct ix_entry *entry)
{
    struct running *thread = &c->threads[entry->thread];
    if (thread->place != UNKNOWN)
        return 0;
    thread->place = IGNORED;
    if (!thread->name)
        thread->name = roxi_log_symbols_thread(c->symbols, entry->thread) + 1;
    const uint32_t stack = roxi_log_symbols_stack(c->symbols, entry->stack);
    if (thread->name == ROXI_LEFT_OUT + 1 || stack == ROXI_LEFT_OUT)
        return c->result->aspects
                   ? roxi_past_end(c->result->aspects, &thread->past, c->counted)
                   : 0;
    if (!thread->group && thread->name)
        thread->group = roxi_profiles_group(c->profiles, c->result->role, thread->name - 1) + 1;
    if (!thread->group)
        return -1;
    const uint64_t key = roxi_pair(thread->group - 1, stack);
    const uint32_t place = roxi_tally_add(&c->result->seen, key, 0);
    if (place == ROXI_NONE)
        return -1;
    thread->place = place + PLACES;
    thread->since = c->counted;
    return c->result->aspects
               ? roxi_past_begin(c->result->aspects, &thread->past, place, thread->group - 1,
                                 entry->state, c->counted)
               : 0;
}

/* A packet that counts. Names and stacks are met in the order of the threads, those that did not
 * change having been met before. */
static int count_packet(struct counter *c, const struct ix_snapshot *snapshot,
                        const struct ix_changes *changes)
{
    int result = roxi_log_symbols_update(c->symbols);
    if (c->result->aspects)
        roxi_log_aspects_count(c->result->aspects, snapshot->packet);
    if (c->unknown) {
        for (size_t i = 0; i < snapshot->count && result == 0; i++)
            result = start(c, &snapshot->entries[i]);
    } else {
        for (size_t i = 0; i < changes->set_count && result == 0; i++)
            result = start(c, &snapshot->entries[changes->set[i]]);
    }
    c->unknown = false;
    c->counted++;
    return result;
}

static int take_snapshot(struct counter *c, const struct ix_snapshot *snapshot)
{
    const struct ix_changes changes = ix_log_changes(c->log);
    const struct roxi_packets *chosen = c->result->chosen;
    if (take_threads(c) != 0 || take_changes(c, snapshot, &changes) != 0)
        return -1;
    if (c->result->aspects)
        roxi_log_aspects_answer(c->result->aspects, snapshot->packet);
    if (!chosen || roxi_packets_has(chosen, snapshot->packet, &c->at))
        return count_packet(c, snapshot, &changes);
    c->unknown |= changes.set_count > 0;
    return 0;
}

int roxi_log_count(struct roxi_log_counts *counts, struct ix_log_reader *log,
                   struct roxi_log_symbols *symbols, struct roxi_profiles *p,
                   struct ix_error *err)
{
    struct counter c = {.result = counts, .log = log, .symbols = symbols, .profiles = p};
    struct ix_snapshot snapshot;
    int more;
    while ((more = ix_log_next(log, &snapshot, err)) > 0) {
        if (take_snapshot(&c, &snapshot) != 0) {
            more = ix_fail(err, "out of memory");
            break;
        }
    }
    if (stop_all(&c) != 0 && more >= 0)
        more = ix_fail(err, "out of memory");
    counts->packets = c.counted;
    free(c.threads);
    return more;
}
