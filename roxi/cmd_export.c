/* roxi export: writes executions in other programs' formats. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "roxi/command.h"
#include "roxi/export.h"
#include "roxi/json.h"
#include "roxi/output.h"
#include "roxi/text_export.h"
#include "roxi/text_number.h"

static const char help[] =
    "Usage: roxi export CAMPAIGN --format F [OPTION]...\n"
    "Writes the call stacks of a campaign for other programs. Formats:\n"
    "  collapsed   for flame graphs: a line for each stack, frame;...;frame COUNT\n"
    "  json        all that the logs hold, stacks once; see docs/export.md\n"
    "  speedscope  a profile in time order for each thread, for speedscope\n"
    "  pprof       a gzipped profile.proto; labels: execution, role, thread\n"
    "  jstack      a thread dump for each snapshot, for programs that analyse them\n"
    "  dot         a call graph for Graphviz\n"
    "  text        one execution in the original Ixor's layout: needs --execution and\n"
    "              -o DIR, which is made\n"
    "\n"
    "      --format F         one of these\n"
    "  -e, --execution E      only execution E; default all\n"
    "      --role R           only JVMs with the role R\n"
    "      --packet P         only the snapshots of packet P\n"
    "      --lines            tell frames apart by their line (collapsed, speedscope,\n"
    "                         dot; json, pprof and jstack have lines in any case)\n"
    "      --no-threads       without role and thread before them (collapsed, dot)\n"
    "      --max-nodes N      dot: only the N nodes that are in most snapshots;\n"
    "                         default 200\n"
    "      --provenance FILE  also write there what this was made from, as JSON\n"
    "  -o, --output FILE      write there instead of to standard output\n";

enum { DEFAULT_NODES = 200 };

struct request {
    struct export_options options;
    const struct export_format *format; /* NULL: text */
    const char *output, *provenance;
    bool help;
};

/* ---- options ---- */

static int number(const char *option, const char *value, uint64_t *out, struct ix_error *err)
{
    if (text_decimal((struct ix_span){value, strlen(value)}, UINT64_MAX, out) && *out > 0)
        return ROXI_OK;
    ix_fail(err, "--%s '%s': a number from 1 to 2^64 - 1 is needed", option, value);
    return ROXI_USAGE;
}

enum { FORMAT = 256, ROLE, PACKET, LINES, NO_THREADS, MAX_NODES, PROVENANCE };

static int take(struct request *q, int option, char **argv, struct ix_error *err)
{
    struct export_options *o = &q->options;
    uint64_t nodes;
    switch (option) {
    case 'e':
        o->execution = optarg;
        return ROXI_OK;
    case 'o':
        q->output = optarg;
        return ROXI_OK;
    case 'h':
        q->help = true;
        return ROXI_OK;
    case FORMAT:
        o->format = optarg;
        return ROXI_OK;
    case ROLE:
        o->role = optarg;
        return ROXI_OK;
    case PACKET:
        return number("packet", optarg, &o->packet, err);
    case LINES:
        o->lines = true;
        return ROXI_OK;
    case NO_THREADS:
        o->no_threads = true;
        return ROXI_OK;
    case MAX_NODES:
        if (number("max-nodes", optarg, &nodes, err) != ROXI_OK)
            return ROXI_USAGE;
        o->max_nodes = nodes < SIZE_MAX ? (size_t)nodes : SIZE_MAX;
        return ROXI_OK;
    case PROVENANCE:
        q->provenance = optarg;
        return ROXI_OK;
    default:
        return roxi_bad_option(option, argv, err);
    }
}

static int parse(int argc, char **argv, struct request *q, struct ix_error *err)
{
    static const struct option options[] = {
        {"execution", required_argument, NULL, 'e'},
        {"format", required_argument, NULL, FORMAT},
        {"role", required_argument, NULL, ROLE},
        {"packet", required_argument, NULL, PACKET},
        {"lines", no_argument, NULL, LINES},
        {"no-threads", no_argument, NULL, NO_THREADS},
        {"max-nodes", required_argument, NULL, MAX_NODES},
        {"provenance", required_argument, NULL, PROVENANCE},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":e:o:h", options, NULL)) != -1;) {
        int status = take(q, option, argv, err);
        if (status != ROXI_OK || q->help)
            return status;
    }
    if (argc - optind != 1) {
        ix_fail(err, "one campaign is needed");
        return ROXI_USAGE;
    }
    q->options.campaign = argv[optind];
    return ROXI_OK;
}

/* ---- what fits together ---- */

static int wrong(struct ix_error *err, const char *option, const char *formats)
{
    ix_fail(err, "%s is for --format %s", option, formats);
    return ROXI_USAGE;
}

static int check_text(const struct request *q, struct ix_error *err)
{
    const struct export_options *o = &q->options;
    if (!o->execution)
        ix_fail(err, "an execution is needed: --execution NAME");
    else if (!q->output)
        ix_fail(err, "a directory to write to is needed: -o DIR");
    else if (o->role || o->packet)
        ix_fail(err, "--format text is of a whole execution: not with --role or --packet");
    else
        return ROXI_OK;
    return ROXI_USAGE;
}

static bool same_place(const char *a, const char *b)
{
    return strcmp(a ? a : "-", b ? b : "-") == 0;
}

static int check(struct request *q, struct ix_error *err)
{
    struct export_options *o = &q->options;
    static const char *const all = "collapsed, json, speedscope, pprof, jstack, dot, text";
    if (!o->format) {
        ix_fail(err, "a format is needed: --format %s", all);
        return ROXI_USAGE;
    }
    q->format = export_format_find(o->format);
    if (!q->format && strcmp(o->format, "text") != 0) {
        ix_fail(err, "there is no format '%s'; there are: %s", o->format, all);
        return ROXI_USAGE;
    }
    if ((q->output && !*q->output) || (q->provenance && !*q->provenance)) {
        ix_fail(err, "%s: a file name is needed", q->output ? "--output" : "--provenance");
        return ROXI_USAGE;
    }
    unsigned takes = q->format ? q->format->takes : 0;
    if (o->lines && !(takes & EXPORT_TAKES_LINES))
        return wrong(err, "--lines", "collapsed, speedscope and dot");
    if (o->no_threads && !(takes & EXPORT_TAKES_THREADS))
        return wrong(err, "--no-threads", "collapsed and dot");
    if (o->max_nodes && !(takes & EXPORT_TAKES_NODES))
        return wrong(err, "--max-nodes", "dot");
    if (!o->max_nodes && takes & EXPORT_TAKES_NODES)
        o->max_nodes = DEFAULT_NODES;
    if (q->provenance && same_place(q->provenance, q->output)) {
        ix_fail(err, "--provenance and --output name the same file");
        return ROXI_USAGE;
    }
    return q->format ? ROXI_OK : check_text(q, err);
}

/* ---- work ---- */

static int write_text(const struct request *q, struct ix_error *err)
{
    const struct export_options *o = &q->options;
    struct ix_catalogue *catalogue = ix_catalogue_open(o->campaign, IX_CATALOGUE_READ, err);
    if (!catalogue)
        return -1;
    int result = text_export(catalogue, o->execution, q->output, err);
    ix_catalogue_close(catalogue);
    return result;
}

/* What was exported, and the logs it is from. */
static int write_provenance(const struct request *q, struct roxi_output *side,
                            struct ix_error *err)
{
    struct roxi_listing listing;
    FILE *out = side->stream;
    if (roxi_listing_read(&listing, q->options.campaign, q->options.execution, err) != 0)
        return -1;
    fputs("{\"format\":\"roxi-provenance\",\"version\":1,\"command\":\"export\",\n", out);
    export_origin(out, &q->options);
    fputs(",\n\"inputs\":[", out);
    for (size_t i = 0; i < listing.count; i++) {
        const struct roxi_listed_execution *x = &listing.executions[i];
        fputs(i ? ",\n{\"execution\":" : "\n{\"execution\":", out);
        roxi_json_string(out, x->name);
        fputs(",\"logs\":[", out);
        for (size_t v = 0, n = 0; v < x->vm_count; v++) {
            if (q->options.role && strcmp(q->options.role, x->vms[v].role) != 0)
                continue;
            fputs(n++ ? "," : "", out);
            roxi_json_string(out, x->vms[v].log);
        }
        fputs("]}", out);
    }
    fputs("]}\n", out);
    roxi_listing_free(&listing);
    return 0;
}

/* Both files are opened before the work, so that a path that cannot be written is known at once. */
static int run(const struct request *q, struct ix_error *err)
{
    struct roxi_output out = {0}, side = {0};
    int result = 0;
    if (q->provenance)
        result = roxi_output_open(&side, q->provenance, err);
    if (result == 0 && q->format)
        result = roxi_output_open(&out, q->output, err);
    if (result == 0 && q->provenance)
        result = write_provenance(q, &side, err);
    if (result == 0)
        result = q->format ? export_write(q->format, &q->options, out.stream, err)
                           : write_text(q, err);
    /* Where it is from first: who finds the data finds that, too. */
    if (result == 0 && q->provenance)
        result = roxi_output_commit(&side, err);
    if (result == 0 && q->format)
        result = roxi_output_commit(&out, err);
    roxi_output_abandon(&out);
    roxi_output_abandon(&side);
    return result;
}

int roxi_cmd_export(int argc, char **argv, struct ix_error *err)
{
    struct request q = {0};
    int status = parse(argc, argv, &q, err);
    if (status != ROXI_OK)
        return status;
    if (q.help) {
        fputs(help, stdout);
        return ROXI_OK;
    }
    if ((status = check(&q, err)) != ROXI_OK)
        return status;
    return run(&q, err) == 0 ? ROXI_OK : ROXI_FAILED;
}
