/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/siblings.h"

/* One finding for both, that of the stronger one. */
static void merge(struct roxi_finding *x, const struct roxi_finding *other)
{
    const uint32_t siblings = x->siblings + other->siblings + 1;
    const double share = x->share + other->share;
    if (other->weight > x->weight)
        *x = *other;
    x->siblings = siblings;
    x->share = share;
}

void roxi_merge_siblings(struct roxi_findings *all,
                         bool (*are)(const struct roxi_finding *x, const struct roxi_finding *y))
{
    for (size_t i = 0; i < all->count; i++) {
        size_t kept = i + 1;
        for (size_t k = i + 1; k < all->count; k++) {
            if (are(&all->list[i], &all->list[k]))
                merge(&all->list[i], &all->list[k]);
            else
                all->list[kept++] = all->list[k];
        }
        all->count = kept;
    }
}
