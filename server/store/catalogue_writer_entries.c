/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/catalogue_writer_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- counting ---- */

uint64_t ixor_tally_sum(const struct ixor_tally *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < IXOR_KINDS; i++)
        sum += t->of[i];
    return sum;
}

void ixor_tally_add(struct ixor_tally *to, const struct ixor_tally *more)
{
    for (size_t i = 0; i < IXOR_KINDS; i++)
        to->of[i] += more->of[i];
}

void ixor_tally_text(const struct ixor_tally *t, char *text, size_t size)
{
    const uint64_t known = t->of[IXOR_SNAPSHOT] + t->of[IXOR_PACKET] + t->of[IXOR_ADD_VM];
    const struct {
        uint64_t count;
        const char *one, *many;
    } parts[] = {
        {t->of[IXOR_SNAPSHOT], "snapshot", "snapshots"},
        {t->of[IXOR_PACKET], "packet", "packets"},
        {t->of[IXOR_ADD_VM], "JVM", "JVMs"},
        {ixor_tally_sum(t) - known, "other entry", "other entries"},
    };
    size_t used = 0, left = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        left += parts[i].count > 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && used < size; i++) {
        if (!parts[i].count)
            continue;
        left--;
        used += (size_t)snprintf(text + used, size - used, "%s%llu %s",
                                 !used  ? ""
                                 : left ? ", "
                                        : " and ",
                                 (unsigned long long)parts[i].count,
                                 parts[i].count == 1 ? parts[i].one : parts[i].many);
    }
}

/* ---- releasing ---- */

void ixor_writer_free_vm(struct ixor_writer_vm *vm)
{
    free(vm->strings);
    free(vm);
}

static void release(struct ixor_entry *e)
{
    switch (e->kind) {
    case IXOR_ADD_EXECUTION:
        free(e->u.execution.name);
        free(e->u.execution.command);
        break;
    case IXOR_END_VM:
        ixor_writer_free_vm(e->vm);
        /* fall through */
    case IXOR_MARK_VM:
        free(e->u.end.text);
        break;
    case IXOR_MARK:
        free((char *)e->u.mark.text);
        break;
    case IXOR_LOG:
        free(e->u.log.copy);
        break;
    default:
        break;
    }
}

void ixor_entries_clear(struct ixor_entries *e)
{
    for (size_t i = 0; i < e->count; i++)
        release(&e->at[i]);
    e->count = e->bytes = 0;
    e->tally = (struct ixor_tally){{0}};
}

/* ---- writing ---- */

/* Runs are known by the catalogue's ids, or by the number that the writer gave them. */
static int64_t execution_id(const struct ixor_execution_ids *ids, int64_t execution)
{
    return execution < 0 ? ids->of[-(execution + 1)] : execution;
}

/* The row may exist: the server could not read the catalogue, or another program was quicker. */
static int write_execution(struct ix_catalogue *c, const struct ixor_entry *e,
                           const struct ixor_execution_ids *ids, struct ix_error *err)
{
    int64_t *id = &ids->of[-(e->u.execution.number + 1)];
    *id = 0;
    const int found = ix_catalogue_find_execution(c, e->u.execution.name, id, err);
    if (found)
        return found < 0 ? -1 : 0;
    return ix_catalogue_add_execution(c, e->u.execution.name, e->u.execution.command,
                                      e->u.execution.begin_ns, id, err);
}

static int end_execution(struct ix_catalogue *c, const struct ixor_execution_end *end,
                         const struct ixor_execution_ids *ids, struct ix_error *err)
{
    return ix_catalogue_end_execution(c, execution_id(ids, end->execution), end->end_ns,
                                      end->exit_status, end->exit_signal, end->verdict,
                                      end->verdict_by, err);
}

static int write_vm(struct ix_catalogue *c, struct ixor_writer_vm *vm,
                    const struct ixor_execution_ids *ids, struct ix_error *err)
{
    struct ix_vm row = vm->row;
    row.execution = execution_id(ids, row.execution);
    vm->row_id = 0;
    return ix_catalogue_add_vm(c, &row, &vm->row_id, err);
}

static int end_vm(struct ix_catalogue *c, const struct ixor_entry *e, struct ix_error *err)
{
    if (e->kind == IXOR_END_VM && e->vm->here &&
        ix_catalogue_set_log(c, e->vm->row_id, "here", NULL, -1, err) != 0)
        return -1;
    return ix_catalogue_end_vm(c, e->vm->row_id, e->u.end.ended, e->u.end.ended_ns, e->u.end.text,
                               err);
}

static int write_mark(struct ix_catalogue *c, const struct ix_mark *mark,
                      const struct ixor_execution_ids *ids, struct ix_error *err)
{
    struct ix_mark row = *mark;
    row.execution = execution_id(ids, row.execution);
    return ix_catalogue_add_mark(c, &row, err);
}

/* Ids go into a copy: this may not be the last try. */
static int write_numbers(struct ix_catalogue *c, const struct ixor_entry *e,
                         const struct ixor_execution_ids *ids, struct ix_error *err)
{
    struct ixor_entry row = *e;
    switch (e->kind) {
    case IXOR_SNAPSHOT:
        row.u.snapshot.vm = e->vm->row_id;
        return ix_catalogue_add_snapshot(c, &row.u.snapshot, err);
    case IXOR_CLOCK:
        row.u.clock.vm = e->vm->row_id;
        return ix_catalogue_add_clock(c, &row.u.clock, err);
    case IXOR_PACKET:
        row.u.packet.execution = execution_id(ids, row.u.packet.execution);
        return ix_catalogue_add_packet(c, &row.u.packet, err);
    default: /* IXOR_OUTCOME */
        row.u.outcome.execution = execution_id(ids, row.u.outcome.execution);
        return ix_catalogue_close_packet(c, &row.u.outcome, err);
    }
}

static int write_entry(struct ix_catalogue *c, const struct ixor_entry *e,
                       const struct ixor_execution_ids *ids, struct ix_error *err)
{
    switch (e->kind) {
    case IXOR_ADD_EXECUTION:
        return write_execution(c, e, ids, err);
    case IXOR_END_EXECUTION:
        return end_execution(c, &e->u.execution_end, ids, err);
    case IXOR_ADD_VM:
        return write_vm(c, e->vm, ids, err);
    case IXOR_COUNTS:
        return ix_catalogue_count_vm(c, e->vm->row_id, e->u.counts.more_requests, e->u.counts.stale,
                                     e->u.counts.superseded, e->u.counts.foreign_count, err);
    case IXOR_LATE:
        return ix_catalogue_count_late(c, e->vm->row_id, e->u.late, err);
    case IXOR_END_VM:
    case IXOR_MARK_VM:
        return end_vm(c, e, err);
    case IXOR_LOG:
        return ix_catalogue_set_log(c, e->u.log.vm, e->u.log.state, e->u.log.copy, e->u.log.whole,
                                    err);
    case IXOR_MARK:
        return write_mark(c, &e->u.mark, ids, err);
    default:
        return write_numbers(c, e, ids, err);
    }
}

static int write_each(struct ix_catalogue *c, const struct ixor_entries *e,
                      const struct ixor_execution_ids *ids, struct ixor_tally *left_out,
                      struct ix_error *err)
{
    struct ix_error why;
    for (size_t i = 0; i < e->count; i++) {
        if (write_entry(c, &e->at[i], ids, &why) == 0)
            continue;
        const bool first = ixor_tally_sum(left_out) == 0;
        if (ix_catalogue_may_pass(c)) {
            *err = why;
            return -1;
        }
        left_out->of[e->at[i].kind]++;
        if (first)
            *err = why;
    }
    return 0;
}

/* From now on the JVMs' ids are final. */
static void publish(struct ixor_entries *e)
{
    for (size_t i = 0; i < e->count; i++) {
        if (e->at[i].kind != IXOR_ADD_VM)
            continue;
        struct ixor_writer_vm *vm = e->at[i].vm;
        atomic_store(&vm->id, vm->row_id);
        free(vm->strings);
        vm->strings = NULL;
        vm->row = (struct ix_vm){0};
    }
}

int ixor_entries_write(struct ix_catalogue *c, struct ixor_entries *e,
                       const struct ixor_execution_ids *ids, struct ixor_tally *left_out,
                       struct ix_error *err)
{
    *left_out = (struct ixor_tally){{0}};
    struct ix_error why;
    if (ix_catalogue_begin(c, err) != 0)
        return -1;
    if (write_each(c, e, ids, left_out, err) == 0) {
        if (ix_catalogue_in_place(c, &why) == 0 && ix_catalogue_commit(c, &why) == 0) {
            publish(e);
            return 0;
        }
        *err = why;
    }
    ix_catalogue_rollback(c);
    *left_out = (struct ixor_tally){{0}};
    return -1;
}
