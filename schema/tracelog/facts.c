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
#define WAIT_BYTES_MIN 4
#define CONNECTION_BYTES_MIN 4
#define JOIN_BYTES_MIN 2

/* ---- Writing ----------------------------------------------------------------------------------
 */

/* Older readers refuse other kinds in LOCKS, but skip a record that they do not know. */
static bool is_monitor(enum ix_lock_kind kind)
{
    return kind <= IX_LOCK_WAITS;
}

int ix_put_lock(struct ix_facts_out *facts, const struct ix_lock *lock)
{
    const bool monitor = is_monitor(lock->kind);
    struct ix_out *list = monitor ? &facts->locks : &facts->synchronizers;
    ix_put_varint(list, lock->thread);
    ix_put_varint(list, lock->kind);
    ix_put_varint(list, lock->object);
    ix_put_varint(list, lock->class_number);
    ix_put_zigzag(list, lock->depth);
    ++*(monitor ? &facts->lock_count : &facts->synchronizer_count);
    return list->failed ? -1 : 0;
}

size_t ix_put_locks_size(const struct ix_facts_out *facts, enum ix_lock_kind kind)
{
    return is_monitor(kind) ? facts->locks.len : facts->synchronizers.len;
}

void ix_put_exception(struct ix_facts_out *facts, const struct ix_exception *exception)
{
    ix_put_varint(&facts->exceptions, exception->thread);
    ix_put_varint(&facts->exceptions, exception->class_number);
    ix_put_varint(&facts->exceptions, exception->frame);
    ix_put_varint(&facts->exceptions, exception->count);
    facts->exception_count++;
}

void ix_put_first(struct ix_facts_out *facts, const struct ix_first *first)
{
    ix_put_varint(&facts->firsts, first->thread);
    ix_put_varint(&facts->firsts, first->class_number);
    ix_put_varint(&facts->firsts, first->stack);
    facts->first_count++;
}

void ix_put_starter(struct ix_facts_out *facts, const struct ix_starter *starter)
{
    ix_put_varint(&facts->starters, starter->thread);
    ix_put_varint(&facts->starters, starter->stack);
    facts->starter_count++;
}

void ix_put_turns(struct ix_facts_out *facts, const struct ix_turns *turns)
{
    ix_put_varint(&facts->turns, turns->thread);
    ix_put_varint(&facts->turns, turns->turns);
    facts->turn_count++;
}

void ix_put_traffic(struct ix_facts_out *facts, const struct ix_traffic *traffic, uint32_t local,
                    uint32_t remote)
{
    ix_put_varint(&facts->traffic, local);
    ix_put_varint(&facts->traffic, remote);
    ix_put_varint(&facts->traffic, traffic->sent);
    ix_put_varint(&facts->traffic, traffic->received);
    ix_put_varint(&facts->traffic, traffic->sent_bytes);
    ix_put_varint(&facts->traffic, traffic->received_bytes);
    ix_put_varint(&facts->traffic, traffic->unread);
    ix_put_varint(&facts->traffic, traffic->last);
    facts->traffic_count++;
}

void ix_put_wait(struct ix_facts_out *facts, const struct ix_wait *wait, uint32_t local,
                 uint32_t remote)
{
    ix_put_varint(&facts->waits, wait->thread);
    ix_put_varint(&facts->waits, wait->kind);
    ix_put_varint(&facts->waits, local);
    ix_put_varint(&facts->waits, remote);
    facts->wait_count++;
}

void ix_put_connection(struct ix_facts_out *facts, const struct ix_connection *connection,
                       uint32_t local, uint32_t remote)
{
    ix_put_varint(&facts->changes, connection->thread);
    ix_put_varint(&facts->changes, connection->state);
    ix_put_varint(&facts->changes, local);
    ix_put_varint(&facts->changes, remote);
    facts->change_count++;
}

void ix_put_join(struct ix_facts_out *facts, const struct ix_join *join)
{
    ix_put_varint(&facts->joins, join->thread);
    ix_put_varint(&facts->joins, join->joined);
    facts->join_count++;
}

static void put_process(struct ix_out *payload, const struct ix_process *process)
{
    ix_put_varint(payload, process->cpu_ns);
    ix_put_varint(payload, process->rss_bytes);
    ix_put_varint(payload, process->descriptors);
    ix_put_varint(payload, process->gc_count);
    ix_put_varint(payload, process->gc_ns);
}

static void put_list(struct ix_out *payload, size_t count, const struct ix_out *list)
{
    ix_put_varint(payload, count);
    ix_put_bytes(payload, list->data, list->len);
    payload->failed |= list->failed;
}

static bool put_connections(struct ix_out *payload, const struct ix_facts_out *facts)
{
    if (!facts->connection_flags && !facts->wait_count && !facts->change_count &&
        !facts->join_count)
        return false;
    ix_put_varint(payload, facts->connection_flags);
    put_list(payload, facts->wait_count, &facts->waits);
    put_list(payload, facts->change_count, &facts->changes);
    put_list(payload, facts->join_count, &facts->joins);
    return true;
}

/* A list of 0 stands for the same one as before. */
static bool put_synchronizers(struct ix_out *payload, struct ix_facts_out *facts)
{
    if (!facts->synchronizer_count && !facts->synchronizers_again)
        return false;
    put_list(payload, facts->synchronizer_count, &facts->synchronizers);
    facts->synchronizers_written = true;
    return true;
}

static bool put_firsts(struct ix_out *payload, const struct ix_facts_out *facts)
{
    if (!facts->first_count && !facts->firsts_dropped)
        return false;
    put_list(payload, facts->first_count, &facts->firsts);
    ix_put_varint(payload, facts->firsts_dropped);
    return true;
}

bool ix_put_facts(struct ix_out *payload, uint8_t type, struct ix_facts_out *facts)
{
    switch (type) {
    case IX_LOG_VIRTUAL:
        if (facts->has_virtual)
            ix_put_varint(payload, facts->virtual_hidden);
        return facts->has_virtual;
    case IX_LOG_PROCESS:
        if (facts->has_process)
            put_process(payload, &facts->process);
        return facts->has_process;
    case IX_LOG_LOCKS:
        if (facts->lock_count)
            put_list(payload, facts->lock_count, &facts->locks);
        return facts->lock_count != 0;
    case IX_LOG_EXCEPTIONS:
        if (!facts->exception_count && !facts->exceptions_dropped)
            return false;
        put_list(payload, facts->exception_count, &facts->exceptions);
        ix_put_varint(payload, facts->exceptions_dropped);
        return true;
    case IX_LOG_CONNECTIONS:
        return put_connections(payload, facts);
    case IX_LOG_SYNCHRONIZERS:
        return put_synchronizers(payload, facts);
    case IX_LOG_FIRSTS:
        return put_firsts(payload, facts);
    case IX_LOG_STARTERS:
        if (facts->starter_count)
            put_list(payload, facts->starter_count, &facts->starters);
        return facts->starter_count != 0;
    case IX_LOG_TURNS:
        if (facts->turn_count)
            put_list(payload, facts->turn_count, &facts->turns);
        return facts->turn_count != 0;
    case IX_LOG_TRAFFIC:
        if (facts->traffic_count)
            put_list(payload, facts->traffic_count, &facts->traffic);
        return facts->traffic_count != 0;
    default:
        return false;
    }
}

enum { LISTS = 10 };

static void list_all(struct ix_facts_out *facts, struct ix_out *lists[LISTS])
{
    lists[0] = &facts->locks;
    lists[1] = &facts->exceptions;
    lists[2] = &facts->waits;
    lists[3] = &facts->changes;
    lists[4] = &facts->joins;
    lists[5] = &facts->synchronizers;
    lists[6] = &facts->firsts;
    lists[7] = &facts->starters;
    lists[8] = &facts->turns;
    lists[9] = &facts->traffic;
}

void ix_facts_out_clear(struct ix_facts_out *facts)
{
    struct ix_out *lists[LISTS];
    list_all(facts, lists);
    for (int i = 0; i < LISTS; i++)
        ix_out_clear(lists[i]);
    *facts = (struct ix_facts_out){.locks = facts->locks,
                                   .synchronizers = facts->synchronizers,
                                   .synchronizers_written = facts->synchronizers_written,
                                   .exceptions = facts->exceptions,
                                   .firsts = facts->firsts,
                                   .starters = facts->starters,
                                   .turns = facts->turns,
                                   .traffic = facts->traffic,
                                   .waits = facts->waits,
                                   .changes = facts->changes,
                                   .joins = facts->joins};
}

void ix_facts_out_free(struct ix_facts_out *facts)
{
    struct ix_out *lists[LISTS];
    list_all(facts, lists);
    for (int i = 0; i < LISTS; i++)
        ix_out_free(lists[i]);
    *facts = (struct ix_facts_out){0};
}

size_t ix_facts_out_memory(const struct ix_facts_out *facts)
{
    return facts->locks.cap + facts->synchronizers.cap + facts->exceptions.cap + facts->firsts.cap +
           facts->starters.cap + facts->turns.cap + facts->traffic.cap + facts->waits.cap +
           facts->changes.cap + facts->joins.cap;
}

/* ---- Reading ----------------------------------------------------------------------------------
 */

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
    if (in->failed || is_monitor(lock->kind) != monitors || lock->object == 0 || depth < -1 ||
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
           in->traffic_cap * sizeof *in->traffic + in->wait_cap * sizeof *in->waits +
           in->change_cap * sizeof *in->changes + in->join_cap * sizeof *in->joins;
}
