/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/listing.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/log_end.h"
#include "schema/base/grow.h"
#include "schema/catalogue/suggest.h"

struct reading {
    struct ix_catalogue *catalogue;
    struct roxi_listing *listing;
    const char *only; /* NULL: all runs */
    struct ix_error *err;
};

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "out of memory");
}

static int take_execution(void *user, const struct ix_execution *e)
{
    struct reading *r = user;
    struct roxi_listing *l = r->listing;
    if (r->only && strcmp(r->only, e->name) != 0)
        return 0;
    struct roxi_listed_execution *all = ix_grow(l->executions, &l->cap, l->count + 1, sizeof *all);
    if (!all)
        return no_memory(r->err);
    l->executions = all;
    all[l->count] = (struct roxi_listed_execution){.id = e->id,
                                                   .name = strdup(e->name),
                                                   .verdict = e->verdict,
                                                   .begin_ns = e->begin_ns,
                                                   .end_ns = e->end_ns};
    return all[l->count++].name ? 0 : no_memory(r->err);
}

static int take_vm(void *user, const struct ix_vm *vm)
{
    struct reading *r = user;
    struct roxi_listed_execution *x = r->listing->executions;
    while (x->id != vm->execution)
        x++;
    struct roxi_listed_vm *all = ix_grow(x->vms, &x->vm_cap, x->vm_count + 1, sizeof *all);
    if (!all)
        return no_memory(r->err);
    x->vms = all;
    struct roxi_listed_vm *added = &all[x->vm_count++];
    *added = (struct roxi_listed_vm){.role = strdup(vm->role),
                                     .host = strdup(vm->host),
                                     .jvm = strdup(vm->jvm),
                                     .log = strdup(vm->log),
                                     .pid = vm->pid,
                                     .started_ns = vm->started_ns};
    if (!added->role || !added->host || !added->jvm || !added->log)
        return no_memory(r->err);
    return roxi_log_reported(r->catalogue, vm, &added->reported, r->err);
}

static int read_all(struct reading *r, struct ix_catalogue *c)
{
    if (ix_catalogue_executions(c, take_execution, r, r->err) != 0)
        return -1;
    if (r->listing->count == 0 && r->only)
        return ix_catalogue_fail_unknown(c, r->only, r->err);
    if (r->listing->count == 0)
        return ix_fail(r->err, "the campaign '%s' has no runs yet", ix_catalogue_dir(c));
    for (size_t i = 0; i < r->listing->count; i++)
        if (ix_catalogue_vms(c, r->listing->executions[i].id, take_vm, r, r->err) != 0)
            return -1;
    return 0;
}

int roxi_listing_read(struct roxi_listing *listing, const char *campaign, const char *execution,
                      struct ix_error *err)
{
    struct reading r = {.listing = listing, .only = execution, .err = err};
    *listing = (struct roxi_listing){0};
    struct ix_catalogue *c = ix_catalogue_open(campaign, IX_CATALOGUE_READ, err);
    if (!c)
        return -1;
    r.catalogue = c;
    int result = ix_catalogue_begin(c, err);
    if (result == 0) {
        result = read_all(&r, c);
        ix_catalogue_rollback(c);
    }
    ix_catalogue_close(c);
    if (result != 0)
        roxi_listing_free(listing);
    return result;
}

struct naming {
    const char *said;
    char *name;    /* owned; the run of that name, or else the first one whose name ends with it */
    size_t ending; /* runs whose names do */
    bool exact;
};

static bool ends_with(const char *name, const char *said)
{
    const size_t len = strlen(name), end = strlen(said);
    return end && len > end && name[len - end - 1] == '.' && strcmp(name + len - end, said) == 0;
}

static int look_at_name(void *user, const struct ix_execution *e)
{
    struct naming *n = user;
    const bool exact = strcmp(e->name, n->said) == 0, ending = ends_with(e->name, n->said);
    n->ending += ending;
    if (n->exact || !(exact || (ending && !n->name)))
        return 0;
    free(n->name);
    n->name = strdup(e->name);
    n->exact = exact;
    return n->name ? 0 : -1;
}

static int find_name(struct ix_catalogue *c, struct naming *n, struct ix_error *err)
{
    *err = (struct ix_error){"out of memory"};
    if (ix_catalogue_executions(c, look_at_name, n, err) != 0)
        return -1;
    if (!n->exact && n->ending > 1)
        return ix_fail(err, "%zu runs of '%s' have names that end with '.%s', such as '%s'",
                       n->ending, ix_catalogue_dir(c), n->said, n->name);
    return n->name ? 0 : ix_catalogue_fail_unknown(c, n->said, err);
}

char *roxi_listing_name(const char *campaign, const char *said, struct ix_error *err)
{
    struct naming n = {.said = said};
    struct ix_catalogue *c = ix_catalogue_open(campaign, IX_CATALOGUE_READ, err);
    if (!c)
        return NULL;
    const int result = find_name(c, &n, err);
    ix_catalogue_close(c);
    if (result == 0)
        return n.name;
    free(n.name);
    return NULL;
}

const struct roxi_listed_execution *roxi_listing_find(const struct roxi_listing *listing,
                                                      const char *name)
{
    for (size_t i = 0; i < listing->count; i++)
        if (strcmp(listing->executions[i].name, name) == 0)
            return &listing->executions[i];
    return NULL;
}

void roxi_listing_free(struct roxi_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        struct roxi_listed_execution *x = &listing->executions[i];
        for (size_t v = 0; v < x->vm_count; v++) {
            free(x->vms[v].role);
            free(x->vms[v].host);
            free(x->vms[v].jvm);
            free(x->vms[v].log);
        }
        free(x->vms);
        free(x->name);
    }
    free(listing->executions);
    *listing = (struct roxi_listing){0};
}
