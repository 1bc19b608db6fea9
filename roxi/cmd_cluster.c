/* roxi cluster: groups of similar executions. */
#include <stdlib.h>

#include "roxi/clustering.h"
#include "roxi/command.h"
#include "roxi/format_tree.h"
#include "roxi/json.h"
#include "roxi/plot.h"
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
                       const struct roxi_origin *origin)
{
    roxi_json_begin(out, "clusters", origin);
    if (c->k)
        fprintf(out, ",\n\"clusters\":%zu", c->k);
    else
        fputs(",\n\"clusters\":null", out);
    if (origin->options->clusters_auto) {
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
                         const struct roxi_origin *origin, struct ix_error *err)
{
    const struct roxi_options *o = origin->options;
    const char *method = o->linkage == ROXI_WARD ? "ward.D2" : roxi_linkage_name(o->linkage);
    roxi_json_begin(out, "rhclust", origin);
    fputs(",\n", out);
    int result = roxi_write_rhclust(out, &c->tree, f->table.row_names, method,
                                    roxi_measure_name(o->on), err);
    fputs("}\n", out);
    return result;
}

/* Of the executions, whose verdicts colour them. */
static int plot(FILE *out, const struct roxi_clustering *c, const struct roxi_origin *origin,
                struct ix_error *err)
{
    struct roxi_verdict *v = roxi_verdicts_load(origin->options->args[0], origin->profiles, err);
    const int result = v ? roxi_plot_tree(out, &c->tree, c->k, v, origin, err) : -1;
    free(v);
    return result;
}

static int write_clusters(FILE *out, const struct roxi_features *f, const struct roxi_clustering *c,
                          const struct roxi_origin *origin, struct ix_error *err)
{
    const enum roxi_cluster_format format = origin->options->cluster_format;
    switch (format) {
    case ROXI_CLUSTER_TSV:
    case ROXI_CLUSTER_CSV:
    case ROXI_CLUSTER_CLUTO:
        write_lists(out, f, c, format);
        return 0;
    case ROXI_CLUSTER_JSON:
        write_json(out, f, c, origin);
        return 0;
    case ROXI_CLUSTER_NEWICK:
        if (roxi_provenance_comment(out, origin) != 0)
            return ix_fail(err, "out of memory");
        return roxi_write_newick(out, &c->tree, f->table.row_names, err);
    case ROXI_CLUSTER_LINKAGE:
        roxi_write_linkage(out, &c->tree);
        return 0;
    case ROXI_CLUSTER_RHCLUST:
        return write_rhclust(out, f, c, origin, err);
    case ROXI_CLUSTER_SVG:
        return plot(out, c, origin, err);
    }
    return 0;
}

/* Where the clusters go, and CLUTO's tree, if any. */
struct files {
    struct roxi_result clusters;
    struct roxi_output tree;
};

/* Opened before the work, so that a path that cannot be written is known at once. */
static int open_files(struct files *files, const struct roxi_options *o, struct ix_error *err)
{
    char *tree = NULL;
    int result = roxi_result_open(&files->clusters, o, err);
    if (result == 0 && o->output && o->cluster_format == ROXI_CLUSTER_CLUTO) {
        if (asprintf(&tree, "%s.tree", o->output) < 0)
            return ix_fail(err, "out of memory");
        result = roxi_output_open(&files->tree, tree, err);
        free(tree);
    }
    return result;
}

/* The tree first: who finds the clusters finds it, too. */
static int commit(struct files *files, const struct roxi_origin *origin, struct ix_error *err)
{
    if (files->tree.stream && roxi_output_commit(&files->tree, err) != 0)
        return -1;
    return roxi_result_commit(&files->clusters, "cluster", origin, err);
}

static int run(struct files *files, const struct roxi_options *o, struct ix_error *err)
{
    struct roxi_features features;
    struct roxi_clustering clustering;
    if (roxi_features_make(&features, o->args[0], o, err) != 0)
        return -1;
    const struct roxi_origin origin = {o, usage.takes, features.profiles};
    int result = roxi_clustering_make(&clustering, &features, o, err);
    if (result == 0) {
        result = write_clusters(files->clusters.data.stream, &features, &clustering, &origin, err);
        if (result == 0 && files->tree.stream)
            result = roxi_write_cluto_tree(files->tree.stream, &clustering.tree, o->on, err);
        roxi_clustering_free(&clustering);
    }
    if (result == 0)
        result = commit(files, &origin, err);
    roxi_features_free(&features);
    return result;
}

int roxi_cmd_cluster(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct files files = {0};
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    bool lists = o.cluster_format <= ROXI_CLUSTER_CSV;
    if (roxi_clustering_check(&o, lists, err) != ROXI_OK)
        return ROXI_USAGE;
    int result = open_files(&files, &o, err);
    if (result == 0)
        result = run(&files, &o, err);
    roxi_output_abandon(&files.tree);
    roxi_result_abandon(&files.clusters);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
