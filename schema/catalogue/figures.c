/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/catalogue/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Doubles a full array; false when memory ran out. */
static bool grow(void **at, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? *room * 2 : 64;
    void *bigger = reallocarray(*at, more, size);
    if (!bigger)
        return false;
    *at = bigger;
    *room = more;
    return true;
}

void ix_values_add(struct ix_values *v, int64_t value)
{
    void *at = v->at;
    if (v->failed || !grow(&at, &v->room, v->count, sizeof *v->at)) {
        v->failed = true;
        return;
    }
    v->at = at;
    v->at[v->count++] = value;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t ix_values_percentile(struct ix_values *v, double q)
{
    if (v->count == 0)
        return -1;
    qsort(v->at, v->count, sizeof *v->at, ascending);
    double rank = ceil(q * (double)v->count);
    size_t place = rank < 1 ? 1 : rank > (double)v->count ? v->count : (size_t)rank;
    return v->at[place - 1];
}

void ix_values_free(struct ix_values *v)
{
    free(v->at);
    *v = (struct ix_values){0};
}

void ix_figures_free(struct ix_figures *f)
{
    ix_values_free(&f->stops);
    ix_values_free(&f->skews);
    ix_values_free(&f->skew_errors);
}

static void merge_values(struct ix_values *sum, const struct ix_values *more)
{
    for (size_t i = 0; i < more->count; i++)
        ix_values_add(sum, more->at[i]);
}

static bool failed(const struct ix_figures *f)
{
    return f->stops.failed || f->skews.failed || f->skew_errors.failed;
}

int ix_figures_merge(struct ix_figures *sum, const struct ix_figures *more, struct ix_error *err)
{
    sum->vms += more->vms;
    sum->running += more->running;
    sum->packets += more->packets;
    sum->requests += more->requests;
    sum->taken += more->taken;
    sum->lost += more->lost;
    sum->stale += more->stale;
    sum->superseded += more->superseded;
    sum->foreign_count += more->foreign_count;
    sum->late += more->late;
    if (more->lead_ns)
        sum->lead_ns = more->lead_ns;
    merge_values(&sum->stops, &more->stops);
    merge_values(&sum->skews, &more->skews);
    merge_values(&sum->skew_errors, &more->skew_errors);
    return failed(sum) ? ix_fail(err, "out of memory") : 0;
}

static int by_id(const void *a, const void *b)
{
    const struct ix_vm_figures *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

void ix_counting_vm(struct ix_counting *k, const struct ix_vm *vm)
{
    void *at = k->vms;
    if (k->failed || !grow(&at, &k->vm_room, k->vm_count, sizeof *k->vms)) {
        k->failed = true;
        return;
    }
    k->vms = at;
    struct ix_vm_figures *added = &k->vms[k->vm_count++];
    *added = (struct ix_vm_figures){
        .id = vm->id,
        .requests = (uint64_t)vm->requests,
    };
    k->sorted = false;
    k->into->vms++;
    k->into->running += vm->ended && strcmp(vm->ended, "running") == 0;
    k->into->requests += added->requests;
    k->into->stale += (uint64_t)vm->stale;
    k->into->superseded += (uint64_t)vm->superseded;
    k->into->foreign_count += (uint64_t)vm->foreign_count;
    k->into->late += (uint64_t)vm->late;
}

void ix_counting_packet(struct ix_counting *k, const struct ix_packet_outcome *outcome)
{
    k->into->packets++;
    if (outcome->lead_ns)
        k->into->lead_ns = outcome->lead_ns;
    if (outcome->skew_ns < 0)
        return;
    ix_values_add(&k->into->skews, outcome->skew_ns);
    ix_values_add(&k->into->skew_errors, outcome->skew_error_ns);
}

void ix_counting_snapshot(struct ix_counting *k, const struct ix_snapshot_row *row)
{
    if (!k->sorted && k->vm_count)
        qsort(k->vms, k->vm_count, sizeof *k->vms, by_id);
    k->sorted = true;
    struct ix_vm_figures key = {.id = row->vm};
    struct ix_vm_figures *vm =
        k->vm_count ? bsearch(&key, k->vms, k->vm_count, sizeof key, by_id) : NULL;
    if (!vm) /* joined after the JVMs were listed, because a server is writing */
        return;
    vm->taken++;
    k->into->taken++;
    ix_values_add(&k->into->stops, row->stop_ns);
}

int ix_counting_end(struct ix_counting *k, struct ix_error *err)
{
    for (size_t i = 0; i < k->vm_count; i++) {
        if (k->vms[i].requests > k->vms[i].taken)
            k->into->lost += k->vms[i].requests - k->vms[i].taken;
    }
    free(k->vms);
    k->vms = NULL;
    if (k->failed || failed(k->into))
        return ix_fail(err, "out of memory");
    return 0;
}

static int each_vm(void *user, const struct ix_vm *vm)
{
    ix_counting_vm(user, vm);
    return 0;
}

static int each_outcome(void *user, const struct ix_packet_outcome *outcome)
{
    ix_counting_packet(user, outcome);
    return 0;
}

static int each_snapshot(void *user, const struct ix_snapshot_row *row)
{
    ix_counting_snapshot(user, row);
    return 0;
}

int ix_figures_add_execution(struct ix_figures *f, struct ix_catalogue *c, int64_t execution,
                             struct ix_error *err)
{
    struct ix_counting k = {.into = f};
    int bad = ix_catalogue_outcomes(c, execution, each_outcome, &k, err);
    if (!bad)
        bad = ix_catalogue_vms(c, execution, each_vm, &k, err);
    if (!bad)
        bad = ix_catalogue_snapshots(c, execution, each_snapshot, &k, err);
    struct ix_error out_of_memory;
    if (ix_counting_end(&k, &out_of_memory) != 0 && !bad) {
        if (err)
            *err = out_of_memory;
        bad = -1;
    }
    return bad ? -1 : 0;
}
