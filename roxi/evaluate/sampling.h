/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing runs to inspect from a clustering (docs/thesis.md, section 4.6.1), and how many
 * failures that finds: not simulated, because for every method the expectation over the random
 * choice has a closed form. */
#ifndef ROXI_SAMPLING_H
#define ROXI_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum roxi_method {
    ROXI_RANDOM,          /* `size` runs out of all */
    ROXI_ONE_PER_CLUSTER, /* one from each cluster */
    ROXI_N_PER_CLUSTER,   /* `size` from each cluster, or all of a smaller one */
    ROXI_SMALL_CLUSTERS,  /* `size` runs, from smaller clusters before larger ones; at random within
                             a size */
    ROXI_ADAPTIVE, /* one from each cluster; if that one has failed, the rest of the cluster */
};

/* The name of the method; a constant. */
const char *roxi_method_name(enum roxi_method method);

/* n runs in clusters 0 to k - 1, none of which is empty. */
struct roxi_labelled {
    size_t n, k;
    const size_t *cluster;
    const bool *failed;
};

struct roxi_expected {
    double checked; /* expected number of inspected runs, */
    double found;   /* and of failed ones among them */
};

/* size: 0 to n; a fraction of a run finds that fraction. Ignored by methods that do not use it.
 * -1: out of memory. O(n). */
int roxi_expect(const struct roxi_labelled *l, enum roxi_method method, double size,
                struct roxi_expected *out);

/* Draws one such choice: writes *count runs to chosen[n], in the order in which to inspect them.
 * The adaptive method reads `failed` as the outcome of inspecting a run. The same seed gives the
 * same choice; over all seeds every choice of the method is equally likely. -1: out of memory. */
int roxi_sample(const struct roxi_labelled *l, enum roxi_method method, size_t size, uint64_t seed,
                size_t *chosen, size_t *count);

/* ---- figures of a labelled clustering (section 4.7) ---- */

struct roxi_quality {
    double purity;          /* 4.7.3: the share of runs that belong to their cluster's majority */
    double lone_failures;   /* 4.7.2: the share of failures that are alone in their clusters, */
    double lone_executions; /* and of all runs */
};

/* Without failures lone_failures is 0. -1: out of memory. */
int roxi_quality(const struct roxi_labelled *l, struct roxi_quality *out);

#endif
