/* SPDX-License-Identifier: Apache-2.0 */
/* roxi baseline: a campaign as one small file, for 'roxi check --baseline'. */
#include "roxi/baseline/baseline.h"

#include <inttypes.h>
#include <stdio.h>

#include "roxi/base/output.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/options.h"

static const char about[] =
    "Writes a campaign of good runs to one compressed file, for the cache of a CI\n"
    "system; 'roxi check --baseline FILE' reads it like the campaign's directory. It\n"
    "contains the trace logs and the names and verdicts of the runs; no keys, and\n"
    "nothing that the command printed. FILE appears whole or not at all. No server\n"
    "may be writing the campaign.";

struct request {
    const char *file;
};

static const struct ix_option rows[] = {{
    .type = IX_OPTION_TEXT,
    .name = "output",
    .letter = 'o',
    .value = "FILE",
    .help = "the file, such as good.ixb; required",
    .offset = offsetof(struct request, file),
}};

static int write_file(const char *campaign, const char *file, struct ix_error *err)
{
    struct roxi_output out;
    struct baseline_size size;
    if (roxi_output_open(&out, file, err) != 0)
        return ROXI_FAILED;
    if (baseline_write(campaign, out.stream, &size, err) != 0) {
        roxi_output_abandon(&out);
        return ROXI_FAILED;
    }
    const long packed = ftell(out.stream);
    if (roxi_output_commit(&out, err) != 0)
        return ROXI_FAILED;
    fprintf(stderr, "written to %s: runs %zu, JVMs %zu, %" PRIu64 " bytes compressed to %ld\n",
            file, size.runs, size.vms, size.bytes, packed);
    return ROXI_OK;
}

int roxi_cmd_baseline(int argc, char **argv, struct ix_error *err)
{
    struct request q = {0};
    const struct ix_option_group groups[] = {IX_OPTION_GROUP(rows, &q), {0}};
    const struct ix_command_line line = {.program = "roxi",
                                         .command = "baseline",
                                         .args = "CAMPAIGN -o FILE",
                                         .args_min = 1,
                                         .args_max = 1,
                                         .about = about,
                                         .groups = groups};
    char **args;
    int status;
    if (!roxi_options_parse(&line, NULL, argc, argv, &args, &status, err))
        return status;
    if (!q.file) {
        ix_fail(err, "a name for the file is needed: -o FILE");
        return roxi_wrong_use("baseline", err);
    }
    return write_file(args[0], q.file, err);
}
