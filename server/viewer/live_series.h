/* SPDX-License-Identifier: Apache-2.0 */
/* The last snapshots of a run's JVMs, remembered between two queries of the catalogue. */
#ifndef IXOR_LIVE_SERIES_H
#define IXOR_LIVE_SERIES_H

#include "schema/catalogue/catalogue.h"

#define IXOR_LIVE_POINTS 60u /* snapshots of a JVM, packets of a run, in a chart */

struct ixor_point {
    int64_t packet, begin_mono_ns, stop_ns, threads;
};

struct ixor_series {
    int64_t vm;
    int64_t taken;         /* snapshots in all */
    int64_t last;          /* packet of the newest one, 0 none */
    int64_t last_begin_ns; /* its wall clock */
    int64_t last_threads;
    int64_t lost;              /* set by the caller: what it last counted */
    struct ixor_point *points; /* owned, IXOR_LIVE_POINTS; NULL: a JVM that is only counted */
    size_t count;              /* ascending by packet */
};

/* The series of one run. */
struct ixor_series_set {
    int64_t execution;
    uint64_t used;                /* greater: more recently */
    size_t turn;                  /* set by the caller: whose turn it is */
    int64_t packets, last_packet; /* sent so far, and the newest one counted */
    struct ixor_series *at;       /* ascending by JVM */
    size_t count, room;
};

/* The JVM's series, updated from the catalogue. Valid until the next call for another JVM of the
 * set. NULL on failure. O(new snapshots + log JVMs), and O(JVMs) if the JVM is new. */
struct ixor_series *ixor_series_update(struct ixor_series_set *set, struct ix_catalogue *c,
                                       int64_t vm, bool with_points, struct ix_error *err);
/* The series as of the last update; NULL: there is none. O(log JVMs). */
struct ixor_series *ixor_series_known(struct ixor_series_set *set, int64_t vm);
void ixor_series_set_free(struct ixor_series_set *set);

#endif
