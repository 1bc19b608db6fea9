/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/catalogue_writer.h"

#include <stdlib.h>
#include <string.h>

#include "server/store/catalogue_writer_internal.h"

static bool make_place(struct ixor_entries *e)
{
    if (e->count < e->room)
        return true;
    const size_t more = e->room ? e->room * 2 : 256;
    struct ixor_entry *bigger = reallocarray(e->at, more, sizeof *bigger);
    if (!bigger)
        return false;
    e->at = bigger;
    e->room = more;
    return true;
}

/* Whether this many more bytes fit below `most` in total. */
static bool has_room(const struct ixor_writer *w, size_t bytes, size_t most)
{
    return w->gathered.bytes + w->handed_bytes + w->reserved + bytes <= most;
}

static void drop(struct ixor_writer *w, enum ixor_entry_kind kind)
{
    w->dropped.of[kind]++;
}

/* The next free entry, which takes `more` bytes besides its own; NULL: it is dropped and counted.
 * There is always room for a JVM's end. */
static struct ixor_entry *next_entry(struct ixor_writer *w, enum ixor_entry_kind kind, size_t more)
{
    struct ixor_entries *e = &w->gathered;
    const bool rows =
        kind == IXOR_ADD_VM || kind == IXOR_ADD_EXECUTION || kind == IXOR_END_EXECUTION;
    const size_t most = rows ? IXOR_WRITER_ROOM : IXOR_WRITER_ROOM / 4 * 3;
    more += sizeof(struct ixor_entry);
    if ((kind != IXOR_END_VM && !has_room(w, more, most)) || !make_place(e)) {
        drop(w, kind);
        return NULL;
    }
    e->bytes += more;
    e->tally.of[kind]++;
    struct ixor_entry *entry = &e->at[e->count++];
    *entry = (struct ixor_entry){.kind = kind};
    return entry;
}

/* One about a JVM. */
static struct ixor_entry *vm_entry(struct ixor_writer *w, struct ixor_writer_vm *vm,
                                   enum ixor_entry_kind kind, size_t more)
{
    if (vm->left_out) {
        drop(w, kind);
        return NULL;
    }
    struct ixor_entry *e = next_entry(w, kind, more);
    if (e)
        e->vm = vm;
    return e;
}

int64_t ixor_writer_add_execution(struct ixor_writer *w, const char *name, const char *command,
                                  int64_t begin_ns)
{
    char *own = strdup(name), *words = command ? strdup(command) : NULL;
    struct ixor_entry *e = NULL;
    if (own && (words || !command))
        e = next_entry(w, IXOR_ADD_EXECUTION, strlen(name) + (command ? strlen(command) : 0));
    if (!e) {
        free(own);
        free(words);
        return 0;
    }
    const int64_t number = -(int64_t)++w->executions;
    e->u.execution.number = number;
    e->u.execution.begin_ns = begin_ns;
    e->u.execution.name = own;
    e->u.execution.command = words;
    return number;
}

int64_t ixor_writer_execution_id(struct ixor_writer *w, int64_t execution)
{
    const size_t i = (size_t) - (execution + 1);
    pthread_mutex_lock(&w->mutex);
    const int64_t id = !w->busy && i < w->ids.count ? w->ids.of[i] : 0;
    pthread_mutex_unlock(&w->mutex);
    return id;
}

void ixor_writer_end_execution(struct ixor_writer *w, const struct ixor_execution_end *end)
{
    struct ixor_entry *e = next_entry(w, IXOR_END_EXECUTION, 0);
    if (e)
        e->u.execution_end = *end;
}

/* One block for all of a JVM's strings. */
static char *copy_strings(struct ix_vm *row, size_t *total)
{
    const char **fields[] = {&row->role, &row->host, &row->jvm, &row->log};
    enum { FIELDS = sizeof fields / sizeof fields[0] };
    size_t sizes[FIELDS];
    *total = 0;
    for (size_t i = 0; i < FIELDS; i++)
        *total += sizes[i] = strlen(*fields[i]) + 1;
    char *block = malloc(*total);
    if (!block)
        return NULL;
    char *at = block;
    for (size_t i = 0; i < FIELDS; i++) {
        memcpy(at, *fields[i], sizes[i]);
        *fields[i] = at;
        at += sizes[i];
    }
    return block;
}

static void link_vm(struct ixor_writer *w, struct ixor_writer_vm *vm)
{
    vm->next = w->vms;
    if (vm->next)
        vm->next->previous = vm;
    w->vms = vm;
}

static void unlink_vm(struct ixor_writer *w, struct ixor_writer_vm *vm)
{
    if (w->next_counted == vm)
        w->next_counted = vm->next;
    if (vm->previous)
        vm->previous->next = vm->next;
    else
        w->vms = vm->next;
    if (vm->next)
        vm->next->previous = vm->previous;
}

struct ixor_writer_vm *ixor_writer_add_vm(struct ixor_writer *w, const struct ix_vm *row)
{
    struct ixor_writer_vm *vm = calloc(1, sizeof *vm);
    size_t size;
    if (!vm)
        return NULL;
    vm->row = *row;
    vm->row.ended = "running";
    vm->row.ended_text = NULL;
    vm->strings = copy_strings(&vm->row, &size);
    if (!vm->strings) {
        free(vm);
        return NULL;
    }
    link_vm(w, vm);
    if (vm_entry(w, vm, IXOR_ADD_VM, sizeof *vm + size))
        w->reserved += sizeof(struct ixor_entry);
    else
        vm->left_out = true;
    return vm;
}

void ixor_writer_count_request(struct ixor_writer_vm *vm)
{
    vm->more_requests++;
    vm->counted = true;
}

void ixor_writer_dropped(struct ixor_writer_vm *vm, int64_t stale, int64_t superseded,
                         int64_t foreign_count)
{
    vm->stale = stale;
    vm->superseded = superseded;
    vm->foreign_count = foreign_count;
    vm->counted = true;
}

void ixor_writer_snapshot(struct ixor_writer *w, struct ixor_writer_vm *vm,
                          const struct ix_snapshot_row *row)
{
    struct ixor_entry *e = vm_entry(w, vm, IXOR_SNAPSHOT, 0);
    if (e)
        e->u.snapshot = *row;
}

static void put_counts(struct ixor_writer *w, struct ixor_writer_vm *vm)
{
    struct ixor_entry *e = vm->counted ? vm_entry(w, vm, IXOR_COUNTS, 0) : NULL;
    if (!e)
        return;
    e->u.counts.more_requests = vm->more_requests;
    e->u.counts.stale = vm->stale;
    e->u.counts.superseded = vm->superseded;
    e->u.counts.foreign_count = vm->foreign_count;
    vm->more_requests = 0;
    vm->counted = false;
}

/* JVMs take turns, so that thousands cost no more than a few hundred. */
void ixor_writer_put_counts(struct ixor_writer *w, size_t most)
{
    struct ixor_writer_vm *vm = w->next_counted ? w->next_counted : w->vms;
    const struct ixor_writer_vm *const first = vm;
    for (size_t put = 0; vm && put < most;) {
        put += vm->counted;
        put_counts(w, vm);
        vm = vm->next ? vm->next : w->vms;
        if (vm == first)
            break;
    }
    w->next_counted = vm;
}

int64_t ixor_writer_vm_id(const struct ixor_writer_vm *vm)
{
    return atomic_load(&vm->id);
}

void ixor_writer_log_here(struct ixor_writer_vm *vm)
{
    vm->here = true;
}

void ixor_writer_log(struct ixor_writer *w, int64_t vm, const char *state, const char *copy,
                     int whole)
{
    char *own = copy ? strdup(copy) : NULL;
    if (copy && !own) {
        drop(w, IXOR_LOG);
        return;
    }
    struct ixor_entry *e = next_entry(w, IXOR_LOG, copy ? strlen(copy) + 1 : 0);
    if (!e) {
        free(own);
        return;
    }
    e->u.log.vm = vm;
    e->u.log.state = state;
    e->u.log.copy = own;
    e->u.log.whole = whole;
}

/* False if it was dropped. */
static bool put_end(struct ixor_writer *w, enum ixor_entry_kind kind, struct ixor_writer_vm *vm,
                    const char *ended, int64_t ended_ns, const char *text)
{
    struct ixor_entry *e = vm_entry(w, vm, kind, text ? strlen(text) + 1 : 0);
    if (!e)
        return false;
    e->u.end.ended = ended;
    e->u.end.ended_ns = ended_ns;
    e->u.end.text = text && text[0] ? strdup(text) : NULL; /* without it the row is good enough */
    return true;
}

void ixor_writer_mark_vm(struct ixor_writer *w, struct ixor_writer_vm *vm, const char *ended,
                         const char *text)
{
    put_end(w, IXOR_MARK_VM, vm, ended, 0, text);
}

void ixor_writer_end_vm(struct ixor_writer *w, struct ixor_writer_vm *vm, const char *ended,
                        int64_t ended_ns, const char *text)
{
    put_counts(w, vm);
    const bool owned = put_end(w, IXOR_END_VM, vm, ended, ended_ns, text);
    if (!vm->left_out)
        w->reserved -= sizeof(struct ixor_entry);
    if (!owned && !vm->left_out)
        return; /* out of memory; entries name it, so ixor_writer_free releases it */
    unlink_vm(w, vm);
    if (vm->left_out)
        ixor_writer_free_vm(vm);
}

void ixor_writer_packet(struct ixor_writer *w, const struct ix_packet_row *row)
{
    struct ixor_entry *e = next_entry(w, IXOR_PACKET, 0);
    if (e)
        e->u.packet = *row;
}

void ixor_writer_outcome(struct ixor_writer *w, const struct ix_packet_outcome *outcome)
{
    struct ixor_entry *e = next_entry(w, IXOR_OUTCOME, 0);
    if (e)
        e->u.outcome = *outcome;
}

void ixor_writer_clock(struct ixor_writer *w, struct ixor_writer_vm *vm,
                       const struct ix_clock_row *row)
{
    struct ixor_entry *e = vm_entry(w, vm, IXOR_CLOCK, 0);
    if (e)
        e->u.clock = *row;
}

void ixor_writer_late(struct ixor_writer *w, struct ixor_writer_vm *vm, int64_t more)
{
    struct ixor_entry *e = vm_entry(w, vm, IXOR_LATE, 0);
    if (e)
        e->u.late = more;
}

void ixor_writer_mark(struct ixor_writer *w, const struct ix_mark *mark)
{
    char *text = strdup(mark->text);
    if (!text) {
        drop(w, IXOR_MARK);
        return;
    }
    struct ixor_entry *e = next_entry(w, IXOR_MARK, strlen(text) + 1);
    if (!e) {
        free(text);
        return;
    }
    e->u.mark = *mark;
    e->u.mark.text = text;
}
