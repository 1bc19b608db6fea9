#include "roxi/provenance.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "roxi/fingerprint.h"
#include "roxi/json.h"

enum { FORMAT_VERSION = 1 };

/* ---- options ---- */

/* Text before a member: a comma unless it is the first. */
static void name_member(FILE *out, bool *more, const char *name)
{
    fprintf(out, "%s\"%s\":", *more ? "," : "", name);
    *more = true;
}

static void put_word(FILE *out, bool *more, const char *name, const char *word)
{
    name_member(out, more, name);
    if (word)
        roxi_json_string(out, word);
    else
        fputs("null", out);
}

/* 0 is what stands for `none`. */
static void put_size(FILE *out, bool *more, const char *name, size_t size, const char *none)
{
    name_member(out, more, name);
    if (size)
        fprintf(out, "%zu", size);
    else
        fputs(none, out);
}

static void put_comparing(FILE *out, bool *more, const struct roxi_options *o, unsigned takes)
{
    if (takes & ROXI_OPT_STRATEGY)
        put_word(out, more, "strategy", o->strategy->name);
    name_member(out, more, "match-reward");
    roxi_json_number(out, o->match_reward);
    put_size(out, more, "min-vms", o->load.min_vms, "\"all\"");
    put_word(out, more, "granularity", roxi_granularity_name(o->load.granularity));
    put_word(out, more, "rules", o->load.rules);
    put_word(out, more, "unmatched", o->unmatched_cost ? "cost" : "ignore");
    if (takes & ROXI_OPT_DIAGONAL)
        put_word(out, more, "diagonal", o->diagonal_computed ? "computed" : "zero");
}

static void put_clustering(FILE *out, bool *more, const struct roxi_options *o, unsigned takes)
{
    if (takes & ROXI_OPT_LINKAGE) {
        put_word(out, more, "on", roxi_measure_name(o->on));
        put_word(out, more, "linkage", roxi_linkage_name(o->linkage));
        put_word(out, more, "scaling", o->sqrt_rows ? "sqrt" : "none");
        put_word(out, more, "column-model", o->idf_columns ? "idf" : "none");
    }
    if (takes & ROXI_OPT_CLUSTERS)
        put_size(out, more, "clusters", o->clusters, o->clusters_auto ? "\"auto\"" : "null");
    if (takes & ROXI_OPT_HEIGHT) {
        name_member(out, more, "height");
        if (o->height_given)
            roxi_json_number(out, o->height);
        else
            fputs("null", out);
    }
}

static void put_choosing(FILE *out, bool *more, const struct roxi_options *o, unsigned takes)
{
    if (takes & ROXI_OPT_METHOD)
        put_word(out, more, "method", roxi_method_name(o->method));
    if (takes & ROXI_OPT_SIZE)
        put_size(out, more, "size", o->size, "null");
    if (takes & ROXI_OPT_SIZE) {
        name_member(out, more, "seed");
        fprintf(out, "%llu", (unsigned long long)o->seed);
    }
    if (takes & ROXI_OPT_NEIGHBOURS)
        put_size(out, more, "neighbours", o->neighbours, "null");
    if (takes & ROXI_OPT_VERDICTS) {
        put_word(out, more, "by", o->by_clusters ? "clusters" : "rank");
        put_word(out, more, "verdicts", o->trust_passed ? "all" : "seen");
    }
}

static void put_ranking(FILE *out, bool *more, const struct roxi_options *o, unsigned takes)
{
    if (takes & ROXI_OPT_ASPECTS) {
        name_member(out, more, "aspects");
        for (enum roxi_aspect a = ROXI_STACKS, first = ROXI_ASPECTS; a < ROXI_ASPECTS; a++) {
            if (!(o->aspects & 1u << a))
                continue;
            fprintf(out, "%s%s", first == ROXI_ASPECTS ? "\"" : ",", roxi_aspect_name(a));
            first = a;
        }
        putc('"', out);
        put_word(out, more, "peers", o->named ? "named" : "exchange");
    }
    if (takes & ROXI_OPT_RANKING)
        put_word(out, more, "reference", o->by_labelled ? "labelled" : "all");
    if (takes & ROXI_OPT_BASELINE) {
        put_word(out, more, "baseline", o->baseline);
        name_member(out, more, "alarm");
        roxi_json_number(out, o->alarm);
    }
}

static void put_options(FILE *out, const struct roxi_origin *origin)
{
    bool more = false;
    fputs("\"options\":{", out);
    put_comparing(out, &more, origin->options, origin->takes);
    put_clustering(out, &more, origin->options, origin->takes);
    put_choosing(out, &more, origin->options, origin->takes);
    put_ranking(out, &more, origin->options, origin->takes);
    putc('}', out);
}

/* ---- inputs ---- */

static void put_fingerprint(FILE *out, struct roxi_fingerprint f)
{
    fprintf(out, "\"fingerprint\":\"%016llx%016llx\"", (unsigned long long)f.high,
            (unsigned long long)f.low);
}

/* `each`: also that of every execution. What memory is lacking for is not stated. */
static void put_inputs(FILE *out, const struct roxi_profiles *p, bool each)
{
    struct roxi_fingerprint *of = roxi_fingerprints(p);
    fprintf(out, "\"inputs\":{\"executions\":%zu", p->count);
    if (of) {
        const XXH128_hash_t hash = XXH3_128bits(of, p->count * sizeof *of);
        putc(',', out);
        put_fingerprint(out, (struct roxi_fingerprint){hash.low64, hash.high64});
    }
    for (size_t i = 0; of && each && i < p->count; i++) {
        fputs(i ? ",\n{\"name\":" : ",\n\"each\":[\n{\"name\":", out);
        roxi_json_string(out, p->executions[i].name);
        putc(',', out);
        put_fingerprint(out, of[i]);
        fputs(i + 1 < p->count ? "}" : "}]", out);
    }
    putc('}', out);
    free(of);
}

/* ---- heads ---- */

void roxi_json_begin(FILE *out, const char *name, const struct roxi_origin *origin)
{
    fprintf(out, "{\"format\":\"roxi-%s\",\"version\":%d,\"roxi\":\"%s\",\n\"campaign\":", name,
            FORMAT_VERSION, IXOR_VERSION);
    roxi_json_string(out, origin->options->args[0]);
    fputs(",\n", out);
    put_options(out, origin);
    fputs(",\n", out);
    put_inputs(out, origin->profiles, false);
}

char *roxi_provenance_text(const struct roxi_origin *origin)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (memory) {
        fprintf(memory, "{\"roxi\":\"%s\",\"campaign\":", IXOR_VERSION);
        roxi_json_string(memory, origin->options->args[0]);
        putc(',', memory);
        put_options(memory, origin);
        putc(',', memory);
        put_inputs(memory, origin->profiles, false);
        putc('}', memory);
    }
    if (!memory || fclose(memory) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

int roxi_provenance_comment(FILE *out, const struct roxi_origin *origin)
{
    char *text = roxi_provenance_text(origin);
    if (!text)
        return -1;
    putc('[', out);
    for (const char *c = text; *c; c++) /* there are no lists in it: brackets are within strings */
        if (*c == '[' || *c == ']')
            fprintf(out, "\\u%04x", (unsigned)*c);
        else
            putc(*c, out);
    putc(']', out);
    free(text);
    return 0;
}

/* ---- output ---- */

int roxi_result_open(struct roxi_result *r, const struct roxi_options *o, struct ix_error *err)
{
    *r = (struct roxi_result){0};
    if (o->provenance && roxi_output_open(&r->side, o->provenance, err) != 0)
        return -1;
    if (roxi_output_open(&r->data, o->output, err) == 0)
        return 0;
    roxi_output_abandon(&r->side);
    return -1;
}

static void put_provenance(FILE *out, const char *command, const struct roxi_origin *origin)
{
    fprintf(out,
            "{\"format\":\"roxi-provenance\",\"version\":%d,\"roxi\":\"%s\",\"command\":\"%s\","
            "\n\"campaign\":",
            FORMAT_VERSION, IXOR_VERSION, command);
    roxi_json_string(out, origin->options->args[0]);
    fputs(",\n", out);
    put_options(out, origin);
    fputs(",\n", out);
    put_inputs(out, origin->profiles, true);
    fputs("}\n", out);
}

int roxi_result_commit(struct roxi_result *r, const char *command,
                       const struct roxi_origin *origin, struct ix_error *err)
{
    if (r->side.stream) {
        put_provenance(r->side.stream, command, origin);
        if (roxi_output_commit(&r->side, err) != 0)
            return -1;
    }
    return roxi_output_commit(&r->data, err);
}

void roxi_result_abandon(struct roxi_result *r)
{
    roxi_output_abandon(&r->data);
    roxi_output_abandon(&r->side);
}
