/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/cluster/six_clusterings.h"

#include "roxi/cluster/similarity.h"

static const struct {
    bool sqrt_rows;
    struct {
        enum roxi_linkage linkage;
        const char *name;
    } each[3];
} scalings[] = {
    {false, {{ROXI_SINGLE, "single"}, {ROXI_COMPLETE, "complete"}, {ROXI_AVERAGE, "average"}}},
    {true,
     {{ROXI_SINGLE, "single-sqrt"},
      {ROXI_COMPLETE, "complete-sqrt"},
      {ROXI_AVERAGE, "average-sqrt"}}},
};

int roxi_six_clusterings(const struct roxi_run_matrix *f, roxi_each_clustering *each, void *user,
                         struct ix_error *err)
{
    const struct roxi_rows rows = {.whole = f->table.whole, .sparse = f->table.sparse};
    int result = 0;
    for (int s = 0; result == 0 && s < 2; s++) {
        struct roxi_condensed apart;
        result = roxi_similarity(
            &rows, &(struct roxi_similarity_options){.sqrt_rows = scalings[s].sqrt_rows}, &apart,
            err);
        if (result != 0)
            return result;
        for (int l = 0; result == 0 && l < 3; l++) {
            struct roxi_dendrogram tree;
            result = roxi_cluster(&apart, scalings[s].each[l].linkage, &tree, err);
            if (result == 0) {
                result = each(user, &tree, scalings[s].each[l].name, err);
                roxi_dendrogram_free(&tree);
            }
        }
        roxi_condensed_free(&apart);
    }
    return result;
}
