/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/cluster/medoids.h"

#include <stdlib.h>

int roxi_medoids(const struct roxi_condensed *apart, const size_t *cluster, size_t k,
                 struct roxi_medoid *medoids)
{
    size_t n = apart->n;
    double *sum = calloc(n + 1, sizeof *sum);
    if (!sum)
        return -1;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            double d = cluster[i] == cluster[j] ? roxi_apart(apart, i, j) : 0;
            sum[i] += d;
            sum[j] += d;
        }
    }
    for (size_t c = 0; c < k; c++)
        medoids[c] = (struct roxi_medoid){0};
    for (size_t i = 0; i < n; i++) {
        struct roxi_medoid *m = &medoids[cluster[i]];
        if (m->size++ == 0 || sum[i] < sum[m->object])
            m->object = i;
    }
    for (size_t c = 0; c < k; c++)
        if (medoids[c].size > 1)
            medoids[c].mean = sum[medoids[c].object] / (double)(medoids[c].size - 1);
    free(sum);
    return 0;
}
