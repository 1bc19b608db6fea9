/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the trace log's reader, with what log_bytes.h makes of the input. Beyond not crashing,
 * whatever the reader accepts must keep the promises of tracelog_reader.h. */
#include "schema/tracelog/reader.h"
#include "tests/fuzz/log_bytes.h"

/* So that a few hostile bytes (many threads on deep stacks) do not stop the fuzzer. */
#define STEPS_MAX 200000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
    if (!condition)
        abort();
}

/* Reads every byte of a text. */
static void touch(const char *text)
{
    demand(strlen(text) <= IX_LOG_STRING_MAX);
}

static void check_stack(const struct ix_log_reader *r, uint32_t stack, size_t *steps)
{
    while (stack > IX_STACK_CUT && ++*steps < STEPS_MAX) {
        uint32_t number = ix_log_stack_frame(r, stack), parent = ix_log_stack_parent(r, stack);
        demand(number > 0 && number < ix_log_frame_count(r));
        demand(parent < stack); /* so every walk ends */
        struct ix_frame frame = ix_log_frame_at(r, number);
        demand(frame.method > 0 && frame.method < ix_log_method_count(r));
        struct ix_method method = ix_log_method_at(r, frame.method);
        demand(method.class_number > 0 && method.class_number < ix_log_class_count(r));
        struct ix_class class = ix_log_class_at(r, method.class_number);
        touch(method.name);
        touch(method.descriptor);
        touch(class.name);
        touch(class.source);
        stack = parent;
    }
}

static void check_snapshot(const struct ix_log_reader *r, const struct ix_snapshot *s,
                           size_t *steps)
{
    uint32_t last = 0;
    for (size_t i = 0; i < s->count && ++*steps < STEPS_MAX; i++) {
        const struct ix_entry *e = &s->entries[i];
        demand(e->thread > last && e->thread < ix_log_thread_count(r));
        demand(e->stack < ix_log_stack_count(r));
        last = e->thread;
        struct ix_thread thread = ix_log_thread_at(r, e->thread);
        demand(thread.number == e->thread);
        touch(thread.name);
        touch(thread.group);
        touch(thread.parent);
        check_stack(r, e->stack, steps);
    }
}

static void check_changes(const struct ix_log_reader *r, const struct ix_snapshot *s)
{
    const struct ix_changes c = ix_log_changes(r);
    for (size_t i = 0; i < c.set_count; i++)
        demand(c.set[i] < s->count && (i == 0 || c.set[i] > c.set[i - 1]));
    for (size_t i = 0; i < c.gone_count; i++)
        demand(c.gone[i] > 0 && c.gone[i] < ix_log_thread_count(r));
    for (size_t i = 0; i < c.redefined_count; i++)
        demand(c.redefined[i] > 0 && c.redefined[i] < ix_log_thread_count(r));
}

static void check_class(const struct ix_log_reader *r, uint32_t number)
{
    demand(number > 0 && number < ix_log_class_count(r));
    struct ix_class class = ix_log_class_at(r, number);
    touch(class.name);
    touch(class.source);
}

static void check_connections(const struct ix_log_reader *r, const struct ix_connections *c)
{
    const uint32_t threads = ix_log_thread_count(r);
    for (size_t i = 0; i < c->wait_count; i++) {
        const struct ix_wait *wait = &c->waits[i];
        demand(wait->thread > 0 && wait->thread < threads && wait->kind <= IX_WAIT_POLL);
        touch(wait->local);
        touch(wait->remote);
    }
    for (size_t i = 0; i < c->change_count; i++) {
        const struct ix_connection *change = &c->changes[i];
        demand(change->thread < threads && change->state <= IX_CONNECTION_LISTENS);
        touch(change->local);
        touch(change->remote);
    }
    for (size_t i = 0; i < c->join_count; i++) {
        const struct ix_join *join = &c->joins[i];
        demand(join->thread > 0 && join->thread < threads);
        demand(join->joined > 0 && join->joined < threads);
    }
}

static void check_facts(const struct ix_log_reader *r)
{
    const struct ix_facts facts = ix_log_facts(r);
    for (size_t i = 0; i < facts.lock_count; i++) {
        const struct ix_lock *lock = &facts.locks[i];
        demand(lock->thread > 0 && lock->thread < ix_log_thread_count(r));
        demand((unsigned)lock->kind <= IX_LOCK_LAST && lock->object && lock->depth >= -1);
        check_class(r, lock->class_number);
    }
    for (size_t i = 0; i < facts.exception_count; i++) {
        const struct ix_exception *exception = &facts.exceptions[i];
        demand(exception->thread < ix_log_thread_count(r));
        demand(exception->frame > 0 && exception->frame < ix_log_frame_count(r));
        demand(exception->count > 0);
        check_class(r, exception->class_number);
    }
    for (size_t i = 0; i < facts.first_count; i++) {
        demand(facts.firsts[i].thread < ix_log_thread_count(r));
        demand(facts.firsts[i].stack < ix_log_stack_count(r));
        check_class(r, facts.firsts[i].class_number);
    }
    for (size_t i = 0; i < facts.starter_count; i++) {
        demand(facts.starters[i].thread > 0 && facts.starters[i].thread < ix_log_thread_count(r));
        demand(facts.starters[i].stack < ix_log_stack_count(r));
    }
    for (size_t i = 0; i < facts.turn_count; i++)
        demand(facts.turns[i].thread > 0 && facts.turns[i].thread < ix_log_thread_count(r) &&
               facts.turns[i].turns > 0);
    for (size_t i = 0; i < facts.traffic_count; i++)
        demand(facts.traffic[i].local && facts.traffic[i].remote &&
               facts.traffic[i].last <= IX_SPOKE_THERE);
    for (size_t i = 0; i < facts.invocation_count; i++)
        demand(facts.invocations[i].method > 0 &&
               facts.invocations[i].method < ix_log_method_count(r) &&
               (facts.invocations[i].count > 0 || facts.invocations[i].at_least));
    for (size_t i = 0; i < facts.covered_count; i++)
        demand(facts.covered[i].frame > 0 && facts.covered[i].frame < ix_log_frame_count(r));
    for (size_t i = 0; i < facts.pause_count; i++)
        demand(facts.pauses[i].frame > 0 && facts.pauses[i].frame < ix_log_frame_count(r));
    check_connections(r, &facts.connections);
}

static void check_meta(const struct ix_log_reader *r)
{
    const char *key, *value;
    for (size_t i = 0; ix_log_meta_at(r, i, &key, &value); i++) {
        demand(ix_log_meta_value(r, key) == value);
        touch(key);
        touch(value);
    }
}

/* A reading of the packets alone passes over all that is not framing: it finds at least as many. */
static void read_packets(const void *data, size_t size, size_t least)
{
    struct ix_log_reader *r = ix_log_open_memory(data, size, "fuzz", NULL);
    uint64_t packet;
    size_t found = 0;
    while (ix_log_next_packet(r, &packet, NULL) == 1)
        found++;
    demand(found >= least);
    ix_log_reader_close(r);
}

static void read_all(const void *data, size_t size)
{
    struct ix_error err = {""};
    struct ix_log_reader *r = ix_log_open_memory(data, size, "fuzz", &err);
    if (!r) {
        demand(err.text[0] != '\0');
        return;
    }
    struct ix_snapshot s;
    uint64_t packet = 0;
    size_t steps = 0, snapshots = 0;
    int status;
    for (; (status = ix_log_next(r, &s, &err)) == 1; snapshots++) {
        demand(snapshots == 0 || s.packet > packet);
        packet = s.packet;
        check_snapshot(r, &s, &steps);
        check_changes(r, &s);
        check_facts(r);
    }
    check_meta(r);
    demand(status == 0 || err.text[0] != '\0');
    demand(ix_log_reader_offset(r) <= size);
    if (status == 0 && size) /* an empty log is torn, too, with nothing left unread */
        demand((ix_log_reader_offset(r) == size) == (ix_log_torn(r) == NULL));
    ix_log_reader_close(r);
    read_packets(data, size, snapshots);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t len;
    uint8_t *log = log_bytes(data, size, &len);
    if (log)
        read_all(log, len);
    free(log);
    return 0;
}
