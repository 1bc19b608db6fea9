#include "server/ledger.h"

#include <stdlib.h>
#include <string.h>

struct ixor_ledger_vm {
    struct ixor_ledger_vm *next, *previous; /* all of the ledger's */
    int64_t id;                             /* 0 until it has been written */
    struct ix_vm row;                       /* its strings are owned, and released when written */
    char *strings;
    int64_t more_requests, stale, superseded, foreign_count;
    bool here;    /* its log can be read where it is */
    bool counted; /* one of the four has changed since the last flush */
};

enum kind { ADD_VM, SNAPSHOT, MARK_VM, END_VM, PACKET, OUTCOME, CLOCK, LATE };

struct entry {
    enum kind kind;
    struct ixor_ledger_vm *vm;
    union {
        struct ix_snapshot_row snapshot;
        struct ix_packet_row packet;
        struct ix_packet_outcome outcome;
        struct ix_clock_row clock;
        int64_t late;
        struct {
            const char *ended;
            int64_t ended_ns;
            char *text; /* owned; NULL */
        } end;
    } u;
};

struct ixor_ledger {
    struct ix_catalogue *catalogue;
    struct event *timer;
    void (*on_failure)(void *user, const struct ix_error *err);
    void *user;
    struct entry *entries;
    size_t count, room;
    struct ixor_ledger_vm *vms;
    bool failed;
    struct ix_error failure;
};

static void flush_cb(evutil_socket_t fd, short what, void *user)
{
    (void)fd, (void)what;
    ixor_ledger_flush(user, NULL); /* a failure goes through on_failure */
}

struct ixor_ledger *ixor_ledger_new(struct event_base *base, struct ix_catalogue *c,
                                    void (*on_failure)(void *user, const struct ix_error *err),
                                    void *user)
{
    struct ixor_ledger *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    *l = (struct ixor_ledger){.catalogue = c, .on_failure = on_failure, .user = user};
    l->timer = event_new(base, -1, EV_PERSIST, flush_cb, l);
    struct timeval every = {.tv_usec = IXOR_LEDGER_FLUSH_MS * 1000};
    if (!l->timer || event_add(l->timer, &every) != 0) {
        ixor_ledger_free(l);
        return NULL;
    }
    return l;
}

static void free_vm(struct ixor_ledger *l, struct ixor_ledger_vm *vm)
{
    if (vm->previous)
        vm->previous->next = vm->next;
    else
        l->vms = vm->next;
    if (vm->next)
        vm->next->previous = vm->previous;
    free(vm->strings);
    free(vm);
}

static void forget_entries(struct ixor_ledger *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const enum kind kind = l->entries[i].kind;
        if (kind == END_VM || kind == MARK_VM)
            free(l->entries[i].u.end.text);
        if (kind == END_VM)
            free_vm(l, l->entries[i].vm);
    }
    l->count = 0;
}

void ixor_ledger_free(struct ixor_ledger *l)
{
    if (!l)
        return;
    forget_entries(l);
    while (l->vms)
        free_vm(l, l->vms);
    if (l->timer)
        event_free(l->timer);
    free(l->entries);
    free(l);
}

struct ix_catalogue *ixor_ledger_catalogue(struct ixor_ledger *l)
{
    return l->catalogue;
}

static void fail(struct ixor_ledger *l, const struct ix_error *why)
{
    if (l->failed)
        return;
    l->failed = true;
    l->failure = *why;
    if (l->on_failure)
        l->on_failure(l->user, &l->failure);
}

/* The next free entry, or NULL when memory has run out. An END_VM needs room even then: its caller
 * sees to that. */
static struct entry *next_entry(struct ixor_ledger *l)
{
    if (l->failed)
        return NULL;
    if (l->count == l->room) {
        size_t more = l->room ? l->room * 2 : 256;
        struct entry *bigger = reallocarray(l->entries, more, sizeof *bigger);
        if (!bigger) {
            fail(l, &(struct ix_error){"out of memory"});
            return NULL;
        }
        l->entries = bigger;
        l->room = more;
    }
    return &l->entries[l->count++];
}

/* One block for all of a VM's strings. */
static char *copy_strings(struct ix_vm *row)
{
    const char **fields[] = {&row->role, &row->host, &row->jvm, &row->log};
    enum { FIELDS = sizeof fields / sizeof fields[0] };
    size_t sizes[FIELDS], total = 0;
    for (size_t i = 0; i < FIELDS; i++)
        total += sizes[i] = strlen(*fields[i]) + 1;
    char *block = malloc(total);
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

struct ixor_ledger_vm *ixor_ledger_add_vm(struct ixor_ledger *l, const struct ix_vm *row)
{
    struct ixor_ledger_vm *vm = calloc(1, sizeof *vm);
    if (!vm)
        return NULL;
    vm->row = *row;
    vm->row.ended = "running";
    vm->row.ended_text = NULL;
    vm->strings = copy_strings(&vm->row);
    if (!vm->strings) {
        free(vm);
        return NULL;
    }
    vm->next = l->vms;
    if (vm->next)
        vm->next->previous = vm;
    l->vms = vm;
    struct entry *e = next_entry(l);
    if (e)
        *e = (struct entry){.kind = ADD_VM, .vm = vm};
    return vm;
}

void ixor_ledger_count_request(struct ixor_ledger_vm *vm)
{
    vm->more_requests++;
    vm->counted = true;
}

void ixor_ledger_dropped(struct ixor_ledger_vm *vm, int64_t stale, int64_t superseded,
                         int64_t foreign_count)
{
    vm->stale = stale;
    vm->superseded = superseded;
    vm->foreign_count = foreign_count;
    vm->counted = true;
}

void ixor_ledger_snapshot(struct ixor_ledger *l, struct ixor_ledger_vm *vm,
                          const struct ix_snapshot_row *row)
{
    struct entry *e = next_entry(l);
    if (e)
        *e = (struct entry){.kind = SNAPSHOT, .vm = vm, .u.snapshot = *row};
}

int64_t ixor_ledger_vm_id(const struct ixor_ledger_vm *vm)
{
    return vm->id;
}

void ixor_ledger_log_here(struct ixor_ledger_vm *vm)
{
    vm->here = true;
}

static void add_end(struct ixor_ledger *l, enum kind kind, struct ixor_ledger_vm *vm,
                    const char *ended, int64_t ended_ns, const char *text)
{
    struct entry *e = next_entry(l);
    if (e) {
        char *copy = text && text[0] ? strdup(text) : NULL; /* without it the row is good enough */
        *e = (struct entry){.kind = kind, .vm = vm, .u.end = {ended, ended_ns, copy}};
    }
}

void ixor_ledger_mark_vm(struct ixor_ledger *l, struct ixor_ledger_vm *vm, const char *ended,
                         const char *text)
{
    add_end(l, MARK_VM, vm, ended, 0, text);
}

void ixor_ledger_end_vm(struct ixor_ledger *l, struct ixor_ledger_vm *vm, const char *ended,
                        int64_t ended_ns, const char *text)
{
    /* Without an entry the ledger has failed; ixor_ledger_free releases the VM. */
    add_end(l, END_VM, vm, ended, ended_ns, text);
}

void ixor_ledger_packet(struct ixor_ledger *l, const struct ix_packet_row *row)
{
    struct entry *e = next_entry(l);
    if (e)
        *e = (struct entry){.kind = PACKET, .u.packet = *row};
}

void ixor_ledger_outcome(struct ixor_ledger *l, const struct ix_packet_outcome *outcome)
{
    struct entry *e = next_entry(l);
    if (e)
        *e = (struct entry){.kind = OUTCOME, .u.outcome = *outcome};
}

void ixor_ledger_clock(struct ixor_ledger *l, struct ixor_ledger_vm *vm,
                       const struct ix_clock_row *row)
{
    struct entry *e = next_entry(l);
    if (e)
        *e = (struct entry){.kind = CLOCK, .vm = vm, .u.clock = *row};
}

void ixor_ledger_late(struct ixor_ledger *l, struct ixor_ledger_vm *vm, int64_t more)
{
    struct entry *e = next_entry(l);
    if (e)
        *e = (struct entry){.kind = LATE, .vm = vm, .u.late = more};
}

static int write_counts(struct ixor_ledger *l, struct ixor_ledger_vm *vm, struct ix_error *err)
{
    if (!vm->counted)
        return 0;
    if (ix_catalogue_count_vm(l->catalogue, vm->id, vm->more_requests, vm->stale, vm->superseded,
                              vm->foreign_count, err) != 0)
        return -1;
    vm->more_requests = 0;
    vm->counted = false;
    return 0;
}

static int write_entry(struct ixor_ledger *l, struct entry *e, struct ix_error *err)
{
    struct ixor_ledger_vm *vm = e->vm;
    switch (e->kind) {
    case ADD_VM:
        if (ix_catalogue_add_vm(l->catalogue, &vm->row, &vm->id, err) != 0)
            return -1;
        free(vm->strings);
        vm->strings = NULL;
        vm->row = (struct ix_vm){0};
        return 0;
    case SNAPSHOT:
        e->u.snapshot.vm = vm->id;
        return ix_catalogue_add_snapshot(l->catalogue, &e->u.snapshot, err);
    case PACKET:
        return ix_catalogue_add_packet(l->catalogue, &e->u.packet, err);
    case OUTCOME:
        return ix_catalogue_close_packet(l->catalogue, &e->u.outcome, err);
    case CLOCK:
        e->u.clock.vm = vm->id;
        return ix_catalogue_add_clock(l->catalogue, &e->u.clock, err);
    case LATE:
        return ix_catalogue_count_late(l->catalogue, vm->id, e->u.late, err);
    case END_VM:
        if (write_counts(l, vm, err) != 0 ||
            (vm->here && ix_catalogue_set_log(l->catalogue, vm->id, "here", NULL, -1, err) != 0))
            return -1;
        /* fall through */
    case MARK_VM:
        return ix_catalogue_end_vm(l->catalogue, vm->id, e->u.end.ended, e->u.end.ended_ns,
                                   e->u.end.text, err);
    }
    return 0;
}

static int write_all(struct ixor_ledger *l, struct ix_error *err)
{
    if (ix_catalogue_begin(l->catalogue, err) != 0)
        return -1;
    for (size_t i = 0; i < l->count; i++) {
        if (write_entry(l, &l->entries[i], err) != 0)
            goto failed;
    }
    for (struct ixor_ledger_vm *vm = l->vms; vm; vm = vm->next) {
        if (write_counts(l, vm, err) != 0)
            goto failed;
    }
    if (ix_catalogue_commit(l->catalogue, err) != 0)
        goto failed;
    return 0;
failed:
    ix_catalogue_rollback(l->catalogue);
    return -1;
}

static bool anything(const struct ixor_ledger *l)
{
    if (l->count)
        return true;
    for (const struct ixor_ledger_vm *vm = l->vms; vm; vm = vm->next) {
        if (vm->counted)
            return true;
    }
    return false;
}

int ixor_ledger_flush(struct ixor_ledger *l, struct ix_error *err)
{
    struct ix_error why = {""};
    if (!l->failed && anything(l) && write_all(l, &why) != 0)
        fail(l, &why);
    forget_entries(l);
    if (l->failed && err)
        *err = l->failure;
    return l->failed ? -1 : 0;
}
