/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/evaluate/next.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/cluster/medoids.h"

struct search {
    const struct roxi_condensed *apart;
    const struct roxi_dendrogram *tree;
    const struct roxi_known *known;
    size_t n;
    size_t *cluster; /* by object */
    size_t *size;    /* by cluster */
    bool *entered;   /* by cluster: one of its objects is settled */
};

static int cut(struct search *s, size_t k, struct ix_error *err)
{
    if (roxi_cluster_cut(s->tree, k, s->cluster, err) != 0)
        return -1;
    memset(s->size, 0, s->n * sizeof *s->size);
    memset(s->entered, 0, s->n * sizeof *s->entered);
    for (size_t i = 0; i < s->n; i++) {
        s->size[s->cluster[i]]++;
        s->entered[s->cluster[i]] |= s->known->settled[i];
    }
    return 0;
}

static bool near_failure(const struct search *s, struct roxi_next *out)
{
    double least = INFINITY;
    for (size_t f = 0; f < s->n; f++) {
        for (size_t i = 0; s->known->failed[f] && i < s->n; i++) {
            if (s->known->settled[i] || s->cluster[i] != s->cluster[f])
                continue;
            double apart = roxi_apart(s->apart, i, f);
            if (apart < least || (apart <= least && i < out->object)) {
                least = apart;
                out->reason = ROXI_NEAR_FAILURE;
                out->object = i;
                out->failure = f;
                out->size = s->size[s->cluster[i]];
            }
        }
    }
    return out->reason == ROXI_NEAR_FAILURE;
}

/* The smallest cluster that nobody has inspected; k if there is none. */
static size_t new_cluster(const struct search *s, size_t k)
{
    size_t best = k;
    for (size_t c = 0; c < k; c++)
        if (!s->entered[c] && (best == k || s->size[c] < s->size[best]))
            best = c;
    return best;
}

static int typical(const struct search *s, size_t k, size_t cluster, struct roxi_next *out,
                   struct ix_error *err)
{
    struct roxi_medoid *medoids = calloc(k, sizeof *medoids);
    int result = medoids && roxi_medoids(s->apart, s->cluster, k, medoids) == 0
                     ? 0
                     : ix_fail(err, "out of memory");
    if (result == 0)
        *out = (struct roxi_next){.reason = ROXI_NEW_CLUSTER,
                                  .object = medoids[cluster].object,
                                  .size = s->size[cluster],
                                  .clusters = k};
    free(medoids);
    return result;
}

static int find_next(struct search *s, size_t k, struct roxi_next *out, struct ix_error *err)
{
    *out = (struct roxi_next){.reason = ROXI_ALL_SETTLED, .clusters = k};
    if (cut(s, k, err) != 0)
        return -1;
    if (near_failure(s, out))
        return 0;
    for (; k <= s->n; k++) {
        if (cut(s, k, err) != 0)
            return -1;
        size_t c = new_cluster(s, k);
        if (c < k)
            return typical(s, k, c, out, err);
    }
    return 0;
}

int roxi_next(const struct roxi_condensed *apart, const struct roxi_dendrogram *tree, size_t k,
              const struct roxi_known *known, struct roxi_next *out, struct ix_error *err)
{
    size_t n = apart->n;
    struct search s = {.apart = apart,
                       .tree = tree,
                       .known = known,
                       .n = n,
                       .cluster = calloc(n, sizeof *s.cluster),
                       .size = calloc(n, sizeof *s.size),
                       .entered = calloc(n, sizeof *s.entered)};
    int result = s.cluster && s.size && s.entered ? find_next(&s, k, out, err)
                                                  : ix_fail(err, "out of memory");
    free(s.cluster);
    free(s.size);
    free(s.entered);
    return result;
}
