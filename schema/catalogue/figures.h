/* SPDX-License-Identifier: Apache-2.0 */
/* Figures computed from a run's rows in the catalogue: losses, stop lengths, skew across JVMs.
 *
 * Pure: rows in, figures out. Percentiles are nearest-rank: the p-th of n sorted values is the one
 * at place ceil(p * n), so it is always a measured value. The skew of a packet is the time from the
 * first JVM's stop to the last one's, on the server's clock, as the server stored it when all had
 * reported (recent.h); only for packets taken by two or more JVMs whose clocks were known.
 */
#ifndef IX_SCHEMA_FIGURES_H
#define IX_SCHEMA_FIGURES_H

#include "schema/catalogue/catalogue.h"

/* A growing list of measured values. */
struct ix_values {
    int64_t *at;
    size_t count, room;
    bool failed; /* memory ran out */
};
void ix_values_add(struct ix_values *v, int64_t value);
/* Sorts the values; -1 if there are none. q in (0, 1]. O(n log n). */
int64_t ix_values_percentile(struct ix_values *v, double q);
void ix_values_free(struct ix_values *v);

struct ix_figures {
    uint64_t vms;
    uint64_t running;  /* JVMs whose end is not on record */
    uint64_t packets;  /* sent */
    uint64_t requests; /* packets sent, summed over the JVMs */
    uint64_t taken;
    uint64_t lost; /* requests without a snapshot, summed over the JVMs */
    uint64_t stale, superseded, foreign_count;
    uint64_t late;   /* stops asked for after their target time */
    int64_t lead_ns; /* of the last packet with a target time; 0: none had one */
    struct ix_values stops, skews, skew_errors; /* ns */
};

/* Adds a run from the catalogue to *f (zeroed, or holding others already, for a sum over runs). 0
 * or -1; ix_figures_free releases it in either case. */
int ix_figures_add_execution(struct ix_figures *f, struct ix_catalogue *c, int64_t execution,
                             struct ix_error *err);
void ix_figures_free(struct ix_figures *f);
/* Adds `more` to `sum`. 0 or -1. O(values). */
int ix_figures_merge(struct ix_figures *sum, const struct ix_figures *more, struct ix_error *err);

/* Its steps, exposed for tests. JVMs are added before the snapshots; a JVM's `taken` counts its
 * snapshots. */
struct ix_vm_figures {
    int64_t id;
    uint64_t requests, taken;
};
struct ix_counting {
    struct ix_figures *into;
    struct ix_vm_figures *vms;
    size_t vm_count, vm_room;
    bool sorted; /* the JVMs, by id */
    bool failed;
};
void ix_counting_vm(struct ix_counting *k, const struct ix_vm *vm);
void ix_counting_packet(struct ix_counting *k, const struct ix_packet_outcome *outcome);
void ix_counting_snapshot(struct ix_counting *k, const struct ix_snapshot_row *row);
/* Sums the losses and releases k's memory. 0, or -1: memory ran out. */
int ix_counting_end(struct ix_counting *k, struct ix_error *err);

#endif
