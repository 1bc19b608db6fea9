/* SPDX-License-Identifier: Apache-2.0 */
/* roxi next: one run that is worth inspecting, given what is already known. */
#include <stdlib.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/warn.h"
#include "roxi/campaign/load.h"
#include "roxi/campaign/verdicts.h"
#include "roxi/cluster/clustering.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/evaluate/next.h"
#include "roxi/rank/ranking.h"
#include "roxi/rank/words.h"

static const char about[] =
    "Prints NAME<TAB>WHY for the next run worth inspecting: the most unusual run by\n"
    "'roxi rank' that nobody has inspected. Inspect it, record the result with 'ixor\n"
    "label CAMPAIGN NAME passed' or 'failed', and ask again. Prints nothing when all\n"
    "runs have been inspected.\n"
    "\n"
    "By clusters: runs in the cluster of a failed one come first, then typical runs\n"
    "of clusters in which nobody has inspected a run, small clusters first. By\n"
    "default there are a tenth as many clusters as runs; they are split further when\n"
    "each has an inspected run.";

struct request {
    const char *campaign;
    struct roxi_run_matrix_options matrix;
    struct roxi_clustering_options clustering;
    struct roxi_ranking_options ranking;
    struct roxi_output_options output;
    struct own {
        bool by_clusters;
        bool trust_exit_status;
    } own;
    bool json;
};

struct known {
    struct roxi_verdict *verdicts; /* owned, as is the rest */
    bool *settled, *failed;
    size_t settled_count, failed_count;
};

static void release(struct known *k)
{
    free(k->verdicts);
    free(k->settled);
    free(k->failed);
}

static int read_known(struct known *k, const struct roxi_profiles *p, const struct request *q,
                      struct ix_error *err)
{
    const size_t n = p->count;
    *k = (struct known){.settled = calloc(n + 1, sizeof *k->settled)};
    struct roxi_verdict *v = k->verdicts = roxi_verdicts_load(q->campaign, p, err);
    if (!v)
        return -1;
    k->failed = roxi_verdicts_failed(v, n, &k->failed_count, err);
    for (size_t i = 0; k->settled && i < n; i++) {
        k->settled[i] = roxi_verdict_settled(v[i], q->own.trust_exit_status);
        k->settled_count += k->settled[i];
    }
    if (!k->settled)
        return ix_fail(err, "out of memory");
    return k->failed ? 0 : -1;
}

static void print_summary(const struct known *k, size_t n)
{
    roxi_warn("%zu of %zu runs are settled, %zu of them failed", k->settled_count, n,
              k->failed_count);
}

static void state(struct roxi_statement *s, const struct request *q)
{
    if (q->own.by_clusters) {
        roxi_state_clusters(s, &q->matrix, &q->clustering);
    } else {
        roxi_state_loading(s, &q->matrix.load);
        roxi_state_ranking(s, &q->ranking);
    }
    roxi_state_word(s, "by", q->own.by_clusters ? "clusters" : "rank");
    roxi_state_flag(s, "trust-exit-status", q->own.trust_exit_status);
}

/* Begins the document; the next member is the run's name. */
static int begin_json(struct roxi_json *j, const struct known *k, size_t n,
                      const struct roxi_origin *origin, struct ix_error *err)
{
    if (roxi_json_begin(j, "next", origin, err) != 0)
        return -1;
    roxi_json_new_line(j);
    roxi_json_put_count(j, "executions", n);
    roxi_json_put_count(j, "settled", k->settled_count);
    roxi_json_put_count(j, "failed", k->failed_count);
    roxi_json_new_line(j);
    return 0;
}

/* ---- by ranking ---- */

/* The unsettled run with the highest score; count if there is none. */
static int first_open(const struct roxi_ranking *r, const struct known *k, size_t *next,
                      struct ix_error *err)
{
    size_t *order = roxi_ranking_order(r, k->settled);
    if (!order)
        return ix_fail(err, "out of memory");
    *next = k->settled_count < r->n ? order[0] : r->n;
    free(order);
    return 0;
}

static void write_ranked_line(FILE *out, const struct roxi_profiles *p,
                              const struct roxi_ranking *r, size_t next)
{
    if (next == p->count)
        return;
    text_print(out, p->executions[next].name);
    fprintf(out, "\tscore %.3f", r->score[next]);
    if (r->score[next] > 0)
        fputs(": ", out);
    roxi_rank_explain(out, r, next);
    putc('\n', out);
}

static int write_ranked_json(FILE *out, const struct roxi_profiles *p, const struct roxi_ranking *r,
                             size_t next, const struct known *k, const struct roxi_origin *origin,
                             struct ix_error *err)
{
    const bool found = next < p->count;
    struct roxi_json j = {.out = out};
    if (begin_json(&j, k, p->count, origin, err) != 0)
        return -1;
    roxi_json_put_string(&j, "name", found ? p->executions[next].name : NULL);
    roxi_json_put_string(&j, "reason", found ? "most-unusual" : "all-settled");
    roxi_json_put_string(&j, "clusters", NULL);
    if (found) {
        roxi_json_put_number(&j, "score", r->score[next]);
        roxi_json_key(&j, "why");
        roxi_rank_explain_json(roxi_json_value(&j), r, next);
    }
    roxi_json_end(&j);
    return 0;
}

static int find_ranked(struct roxi_result *out, const struct roxi_profiles *p, struct request *q,
                       struct ix_error *err)
{
    struct known k = {0};
    struct roxi_ranking r = {0};
    struct roxi_statement s = {0};
    size_t next = 0;
    int result = read_known(&k, p, q, err);
    if (result == 0)
        result = roxi_ranking_judged(&r, p, &q->ranking, k.verdicts, err);
    if (result == 0)
        result = first_open(&r, &k, &next, err);
    state(&s, q);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, p);
    if (result == 0 && q->json)
        result = write_ranked_json(out->data.stream, p, &r, next, &k, &origin, err);
    else if (result == 0)
        write_ranked_line(out->data.stream, p, &r, next);
    if (result == 0)
        result = roxi_result_commit(out, "next", &origin, err);
    if (result == 0)
        print_summary(&k, p->count);
    roxi_ranking_free(&r);
    release(&k);
    return result;
}

static int run_ranked(struct roxi_result *out, struct request *q, struct ix_error *err)
{
    q->matrix.load.to_the_end = true;
    struct roxi_profiles *p = roxi_load(q->campaign, &q->matrix.load, err);
    const int result = p ? find_ranked(out, p, q, err) : -1;
    roxi_profiles_free(p);
    return result;
}

/* ---- by clusters ---- */

static void write_line(FILE *out, const struct roxi_run_matrix *f, const struct roxi_next *next)
{
    const char *const *names = f->table.row_names;
    if (next->reason == ROXI_NEAR_FAILURE) {
        text_print(out, names[next->object]);
        fprintf(out, "\tin a cluster of %zu with ", next->size);
        text_print(out, names[next->failure]);
        fputs(", which failed\n", out);
    }
    if (next->reason == ROXI_NEW_CLUSTER) {
        text_print(out, names[next->object]);
        fprintf(out, "\ttypical of a cluster of %zu that nobody has inspected\n", next->size);
    }
}

static int write_json(FILE *out, const struct roxi_run_matrix *f, const struct roxi_next *next,
                      const struct known *k, const struct roxi_origin *origin, struct ix_error *err)
{
    static const char *const reasons[] = {"all-settled", "near-failure", "new-cluster"};
    const char *const *names = f->table.row_names;
    const bool found = next->reason != ROXI_ALL_SETTLED;
    struct roxi_json j = {.out = out};
    if (begin_json(&j, k, f->table.rows, origin, err) != 0)
        return -1;
    roxi_json_put_string(&j, "name", found ? names[next->object] : NULL);
    roxi_json_put_string(&j, "reason", reasons[next->reason]);
    roxi_json_put_count(&j, "clusters", next->clusters);
    if (found)
        roxi_json_put_count(&j, "size", next->size);
    if (next->reason == ROXI_NEAR_FAILURE)
        roxi_json_put_string(&j, "failure", names[next->failure]);
    roxi_json_end(&j);
    return 0;
}

static int find_clustered(struct roxi_result *out, const struct roxi_run_matrix *f,
                          const struct roxi_clustering *c, const struct request *q,
                          struct ix_error *err)
{
    struct known k;
    struct roxi_next next;
    struct roxi_statement s = {0};
    state(&s, q);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &s, f->profiles);
    const size_t n = f->table.rows, clusters = c->k ? c->k : (n + 9) / 10;
    int result = read_known(&k, f->profiles, q, err);
    if (result == 0) {
        const struct roxi_known known = {k.settled, k.failed};
        result = roxi_next(&c->apart, &c->tree, clusters, &known, &next, err);
    }
    if (result == 0 && q->json)
        result = write_json(out->data.stream, f, &next, &k, &origin, err);
    else if (result == 0)
        write_line(out->data.stream, f, &next);
    if (result == 0)
        result = roxi_result_commit(out, "next", &origin, err);
    if (result == 0)
        print_summary(&k, n);
    release(&k);
    return result;
}

static int run_clustered(struct roxi_result *out, const struct request *q, struct ix_error *err)
{
    struct roxi_run_matrix f;
    struct roxi_clustering c;
    if (roxi_run_matrix_make(&f, q->campaign, &q->matrix, err) != 0)
        return -1;
    int result = roxi_clustering_make(&c, &f, &q->clustering, err);
    if (result == 0) {
        result = find_clustered(out, &f, &c, q, err);
        roxi_clustering_free(&c);
    }
    roxi_run_matrix_free(&f);
    return result;
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    struct request *q = request;
    return q->own.by_clusters ? run_clustered(out, q, err) : run_ranked(out, q, err);
}

/* ---- options ---- */

static const struct ix_option own_rows[] = {
    {
        .type = IX_OPTION_SWITCH,
        .name = "by",
        .value = "B",
        .help = "rank: the most unusual run that nobody has inspected; clusters: adaptive sampling",
        .preset = "rank; clusters with --clusters or --height",
        .words = "rank|clusters",
        .offset = offsetof(struct own, by_clusters),
    },
    {
        .type = IX_OPTION_FLAG,
        .name = "trust-exit-status",
        .help = "treat a run that passed by its exit status like one that a person labelled passed",
        .offset = offsetof(struct own, trust_exit_status),
    },
};

static int complete(void *request, struct ix_error *err)
{
    struct request *q = request;
    const struct roxi_clustering_options *c = &q->clustering;
    q->own.by_clusters |= c->clusters || c->clusters_auto || c->height_given;
    if (q->own.by_clusters)
        return roxi_clustering_check(c, q->matrix.compare.strategy, false, err);
    return 0;
}

int roxi_cmd_next(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.matrix = roxi_default_matrix(), .clustering = roxi_default_clustering()};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(own_rows, &q.own),
        roxi_cut_rows(&q.clustering),
        roxi_strategy_rows(&q.matrix.compare),
        roxi_ranking_rows(&q.ranking),
        roxi_linkage_rows(&q.clustering),
        roxi_json_rows(&q.json),
        roxi_output_rows(&q.output),
        roxi_load_rows(&q.matrix.load),
        roxi_unmatched_rows(&q.matrix.compare),
        roxi_reward_rows(&q.matrix.compare),
        roxi_diagonal_rows(&q.matrix.compare),
        roxi_cache_rows(&q.matrix),
        roxi_resume_rows(&q.matrix),
        roxi_engine_rows(&q.matrix.compare),
        roxi_memlimit_rows(),
        {0},
    };
    const struct roxi_command command = {.name = "next",
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
