#include "roxi/provenance.h"

#include "roxi/json.h"

enum { FORMAT_VERSION = 1 };

static void option_compare(FILE *out, const struct roxi_options *o, unsigned takes)
{
    if (takes & ROXI_OPT_STRATEGY)
        fprintf(out, "\"strategy\":\"%s\",", o->strategy->name);
    fputs("\"match-reward\":", out);
    roxi_json_number(out, o->match_reward);
    if (o->load.min_vms != ROXI_ALL_VMS)
        fprintf(out, ",\"min-vms\":%u", (unsigned)o->load.min_vms);
    else
        fputs(",\"min-vms\":\"all\"", out);
    fprintf(out, ",\"granularity\":\"%s\",\"rules\":",
            roxi_granularity_name(o->load.granularity));
    if (o->load.rules)
        roxi_json_string(out, o->load.rules);
    else
        fputs("null", out);
    fprintf(out, ",\"unmatched\":\"%s\",\"diagonal\":\"%s\"", o->unmatched_cost ? "cost" : "ignore",
            o->diagonal_computed ? "computed" : "zero");
}

static void option_cut(FILE *out, const struct roxi_options *o)
{
    fputs(",\"clusters\":", out);
    if (o->clusters)
        fprintf(out, "%zu", o->clusters);
    else
        fputs(o->clusters_auto ? "\"auto\"" : "null", out);
    fputs(",\"height\":", out);
    if (o->height_given)
        roxi_json_number(out, o->height);
    else
        fputs("null", out);
}

void roxi_json_begin(FILE *out, const char *name, const struct roxi_options *o, unsigned takes)
{
    fprintf(out, "{\"format\":\"roxi-%s\",\"version\":%d,\"roxi\":\"%s\",\n\"campaign\":", name,
            FORMAT_VERSION, IXOR_VERSION);
    roxi_json_string(out, o->args[0]);
    fputs(",\n\"options\":{", out);
    option_compare(out, o, takes);
    if (takes & ROXI_OPT_LINKAGE)
        fprintf(out, ",\"on\":\"%s\",\"linkage\":\"%s\",\"scaling\":\"%s\",\"column-model\":\"%s\"",
                roxi_measure_name(o->on), roxi_linkage_name(o->linkage),
                o->sqrt_rows ? "sqrt" : "none", o->idf_columns ? "idf" : "none");
    if (takes & ROXI_OPT_CLUSTERS)
        option_cut(out, o);
    if (takes & ROXI_OPT_VERDICTS)
        fprintf(out, ",\"verdicts\":\"%s\"", o->trust_passed ? "all" : "seen");
    putc('}', out);
}
