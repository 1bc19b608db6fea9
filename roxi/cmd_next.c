/* roxi next: one execution that is worth looking at, given what is known already. */
#include <stdlib.h>

#include "roxi/clustering.h"
#include "roxi/command.h"
#include "roxi/json.h"
#include "roxi/next.h"
#include "roxi/provenance.h"
#include "roxi/verdicts.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints NAME<TAB>WHY for one execution: the next that is worth looking at. Look\n"
             "at it, say 'ixor label CAMPAIGN NAME passed' or 'failed', and ask again. First\n"
             "come executions in the cluster of one that failed, then typical ones of\n"
             "clusters that nobody has looked into, small clusters first. Nothing is printed\n"
             "when all have been looked at. Default: as many clusters as a tenth of the\n"
             "executions; they are split further when all have been looked into.",
    .takes = ROXI_OPTS_COMPARE | ROXI_OPTS_LINK | ROXI_OPTS_CUT | ROXI_OPT_VERDICTS |
             ROXI_OPT_JSON | ROXI_OPT_OUTPUT,
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

static int know(struct known *k, const struct roxi_features *f, const struct roxi_options *o,
                struct ix_error *err)
{
    size_t n = f->table.rows;
    *k = (struct known){.settled = calloc(n, sizeof *k->settled),
                        .failed = calloc(n, sizeof *k->failed)};
    struct roxi_verdict *v = NULL;
    int result = k->settled && k->failed ? 0 : ix_fail(err, "out of memory");
    if (result == 0 && !(v = roxi_verdicts_load(o->args[0], f->profiles, err)))
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
    roxi_json_begin(out, "next", origin);
    fprintf(out, ",\n\"executions\":%zu,\"settled\":%zu,\"failed\":%zu", f->table.rows,
            k->settled_count, k->failed_count);
    fputs(",\n\"name\":", out);
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
    int result = know(&k, f, o, err);
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
        roxi_warn("%zu of %zu executions are settled, %zu of them failed", k.settled_count, n,
                  k.failed_count);
    release(&k);
    return result;
}

static int run(struct roxi_result *out, const struct roxi_options *o, struct ix_error *err)
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
    if (roxi_clustering_check(&o, false, err) != ROXI_OK)
        return ROXI_USAGE;
    if (roxi_result_open(&out, &o, err) != 0)
        return ROXI_FAILED;
    int result = run(&out, &o, err);
    roxi_result_abandon(&out);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
