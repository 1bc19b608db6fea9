/* roxi next: one execution that is worth looking at, given what is known already. */
#include <stdlib.h>

#include "roxi/clustering.h"
#include "roxi/command.h"
#include "roxi/json.h"
#include "roxi/load.h"
#include "roxi/next.h"
#include "roxi/provenance.h"
#include "roxi/rank_words.h"
#include "roxi/ranking.h"
#include "roxi/verdicts.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints NAME<TAB>WHY for one execution: the next that is worth looking at. Look\n"
             "at it, say 'ixor label CAMPAIGN NAME passed' or 'failed', and ask again: it is\n"
             "the most unusual one, as 'roxi rank' has them, that nobody has looked at.\n"
             "Nothing is printed when all have been looked at.\n"
             "By clusters: first come executions in the cluster of one that failed, then\n"
             "typical ones of clusters that nobody has looked into, small clusters first.\n"
             "Default: as many clusters as a tenth of the executions; they are split further\n"
             "when all have been looked into.",
    .takes = ROXI_OPTS_COMPARE | ROXI_OPTS_LINK | ROXI_OPTS_CUT | ROXI_OPT_VERDICTS |
             ROXI_OPT_NEIGHBOURS | ROXI_OPT_ASPECTS | ROXI_OPT_JSON | ROXI_OPT_OUTPUT,
};

struct known {
    bool *settled, *failed; /* owned */
    size_t settled_count, failed_count;
};

static void release(struct known *k)
{
    free(k->settled);
    free(k->failed);
}

static int know(struct known *k, const struct roxi_profiles *p, const struct roxi_options *o,
                struct ix_error *err)
{
    size_t n = p->count;
    *k = (struct known){.settled = calloc(n, sizeof *k->settled),
                        .failed = calloc(n, sizeof *k->failed)};
    struct roxi_verdict *v = NULL;
    int result = k->settled && k->failed ? 0 : ix_fail(err, "out of memory");
    if (result == 0 && !(v = roxi_verdicts_load(o->args[0], p, err)))
        result = -1;
    for (size_t i = 0; result == 0 && i < n; i++) {
        k->settled[i] = roxi_verdict_settled(v[i], o->trust_passed);
        k->failed[i] = v[i].verdict == IX_VERDICT_FAILED;
        k->settled_count += k->settled[i];
        k->failed_count += k->failed[i];
    }
    free(v);
    return result;
}

static void tell(const struct known *k, size_t n)
{
    roxi_warn("%zu of %zu executions are settled, %zu of them failed", k->settled_count, n,
              k->failed_count);
}

static void write_known(FILE *out, const struct known *k, size_t n,
                        const struct roxi_origin *origin)
{
    roxi_json_begin(out, "next", origin);
    fprintf(out, ",\n\"executions\":%zu,\"settled\":%zu,\"failed\":%zu", n, k->settled_count,
            k->failed_count);
    fputs(",\n\"name\":", out);
}

/* ---- by ranking ---- */

/* Of the profiles' executions the one with the highest score that is not settled; count: none. */
static int first_open(const struct roxi_ranking *r, const struct known *k, size_t *next,
                      struct ix_error *err)
{
    size_t *order = roxi_ranking_order(r, k->settled);
    if (!order)
        return ix_fail(err, "out of memory");
    *next = k->settled_count < r->parts.n ? order[0] : r->parts.n;
    free(order);
    return 0;
}

static int write_ranked_line(FILE *out, const struct roxi_profiles *p,
                             const struct roxi_ranking *r, size_t next)
{
    if (next == p->count)
        return 0;
    fprintf(out, "%s\tscore %.3f", p->executions[next].name,
            roxi_ranking_shown(r->score[next]));
    if (r->score[next] > 0)
        fputs(": ", out);
    const int result = roxi_rank_explain(out, r, next);
    putc('\n', out);
    return result;
}

static void write_ranked_json(FILE *out, const struct roxi_profiles *p,
                              const struct roxi_ranking *r, size_t next)
{
    if (next == p->count) {
        fputs("null,\"reason\":\"all-settled\",\"clusters\":null}\n", out);
        return;
    }
    roxi_json_string(out, p->executions[next].name);
    fputs(",\"reason\":\"most-unusual\",\"clusters\":null,\"score\":", out);
    roxi_json_number(out, r->score[next]);
    fputs(",\"why\":", out);
    roxi_rank_explain_json(out, r, next);
    fputs("}\n", out);
}

static int find_ranked(struct roxi_result *out, const struct roxi_profiles *p,
                       struct roxi_options *o, struct ix_error *err)
{
    struct known k = {0};
    struct roxi_ranking r = {0};
    size_t next = 0;
    const struct roxi_origin origin = {o, usage.takes, p};
    int result = know(&k, p, o, err);
    if (result == 0)
        result = roxi_ranking_make(&r, p, o, NULL, err);
    if (result == 0)
        result = first_open(&r, &k, &next, err);
    if (result == 0 && o->json) {
        write_known(out->data.stream, &k, p->count, &origin);
        write_ranked_json(out->data.stream, p, &r, next);
    } else if (result == 0 && write_ranked_line(out->data.stream, p, &r, next) != 0) {
        result = ix_fail(err, "out of memory");
    }
    if (result == 0)
        result = roxi_result_commit(out, "next", &origin, err);
    if (result == 0)
        tell(&k, p->count);
    roxi_ranking_free(&r);
    release(&k);
    return result;
}

static int run_ranked(struct roxi_result *out, struct roxi_options *o, struct ix_error *err)
{
    roxi_ranking_prepare(o);
    struct roxi_profiles *p = roxi_load(o->args[0], &o->load, err);
    const int result = p ? find_ranked(out, p, o, err) : -1;
    roxi_profiles_free(p);
    return result;
}

/* ---- by clusters ---- */

static void write_line(FILE *out, const struct roxi_features *f, const struct roxi_next *next)
{
    const char *const *names = f->table.row_names;
    if (next->reason == ROXI_NEAR_FAILURE)
        fprintf(out, "%s\tin a cluster of %zu with %s, which failed\n", names[next->object],
                next->size, names[next->failure]);
    if (next->reason == ROXI_NEW_CLUSTER)
        fprintf(out, "%s\ttypical of a cluster of %zu that nobody has looked into\n",
                names[next->object], next->size);
}

static void write_json(FILE *out, const struct roxi_features *f, const struct roxi_next *next,
                       const struct known *k, const struct roxi_origin *origin)
{
    static const char *const reasons[] = {"all-settled", "near-failure", "new-cluster"};
    const char *const *names = f->table.row_names;
    write_known(out, k, f->table.rows, origin);
    if (next->reason == ROXI_ALL_SETTLED)
        fputs("null", out);
    else
        roxi_json_string(out, names[next->object]);
    fprintf(out, ",\"reason\":\"%s\",\"clusters\":%zu", reasons[next->reason], next->clusters);
    if (next->reason != ROXI_ALL_SETTLED)
        fprintf(out, ",\"size\":%zu", next->size);
    if (next->reason == ROXI_NEAR_FAILURE) {
        fputs(",\"failure\":", out);
        roxi_json_string(out, names[next->failure]);
    }
    fputs("}\n", out);
}

static int find(struct roxi_result *out, const struct roxi_features *f,
                const struct roxi_clustering *c, const struct roxi_options *o, struct ix_error *err)
{
    struct known k;
    struct roxi_next next;
    const struct roxi_origin origin = {o, usage.takes, f->profiles};
    size_t n = f->table.rows, clusters = c->k ? c->k : (n + 9) / 10;
    int result = know(&k, f->profiles, o, err);
    if (result == 0) {
        struct roxi_known known = {k.settled, k.failed};
        result = roxi_next(&c->apart, &c->tree, clusters, &known, &next, err);
    }
    if (result == 0 && o->json)
        write_json(out->data.stream, f, &next, &k, &origin);
    else if (result == 0)
        write_line(out->data.stream, f, &next);
    if (result == 0)
        result = roxi_result_commit(out, "next", &origin, err);
    if (result == 0)
        tell(&k, n);
    release(&k);
    return result;
}

static int run_clustered(struct roxi_result *out, const struct roxi_options *o,
                         struct ix_error *err)
{
    struct roxi_features f;
    struct roxi_clustering c;
    if (roxi_features_make(&f, o->args[0], o, err) != 0)
        return -1;
    int result = roxi_clustering_make(&c, &f, o, err);
    if (result == 0) {
        result = find(out, &f, &c, o, err);
        roxi_clustering_free(&c);
    }
    roxi_features_free(&f);
    return result;
}

int roxi_cmd_next(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct roxi_result out;
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    o.by_clusters |= o.clusters || o.clusters_auto || o.height_given;
    if (!o.by_clusters && !o.unmatched_given)
        o.unmatched_cost = true; /* as rank */
    status = o.by_clusters ? roxi_clustering_check(&o, false, err) : roxi_ranking_check(&o, err);
    if (status != ROXI_OK)
        return status;
    if (roxi_result_open(&out, &o, err) != 0)
        return ROXI_FAILED;
    int result = o.by_clusters ? run_clustered(&out, &o, err) : run_ranked(&out, &o, err);
    roxi_result_abandon(&out);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
