/* Choosing executions to look at from a clustering [4.6.1], and what that finds: not simulated, the
 * expectation over the random choice has a closed form for every method. */
#ifndef ROXI_SAMPLING_H
#define ROXI_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum roxi_method {
    ROXI_RANDOM,          /* `size` of all */
    ROXI_ONE_PER_CLUSTER, /* one of each cluster */
    ROXI_N_PER_CLUSTER,   /* `size` of each cluster, all of a smaller one */
    ROXI_SMALL_CLUSTERS,  /* `size`, of smaller clusters before larger ones; at random within a size
                           */
    ROXI_ADAPTIVE,        /* one of each cluster; of a cluster whose one has failed all */
};

/* n executions in clusters 0 to k - 1, each of which has at least one. */
struct roxi_labelled {
    size_t n, k;
    const size_t *cluster;
    const bool *failed;
};

struct roxi_expected {
    double checked; /* executions that are looked at, */
    double found;   /* failed ones among them: expectations */
};

/* size: 0 to n; a fraction of an execution finds that fraction. Ignored where the method has none.
 * -1: memory ran out. O(n). */
int roxi_expect(const struct roxi_labelled *l, enum roxi_method method, double size,
                struct roxi_expected *out);

/* One such choice: the executions in the order in which to look at them, *count of them into
 * chosen[n]. Adaptive takes `failed` for what looking at an execution shows. The same seed chooses
 * the same; every choice of the method is equally likely over the seeds. -1: memory ran out. */
int roxi_sample(const struct roxi_labelled *l, enum roxi_method method, size_t size, uint64_t seed,
                size_t *chosen, size_t *count);

/* ---- figures of a labelled clustering [4.7] ---- */

struct roxi_quality {
    double purity;        /* 4.7.3: the share of executions that are of their cluster's majority */
    double lone_failures; /* 4.7.2: the share of failures that are alone in their clusters, */
    double lone_executions; /* and that of all executions */
};

/* No failures: lone_failures is 0. -1: memory ran out. */
int roxi_quality(const struct roxi_labelled *l, struct roxi_quality *out);

#endif
