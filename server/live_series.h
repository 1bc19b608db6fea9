/* The last snapshots of an execution's VMs, remembered between two looks at the catalogue. */
#ifndef IXOR_LIVE_SERIES_H
#define IXOR_LIVE_SERIES_H

#include "schema/catalogue.h"
#include "server/live.h"

struct ixor_point {
    int64_t packet, begin_mono_ns, stop_ns, threads;
};

struct ixor_series {
    int64_t vm;
    int64_t taken;         /* snapshots in all */
    int64_t last;          /* the newest one's packet, 0 none */
    int64_t last_begin_ns; /* its wall clock */
    int64_t last_threads;
    int64_t lost; /* the user's: what it counted when it looked */
    struct ixor_point *points; /* owned, IXOR_LIVE_POINTS; NULL: a VM that is only counted */
    size_t count;              /* ascending by packet */
};

/* Those of one execution. */
struct ixor_series_set {
    int64_t execution;
    uint64_t used; /* greater: more recently */
    size_t turn;   /* the user's: whose turn it is */
    int64_t packets, last_packet; /* sent so far, and the newest one counted */
    struct ixor_series *at; /* ascending by VM */
    size_t count, room;
};

/* The VM's series with what the catalogue has new. Good until the next call for another VM of the
 * set. NULL on failure. O(new snapshots + log VMs), and O(VMs) where the VM is new. */
struct ixor_series *ixor_series_look(struct ixor_series_set *set, struct ix_catalogue *c, int64_t vm,
                                     bool with_points, struct ix_error *err);
/* As it was at the last look; NULL: there was none. O(log VMs). */
struct ixor_series *ixor_series_known(struct ixor_series_set *set, int64_t vm);
void ixor_series_set_free(struct ixor_series_set *set);

#endif
