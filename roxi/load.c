#include "roxi/load.h"

#include <stdlib.h>
#include <string.h>

#include "schema/grow.h"
#include "roxi/command.h"
#include "roxi/log_symbols.h"
#include "roxi/progress.h"
#include "roxi/text_escape.h"
#include "schema/catalogue.h"

struct vm {
    char *role, *log;
    bool unreadable;
};

struct execution {
    int64_t id;
    char *name;
    struct vm *vms;
    size_t vm_count, vm_cap;
    size_t packets; /* that any VM answered; known unless min_vms is 1 */
};

struct loader {
    struct ix_catalogue *catalogue;
    struct roxi_profiles *profiles;
    struct roxi_rules *rules;
    struct roxi_names *names;
    const struct roxi_load_options *options;
    struct execution *executions;
    size_t count, cap;
    struct ix_error *err;
};

/* ---- what the catalogue says ---- */

static int add_execution(void *user, const struct ix_execution *e)
{
    struct loader *l = user;
    /* No part of Ixor writes such a name; in a table it would be a line or a column of its own. */
    if (!text_plain((struct ix_span){e->name, strlen(e->name)}))
        return ix_fail(l->err, "the name of execution '%s' has control characters, or is not UTF-8",
                       e->name);
    struct execution *all = ix_grow(l->executions, &l->cap, l->count + 1, sizeof *all);
    if (!all)
        return ix_fail(l->err, "out of memory");
    l->executions = all;
    all[l->count] = (struct execution){.id = e->id, .name = strdup(e->name)};
    if (!all[l->count].name)
        return ix_fail(l->err, "out of memory");
    l->count++;
    return 0;
}

struct vm_list {
    struct execution *execution;
    struct ix_error *err;
};

static int add_vm(void *user, const struct ix_vm *vm)
{
    struct vm_list *list = user;
    struct execution *x = list->execution;
    struct vm *all = ix_grow(x->vms, &x->vm_cap, x->vm_count + 1, sizeof *all);
    if (!all)
        return ix_fail(list->err, "out of memory");
    x->vms = all;
    struct vm *added = &all[x->vm_count++];
    *added = (struct vm){.role = strdup(vm->role), .log = strdup(vm->log)};
    return added->role && added->log ? 0 : ix_fail(list->err, "out of memory");
}

static int read_catalogue(struct loader *l)
{
    if (ix_catalogue_executions(l->catalogue, add_execution, l, l->err) != 0)
        return -1;
    if (l->count == 0)
        return ix_fail(l->err, "the campaign '%s' has no executions yet",
                       ix_catalogue_dir(l->catalogue));
    for (size_t i = 0; i < l->count; i++) {
        struct vm_list list = {.execution = &l->executions[i], .err = l->err};
        if (ix_catalogue_vms(l->catalogue, l->executions[i].id, add_vm, &list, l->err) != 0)
            return -1;
    }
    return 0;
}

/* ---- logs ---- */

/* NULL: a log that cannot be opened; the VM is marked, and warned about once. */
static struct ix_log_reader *open_log(const struct execution *x, struct vm *vm)
{
    struct ix_error why;
    struct ix_log_reader *log = vm->unreadable ? NULL : ix_log_open(vm->log, &why);
    if (!log && !vm->unreadable) {
        vm->unreadable = true;
        roxi_warn("execution %s: %s is left out: %s", x->name, vm->role, why.text);
    }
    return log;
}

/* Adds 1 to each packet that the VM answered. */
static int count_packets(struct loader *l, const struct execution *x, struct vm *vm,
                         struct roxi_tally *packets, size_t *taking_part)
{
    struct ix_log_reader *log = open_log(x, vm);
    if (!log)
        return 0;
    struct ix_snapshot snapshot;
    bool any = false;
    int more;
    while ((more = ix_log_next(log, &snapshot, l->err)) > 0) {
        any = true;
        if (roxi_tally_add(packets, snapshot.packet, 1) == ROXI_NONE) {
            more = ix_fail(l->err, "out of memory");
            break;
        }
    }
    ix_log_reader_close(log);
    *taking_part += any;
    return more;
}

static int count_snapshot(struct loader *l, struct roxi_log_symbols *symbols, uint32_t role,
                          const struct ix_snapshot *snapshot, struct roxi_tally *seen)
{
    if (roxi_log_symbols_update(symbols) != 0)
        return ix_fail(l->err, "out of memory");
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct ix_entry *entry = &snapshot->entries[i];
        uint32_t thread = roxi_log_symbols_thread(symbols, entry->thread);
        uint32_t group = ROXI_NONE;
        if (thread == ROXI_LEFT_OUT)
            continue;
        uint32_t stack = roxi_log_symbols_stack(symbols, entry->stack);
        if (stack == ROXI_LEFT_OUT)
            continue;
        if (thread != ROXI_NONE)
            group = roxi_profiles_group(l->profiles, role, thread);
        if (group == ROXI_NONE || roxi_tally_add(seen, roxi_pair(group, stack), 1) == ROXI_NONE)
            return ix_fail(l->err, "out of memory");
    }
    return 0;
}

/* Adds the call stacks of the VM's packets that enough VMs answered; packets NULL: of all. */
static int count_stacks(struct loader *l, const struct execution *x, struct vm *vm,
                        const struct roxi_tally *packets, uint64_t enough, struct roxi_tally *seen)
{
    struct ix_log_reader *log = open_log(x, vm);
    if (!log)
        return 0;
    struct roxi_log_symbols symbols;
    roxi_log_symbols_init(&symbols, log, l->profiles->symbols, l->names,
                          l->options->granularity);
    struct ix_snapshot snapshot;
    uint32_t role = roxi_symbols_string(l->profiles->symbols, vm->role, strlen(vm->role));
    int more = role == ROXI_NONE ? ix_fail(l->err, "out of memory") : 1;
    while (more > 0 && (more = ix_log_next(log, &snapshot, l->err)) > 0) {
        if (packets && roxi_tally_count(packets, snapshot.packet) < enough)
            continue;
        if (count_snapshot(l, &symbols, role, &snapshot, seen) != 0)
            more = -1;
    }
    if (more == 0 && ix_log_torn(log))
        roxi_warn("execution %s: %s", x->name, ix_log_torn(log));
    roxi_log_symbols_release(&symbols);
    ix_log_reader_close(log);
    return more;
}

/* ---- executions ---- */

static int load_execution(struct loader *l, struct execution *x)
{
    struct roxi_tally packets = {0}, seen = {0};
    bool choose = l->options->min_vms != 1;
    size_t taking_part = 0;
    int result = 0;
    for (size_t i = 0; choose && i < x->vm_count && result == 0; i++)
        result = count_packets(l, x, &x->vms[i], &packets, &taking_part);
    uint64_t enough = l->options->min_vms == ROXI_ALL_VMS ? taking_part : l->options->min_vms;
    for (size_t i = 0; i < x->vm_count && result == 0; i++)
        result = count_stacks(l, x, &x->vms[i], choose ? &packets : NULL, enough, &seen);
    if (result == 0)
        result = roxi_profiles_add(l->profiles, x->name, &seen, l->err);
    x->packets = packets.n;
    roxi_tally_free(&packets);
    roxi_tally_free(&seen);
    return result;
}

/* Says which executions came out empty, and why; all of them is an error. */
static int report_empty(const struct loader *l)
{
    size_t empty = 0, too_few = 0;
    for (size_t i = 0; i < l->count; i++) {
        empty += l->profiles->executions[i].total == 0;
        too_few += l->executions[i].packets > 0;
    }
    if (empty == l->count && too_few)
        return ix_fail(l->err,
                       "no packet was answered by as many VMs as --min-vms asks for (default 2); "
                       "use --min-vms 1 for a system of one VM");
    if (empty == l->count)
        return ix_fail(l->err, "no execution has any call stacks");
    for (size_t i = 0; i < l->count; i++) {
        const struct execution *x = &l->executions[i];
        if (l->profiles->executions[i].total)
            continue;
        if (x->packets)
            roxi_warn("execution %s is empty: none of its %zu packets was answered by enough VMs "
                      "(--min-vms 1 takes them all)",
                      x->name, x->packets);
        else
            roxi_warn("execution %s is empty: it has no packets", x->name);
    }
    return 0;
}

static int load_all(struct loader *l)
{
    struct roxi_progress progress;
    int result = read_catalogue(l);
    if (result != 0)
        return -1;
    roxi_progress_start(&progress, "reading executions", (double)l->count);
    for (size_t i = 0; i < l->count && result == 0; i++) {
        result = load_execution(l, &l->executions[i]);
        if (result != 0)
            ix_fail_in(l->err, "execution %s", l->executions[i].name);
        roxi_progress_add(&progress, 1);
    }
    roxi_progress_end(&progress);
    return result == 0 ? report_empty(l) : -1;
}

static void release(struct loader *l)
{
    for (size_t i = 0; i < l->count; i++) {
        struct execution *x = &l->executions[i];
        for (size_t v = 0; v < x->vm_count; v++) {
            free(x->vms[v].role);
            free(x->vms[v].log);
        }
        free(x->vms);
        free(x->name);
    }
    free(l->executions);
    roxi_names_free(l->names);
    roxi_rules_free(l->rules);
    ix_catalogue_close(l->catalogue);
}

/* What loading needs beside the catalogue. */
static int prepare(struct loader *l)
{
    l->rules = l->options->rules ? roxi_rules_read(l->options->rules, l->err)
                                 : roxi_rules_parse(roxi_rules_default, strlen(roxi_rules_default),
                                                    "built in", l->err);
    if (!l->rules)
        return -1;
    l->profiles = roxi_profiles_new();
    if (!l->profiles)
        return ix_fail(l->err, "out of memory");
    l->names = roxi_names_new(l->profiles->symbols, l->rules,
                              l->options->explain ? stderr : NULL, l->err);
    return l->names ? 0 : -1;
}

struct roxi_profiles *roxi_load(const char *campaign, const struct roxi_load_options *options,
                                struct ix_error *err)
{
    struct loader l = {.options = options, .err = err};
    int result = -1;
    l.catalogue = ix_catalogue_open(campaign, IX_CATALOGUE_READ, err);
    if (l.catalogue && prepare(&l) == 0)
        result = load_all(&l);
    release(&l);
    if (result != 0) {
        roxi_profiles_free(l.profiles);
        return NULL;
    }
    return l.profiles;
}
