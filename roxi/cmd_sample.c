/* roxi sample: executions to look at, chosen from clusters. */
#include <stdlib.h>

#include "roxi/clustering.h"
#include "roxi/command.h"
#include "roxi/json.h"
#include "roxi/provenance.h"
#include "roxi/sampling.h"
#include "roxi/verdicts.h"

static const struct roxi_usage usage = {
    .args = "CAMPAIGN",
    .arg_count = 1,
    .about = "Prints NAME<TAB>CLUSTER<TAB>VERDICT for each chosen execution, in the order in\n"
             "which to look at them; and, to standard error, how many of the executions with\n"
             "verdict failed the method finds: the expectation over the random choice.\n"
             "Methods:\n"
             "  random           --size N executions, whatever their clusters\n"
             "  one-per-cluster  one of each cluster\n"
             "  n-per-cluster    --size N of each cluster, all of a smaller one\n"
             "  small-clusters   --size N, of smaller clusters before larger ones\n"
             "  adaptive         one of each cluster; of a failed one all of its cluster",
    .takes = ROXI_OPTS_COMPARE | ROXI_OPTS_LINK | ROXI_OPTS_CUT | ROXI_OPT_METHOD | ROXI_OPT_SIZE |
             ROXI_OPT_JSON | ROXI_OPT_OUTPUT,
};

struct sample {
    const struct roxi_features *features;
    const struct roxi_options *options;
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

static void write_json(FILE *out, const struct sample *s)
{
    const struct roxi_options *o = s->options;
    roxi_json_begin(out, "sample", &s->origin);
    fprintf(out, ",\n\"method\":\"%s\",\"size\":%zu,\"seed\":%llu",
            roxi_method_name(o->method), o->size, (unsigned long long)o->seed);
    fprintf(out, ",\n\"failures\":%zu,\"expected\":{\"checked\":", s->failures);
    roxi_json_number(out, s->expected.checked);
    fputs(",\"found\":", out);
    roxi_json_number(out, s->expected.found);
    fputs("},\n\"sample\":[", out);
    for (size_t i = 0; i < s->count; i++) {
        size_t e = s->chosen[i];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        roxi_json_string(out, s->features->table.row_names[e]);
        fprintf(out, ",\"cluster\":%zu,\"verdict\":\"%s\"}", s->labelled.cluster[e],
                ix_verdict_name(s->verdicts[e].verdict));
    }
    fputs("]}\n", out);
}

static void write_lines(FILE *out, const struct sample *s)
{
    for (size_t i = 0; i < s->count; i++) {
        size_t e = s->chosen[i];
        fprintf(out, "%s\t%zu\t%s\n", s->features->table.row_names[e], s->labelled.cluster[e],
                ix_verdict_name(s->verdicts[e].verdict));
    }
    if (s->failures)
        roxi_warn("looking at %.6g executions, this method finds %.6g of %zu failures in the mean",
                  s->expected.checked, s->expected.found, s->failures);
}

static int draw(struct sample *s, struct ix_error *err)
{
    size_t n = s->labelled.n, size = s->options->size;
    s->failed = calloc(n, sizeof *s->failed);
    s->chosen = calloc(n, sizeof *s->chosen);
    if (!s->failed || !s->chosen)
        return ix_fail(err, "out of memory");
    for (size_t i = 0; i < n; i++) {
        s->failed[i] = s->verdicts[i].verdict == IX_VERDICT_FAILED;
        s->failures += s->failed[i];
    }
    s->labelled.failed = s->failed;
    if (size > n)
        return ix_fail(err, "--size %zu: there are only %zu executions", size, n);
    if (roxi_expect(&s->labelled, s->options->method, (double)size, &s->expected) != 0 ||
        roxi_sample(&s->labelled, s->options->method, size, s->options->seed, s->chosen,
                    &s->count) != 0)
        return ix_fail(err, "out of memory");
    return 0;
}

static int run(struct roxi_result *out, const struct roxi_options *o, struct ix_error *err)
{
    struct roxi_features f;
    struct roxi_clustering c;
    if (roxi_features_make(&f, o->args[0], o, err) != 0)
        return -1;
    struct sample s = {
        .features = &f, .options = o, .origin = {o, usage.takes, f.profiles}};
    int result = roxi_clustering_make(&c, &f, o, err);
    if (result == 0) {
        s.labelled = (struct roxi_labelled){f.table.rows, c.k, c.cluster, NULL};
        s.verdicts = roxi_verdicts_load(o->args[0], f.profiles, err);
        result = s.verdicts ? draw(&s, err) : -1;
        if (result == 0)
            (o->json ? write_json : write_lines)(out->data.stream, &s);
        roxi_clustering_free(&c);
    }
    free(s.verdicts);
    free(s.failed);
    free(s.chosen);
    if (result == 0)
        result = roxi_result_commit(out, "sample", &s.origin, err);
    roxi_features_free(&f);
    return result;
}

static int check(const struct roxi_options *o, struct ix_error *err)
{
    if (!o->method_given)
        ix_fail(err, "--method M is missing: how to choose?");
    else if (needs_size(o->method) && !o->size)
        ix_fail(err, "--method %s: --size N is missing: how many?", roxi_method_name(o->method));
    else if (!needs_size(o->method) && o->size)
        ix_fail(err, "--method %s: the clusters decide how many, not --size",
                roxi_method_name(o->method));
    else
        return roxi_clustering_check(o, o->method != ROXI_RANDOM, err);
    return ROXI_USAGE;
}

int roxi_cmd_sample(int argc, char **argv, struct ix_error *err)
{
    struct roxi_options o = roxi_options_default();
    struct roxi_result out;
    int status;
    if (!roxi_options_parse(&o, &usage, argc, argv, &status, err))
        return status;
    if (check(&o, err) != ROXI_OK)
        return ROXI_USAGE;
    if (o.method == ROXI_RANDOM && !o.clusters && !o.clusters_auto && !o.height_given)
        o.clusters = 1; /* none are needed */
    if (roxi_result_open(&out, &o, err) != 0)
        return ROXI_FAILED;
    int result = run(&out, &o, err);
    roxi_result_abandon(&out);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
