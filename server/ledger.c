#include "server/ledger.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Entries that may wait (100 MiB) before the loop waits for the disk after all. */
#define ENTRIES_MAX (1u << 20)

struct ixor_ledger_vm {
    struct ixor_ledger_vm *next, *previous; /* all that have not ended */
    int64_t more_requests, stale, superseded, foreign_count;
    bool here;    /* its log can be read where it is */
    bool counted; /* one of the four has changed since they were last put down */

    /* The writer's from when its entry is put down: */
    int64_t id;       /* 0 until it has been written */
    struct ix_vm row; /* its strings are owned, and released when written */
    char *strings;
};

enum kind { ADD_VM, SNAPSHOT, COUNTS, MARK_VM, END_VM, PACKET, OUTCOME, CLOCK, LATE, MARK, LOG };

struct entry {
    enum kind kind;
    struct ixor_ledger_vm *vm; /* END_VM: owned */
    union {
        struct ix_snapshot_row snapshot;
        struct ix_packet_row packet;
        struct ix_packet_outcome outcome;
        struct ix_clock_row clock;
        int64_t late;
        struct ix_mark mark; /* its text is owned */
        struct {
            int64_t vm;
            const char *state;
            char *copy; /* owned; NULL */
            int whole;
        } log;
        struct {
            int64_t more_requests, stale, superseded, foreign_count;
        } counts;
        struct {
            const char *ended;
            int64_t ended_ns;
            char *text; /* owned; NULL */
        } end;
    } u;
};

struct entries {
    struct entry *at;
    size_t count, room;
};

struct ixor_ledger {
    struct ix_catalogue *catalogue; /* the caller's */
    struct event *timer;
    void (*on_failure)(void *user, const struct ix_error *err);
    void *user;
    struct ixor_ledger_vm *vms, *next_counted;
    struct entries gathered;
    bool failed;
    struct ix_error failure;

    /* Shared with the writer, which has `writing` while it is busy: */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool busy, ending, write_failed;
    struct ix_error why;
    struct entries writing;

    /* The writer's: */
    struct ix_catalogue *own;
    pthread_t thread;
    bool started;
};

static void free_vm(struct ixor_ledger_vm *vm)
{
    free(vm->strings);
    free(vm);
}

/* Releases what entries own; they can be used again. */
static void clear(struct entries *e)
{
    for (size_t i = 0; i < e->count; i++) {
        struct entry *entry = &e->at[i];
        if (entry->kind == END_VM || entry->kind == MARK_VM)
            free(entry->u.end.text);
        if (entry->kind == END_VM)
            free_vm(entry->vm);
        if (entry->kind == MARK)
            free((char *)entry->u.mark.text);
        if (entry->kind == LOG)
            free(entry->u.log.copy);
    }
    e->count = 0;
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

/* ---- what happened ---- */

/* The next free entry, or NULL: memory has run out, or the ledger has failed before. */
static struct entry *next_entry(struct ixor_ledger *l)
{
    struct entries *e = &l->gathered;
    if (l->failed)
        return NULL;
    if (e->count == e->room) {
        size_t more = e->room ? e->room * 2 : 256;
        struct entry *bigger = reallocarray(e->at, more, sizeof *bigger);
        if (!bigger) {
            fail(l, &(struct ix_error){"out of memory"});
            return NULL;
        }
        e->at = bigger;
        e->room = more;
    }
    return &e->at[e->count++];
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

static void put_counts(struct ixor_ledger *l, struct ixor_ledger_vm *vm)
{
    struct entry *e = vm->counted ? next_entry(l) : NULL;
    if (!e)
        return;
    *e = (struct entry){.kind = COUNTS,
                        .vm = vm,
                        .u.counts = {vm->more_requests, vm->stale, vm->superseded,
                                     vm->foreign_count}};
    vm->more_requests = 0;
    vm->counted = false;
}

/* Takes turns, so that thousands of VMs cost no more than some hundred. */
static void put_some_counts(struct ixor_ledger *l, size_t most)
{
    struct ixor_ledger_vm *vm = l->next_counted ? l->next_counted : l->vms;
    const struct ixor_ledger_vm *const first = vm;
    for (size_t put = 0; vm && put < most;) {
        put += vm->counted;
        put_counts(l, vm);
        vm = vm->next ? vm->next : l->vms;
        if (vm == first)
            break;
    }
    l->next_counted = vm;
}

int64_t ixor_ledger_vm_id(const struct ixor_ledger_vm *vm)
{
    return vm->id;
}

void ixor_ledger_log_here(struct ixor_ledger_vm *vm)
{
    vm->here = true;
}

void ixor_ledger_log(struct ixor_ledger *l, int64_t vm, const char *state, const char *copy,
                     int whole)
{
    char *own = copy ? strdup(copy) : NULL;
    struct entry *e = own || !copy ? next_entry(l) : NULL;
    if (!e) {
        free(own);
        fail(l, &(struct ix_error){"out of memory"});
        return;
    }
    *e = (struct entry){.kind = LOG, .u.log = {vm, state, own, whole}};
}

/* False if the ledger has failed. */
static bool put_end(struct ixor_ledger *l, enum kind kind, struct ixor_ledger_vm *vm,
                    const char *ended, int64_t ended_ns, const char *text)
{
    struct entry *e = next_entry(l);
    if (!e)
        return false;
    char *copy = text && text[0] ? strdup(text) : NULL; /* without it the row is good enough */
    *e = (struct entry){.kind = kind, .vm = vm, .u.end = {ended, ended_ns, copy}};
    return true;
}

void ixor_ledger_mark_vm(struct ixor_ledger *l, struct ixor_ledger_vm *vm, const char *ended,
                         const char *text)
{
    put_end(l, MARK_VM, vm, ended, 0, text);
}

void ixor_ledger_end_vm(struct ixor_ledger *l, struct ixor_ledger_vm *vm, const char *ended,
                        int64_t ended_ns, const char *text)
{
    put_counts(l, vm);
    if (!put_end(l, END_VM, vm, ended, ended_ns, text))
        return; /* the ledger has failed; ixor_ledger_free releases the VM */
    if (l->next_counted == vm)
        l->next_counted = vm->next;
    if (vm->previous)
        vm->previous->next = vm->next;
    else
        l->vms = vm->next;
    if (vm->next)
        vm->next->previous = vm->previous;
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

void ixor_ledger_mark(struct ixor_ledger *l, const struct ix_mark *mark)
{
    char *text = strdup(mark->text);
    struct entry *e = text ? next_entry(l) : NULL;
    if (!e) {
        free(text);
        fail(l, &(struct ix_error){"out of memory"});
        return;
    }
    *e = (struct entry){.kind = MARK, .u.mark = *mark};
    e->u.mark.text = text;
}

/* ---- the writer ---- */

static int write_vm(struct ix_catalogue *c, struct ixor_ledger_vm *vm, struct ix_error *err)
{
    if (ix_catalogue_add_vm(c, &vm->row, &vm->id, err) != 0)
        return -1;
    free(vm->strings);
    vm->strings = NULL;
    vm->row = (struct ix_vm){0};
    return 0;
}

static int write_entry(struct ix_catalogue *c, struct entry *e, struct ix_error *err)
{
    switch (e->kind) {
    case ADD_VM:
        return write_vm(c, e->vm, err);
    case SNAPSHOT:
        e->u.snapshot.vm = e->vm->id;
        return ix_catalogue_add_snapshot(c, &e->u.snapshot, err);
    case COUNTS:
        return ix_catalogue_count_vm(c, e->vm->id, e->u.counts.more_requests, e->u.counts.stale,
                                     e->u.counts.superseded, e->u.counts.foreign_count, err);
    case OUTCOME:
        return ix_catalogue_close_packet(c, &e->u.outcome, err);
    case CLOCK:
        e->u.clock.vm = e->vm->id;
        return ix_catalogue_add_clock(c, &e->u.clock, err);
    case LATE:
        return ix_catalogue_count_late(c, e->vm->id, e->u.late, err);
    case END_VM:
        if (e->vm->here && ix_catalogue_set_log(c, e->vm->id, "here", NULL, -1, err) != 0)
            return -1;
        /* fall through */
    case MARK_VM:
        return ix_catalogue_end_vm(c, e->vm->id, e->u.end.ended, e->u.end.ended_ns, e->u.end.text,
                                   err);
    case PACKET:
        return ix_catalogue_add_packet(c, &e->u.packet, err);
    case LOG:
        return ix_catalogue_set_log(c, e->u.log.vm, e->u.log.state, e->u.log.copy,
                                    e->u.log.whole, err);
    case MARK:
        return ix_catalogue_add_mark(c, &e->u.mark, err);
    }
    return 0;
}

static int write_all(struct ix_catalogue *c, struct entries *entries, struct ix_error *err)
{
    if (ix_catalogue_begin(c, err) != 0)
        return -1;
    for (size_t i = 0; i < entries->count; i++) {
        if (write_entry(c, &entries->at[i], err) != 0)
            goto failed;
    }
    if (ix_catalogue_commit(c, err) == 0)
        return 0;
failed:
    ix_catalogue_rollback(c);
    return -1;
}

static void *writer(void *user)
{
    struct ixor_ledger *l = user;
    struct ix_error why = {""};
    pthread_mutex_lock(&l->mutex);
    for (;;) {
        while (!l->busy && !l->ending)
            pthread_cond_wait(&l->changed, &l->mutex);
        if (!l->busy)
            break;
        bool failed = l->write_failed;
        pthread_mutex_unlock(&l->mutex);
        if (!failed)
            failed = write_all(l->own, &l->writing, &why) != 0;
        clear(&l->writing);
        pthread_mutex_lock(&l->mutex);
        if (failed && !l->write_failed)
            l->why = why;
        l->write_failed = failed;
        l->busy = false;
        pthread_cond_broadcast(&l->changed);
    }
    pthread_mutex_unlock(&l->mutex);
    return NULL;
}

/* ---- handing over ---- */

/* With the mutex held: until the writer has nothing to do. */
static void wait_idle(struct ixor_ledger *l)
{
    while (l->busy)
        pthread_cond_wait(&l->changed, &l->mutex);
}

/* Hands what was gathered to the writer. If it is busy still, with `wait` after it, else later. */
static void hand_over(struct ixor_ledger *l, bool wait)
{
    struct ix_error why;
    pthread_mutex_lock(&l->mutex);
    if (wait)
        wait_idle(l);
    if (!l->busy && l->gathered.count) {
        struct entries empty = l->writing;
        l->writing = l->gathered;
        l->gathered = empty;
        l->busy = true;
        pthread_cond_broadcast(&l->changed);
    }
    const bool failed = l->write_failed;
    why = l->why;
    pthread_mutex_unlock(&l->mutex);
    if (failed)
        fail(l, &why);
}

static void flush_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_ledger *l = user;
    (void)fd, (void)what;
    put_some_counts(l, IXOR_LEDGER_COUNTS);
    hand_over(l, l->gathered.count > ENTRIES_MAX);
}

int ixor_ledger_flush(struct ixor_ledger *l, struct ix_error *err)
{
    put_some_counts(l, SIZE_MAX);
    hand_over(l, true);
    pthread_mutex_lock(&l->mutex);
    wait_idle(l);
    pthread_mutex_unlock(&l->mutex);
    hand_over(l, false); /* nothing but what came of it */
    if (l->failed && err)
        *err = l->failure;
    return l->failed ? -1 : 0;
}

/* ---- from start to end ---- */

/* Signals are the loop's. */
static int start_thread(struct ixor_ledger *l)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&l->thread, NULL, writer, l);
    if (!failed)
        pthread_setname_np(l->thread, "ixor-writer");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static int start(struct ixor_ledger *l, struct event_base *base, struct ix_error *err)
{
    const struct timeval every = {.tv_usec = IXOR_LEDGER_FLUSH_MS * 1000};
    l->own = ix_catalogue_open(ix_catalogue_dir(l->catalogue), IX_CATALOGUE_WRITE, err);
    if (!l->own)
        return -1;
    l->timer = event_new(base, -1, EV_PERSIST, flush_cb, l);
    if (!l->timer || event_add(l->timer, &every) != 0)
        return ix_fail(err, "out of memory");
    const int failed = start_thread(l);
    if (failed)
        return ix_fail(err, "cannot start a thread: %s", strerror(failed));
    l->started = true;
    return 0;
}

struct ixor_ledger *ixor_ledger_new(struct event_base *base, struct ix_catalogue *c,
                                    void (*on_failure)(void *user, const struct ix_error *err),
                                    void *user, struct ix_error *err)
{
    struct ixor_ledger *l = calloc(1, sizeof *l);
    if (!l) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    l->catalogue = c;
    l->on_failure = on_failure;
    l->user = user;
    pthread_mutex_init(&l->mutex, NULL);
    pthread_cond_init(&l->changed, NULL);
    if (start(l, base, err) != 0) {
        ixor_ledger_free(l);
        return NULL;
    }
    return l;
}

static void end_writer(struct ixor_ledger *l)
{
    pthread_mutex_lock(&l->mutex);
    l->ending = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
    pthread_join(l->thread, NULL);
}

void ixor_ledger_free(struct ixor_ledger *l)
{
    if (!l)
        return;
    if (l->started)
        end_writer(l);
    clear(&l->gathered);
    clear(&l->writing);
    while (l->vms) {
        struct ixor_ledger_vm *vm = l->vms;
        l->vms = vm->next;
        free_vm(vm);
    }
    if (l->timer)
        event_free(l->timer);
    ix_catalogue_close(l->own);
    pthread_mutex_destroy(&l->mutex);
    pthread_cond_destroy(&l->changed);
    free(l->gathered.at);
    free(l->writing.at);
    free(l);
}

struct ix_catalogue *ixor_ledger_catalogue(struct ixor_ledger *l)
{
    return l->catalogue;
}
