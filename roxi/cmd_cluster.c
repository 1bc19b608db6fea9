/* roxi cluster: groups of similar executions. */
#include <stdlib.h>

#include "roxi/clustering.h"
#include "roxi/command.h"
#include "roxi/format_tree.h"
#include "roxi/json.h"
#include "roxi/output.h"
#include "roxi/provenance.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints NAME<TAB>CLUSTER for each execution: agglomerative clustering by the\n"
             "cosine similarity of the rows of 'roxi matrix', or by the distances. Clusters\n"
             "are numbered from 0 in the order of their first executions.",
    .takes = ROXI_OPTS_COMPARE | ROXI_OPTS_LINK | ROXI_OPTS_CUT | ROXI_OPT_CLUSTER_FORMAT |
             ROXI_OPT_OUTPUT,
};

static void write_json(FILE *out, const struct roxi_features *f, const struct roxi_clustering *c,
                       const struct roxi_options *o)
{
    roxi_json_begin(out, "clusters", o, usage.takes);
    if (c->k)
        fprintf(out, ",\n\"clusters\":%zu", c->k);
    else
        fputs(",\n\"clusters\":null", out);
    if (o->clusters_auto) {
        fputs(",\"silhouette\":", out);
        roxi_json_number(out, c->silhouette);
    }
    fputs(",\n\"executions\":[", out);
    for (size_t i = 0; i < f->table.rows; i++) {
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        roxi_json_string(out, f->table.row_names[i]);
        if (c->k)
            fprintf(out, ",\"cluster\":%zu", c->cluster[i]);
        putc('}', out);
    }
    fputs("],\n\"merges\":[", out);
    for (size_t i = 0; i + 1 < c->tree.n; i++) {
        const struct roxi_merge *m = &c->tree.merges[i];
        fprintf(out, "%s\n{\"a\":%zu,\"b\":%zu,\"size\":%zu,\"height\":", i ? "," : "", m->a, m->b,
                m->size);
        roxi_json_number(out, m->height);
        putc('}', out);
    }
    fputs("]}\n", out);
}

static void write_lists(FILE *out, const struct roxi_features *f, const struct roxi_clustering *c,
                        enum roxi_cluster_format format)
{
    if (format == ROXI_CLUSTER_CSV)
        fputs("execution,cluster\n", out);
    for (size_t i = 0; i < f->table.rows; i++) {
        if (format == ROXI_CLUSTER_TSV)
            fprintf(out, "%s\t", f->table.row_names[i]);
        if (format == ROXI_CLUSTER_CSV) {
            roxi_write_csv_field(out, f->table.row_names[i]);
            putc(',', out);
        }
        fprintf(out, "%zu\n", c->cluster[i]);
    }
}

/* R's names for what is meant. */
static int write_rhclust(FILE *out, const struct roxi_features *f, const struct roxi_clustering *c,
                         const struct roxi_options *o, struct ix_error *err)
{
    const char *method = o->linkage == ROXI_WARD ? "ward.D2" : roxi_linkage_name(o->linkage);
    roxi_json_begin(out, "rhclust", o, usage.takes);
    fputs(",\n", out);
    int result = roxi_write_rhclust(out, &c->tree, f->table.row_names, method,
                                    roxi_measure_name(o->on), err);
    fputs("}\n", out);
    return result;
}

static int write_clusters(FILE *out, const struct roxi_features *f, const struct roxi_clustering *c,
                          const struct roxi_options *o, struct ix_error *err)
{
    switch (o->cluster_format) {
    case ROXI_CLUSTER_TSV:
    case ROXI_CLUSTER_CSV:
    case ROXI_CLUSTER_CLUTO:
        write_lists(out, f, c, o->cluster_format);
        return 0;
    case ROXI_CLUSTER_JSON:
        write_json(out, f, c, o);
        return 0;
    case ROXI_CLUSTER_NEWICK:
        return roxi_write_newick(out, &c->tree, f->table.row_names, err);
    case ROXI_CLUSTER_LINKAGE:
        roxi_write_linkage(out, &c->tree);
        return 0;
    case ROXI_CLUSTER_RHCLUST:
        return write_rhclust(out, f, c, o, err);
    }
    return 0;
}

/* The clusters, and CLUTO's tree. */
enum { FILES = 2 };

/* Opened before the work, so that a path that cannot be written is known at once. */
static int open_files(struct roxi_output *files, const struct roxi_options *o, size_t *opened,
                      struct ix_error *err)
{
    char *tree = NULL;
    int result = roxi_output_open(&files[0], o->output, err);
    *opened = result == 0;
    if (result == 0 && o->output && o->cluster_format == ROXI_CLUSTER_CLUTO) {
        result = asprintf(&tree, "%s.tree", o->output) < 0 ? ix_fail(err, "out of memory")
                                                           : roxi_output_open(&files[1], tree, err);
        *opened += result == 0;
        free(tree);
    }
    return result;
}

static int run(struct roxi_output *files, size_t opened, const struct roxi_options *o,
               struct ix_error *err)
{
    struct roxi_features features;
    struct roxi_clustering clustering;
    if (roxi_features_make(&features, o->args[0], o, err) != 0)
        return -1;
    int result = roxi_clustering_make(&clustering, &features, o, err);
    if (result == 0) {
        result = write_clusters(files[0].stream, &features, &clustering, o, err);
        if (result == 0 && opened == FILES)
            result = roxi_write_cluto_tree(files[1].stream, &clustering.tree, o->on, err);
        roxi_clustering_free(&clustering);
    }
    roxi_features_free(&features);
    /* The tree first: who finds the clusters finds it, too. */
    for (size_t i = opened; result == 0 && i-- > 0;)
        result = roxi_output_commit(&files[i], err);
    return result;
}

int roxi_cmd_cluster(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct roxi_output files[FILES] = {0};
    size_t opened = 0;
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    bool lists = o.cluster_format <= ROXI_CLUSTER_CSV;
    if (roxi_clustering_check(&o, lists, err) != ROXI_OK)
        return ROXI_USAGE;
    int result = open_files(files, &o, &opened, err);
    if (result == 0)
        result = run(files, opened, &o, err);
    for (size_t i = 0; i < opened; i++)
        roxi_output_abandon(&files[i]);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
