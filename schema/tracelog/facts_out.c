/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes facts (facts.h); facts.c decodes them. */
#include "schema/tracelog/facts.h"

int ix_put_lock(struct ix_facts_out *facts, const struct ix_lock *lock)
{
    const bool monitor = ix_is_monitor(lock->kind);
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
    return ix_is_monitor(kind) ? facts->locks.len : facts->synchronizers.len;
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

void ix_put_invocations(struct ix_facts_out *facts, const struct ix_invocations *invocations)
{
    ix_put_varint(&facts->invocations, invocations->method);
    ix_put_varint(&facts->invocations, invocations->count << 1 | invocations->at_least);
    facts->invocation_count++;
}

void ix_put_covered(struct ix_facts_out *facts, const struct ix_covered *covered)
{
    ix_put_varint(&facts->covered, covered->frame);
    ix_put_varint(&facts->covered, covered->block);
    facts->covered_count++;
}

void ix_put_pause(struct ix_facts_out *facts, const struct ix_pause *pause)
{
    ix_put_varint(&facts->pauses, pause->frame);
    ix_put_varint(&facts->pauses, pause->block);
    ix_put_varint(&facts->pauses, pause->packets);
    facts->pause_count++;
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
    case IX_LOG_INVOCATIONS:
        if (facts->invocation_count)
            put_list(payload, facts->invocation_count, &facts->invocations);
        return facts->invocation_count != 0;
    case IX_LOG_COVERAGE:
        if (facts->covered_count)
            put_list(payload, facts->covered_count, &facts->covered);
        return facts->covered_count != 0;
    case IX_LOG_PAUSES:
        if (facts->pause_count)
            put_list(payload, facts->pause_count, &facts->pauses);
        return facts->pause_count != 0;
    default:
        return false;
    }
}

enum { LISTS = 13 };

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
    lists[10] = &facts->invocations;
    lists[11] = &facts->covered;
    lists[12] = &facts->pauses;
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
                                   .invocations = facts->invocations,
                                   .covered = facts->covered,
                                   .pauses = facts->pauses,
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
           facts->starters.cap + facts->turns.cap + facts->traffic.cap + facts->invocations.cap +
           facts->covered.cap + facts->pauses.cap + facts->waits.cap + facts->changes.cap +
           facts->joins.cap;
}
