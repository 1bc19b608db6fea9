/* SPDX-License-Identifier: Apache-2.0 */
/* roxi cluster: groups of similar runs. */
#include <stdlib.h>

#include "roxi/base/text_escape.h"
#include "roxi/cluster/clustering.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/report/format.h"
#include "roxi/report/format_tree.h"
#include "roxi/report/plot.h"

static const char about[] =
    "Prints NAME<TAB>CLUSTER for each run: agglomerative clustering by the cosine\n"
    "similarity of the rows of 'roxi matrix', or by the distances. Clusters are\n"
    "numbered from 0 in the order of their first runs.";

enum format { TSV, CLUTO, CSV, JSON, NEWICK, LINKAGE, RHCLUST, SVG };

struct request {
    const char *campaign;
    struct roxi_run_matrix_options matrix;
    struct roxi_clustering_options clustering;
    struct roxi_output_options output;
    struct own {
        enum format format;
    } own;
};

/* What is written. */
struct clusters {
    const struct request *request;
    const struct roxi_run_matrix *features;
    const struct roxi_clustering *clustering;
    struct roxi_origin origin;
};

static int write_json(FILE *out, const struct clusters *x, struct ix_error *err)
{
    const struct roxi_clustering *c = x->clustering;
    struct roxi_json j = {.out = out};
    if (roxi_json_begin(&j, "clusters", &x->origin, err) != 0)
        return -1;
    roxi_json_new_line(&j);
    if (c->k)
        roxi_json_put_count(&j, "clusters", c->k);
    else
        roxi_json_put_string(&j, "clusters", NULL);
    if (x->request->clustering.clusters_auto)
        roxi_json_put_number(&j, "silhouette", c->silhouette);
    roxi_json_new_line(&j);
    roxi_json_key(&j, "executions");
    roxi_json_open(&j, '[');
    for (size_t i = 0; i < x->features->table.rows; i++) {
        roxi_json_new_line(&j);
        roxi_json_open(&j, '{');
        roxi_json_put_string(&j, "name", x->features->table.row_names[i]);
        if (c->k)
            roxi_json_put_count(&j, "cluster", c->cluster[i]);
        roxi_json_close(&j);
    }
    roxi_json_close(&j);
    roxi_json_new_line(&j);
    roxi_json_key(&j, "merges");
    roxi_json_open(&j, '[');
    for (size_t i = 0; i + 1 < c->tree.n; i++) {
        const struct roxi_merge *m = &c->tree.merges[i];
        roxi_json_new_line(&j);
        roxi_json_open(&j, '{');
        roxi_json_put_count(&j, "a", m->a);
        roxi_json_put_count(&j, "b", m->b);
        roxi_json_put_count(&j, "size", m->size);
        roxi_json_put_number(&j, "height", m->height);
        roxi_json_close(&j);
    }
    roxi_json_close(&j);
    roxi_json_end(&j);
    return 0;
}

static void write_lists(FILE *out, const struct clusters *x)
{
    const enum format format = x->request->own.format;
    const struct roxi_table *table = &x->features->table;
    if (format == CSV)
        fputs("execution,cluster\n", out);
    for (size_t i = 0; i < table->rows; i++) {
        if (format == TSV) {
            text_print(out, table->row_names[i]);
            putc('\t', out);
        }
        if (format == CSV) {
            roxi_write_csv_field(out, table->row_names[i]);
            putc(',', out);
        }
        fprintf(out, "%zu\n", x->clustering->cluster[i]);
    }
}

/* R's names for linkage and distance. */
static int write_rhclust(FILE *out, const struct clusters *x, struct ix_error *err)
{
    const struct roxi_clustering_options *o = &x->request->clustering;
    const char *method = o->linkage == ROXI_WARD ? "ward.D2" : roxi_linkage_name(o->linkage);
    struct roxi_json j = {.out = out};
    if (roxi_json_begin(&j, "rhclust", &x->origin, err) != 0)
        return -1;
    fputs(",\n", out);
    const int result = roxi_write_rhclust(out, &x->clustering->tree, x->features->table.row_names,
                                          method, roxi_measure_name(o->measure), err);
    roxi_json_end(&j);
    return result;
}

/* Plots the runs, coloured by verdict. */
static int plot(FILE *out, const struct clusters *x, struct ix_error *err)
{
    struct roxi_verdict *v = roxi_verdicts_load(x->request->campaign, x->features->profiles, err);
    const struct roxi_tree_plot tree = {
        .tree = &x->clustering->tree,
        .k = x->clustering->k,
        .strategy = x->request->matrix.compare.strategy->name,
        .linkage = roxi_linkage_name(x->request->clustering.linkage),
        .measure = x->request->clustering.measure,
        .verdicts = v,
    };
    const int result = v ? roxi_plot_tree(out, &tree, &x->origin, err) : -1;
    free(v);
    return result;
}

static int write_clusters(FILE *out, const struct clusters *x, struct ix_error *err)
{
    const struct roxi_dendrogram *tree = &x->clustering->tree;
    switch (x->request->own.format) {
    case TSV:
    case CSV:
    case CLUTO:
        write_lists(out, x);
        return 0;
    case JSON:
        return write_json(out, x, err);
    case NEWICK:
        if (roxi_provenance_comment(out, &x->origin) != 0)
            return ix_fail(err, "out of memory");
        return roxi_write_newick(out, tree, x->features->table.row_names, err);
    case LINKAGE:
        roxi_write_linkage(out, tree);
        return 0;
    case RHCLUST:
        return write_rhclust(out, x, err);
    case SVG:
        return plot(out, x, err);
    }
    return 0;
}

/* The file of CLUTO's tree is committed first: whoever finds the clusters also finds the tree. */
static int commit(struct roxi_result *out, struct roxi_output *tree,
                  const struct roxi_origin *origin, struct ix_error *err)
{
    if (tree->stream && roxi_output_commit(tree, err) != 0)
        return -1;
    return roxi_result_commit(out, "cluster", origin, err);
}

/* tree: not opened if there is no file for it. */
static int work(struct roxi_result *out, struct roxi_output *tree, const struct request *q,
                struct ix_error *err)
{
    struct roxi_run_matrix features;
    struct roxi_clustering clustering;
    struct roxi_statement s = {0};
    if (roxi_run_matrix_make(&features, q->campaign, &q->matrix, err) != 0)
        return -1;
    roxi_state_clusters(&s, &q->matrix, &q->clustering);
    const struct clusters x = {q, &features, &clustering,
                               roxi_origin_of(q->campaign, &s, features.profiles)};
    int result = roxi_clustering_make(&clustering, &features, &q->clustering, err);
    if (result == 0) {
        result = write_clusters(out->data.stream, &x, err);
        if (result == 0 && tree->stream)
            result =
                roxi_write_cluto_tree(tree->stream, &clustering.tree, q->clustering.measure, err);
        roxi_clustering_free(&clustering);
    }
    if (result == 0)
        result = commit(out, tree, &x.origin, err);
    roxi_run_matrix_free(&features);
    return result;
}

/* Opens the tree's file before the work starts, so that a path that cannot be written is reported
 * at once. */
static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    const struct request *q = request;
    struct roxi_output tree = {0};
    int result = 0;
    if (q->output.output && q->own.format == CLUTO)
        result = roxi_output_open_beside(&tree, q->output.output, ".tree", err);
    if (result == 0)
        result = work(out, &tree, q, err);
    roxi_output_abandon(&tree);
    return result;
}

static const struct ix_option own_rows[] = {{
    .type = IX_OPTION_WORD,
    .name = "format",
    .value = "F",
    .help = "tsv: NAME<TAB>CLUSTER; csv; cluto: a number per line, and with -o FILE the tree in "
            "FILE.tree; json: everything; whole trees: newick, linkage (SciPy, .npy), rhclust (R, "
            "JSON), svg (a dendrogram)",
    .preset = "tsv",
    .words = "tsv|cluto|csv|json|newick|linkage|rhclust|svg", /* in the order of enum format */
    .offset = offsetof(struct own, format),
}};

static int complete(void *request, struct ix_error *err)
{
    const struct request *q = request;
    const bool lists = q->own.format <= CSV;
    return roxi_clustering_check(&q->clustering, q->matrix.compare.strategy, lists, err);
}

int roxi_cmd_cluster(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.matrix = roxi_default_matrix(), .clustering = roxi_default_clustering()};
    const struct ix_option_group groups[] = {
        roxi_cut_rows(&q.clustering),
        roxi_strategy_rows(&q.matrix.compare),
        roxi_linkage_rows(&q.clustering),
        IX_OPTION_GROUP(own_rows, &q.own),
        roxi_output_rows(&q.output),
        ROXI_COMPUTING_ROWS(&q.matrix),
        {0},
    };
    const struct roxi_command command = {.name = "cluster",
                                         .about = about,
                                         .after = roxi_strategy_list(),
                                         .groups = groups,
                                         .request = &q,
                                         .arguments = {&q.campaign},
                                         .output = &q.output,
                                         .complete = complete,
                                         .run = run};
    return roxi_command(&command, argc, argv, err);
}
