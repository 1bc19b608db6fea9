/* SPDX-License-Identifier: Apache-2.0 */
/* roxi export: writes runs in other programs' formats. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/json.h"
#include "roxi/base/output.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/options.h"
#include "roxi/export/export.h"
#include "roxi/legacy/export.h"

static const char about[] =
    "Writes the call stacks of a campaign for other programs. Formats:\n"
    "  collapsed   for flame graphs: a line for each stack, frame;...;frame COUNT\n"
    "  json        all that the logs hold, stacks once; see docs/export.md\n"
    "  speedscope  a profile in time order for each thread, for speedscope\n"
    "  pprof       a gzipped profile.proto; labels: execution, role, thread\n"
    "  jstack      a thread dump for each snapshot, for programs that analyse them\n"
    "  dot         a call graph for Graphviz\n"
    "  text        one run in the original Ixor's layout: needs --execution and\n"
    "              -o DIR, which is created";

#define FORMATS "collapsed|json|speedscope|pprof|jstack|dot|text"
enum { DEFAULT_NODES = 200 };

struct request {
    struct export_options options;
    const struct export_format *format; /* NULL: text */
    struct roxi_output_options output;
    struct own {
        size_t packet; /* 0: all */
    } own;
};

/* ---- options ---- */

static int set_format(void *target, const char *value, struct ix_error *err)
{
    struct export_options *o = target;
    o->format = value;
    return ix_option_word(value, FORMATS, err) < 0 ? -1 : 0;
}

static const struct ix_option format_rows[] = {
    {
        .type = IX_OPTION_CALL,
        .name = "format",
        .value = "F",
        .help = "one of these; required",
        .set = set_format,
    },
    {
        .type = IX_OPTION_TEXT,
        .name = "execution",
        .letter = 'e',
        .value = "E",
        .help = "only the run E",
        .preset = "all",
        .offset = offsetof(struct export_options, execution),
    },
    {
        .type = IX_OPTION_TEXT,
        .name = "role",
        .value = "R",
        .help = "only JVMs with the role R",
        .offset = offsetof(struct export_options, role),
    },
    {
        .type = IX_OPTION_FLAG,
        .name = "lines",
        .help = "distinguish frames by their line (collapsed, speedscope, dot; json, pprof and "
                "jstack have lines in any case)",
        .offset = offsetof(struct export_options, lines),
    },
    {
        .type = IX_OPTION_FLAG,
        .name = "no-threads",
        .help = "do not write role and thread before stacks (collapsed, dot)",
        .offset = offsetof(struct export_options, no_threads),
    },
    {
        .type = IX_OPTION_COUNT,
        .name = "max-nodes",
        .value = "N",
        .help = "dot: only the N nodes that are in most snapshots",
        .preset = "200",
        .min = 1,
        .max = SIZE_MAX,
        .offset = offsetof(struct export_options, max_nodes),
    },
};

static const struct ix_option packet_rows[] = {{
    .type = IX_OPTION_COUNT,
    .name = "packet",
    .value = "P",
    .help = "only the snapshots of packet P",
    .min = 1,
    .max = SIZE_MAX,
    .offset = offsetof(struct own, packet),
}};

/* ---- what fits together ---- */

static int check_text(const struct request *q, struct ix_error *err)
{
    const struct export_options *o = &q->options;
    if (!o->execution)
        return ix_fail(err, "a run is needed: --execution NAME");
    if (!q->output.output)
        return ix_fail(err, "a directory to write to is needed: -o DIR");
    if (o->role || o->packet)
        return ix_fail(err, "--format text writes a whole run: leave out --role and --packet");
    return 0;
}

static int check(struct request *q, struct ix_error *err)
{
    struct export_options *o = &q->options;
    o->packet = q->own.packet;
    if (!o->format)
        return ix_fail(err, "a format is needed: --format %s", FORMATS);
    q->format = export_format_find(o->format);
    const unsigned takes = q->format ? q->format->takes : 0;
    if (o->lines && !(takes & EXPORT_TAKES_LINES))
        return ix_fail(err, "--lines is for --format collapsed, speedscope and dot");
    if (o->no_threads && !(takes & EXPORT_TAKES_THREADS))
        return ix_fail(err, "--no-threads is for --format collapsed and dot");
    if (o->max_nodes && !(takes & EXPORT_TAKES_NODES))
        return ix_fail(err, "--max-nodes is for --format dot");
    if (!o->max_nodes && takes & EXPORT_TAKES_NODES)
        o->max_nodes = DEFAULT_NODES;
    return q->format ? 0 : check_text(q, err);
}

/* ---- work ---- */

static int write_text(const struct request *q, struct ix_error *err)
{
    const struct export_options *o = &q->options;
    struct ix_catalogue *catalogue = ix_catalogue_open(o->campaign, IX_CATALOGUE_READ, err);
    if (!catalogue)
        return -1;
    const int result = text_export(catalogue, o->execution, q->output.output, err);
    ix_catalogue_close(catalogue);
    return result;
}

static void put_logs(struct roxi_json *j, const struct roxi_listed_execution *x, const char *role)
{
    roxi_json_new_line(j);
    roxi_json_open(j, '{');
    roxi_json_put_string(j, "execution", x->name);
    roxi_json_key(j, "logs");
    roxi_json_open(j, '[');
    for (size_t v = 0; v < x->vm_count; v++)
        if (!role || strcmp(role, x->vms[v].role) == 0)
            roxi_json_string(roxi_json_value(j), x->vms[v].log);
    roxi_json_close(j);
    roxi_json_close(j);
}

/* Writes what was exported, and from which logs. */
static int write_provenance(const struct request *q, FILE *out, struct ix_error *err)
{
    struct roxi_listing listing;
    struct roxi_json j = {.out = out};
    if (roxi_listing_read(&listing, q->options.campaign, q->options.execution, err) != 0)
        return -1;
    roxi_json_open(&j, '{');
    roxi_json_put_string(&j, "format", "roxi-provenance");
    roxi_json_put_count(&j, "version", 1);
    roxi_json_put_string(&j, "command", "export");
    fputs(",\n", out);
    export_origin(out, &q->options);
    roxi_json_new_line(&j);
    roxi_json_key(&j, "inputs");
    roxi_json_open(&j, '[');
    for (size_t i = 0; i < listing.count; i++)
        put_logs(&j, &listing.executions[i], q->options.role);
    roxi_json_close(&j);
    roxi_json_end(&j);
    roxi_listing_free(&listing);
    return 0;
}

/* Opens both files before the work starts, so that a path that cannot be written is reported at
 * once. */
static int run(const struct request *q, struct ix_error *err)
{
    struct roxi_output out = {0}, side = {0};
    const char *provenance = q->output.provenance;
    int result = 0;
    if (provenance)
        result = roxi_output_open(&side, provenance, err);
    if (result == 0 && q->format)
        result = roxi_output_open(&out, q->output.output, err);
    if (result == 0 && provenance)
        result = write_provenance(q, side.stream, err);
    if (result == 0)
        result =
            q->format ? export_write(q->format, &q->options, out.stream, err) : write_text(q, err);
    /* The provenance first: whoever finds the data also finds its origin. */
    if (result == 0 && provenance)
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
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(format_rows, &q.options),
        IX_OPTION_GROUP(packet_rows, &q.own),
        roxi_output_rows(&q.output),
        {0},
    };
    const struct ix_command_line line = {.program = "roxi",
                                         .command = "export",
                                         .args = "CAMPAIGN",
                                         .args_min = 1,
                                         .args_max = 1,
                                         .about = about,
                                         .groups = groups};
    char **args;
    int status;
    if (!roxi_options_parse(&line, &q.output, argc, argv, &args, &status, err))
        return status;
    q.options.campaign = args[0];
    if (check(&q, err) != 0)
        return roxi_wrong_use("export", err);
    char *name = NULL;
    if (q.options.execution &&
        !(name = roxi_listing_name(q.options.campaign, q.options.execution, err)))
        return ROXI_FAILED;
    q.options.execution = name;
    const int result = run(&q, err);
    free(name);
    return result == 0 ? ROXI_OK : ROXI_FAILED;
}
