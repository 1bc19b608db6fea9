/* SPDX-License-Identifier: Apache-2.0 */
/* roxi medoids: the most typical run of each cluster. */
#include <stdlib.h>

#include "roxi/base/text_escape.h"
#include "roxi/cluster/clustering.h"
#include "roxi/cluster/medoids.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"

static const char about[] =
    "Prints CLUSTER<TAB>SIZE<TAB>NAME<TAB>MEAN for each cluster of 'roxi cluster':\n"
    "the run that is nearest to the others of its cluster, and its mean distance to\n"
    "them (cosine: 1 - similarity).";

struct request {
    const char *campaign;
    struct roxi_run_matrix_options matrix;
    struct roxi_clustering_options clustering;
    struct roxi_output_options output;
    bool json;
};

static void write_lines(FILE *out, const struct roxi_run_matrix *f, const struct roxi_medoid *m,
                        size_t k)
{
    for (size_t c = 0; c < k; c++) {
        fprintf(out, "%zu\t%zu\t", c, m[c].size);
        text_print(out, f->table.row_names[m[c].object]);
        fprintf(out, "\t%.6g\n", m[c].mean);
    }
}

static int write_json(FILE *out, const struct roxi_run_matrix *f, const struct roxi_medoid *m,
                      size_t k, const struct roxi_origin *origin, struct ix_error *err)
{
    struct roxi_json j = {.out = out};
    if (roxi_json_begin(&j, "medoids", origin, err) != 0)
        return -1;
    roxi_json_new_line(&j);
    roxi_json_key(&j, "medoids");
    roxi_json_open(&j, '[');
    for (size_t c = 0; c < k; c++) {
        roxi_json_new_line(&j);
        roxi_json_open(&j, '{');
        roxi_json_put_count(&j, "cluster", c);
        roxi_json_put_count(&j, "size", m[c].size);
        roxi_json_put_string(&j, "name", f->table.row_names[m[c].object]);
        roxi_json_put_number(&j, "mean", m[c].mean);
        roxi_json_close(&j);
    }
    roxi_json_close(&j);
    roxi_json_end(&j);
    return 0;
}

static int write_medoids(FILE *out, const struct request *q, const struct roxi_run_matrix *f,
                         const struct roxi_clustering *c, const struct roxi_origin *origin,
                         struct ix_error *err)
{
    struct roxi_medoid *medoids = calloc(c->k, sizeof *medoids);
    int result = 0;
    if (!medoids || roxi_medoids(&c->apart, c->cluster, c->k, medoids) != 0)
        result = ix_fail(err, "out of memory");
    else if (q->json)
        result = write_json(out, f, medoids, c->k, origin, err);
    else
        write_lines(out, f, medoids, c->k);
    free(medoids);
    return result;
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    const struct request *q = request;
    struct roxi_run_matrix f;
    struct roxi_clustering c;
    struct roxi_statement s = {0};
    if (roxi_run_matrix_make(&f, q->campaign, &q->matrix, err) != 0)
        return -1;
    roxi_state_clusters(&s, &q->matrix, &q->clustering);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, f.profiles);
    int result = roxi_clustering_make(&c, &f, &q->clustering, err);
    if (result == 0) {
        result = write_medoids(out->data.stream, q, &f, &c, &origin, err);
        roxi_clustering_free(&c);
    }
    if (result == 0)
        result = roxi_result_commit(out, "medoids", &origin, err);
    roxi_run_matrix_free(&f);
    return result;
}

static int complete(void *request, struct ix_error *err)
{
    const struct request *q = request;
    return roxi_clustering_check(&q->clustering, q->matrix.compare.strategy, true, err);
}

int roxi_cmd_medoids(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.matrix = roxi_default_matrix(), .clustering = roxi_default_clustering()};
    const struct ix_option_group groups[] = {
        roxi_cut_rows(&q.clustering),
        roxi_strategy_rows(&q.matrix.compare),
        roxi_linkage_rows(&q.clustering),
        roxi_json_rows(&q.json),
        roxi_output_rows(&q.output),
        ROXI_COMPUTING_ROWS(&q.matrix),
        {0},
    };
    const struct roxi_command command = {.name = "medoids",
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
