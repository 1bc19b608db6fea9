/* roxi cluster: groups of similar executions. */
#include <stdlib.h>

#include "roxi/cluster.h"
#include "roxi/command.h"
#include "roxi/features.h"
#include "roxi/output.h"
#include "roxi/similarity.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints NAME<TAB>CLUSTER for each execution: agglomerative clustering by the\n"
             "cosine similarity of the rows of 'roxi matrix'. Clusters are numbered from 0\n"
             "in the order of their first executions.",
    .takes = ROXI_OPT_STRATEGY | ROXI_OPT_CLUSTERS | ROXI_OPT_LINKAGE | ROXI_OPT_SCALING |
             ROXI_OPT_COLUMN_MODEL | ROXI_OPT_LOADING | ROXI_OPT_UNMATCHED | ROXI_OPT_MATCH_REWARD |
             ROXI_OPT_DIAGONAL | ROXI_OPT_CLUSTER_FORMAT | ROXI_OPT_OUTPUT |
             ROXI_OPT_WORK,
};

/* cluster[i] of execution i. */
static int group(const struct roxi_features *f, const struct roxi_options *o, size_t *cluster,
                 struct ix_error *err)
{
    struct roxi_similarity_options how = {.sqrt_rows = o->sqrt_rows, .idf_columns = o->idf_columns};
    struct roxi_sparse rows = {0};
    struct roxi_matrix similarity = {0};
    size_t n = f->table.rows;
    struct roxi_merge *merges = calloc(n, sizeof *merges);
    int result = merges ? 0 : ix_fail(err, "out of memory");
    if (result == 0 && f->table.whole && roxi_sparse_of(&rows, f->table.whole) != 0)
        result = ix_fail(err, "out of memory");
    if (result == 0)
        result = roxi_similarity(f->table.whole ? &rows : f->table.sparse, &how, &similarity, err);
    if (result == 0)
        result = roxi_cluster(&similarity, o->linkage, merges, err);
    if (result == 0)
        result = roxi_cluster_cut(merges, n, o->clusters, cluster, err);
    roxi_matrix_free(&similarity);
    roxi_sparse_free(&rows);
    free(merges);
    return result;
}

static int write_clusters(struct roxi_output *out, const struct roxi_features *f,
                          const size_t *cluster, bool cluto, struct ix_error *err)
{
    for (size_t i = 0; i < f->table.rows; i++) {
        if (!cluto)
            fprintf(out->stream, "%s\t", f->table.row_names[i]);
        fprintf(out->stream, "%zu\n", cluster[i]);
    }
    return roxi_output_commit(out, err);
}

static int run(struct roxi_output *out, const struct roxi_options *o, struct ix_error *err)
{
    struct roxi_features features;
    if (roxi_features_make(&features, o->args[0], o, err) != 0)
        return -1;
    size_t *cluster = calloc(features.table.rows, sizeof *cluster);
    int result = cluster ? group(&features, o, cluster, err) : ix_fail(err, "out of memory");
    if (result == 0)
        result = write_clusters(out, &features, cluster, o->cluto, err);
    free(cluster);
    roxi_features_free(&features);
    return result;
}

int roxi_cmd_cluster(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct roxi_output out;
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    if (!o.clusters) {
        ix_fail(err, "--clusters K is missing: how many clusters?");
        return ROXI_USAGE;
    }
    if (roxi_output_open(&out, o.output, err) != 0)
        return ROXI_FAILED;
    int result = run(&out, &o, err);
    roxi_output_abandon(&out);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
