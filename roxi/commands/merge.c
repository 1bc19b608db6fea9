/* SPDX-License-Identifier: Apache-2.0 */
/* roxi merge: several campaigns into one. */
#include "roxi/merge/merge.h"

#include <limits.h>
#include <stdio.h>

#include "roxi/commands/commands.h"
#include "roxi/commands/options.h"

static const char about[] =
    "Makes one campaign of several, such as the shards of a CI job: all their runs in\n"
    "the order of the arguments, with verdicts, marks and trace logs. The campaigns\n"
    "themselves are not changed, and no server may be writing them. C appears whole\n"
    "or not at all. Logs that are missing, torn, or cut at their end are reported and\n"
    "stay as they are.\n"
    "\n"
    "If campaigns share the name of a run, the names of all their runs begin with\n"
    "their directory's name: run0003 of shard-7 becomes shard-7-run0003. (So does\n"
    "that of shard-7/campaign, if all paths end with campaign.)";

struct request {
    const char *target;
};

static const struct ix_option rows[] = {{
    .type = IX_OPTION_TEXT,
    .name = "output",
    .letter = 'o',
    .value = "C",
    .help = "the directory of the new campaign, which must not exist; required",
    .offset = offsetof(struct request, target),
}};

static void print_summary(const struct roxi_merged *m, size_t campaigns, const char *target)
{
    fprintf(stderr, "merged into %s: campaigns %zu, runs %zu, JVMs %zu", target, campaigns, m->runs,
            m->vms);
    if (m->torn)
        fprintf(stderr, ", torn logs %zu", m->torn);
    if (m->missing)
        fprintf(stderr, ", missing logs %zu", m->missing);
    fputc('\n', stderr);
    if (m->renamed)
        fprintf(stderr,
                "names that several campaigns share have their directory's name in front\n");
}

int roxi_cmd_merge(int argc, char **argv, struct ix_error *err)
{
    struct request q = {0};
    struct roxi_merged merged;
    const struct ix_option_group groups[] = {IX_OPTION_GROUP(rows, &q), {0}};
    const struct ix_command_line line = {.program = "roxi",
                                         .command = "merge",
                                         .args = "CAMPAIGN... -o C",
                                         .args_min = 1,
                                         .args_max = INT_MAX,
                                         .about = about,
                                         .groups = groups};
    char **args;
    int status;
    if (!roxi_options_parse(&line, NULL, argc, argv, &args, &status, err))
        return status;
    if (!q.target) {
        ix_fail(err, "a directory for the new campaign is needed: -o C");
        return roxi_wrong_use("merge", err);
    }
    const size_t count = ix_count_args(args);
    if (roxi_merge((const char *const *)args, count, q.target, &merged, err) != 0)
        return ROXI_FAILED;
    print_summary(&merged, count, q.target);
    return ROXI_OK;
}
