/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/facts.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

/* Bytes that one entry takes at least: a byte for each of its numbers. */
#define LOCK_BYTES_MIN 5
#define EXCEPTION_BYTES_MIN 4
#define FIRST_BYTES_MIN 3
#define STARTER_BYTES_MIN 2
#define TURNS_BYTES_MIN 2
#define TRAFFIC_BYTES_MIN 8
#define INVOCATIONS_BYTES_MIN 2
#define COVERED_BYTES_MIN 2
#define PAUSE_BYTES_MIN 3
#define WAIT_BYTES_MIN 4
#define CONNECTION_BYTES_MIN 4
#define JOIN_BYTES_MIN 2

/* These return -1 by themselves, which the compiler can see and ix_fail's it cannot. */
static int malformed(struct ix_error *err, const char *what)
{
    ix_fail(err, "a malformed record of %s", what);
    return -1;
}

static int undefined(struct ix_error *err, const char *what, const char *of, uint64_t number)
{
    ix_fail(err, "%s refers to %s %llu, which is not defined", what, of,
            (unsigned long long)number);
    return -1;
}

/* A number of another kind, which must be in [first, count). */
static int take_number(struct ix_in *in, uint32_t first, uint32_t count, const char *what,
                       const char *of, uint32_t *number, struct ix_error *err)
{
    const uint64_t value = ix_get_varint(in);
    if (!in->failed && (value < first || value >= count))
        return undefined(err, what, of, value);
    *number = (uint32_t)value;
    return 0;
}

static int take_lock(struct ix_in *in, const struct ix_fact_base *base, bool monitors,
                     struct ix_lock *lock, struct ix_error *err)
{
    if (take_number(in, 1, base->threads, "a lock", "thread", &lock->thread, err) < 0)
        return -1;
    lock->kind = (enum ix_lock_kind)ix_get_varint_max(in, IX_LOCK_LAST);
    lock->object = ix_get_varint(in);
    if (take_number(in, 1, base->classes, "a lock", "class", &lock->class_number, err) < 0)
        return -1;
    const int64_t depth = ix_get_zigzag(in);
    if (in->failed || ix_is_monitor(lock->kind) != monitors || lock->object == 0 || depth < -1 ||
        depth > INT32_MAX)
        return malformed(err, "locks");
    lock->depth = (int32_t)depth;
    return 0;
}

/* Of either record: both make up one list. */
static int take_locks(struct ix_facts_in *facts, struct ix_in *in, const struct ix_fact_base *base,
                      bool monitors, struct ix_error *err)
{
    const size_t before = facts->facts.lock_count;
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / LOCK_BYTES_MIN)
        return malformed(err, "locks");
    struct ix_lock *locks = ix_grow(facts->locks, &facts->lock_cap, before + count, sizeof *locks);
    if (!locks)
        return ix_fail(err, "memory ran out");
    facts->locks = locks;
    for (uint64_t i = 0; i < count; i++)
        if (take_lock(in, base, monitors, &locks[before + i], err) < 0)
            return -1;
    facts->facts.locks = locks;
    facts->facts.lock_count = before + count;
    return 0;
}

/* Copies the list, which may be empty, to one that has room for it behind the first `at`. */
static int copy_locks(struct ix_lock **to, size_t *cap, size_t at, const struct ix_lock *from,
                      size_t count, struct ix_error *err)
{
    struct ix_lock *larger = ix_grow(*to, cap, at + count, sizeof *larger);
    if (!larger)
        return ix_fail(err, "memory ran out");
    memcpy(larger + at, from, count * sizeof *from);
    *to = larger;
    return 0;
}

static int take_synchronizers(struct ix_facts_in *facts, struct ix_in *in,
                              const struct ix_fact_base *base, struct ix_error *err)
{
    const size_t before = facts->facts.lock_count;
    if (take_locks(facts, in, base, false, err) < 0)
        return -1;
    const size_t count = facts->facts.lock_count - before;
    if (count) {
        facts->last_count = count;
        return copy_locks(&facts->last, &facts->last_cap, 0, facts->locks + before, count, err);
    }
    if (!facts->last_count)
        return malformed(err, "locks");
    if (copy_locks(&facts->locks, &facts->lock_cap, before, facts->last, facts->last_count, err) <
        0)
        return -1;
    facts->facts.locks = facts->locks;
    facts->facts.lock_count += facts->last_count;
    return 0;
}

static int take_exception(struct ix_in *in, const struct ix_fact_base *base,
                          struct ix_exception *exception, struct ix_error *err)
{
    const char *what = "an exception";
    if (take_number(in, 0, base->threads, what, "thread", &exception->thread, err) < 0 ||
        take_number(in, 1, base->classes, what, "class", &exception->class_number, err) < 0 ||
        take_number(in, 1, base->frames, what, "frame", &exception->frame, err) < 0)
        return -1;
    exception->count = ix_get_varint(in);
    return in->failed || exception->count == 0 ? malformed(err, "exceptions") : 0;
}

static int take_exceptions(struct ix_facts_in *facts, struct ix_in *in,
                           const struct ix_fact_base *base, struct ix_error *err)
{
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / EXCEPTION_BYTES_MIN)
        return malformed(err, "exceptions");
    struct ix_exception *exceptions =
        ix_grow(facts->exceptions, &facts->exception_cap, count, sizeof *exceptions);
    if (!exceptions)
        return ix_fail(err, "memory ran out");
    facts->exceptions = exceptions;
    for (uint64_t i = 0; i < count; i++)
        if (take_exception(in, base, &exceptions[i], err) < 0)
            return -1;
    facts->facts.exceptions_dropped = ix_get_varint(in);
    facts->facts.exceptions = exceptions;
    facts->facts.exception_count = count;
    return in->failed ? malformed(err, "exceptions") : 0;
}

static int take_first(struct ix_in *in, const struct ix_fact_base *base, struct ix_first *first,
                      struct ix_error *err)
{
    const char *what = "a first exception";
    return take_number(in, 0, base->threads, what, "thread", &first->thread, err) < 0 ||
                   take_number(in, 1, base->classes, what, "class", &first->class_number, err) <
                       0 ||
                   take_number(in, 0, base->stacks, what, "stack", &first->stack, err) < 0
               ? -1
               : 0;
}

static int take_firsts(struct ix_facts_in *facts, struct ix_in *in, const struct ix_fact_base *base,
                       struct ix_error *err)
{
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / FIRST_BYTES_MIN)
        return malformed(err, "first exceptions");
    struct ix_first *firsts = ix_grow(facts->firsts, &facts->first_cap, count, sizeof *firsts);
    if (!firsts)
        return ix_fail(err, "memory ran out");
    facts->firsts = firsts;
    for (uint64_t i = 0; i < count; i++)
        if (take_first(in, base, &firsts[i], err) < 0)
            return -1;
    facts->facts.firsts_dropped = ix_get_varint(in);
    facts->facts.firsts = firsts;
    facts->facts.first_count = count;
    return in->failed ? malformed(err, "first exceptions") : 0;
}

static int take_starters(struct ix_facts_in *facts, struct ix_in *in,
                         const struct ix_fact_base *base, struct ix_error *err)
{
    const char *what = "who started a thread";
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / STARTER_BYTES_MIN)
        return malformed(err, what);
    struct ix_starter *starters =
        ix_grow(facts->starters, &facts->starter_cap, count, sizeof *starters);
    if (!starters)
        return ix_fail(err, "memory ran out");
    facts->starters = starters;
    for (uint64_t i = 0; i < count; i++)
        if (take_number(in, 1, base->threads, what, "thread", &starters[i].thread, err) < 0 ||
            take_number(in, 0, base->stacks, what, "stack", &starters[i].stack, err) < 0)
            return -1;
    facts->facts.starters = starters;
    facts->facts.starter_count = count;
    return in->failed ? malformed(err, what) : 0;
}

static int take_turns(struct ix_facts_in *facts, struct ix_in *in, const struct ix_fact_base *base,
                      struct ix_error *err)
{
    const char *what = "how often a thread ran";
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / TURNS_BYTES_MIN)
        return malformed(err, what);
    struct ix_turns *turns = ix_grow(facts->turns, &facts->turn_cap, count, sizeof *turns);
    if (!turns)
        return ix_fail(err, "memory ran out");
    facts->turns = turns;
    for (uint64_t i = 0; i < count; i++) {
        if (take_number(in, 1, base->threads, what, "thread", &turns[i].thread, err) < 0)
            return -1;
        turns[i].turns = ix_get_varint(in);
        if (!turns[i].turns)
            return malformed(err, what);
    }
    facts->facts.turns = turns;
    facts->facts.turn_count = count;
    return in->failed ? malformed(err, what) : 0;
}

static int take_invocations(struct ix_facts_in *facts, struct ix_in *in,
                            const struct ix_fact_base *base, struct ix_error *err)
{
    const char *what = "how often a method was called";
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / INVOCATIONS_BYTES_MIN)
        return malformed(err, what);
    struct ix_invocations *list =
        ix_grow(facts->invocations, &facts->invocation_cap, count, sizeof *list);
    if (!list)
        return ix_fail(err, "memory ran out");
    facts->invocations = list;
    for (uint64_t i = 0; i < count; i++) {
        if (take_number(in, 1, base->methods, what, "method", &list[i].method, err) < 0)
            return -1;
        const uint64_t count_and_flag = ix_get_varint(in);
        list[i].count = count_and_flag >> 1;
        list[i].at_least = count_and_flag & 1;
        if (!count_and_flag)
            return malformed(err, what);
    }
    facts->facts.invocations = list;
    facts->facts.invocation_count = count;
    return in->failed ? malformed(err, what) : 0;
}

static int take_coverage(struct ix_facts_in *facts, struct ix_in *in,
                         const struct ix_fact_base *base, struct ix_error *err)
{
    const char *what = "code that was executed";
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / COVERED_BYTES_MIN)
        return malformed(err, what);
    struct ix_covered *list = ix_grow(facts->covered, &facts->covered_cap, count, sizeof *list);
    if (!list)
        return ix_fail(err, "memory ran out");
    facts->covered = list;
    for (uint64_t i = 0; i < count; i++) {
        if (take_number(in, 1, base->frames, what, "frame", &list[i].frame, err) < 0)
            return -1;
        list[i].block = (uint32_t)ix_get_varint_max(in, UINT32_MAX);
    }
    facts->facts.covered = list;
    facts->facts.covered_count = count;
    return in->failed ? malformed(err, what) : 0;
}

static int take_pauses(struct ix_facts_in *facts, struct ix_in *in, const struct ix_fact_base *base,
                       struct ix_error *err)
{
    const char *what = "code that is not executed for a while";
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / PAUSE_BYTES_MIN)
        return malformed(err, what);
    struct ix_pause *list = ix_grow(facts->pauses, &facts->pause_cap, count, sizeof *list);
    if (!list)
        return ix_fail(err, "memory ran out");
    facts->pauses = list;
    for (uint64_t i = 0; i < count; i++) {
        if (take_number(in, 1, base->frames, what, "frame", &list[i].frame, err) < 0)
            return -1;
        list[i].block = (uint32_t)ix_get_varint_max(in, UINT32_MAX);
        list[i].packets = ix_get_varint(in);
    }
    facts->facts.pauses = list;
    facts->facts.pause_count = count;
    return in->failed ? malformed(err, what) : 0;
}

static int take_address(struct ix_in *in, const struct ix_fact_base *base, const char **address,
                        struct ix_error *err)
{
    uint32_t number;
    if (take_number(in, 0, base->string_count, "an address", "string", &number, err) < 0)
        return -1;
    *address = in->failed ? "" : base->strings[number];
    return 0;
}

static int take_one_traffic(struct ix_in *in, const struct ix_fact_base *base,
                            struct ix_traffic *traffic, struct ix_error *err)
{
    if (take_address(in, base, &traffic->local, err) < 0 ||
        take_address(in, base, &traffic->remote, err) < 0)
        return -1;
    traffic->sent = ix_get_varint(in);
    traffic->received = ix_get_varint(in);
    traffic->sent_bytes = ix_get_varint(in);
    traffic->received_bytes = ix_get_varint(in);
    traffic->unread = ix_get_varint(in);
    traffic->last = (enum ix_spoke)ix_get_varint_max(in, IX_SPOKE_THERE);
    return in->failed ? malformed(err, "traffic") : 0;
}

static int take_traffic(struct ix_facts_in *facts, struct ix_in *in,
                        const struct ix_fact_base *base, struct ix_error *err)
{
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / TRAFFIC_BYTES_MIN)
        return malformed(err, "traffic");
    struct ix_traffic *list = ix_grow(facts->traffic, &facts->traffic_cap, count, sizeof *list);
    if (!list)
        return ix_fail(err, "memory ran out");
    facts->traffic = list;
    for (uint64_t i = 0; i < count; i++)
        if (take_one_traffic(in, base, &list[i], err) < 0)
            return -1;
    facts->facts.traffic = list;
    facts->facts.traffic_count = count;
    return 0;
}

static int take_wait(struct ix_in *in, const struct ix_fact_base *base, struct ix_wait *wait,
                     struct ix_error *err)
{
    if (take_number(in, 1, base->threads, "a wait", "thread", &wait->thread, err) < 0)
        return -1;
    wait->kind = (enum ix_wait_kind)ix_get_varint_max(in, IX_WAIT_POLL);
    return take_address(in, base, &wait->local, err) < 0 ||
                   take_address(in, base, &wait->remote, err) < 0
               ? -1
               : 0;
}

static int take_change(struct ix_in *in, const struct ix_fact_base *base,
                       struct ix_connection *change, struct ix_error *err)
{
    if (take_number(in, 0, base->threads, "a connection", "thread", &change->thread, err) < 0)
        return -1;
    change->state = (enum ix_connection_state)ix_get_varint_max(in, IX_CONNECTION_LISTENS);
    return take_address(in, base, &change->local, err) < 0 ||
                   take_address(in, base, &change->remote, err) < 0
               ? -1
               : 0;
}

static int take_join(struct ix_in *in, const struct ix_fact_base *base, struct ix_join *join,
                     struct ix_error *err)
{
    return take_number(in, 1, base->threads, "a join", "thread", &join->thread, err) < 0 ||
                   take_number(in, 1, base->threads, "a join", "thread", &join->joined, err) < 0
               ? -1
               : 0;
}

static int take_waits(struct ix_facts_in *facts, struct ix_in *in, const struct ix_fact_base *base,
                      struct ix_error *err)
{
    struct ix_connections *c = &facts->facts.connections;
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / WAIT_BYTES_MIN)
        return malformed(err, "connections");
    struct ix_wait *list = ix_grow(facts->waits, &facts->wait_cap, count, sizeof *list);
    if (!list)
        return ix_fail(err, "memory ran out");
    facts->waits = list;
    for (uint64_t i = 0; i < count; i++)
        if (take_wait(in, base, &list[i], err) < 0)
            return -1;
    c->waits = list;
    c->wait_count = count;
    return 0;
}

static int take_changes(struct ix_facts_in *facts, struct ix_in *in,
                        const struct ix_fact_base *base, struct ix_error *err)
{
    struct ix_connections *c = &facts->facts.connections;
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / CONNECTION_BYTES_MIN)
        return malformed(err, "connections");
    struct ix_connection *list = ix_grow(facts->changes, &facts->change_cap, count, sizeof *list);
    if (!list)
        return ix_fail(err, "memory ran out");
    facts->changes = list;
    for (uint64_t i = 0; i < count; i++)
        if (take_change(in, base, &list[i], err) < 0)
            return -1;
    c->changes = list;
    c->change_count = count;
    return 0;
}

static int take_joins(struct ix_facts_in *facts, struct ix_in *in, const struct ix_fact_base *base,
                      struct ix_error *err)
{
    struct ix_connections *c = &facts->facts.connections;
    const uint64_t count = ix_get_varint(in);
    if (in->failed || count > ix_in_left(in) / JOIN_BYTES_MIN)
        return malformed(err, "connections");
    struct ix_join *list = ix_grow(facts->joins, &facts->join_cap, count, sizeof *list);
    if (!list)
        return ix_fail(err, "memory ran out");
    facts->joins = list;
    for (uint64_t i = 0; i < count; i++)
        if (take_join(in, base, &list[i], err) < 0)
            return -1;
    c->joins = list;
    c->join_count = count;
    return 0;
}

static int take_connections(struct ix_facts_in *facts, struct ix_in *in,
                            const struct ix_fact_base *base, struct ix_error *err)
{
    facts->facts.connections.flags =
        (unsigned)ix_get_varint_max(in, IX_CONNECTIONS_HIDDEN | IX_CONNECTIONS_PARTIAL);
    if (take_waits(facts, in, base, err) < 0 || take_changes(facts, in, base, err) < 0 ||
        take_joins(facts, in, base, err) < 0)
        return -1;
    return in->failed ? malformed(err, "connections") : 0;
}

static int take_process(struct ix_process *process, struct ix_in *in, struct ix_error *err)
{
    process->cpu_ns = ix_get_varint(in);
    process->rss_bytes = ix_get_varint(in);
    process->descriptors = ix_get_varint(in);
    process->gc_count = ix_get_varint(in);
    process->gc_ns = ix_get_varint(in);
    return in->failed ? malformed(err, "the process") : 0;
}

int ix_get_facts(struct ix_facts_in *in, uint8_t type, struct ix_in payload,
                 const struct ix_fact_base *base, struct ix_error *err)
{
    struct ix_facts *facts = &in->facts;
    int status = 0;
    if (in->seen & 1u << type)
        return ix_fail(err, "two records of type %u before one snapshot", type);
    in->seen |= 1u << type;
    if (type == IX_LOG_VIRTUAL) {
        facts->has_virtual = true;
        facts->virtual_hidden = ix_get_varint(&payload);
        status = payload.failed ? malformed(err, "virtual threads") : 0;
    } else if (type == IX_LOG_PROCESS) {
        facts->has_process = true;
        status = take_process(&facts->process, &payload, err);
    } else if (type == IX_LOG_LOCKS) {
        status = take_locks(in, &payload, base, true, err);
    } else if (type == IX_LOG_SYNCHRONIZERS) {
        status = take_synchronizers(in, &payload, base, err);
    } else if (type == IX_LOG_EXCEPTIONS) {
        status = take_exceptions(in, &payload, base, err);
    } else if (type == IX_LOG_FIRSTS) {
        status = take_firsts(in, &payload, base, err);
    } else if (type == IX_LOG_STARTERS) {
        status = take_starters(in, &payload, base, err);
    } else if (type == IX_LOG_TURNS) {
        status = take_turns(in, &payload, base, err);
    } else if (type == IX_LOG_TRAFFIC) {
        status = take_traffic(in, &payload, base, err);
    } else if (type == IX_LOG_INVOCATIONS) {
        status = take_invocations(in, &payload, base, err);
    } else if (type == IX_LOG_COVERAGE) {
        status = take_coverage(in, &payload, base, err);
    } else if (type == IX_LOG_PAUSES) {
        status = take_pauses(in, &payload, base, err);
    } else {
        status = take_connections(in, &payload, base, err);
    }
    if (status == 0 && ix_in_left(&payload))
        return ix_fail(err, "a record of facts with bytes left over");
    return status;
}

void ix_facts_in_clear(struct ix_facts_in *in)
{
    in->facts = (struct ix_facts){0};
    in->seen = 0;
}

void ix_facts_in_begin(struct ix_facts_in *in)
{
    ix_facts_in_clear(in);
    in->last_count = 0;
}

void ix_facts_in_free(struct ix_facts_in *in)
{
    free(in->locks);
    free(in->last);
    free(in->exceptions);
    free(in->firsts);
    free(in->starters);
    free(in->turns);
    free(in->traffic);
    free(in->invocations);
    free(in->covered);
    free(in->pauses);
    free(in->waits);
    free(in->changes);
    free(in->joins);
    *in = (struct ix_facts_in){0};
}

size_t ix_facts_in_memory(const struct ix_facts_in *in)
{
    return (in->lock_cap + in->last_cap) * sizeof *in->locks +
           in->exception_cap * sizeof *in->exceptions + in->first_cap * sizeof *in->firsts +
           in->starter_cap * sizeof *in->starters + in->turn_cap * sizeof *in->turns +
           in->traffic_cap * sizeof *in->traffic + in->invocation_cap * sizeof *in->invocations +
           in->covered_cap * sizeof *in->covered + in->pause_cap * sizeof *in->pauses +
           in->wait_cap * sizeof *in->waits + in->change_cap * sizeof *in->changes +
           in->join_cap * sizeof *in->joins;
}
