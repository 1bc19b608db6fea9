/* SPDX-License-Identifier: Apache-2.0 */
/* roxi sample: runs to inspect, chosen from clusters. */
#include <stdlib.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/warn.h"
#include "roxi/campaign/verdicts.h"
#include "roxi/cluster/clustering.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/evaluate/sampling.h"

static const char about[] =
    "Prints NAME<TAB>CLUSTER<TAB>VERDICT for each chosen run, in the order in which\n"
    "to inspect them; and, to standard error, how many failed runs the method finds,\n"
    "as an expectation over the random choice. Methods:\n"
    "  random           --size N runs, whatever their clusters\n"
    "  one-per-cluster  one of each cluster\n"
    "  n-per-cluster    --size N of each cluster, or all of a smaller one\n"
    "  small-clusters   --size N, smaller clusters first\n"
    "  adaptive         one of each cluster; if it failed, all of its cluster";

struct request {
    const char *campaign;
    struct roxi_run_matrix_options matrix;
    struct roxi_clustering_options clustering;
    struct roxi_output_options output;
    struct own {
        enum roxi_method method;
        bool method_given;
        size_t size; /* 0: not given */
        size_t seed; /* of the random choice */
    } own;
    bool json;
};

struct sample {
    const struct request *request;
    const struct roxi_run_matrix *features;
    struct roxi_origin origin;
    struct roxi_labelled labelled;
    struct roxi_verdict *verdicts; /* owned */
    bool *failed;                  /* owned */
    size_t *chosen, count, failures;
    struct roxi_expected expected;
};

static bool needs_size(enum roxi_method m)
{
    return m == ROXI_RANDOM || m == ROXI_N_PER_CLUSTER || m == ROXI_SMALL_CLUSTERS;
}

static int write_json(FILE *out, const struct sample *s, struct ix_error *err)
{
    const struct own *o = &s->request->own;
    struct roxi_json j = {.out = out};
    if (roxi_json_begin(&j, "sample", &s->origin, err) != 0)
        return -1;
    roxi_json_new_line(&j);
    roxi_json_put_string(&j, "method", roxi_method_name(o->method));
    roxi_json_put_count(&j, "size", o->size);
    roxi_json_put_count(&j, "seed", o->seed);
    roxi_json_new_line(&j);
    roxi_json_put_count(&j, "failures", s->failures);
    roxi_json_key(&j, "expected");
    roxi_json_open(&j, '{');
    roxi_json_put_number(&j, "checked", s->expected.checked);
    roxi_json_put_number(&j, "found", s->expected.found);
    roxi_json_close(&j);
    roxi_json_new_line(&j);
    roxi_json_key(&j, "sample");
    roxi_json_open(&j, '[');
    for (size_t i = 0; i < s->count; i++) {
        const size_t e = s->chosen[i];
        roxi_json_new_line(&j);
        roxi_json_open(&j, '{');
        roxi_json_put_string(&j, "name", s->features->table.row_names[e]);
        roxi_json_put_count(&j, "cluster", s->labelled.cluster[e]);
        roxi_json_put_string(&j, "verdict", ix_verdict_name(s->verdicts[e].verdict));
        roxi_json_close(&j);
    }
    roxi_json_close(&j);
    roxi_json_end(&j);
    return 0;
}

static void write_lines(FILE *out, const struct sample *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const size_t e = s->chosen[i];
        text_print(out, s->features->table.row_names[e]);
        fprintf(out, "\t%zu\t%s\n", s->labelled.cluster[e],
                ix_verdict_name(s->verdicts[e].verdict));
    }
    if (s->failures)
        roxi_warn("inspecting %.6g runs, this method finds %.6g of %zu failures on average",
                  s->expected.checked, s->expected.found, s->failures);
}

static int draw(struct sample *s, struct ix_error *err)
{
    const struct own *o = &s->request->own;
    const size_t n = s->labelled.n;
    s->failed = roxi_verdicts_failed(s->verdicts, n, &s->failures, err);
    if (!s->failed)
        return -1;
    s->chosen = calloc(n, sizeof *s->chosen);
    if (!s->chosen)
        return ix_fail(err, "out of memory");
    s->labelled.failed = s->failed;
    if (o->size > n)
        return ix_fail(err, "--size %zu: there are only %zu runs", o->size, n);
    if (roxi_expect(&s->labelled, o->method, (double)o->size, &s->expected) != 0 ||
        roxi_sample(&s->labelled, o->method, o->size, o->seed, s->chosen, &s->count) != 0)
        return ix_fail(err, "out of memory");
    return 0;
}

static int write_sample(FILE *out, const struct sample *s, struct ix_error *err)
{
    if (s->request->json)
        return write_json(out, s, err);
    write_lines(out, s);
    return 0;
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    const struct request *q = request;
    struct roxi_run_matrix f;
    struct roxi_clustering c;
    struct roxi_statement stated = {0};
    if (roxi_run_matrix_make(&f, q->campaign, &q->matrix, err) != 0)
        return -1;
    roxi_state_clusters(&stated, &q->matrix, &q->clustering);
    roxi_state_word(&stated, "method", roxi_method_name(q->own.method));
    roxi_state_given(&stated, "size", q->own.size);
    roxi_state_count(&stated, "seed", q->own.seed);
    struct sample s = {
        .request = q, .features = &f, .origin = roxi_origin_of(q->campaign, &stated, f.profiles)};
    int result = roxi_clustering_make(&c, &f, &q->clustering, err);
    if (result == 0) {
        s.labelled = (struct roxi_labelled){f.table.rows, c.k, c.cluster, NULL};
        s.verdicts = roxi_verdicts_load(q->campaign, f.profiles, err);
        result = s.verdicts ? draw(&s, err) : -1;
        if (result == 0)
            result = write_sample(out->data.stream, &s, err);
        roxi_clustering_free(&c);
    }
    free(s.verdicts);
    free(s.failed);
    free(s.chosen);
    if (result == 0)
        result = roxi_result_commit(out, "sample", &s.origin, err);
    roxi_run_matrix_free(&f);
    return result;
}

/* ---- options ---- */

static int set_method(void *target, const char *value, struct ix_error *err)
{
    struct own *o = target;
    const int place =
        ix_option_word(value, "random|one-per-cluster|n-per-cluster|small-clusters|adaptive", err);
    if (place < 0)
        return -1;
    o->method = (enum roxi_method)place;
    o->method_given = true;
    return 0;
}

static const struct ix_option own_rows[] = {
    {
        .type = IX_OPTION_CALL,
        .name = "method",
        .letter = 'm',
        .value = "M",
        .help = "how runs are chosen, see above; required",
        .set = set_method,
    },
    {
        .type = IX_OPTION_COUNT,
        .name = "size",
        .letter = 'n',
        .value = "N",
        .help = "how many runs; n-per-cluster: of each cluster",
        .min = 1,
        .max = 1000000000,
        .offset = offsetof(struct own, size),
    },
    {
        .type = IX_OPTION_COUNT,
        .name = "seed",
        .value = "N",
        .help = "of the random choice",
        .preset = "1",
        .max = SIZE_MAX,
        .offset = offsetof(struct own, seed),
    },
};

static int check(const struct request *q, struct ix_error *err)
{
    const struct own *o = &q->own;
    if (!o->method_given)
        return ix_fail(err, "--method M is missing: how to choose?");
    if (needs_size(o->method) && !o->size)
        return ix_fail(err, "--method %s: --size N is missing: how many?",
                       roxi_method_name(o->method));
    if (!needs_size(o->method) && o->size)
        return ix_fail(err, "--method %s: the clusters decide how many, not --size",
                       roxi_method_name(o->method));
    return roxi_clustering_check(&q->clustering, q->matrix.compare.strategy,
                                 o->method != ROXI_RANDOM, err);
}

static int complete(void *request, struct ix_error *err)
{
    struct request *q = request;
    struct roxi_clustering_options *c = &q->clustering;
    if (check(q, err) != 0)
        return -1;
    if (q->own.method == ROXI_RANDOM && !c->clusters && !c->clusters_auto && !c->height_given)
        c->clusters = 1; /* the method needs no clusters */
    return 0;
}

int roxi_cmd_sample(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.matrix = roxi_default_matrix(),
                        .clustering = roxi_default_clustering(),
                        .own = {.seed = 1}};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(own_rows, &q.own),
        roxi_cut_rows(&q.clustering),
        roxi_strategy_rows(&q.matrix.compare),
        roxi_linkage_rows(&q.clustering),
        roxi_json_rows(&q.json),
        roxi_output_rows(&q.output),
        ROXI_COMPUTING_ROWS(&q.matrix),
        {0},
    };
    const struct roxi_command command = {.name = "sample",
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
