/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/log_counts.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/capped.h"
#include "roxi/campaign/log_blocks.h"
#include "schema/base/grow.h"
#include "schema/tracelog/thread_state.h"

/* Special values instead of an index in the tally: */
enum {
    ABSENT = 0,  /* not in the list of threads */
    UNKNOWN = 1, /* in the list; its stack and group are determined when a packet counts */
    IGNORED = 2, /* by a rule */
    PLACES = 3,  /* from here on: index in the tally + PLACES */
};

/* The serial numbers of first exceptions after the last packet begin here: above all others. */
#define AFTER_LAST (UINT32_C(1) << 31)

/* Before that a share of the time says nothing. */
#define COLLECTING_NS INT64_C(1000000000)

/* A thread of the log's part being read. */
struct running {
    uint32_t place;
    uint32_t stack; /* the log's number */
    uint32_t name;  /* + 1, ROXI_LEFT_OUT + 1 if a rule ignores it; 0: not known, or not any more */
    uint32_t group; /* + 1, likewise */
    uint32_t crowd; /* + 1: the group of which it is; 0: it has not counted in one yet */
    uint64_t since; /* how many packets had counted when it moved to this stack */
    uint64_t first; /* the first packet that counted since */
    bool waits;     /* is in `waiting` */
    bool blocked;   /* on entering a monitor */
    uint64_t blocked_since; /* as `since`, of this state */
    uint64_t blocked_for;   /* packets that counted in it, since it moved to this stack */
};

/* The threads of a group. */
struct crowd {
    uint32_t live, most; /* that count now, and at once */
    uint32_t there;      /* that have counted and have not ended */
    uint64_t turns;      /* how often they ran */
    uint64_t gone_at;    /* how many packets had counted when there were none any more */
};

struct counter {
    struct roxi_log_counts *result;
    struct ix_log_reader *log;
    struct roxi_log_symbols *symbols;
    struct roxi_profiles *profiles;
    struct running *threads; /* by the log's number */
    size_t count, cap;
    uint32_t part;
    uint64_t counted;  /* number of packets so far */
    uint64_t packet;   /* the last one of them */
    uint64_t now;      /* the packet being read */
    bool failed;       /* memory ran out for the history */
    uint32_t *waiting; /* threads that may be UNKNOWN although the changes do not mention them, each
                          once */
    size_t waiting_count, waiting_cap;
    size_t at;            /* index in the chosen packets */
    struct crowd *crowds; /* by group */
    size_t crowd_count, crowd_cap;
    struct ix_process process; /* the first one */
    int64_t process_ns;        /* its time */
    bool has_process;
    struct roxi_log_blocks blocks;
};

/* ---- how many threads at once, and until when ---- */

/* NULL: out of memory. Valid until the next call. */
static struct crowd *crowd_of(struct counter *c, uint32_t group)
{
    struct crowd *crowds =
        ix_grow_zeroed(c->crowds, &c->crowd_cap, (size_t)group + 1, sizeof *crowds);
    if (!crowds)
        return NULL;
    c->crowds = crowds;
    if (c->crowd_count <= group)
        c->crowd_count = (size_t)group + 1;
    return &crowds[group];
}

static int count_start(struct counter *c, struct running *thread)
{
    struct crowd *crowd = crowd_of(c, thread->group - 1);
    if (!crowd)
        return -1;
    if (++crowd->live > crowd->most)
        crowd->most = crowd->live;
    crowd->there += !thread->crowd;
    thread->crowd = thread->group;
    return 0;
}

/* The thread has ended, or will go on under another name. A thread that is idle is there still. */
static void leave_crowd(struct counter *c, struct running *thread)
{
    if (thread->crowd && --c->crowds[thread->crowd - 1].there == 0)
        c->crowds[thread->crowd - 1].gone_at = c->counted;
    thread->crowd = 0;
}

/* All packets have counted. */
static int keep_most(struct counter *c)
{
    int result = 0;
    for (size_t i = 0; i < c->crowd_count && result == 0; i++) {
        const struct crowd *x = &c->crowds[i];
        const uint64_t gone = c->counted - x->gone_at;
        const struct roxi_most most = {
            .group = (uint32_t)i, .threads = x->most, .gone = roxi_capped(gone), .turns = x->turns};
        if (x->most)
            result = roxi_use_add_most(&c->result->use, most);
    }
    return result;
}

/* ---- call stacks ---- */

/* From now on the thread's state is this one. */
static void take_state(const struct counter *c, struct running *thread, uint32_t state)
{
    if (thread->blocked)
        thread->blocked_for += c->counted - thread->blocked_since;
    thread->blocked = (state & IX_THREAD_BLOCKED) != 0;
    thread->blocked_since = c->counted;
}

static void remember(struct counter *c, const struct running *thread)
{
    const uint64_t pair = roxi_tally_key(&c->result->seen, thread->place - PLACES);
    const struct roxi_span span = {.group = (uint32_t)(pair >> 32),
                                   .stack = (uint32_t)pair,
                                   .thread = (uint32_t)(thread - c->threads),
                                   .first = thread->first,
                                   .last = c->packet,
                                   .packets = c->counted - thread->since,
                                   .blocked = thread->blocked_for};
    if (span.packets && roxi_history_add_span(c->result->history, span) != 0)
        c->failed = true;
}

/* A thread has left the stack, where it was since so many packets had counted. */
static void count_stay(const struct counter *c, uint32_t place, uint64_t since)
{
    struct roxi_visits *visits = &c->result->visits[place];
    const uint32_t stay = roxi_capped(c->counted - since);
    c->result->seen.counts[place] += c->counted - since;
    if (stay > visits->longest)
        visits->longest = stay;
    if (--visits->now == 0)
        visits->packets = roxi_capped(visits->packets + c->counted - visits->since);
}

/* The thread has changed, or may have: counts the packets until now. */
static void stop(struct counter *c, struct running *thread, uint32_t place)
{
    if (thread->place >= PLACES) {
        count_stay(c, thread->place - PLACES, thread->since);
        c->crowds[thread->crowd - 1].live--;
        take_state(c, thread, 0);
        if (c->result->history)
            remember(c, thread);
    }
    thread->place = place;
    if (place == ABSENT)
        leave_crowd(c, thread);
}

static void stop_all(struct counter *c)
{
    for (size_t i = 0; i < c->count; i++)
        stop(c, &c->threads[i], ABSENT);
}

/* Makes room for all defined threads; in a new part the numbers mean other threads. -1: out of
 * memory. */
static int take_threads(struct counter *c)
{
    if (ix_log_part(c->log) != c->part) {
        stop_all(c);
        c->part = ix_log_part(c->log);
        c->count = c->waiting_count = 0;
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

static int wait_for_start(struct counter *c, uint32_t thread)
{
    if (c->threads[thread].waits)
        return 0;
    uint32_t *waiting = ix_grow(c->waiting, &c->waiting_cap, c->waiting_count + 1, sizeof *waiting);
    if (!waiting)
        return -1;
    c->waiting = waiting;
    waiting[c->waiting_count++] = thread;
    c->threads[thread].waits = true;
    return 0;
}

/* Handles a thread that is new, or may have changed its stack. */
static void take_entry(struct counter *c, const struct ix_entry *entry)
{
    struct running *thread = &c->threads[entry->thread];
    if (thread->place == ABSENT || thread->stack != entry->stack) {
        thread->stack = entry->stack;
        stop(c, thread, UNKNOWN);
    } else {
        take_state(c, thread, entry->state);
    }
}

static int take_changes(struct counter *c, const struct ix_snapshot *snapshot,
                        const struct ix_changes *changes)
{
    int result = 0;
    for (size_t i = 0; i < changes->gone_count; i++)
        stop(c, &c->threads[changes->gone[i]], ABSENT);
    for (size_t i = 0; i < changes->set_count; i++)
        take_entry(c, &snapshot->entries[changes->set[i]]);
    for (size_t i = 0; i < changes->redefined_count && result == 0; i++) {
        struct running *thread = &c->threads[changes->redefined[i]];
        thread->name = thread->group = 0;
        if (thread->place == ABSENT)
            continue;
        stop(c, thread, UNKNOWN);
        leave_crowd(c, thread);
        result = wait_for_start(c, changes->redefined[i]);
    }
    return result;
}

/* The number in the tally; ROXI_NONE: out of memory. */
static uint32_t place_of(struct roxi_log_counts *result, uint32_t group, uint32_t stack)
{
    const uint32_t place = roxi_tally_add(&result->seen, roxi_pair(group, stack), 0);
    if (place == ROXI_NONE)
        return ROXI_NONE;
    struct roxi_visits *visits =
        ix_grow_zeroed(result->visits, &result->visits_cap, (size_t)place + 1, sizeof *visits);
    if (!visits)
        return ROXI_NONE;
    result->visits = visits;
    return place;
}

/* Determines what an UNKNOWN thread counts as from now on. A group is created only if something
 * counts in it. -1: out of memory. */
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
        return 0;
    if (!thread->group && thread->name)
        thread->group = roxi_profiles_group(c->profiles, c->result->role, thread->name - 1) + 1;
    if (!thread->group)
        return -1;
    const uint32_t place = place_of(c->result, thread->group - 1, stack);
    if (place == ROXI_NONE || count_start(c, thread) != 0)
        return -1;
    if (c->result->visits[place].now++ == 0)
        c->result->visits[place].since = c->counted;
    thread->place = place + PLACES;
    thread->since = c->counted;
    thread->first = c->now;
    thread->blocked = false;
    thread->blocked_for = 0;
    take_state(c, thread, entry->state);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_thread(const void *key, const void *entry)
{
    const uint32_t thread = *(const uint32_t *)key, at = ((const struct ix_entry *)entry)->thread;
    return (thread > at) - (thread < at);
}

static int wait_for_all(struct counter *c, const struct ix_snapshot *snapshot,
                        const struct ix_changes *changes)
{
    int result = 0;
    for (size_t i = 0; i < changes->set_count && result == 0; i++)
        result = wait_for_start(c, snapshot->entries[changes->set[i]].thread);
    return result;
}

/* Starts the waiting threads, in the order of the threads; some may have gone in the meantime. */
static int start_waiting(struct counter *c, const struct ix_snapshot *snapshot)
{
    int result = 0;
    qsort(c->waiting, c->waiting_count, sizeof *c->waiting, by_number);
    for (size_t i = 0; i < c->waiting_count && result == 0; i++) {
        c->threads[c->waiting[i]].waits = false;
        const struct ix_entry *entry =
            snapshot->count ? bsearch(&c->waiting[i], snapshot->entries, snapshot->count,
                                      sizeof *snapshot->entries, by_thread)
                            : NULL;
        if (entry)
            result = start(c, entry);
    }
    c->waiting_count = 0;
    return result;
}

/* Counts a packet. Names and stacks are interned in the order of the threads; those of unchanged
 * threads are interned already. */
static int count_packet(struct counter *c, const struct ix_snapshot *snapshot,
                        const struct ix_changes *changes)
{
    int result = roxi_log_symbols_update(c->symbols);
    if (c->waiting_count) {
        if (result == 0 && (result = wait_for_all(c, snapshot, changes)) == 0)
            result = start_waiting(c, snapshot);
    } else {
        for (size_t i = 0; i < changes->set_count && result == 0; i++)
            result = start(c, &snapshot->entries[changes->set[i]]);
    }
    c->counted++;
    c->packet = snapshot->packet;
    return result;
}

static void take_answer(struct roxi_log_counts *counts, uint64_t packet)
{
    if (!counts->answered++)
        counts->first = packet;
    else if (packet > counts->last && packet - counts->last - 1 > counts->lost) {
        counts->lost = packet - counts->last - 1;
        counts->lost_from = counts->last + 1;
    }
    counts->last = packet;
}

/* ---- processes and exceptions ---- */

static int take_process(struct counter *c, const struct ix_snapshot *snapshot,
                        const struct ix_process *now)
{
    if (!c->has_process) {
        c->has_process = true;
        c->process = *now;
        c->process_ns = snapshot->real_ns;
    }
    const int64_t ns = snapshot->real_ns - c->process_ns;
    const uint64_t collecting = now->gc_ns > c->process.gc_ns ? now->gc_ns - c->process.gc_ns : 0;
    const double share = ns >= COLLECTING_NS ? (double)collecting / (double)ns : 0;
    const struct roxi_used used = {.role = c->result->role,
                                   .packet = snapshot->packet,
                                   .megabytes = now->rss_bytes >> 20,
                                   .files = now->descriptors,
                                   .collecting_ns = collecting,
                                   .ns = ns};
    if (c->result->history && roxi_history_add_used(c->result->history, used) != 0)
        return -1;
    return roxi_use_add_process(
        &c->result->use,
        &(struct roxi_process_use){.role = c->result->role,
                                   .megabytes = now->rss_bytes >> 20,
                                   .files = now->descriptors,
                                   .collecting = share < 1 ? (uint64_t)(1000 * share) : 1000,
                                   .collecting_ns = collecting});
}

/* Sets *group to that of a thread of the log, or to ROXI_LEFT_OUT if a rule ignores it. 0: a thread
 * that is not known. */
static int group_of(struct counter *c, uint32_t thread, uint32_t *group)
{
    *group = ROXI_NONE;
    if (!thread)
        return 0;
    const uint32_t name = roxi_log_symbols_thread(c->symbols, thread);
    *group = name == ROXI_NONE || name == ROXI_LEFT_OUT
                 ? name
                 : roxi_profiles_group(c->profiles, c->result->role, name);
    return *group == ROXI_NONE ? -1 : 0;
}

static int take_exception(struct counter *c, const struct ix_exception *exception)
{
    struct roxi_thrown thrown = {
        .role = c->result->role, .packet = c->now, .count = exception->count};
    if (roxi_log_symbols_thrown(c->symbols, exception->class_number, exception->frame,
                                &thrown.class_name, &thrown.stack) != 0 ||
        group_of(c, exception->thread, &thrown.group) != 0)
        return -1;
    return thrown.group == ROXI_LEFT_OUT ? 0 : roxi_use_add_thrown(&c->result->use, &thrown);
}

static int take_first(struct counter *c, const struct ix_first *made, uint32_t serial)
{
    struct roxi_first first = {.role = c->result->role, .packet = c->now, .serial = serial};
    if (roxi_log_symbols_first(c->symbols, made->class_number, made->stack, &first.class_name,
                               &first.stack) != 0 ||
        group_of(c, made->thread, &first.group) != 0)
        return -1;
    return first.group == ROXI_LEFT_OUT ? 0 : roxi_use_add_first(&c->result->use, &first);
}

/* Is it an ancestor of the class that follows? Those are prepared before, on the same call stack.
 */
static bool is_ancestor(const struct ix_facts *facts, size_t i)
{
    const struct ix_first *first = &facts->firsts[i], *next = first + 1;
    return i + 1 < facts->first_count && next->thread == first->thread &&
           next->stack == first->stack;
}

/* Those since the packet before, or, at the log's end, since the last one. */
static int take_exceptions(struct counter *c, uint32_t serial)
{
    const struct ix_facts facts = ix_log_facts(c->log);
    int result =
        facts.exception_count || facts.first_count ? roxi_log_symbols_update(c->symbols) : 0;
    for (size_t i = 0; i < facts.exception_count && result == 0; i++)
        result = take_exception(c, &facts.exceptions[i]);
    for (size_t i = 0; i < facts.first_count && result == 0; i++)
        if (!is_ancestor(&facts, i))
            result = take_first(c, &facts.firsts[i], serial + (uint32_t)i);
    return result;
}

static int take_starter(struct counter *c, const struct ix_starter *starter)
{
    struct roxi_started started = {.stack = roxi_log_symbols_whole(c->symbols, starter->stack),
                                   .threads = 1};
    if (group_of(c, starter->thread, &started.group) != 0)
        return -1;
    return started.group == ROXI_LEFT_OUT || !started.stack
               ? 0
               : roxi_use_add_started(&c->result->use, &started);
}

static int take_starters(struct counter *c, const struct ix_facts *facts)
{
    int result = facts->starter_count ? roxi_log_symbols_update(c->symbols) : 0;
    for (size_t i = 0; i < facts->starter_count && result == 0; i++)
        result = take_starter(c, &facts->starters[i]);
    return result;
}

static int take_turns(struct counter *c, const struct ix_facts *facts)
{
    if (facts->turn_count && roxi_log_symbols_update(c->symbols) != 0)
        return -1;
    for (size_t i = 0; i < facts->turn_count; i++) {
        uint32_t group;
        if (group_of(c, facts->turns[i].thread, &group) != 0)
            return -1;
        if (group == ROXI_LEFT_OUT)
            continue;
        struct crowd *crowd = crowd_of(c, group);
        if (!crowd)
            return -1;
        crowd->turns += facts->turns[i].turns;
        const struct roxi_turned turned = {group, c->now, facts->turns[i].turns};
        if (c->result->history && roxi_history_add_turned(c->result->history, turned) != 0)
            return -1;
    }
    return 0;
}

/* Those since the packet before, or, at the log's end, since the last one. */
static int take_invocations(struct counter *c, const struct ix_facts *facts)
{
    int result = facts->invocation_count ? roxi_log_symbols_update(c->symbols) : 0;
    for (size_t i = 0; i < facts->invocation_count && result == 0; i++) {
        const uint32_t stack = roxi_log_symbols_called(c->symbols, facts->invocations[i].method);
        const uint64_t count = facts->invocations[i].count;
        const struct roxi_told told = {c->result->role, stack, c->now, count};
        if (stack == ROXI_NONE)
            return -1;
        if (stack == ROXI_LEFT_OUT)
            continue;
        result = roxi_use_add_called(
            &c->result->use,
            &(struct roxi_called){c->result->role, stack, facts->invocations[i].at_least, count});
        if (result == 0 && c->result->history)
            result = roxi_history_add_told(c->result->history, told);
    }
    return result;
}

/* Likewise. Only what is explained needs to know when code was not executed. */
static int take_coverage(struct counter *c, const struct ix_facts *facts)
{
    return roxi_log_blocks_take(&c->blocks, c->symbols, facts, c->now, c->result->history != NULL,
                                c->result->role, &c->result->use);
}

static int take_facts(struct counter *c, const struct ix_snapshot *snapshot)
{
    const struct ix_facts facts = ix_log_facts(c->log);
    if (facts.has_process && take_process(c, snapshot, &facts.process) != 0)
        return -1;
    if (roxi_traffic_take(&c->result->traffic, &facts, snapshot->packet, c->result->answered) != 0)
        return -1;
    return take_turns(c, &facts) == 0 && take_starters(c, &facts) == 0 &&
                   take_invocations(c, &facts) == 0 && take_coverage(c, &facts) == 0
               ? take_exceptions(c, 0)
               : -1;
}

static int take_snapshot(struct counter *c, const struct ix_snapshot *snapshot)
{
    const struct ix_changes changes = ix_log_changes(c->log);
    const struct roxi_packets *chosen = c->result->chosen;
    if (take_threads(c) != 0 || take_changes(c, snapshot, &changes) != 0)
        return -1;
    take_answer(c->result, snapshot->packet);
    c->now = snapshot->packet;
    if (take_facts(c, snapshot) != 0)
        return -1;
    const struct roxi_moment moment = {snapshot->packet, snapshot->real_ns};
    if (c->result->history && roxi_history_add_moment(c->result->history, moment) != 0)
        return -1;
    if (!chosen || roxi_packets_has(chosen, snapshot->packet, &c->at))
        return count_packet(c, snapshot, &changes);
    return wait_for_all(c, snapshot, &changes);
}

static bool records(const struct counter *c, const char *kind)
{
    const char *kinds = ix_log_meta_value(c->log, "facts");
    return kinds && strstr(kinds, kind);
}

int roxi_log_count(struct roxi_log_counts *counts, struct ix_log_reader *log,
                   struct roxi_log_symbols *symbols, struct roxi_profiles *p, struct ix_error *err)
{
    struct counter c = {.result = counts, .log = log, .symbols = symbols, .profiles = p};
    struct ix_snapshot snapshot;
    int more;
    counts->traffic.keep = counts->history != NULL;
    while ((more = ix_log_next(log, &snapshot, err)) > 0) {
        if (take_snapshot(&c, &snapshot) != 0) {
            more = ix_fail(err, "out of memory");
            break;
        }
    }
    const struct ix_facts rest = ix_log_facts(log); /* all of a JVM that took no packet */
    if (more == 0 &&
        ((!counts->answered && take_threads(&c) != 0) || take_exceptions(&c, AFTER_LAST) != 0 ||
         take_invocations(&c, &rest) != 0 || take_coverage(&c, &rest) != 0))
        more = ix_fail(err, "out of memory");
    if (more == 0 &&
        roxi_log_blocks_end(&c.blocks, symbols->symbols, c.now, counts->role, &counts->use) != 0)
        more = ix_fail(err, "out of memory");
    stop_all(&c);
    /* They may have been recorded for a part of the time only. */
    counts->use.tells_firsts = counts->use.first_count || records(&c, "first-exceptions");
    counts->use.tells_places = records(&c, "exception-places");
    counts->use.tells_called = counts->use.called_count > 0;
    counts->use.tells_covered = counts->use.covered_count > 0;
    counts->use.tells_pauses = c.blocks.tells_pauses;
    if (c.failed || keep_most(&c) != 0 || roxi_traffic_end(&counts->traffic, counts->answered) != 0)
        more = ix_fail(err, "out of memory");
    free(c.threads);
    free(c.waiting);
    free(c.crowds);
    roxi_log_blocks_free(&c.blocks);
    return more;
}

void roxi_log_counts_release(struct roxi_log_counts *counts)
{
    roxi_tally_free(&counts->seen);
    free(counts->visits);
    roxi_use_free(&counts->use);
    roxi_traffic_free(&counts->traffic);
}
