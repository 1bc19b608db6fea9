/* SPDX-License-Identifier: Apache-2.0 */
/* roxi import: imports runs in the original's layout into a campaign. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "roxi/campaign/load.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/options.h"
#include "roxi/legacy/import.h"

static const char about[] =
    "Takes runs in the original Ixor's layout (DIR/files.list, <address>-<pid>.txt,\n"
    "trace logs) into a campaign, which is created if it does not exist. A run's name\n"
    "is DIR's last component. A run is imported whole or not at all; at the first one\n"
    "that cannot be imported roxi stops. A log that was cut off counts up to its last\n"
    "whole block.";

static const struct ix_option own_rows[] = {{
    .type = IX_OPTION_FLAG,
    .name = "explain-names",
    .help = "print to standard error what the built-in rules make of the campaign's names: kind, "
            "name, result, lines of the rules (see 'roxi rules')",
}};

static int import_all(struct ix_catalogue *catalogue, int count, char **dirs, struct ix_error *err)
{
    uint64_t vms = 0, snapshots = 0;
    for (int i = 0; i < count; i++) {
        struct text_imported imported;
        if (text_import(catalogue, dirs[i], 0, &imported, err) != 0) {
            if (i > 0)
                ix_fail_in(err, "stopped at '%s', %d before it imported", dirs[i], i);
            return ROXI_FAILED;
        }
        vms += imported.vms;
        snapshots += imported.snapshots;
    }
    fprintf(stderr, "imported into %s: runs %d, JVMs %" PRIu64 ", snapshots %" PRIu64 "\n",
            ix_catalogue_dir(catalogue), count, vms, snapshots);
    return ROXI_OK;
}

/* Names are stored unchanged; the rules apply when they are read. */
static int explain(const char *campaign, struct ix_error *err)
{
    const struct roxi_load_options options = {.min_vms = 1, .explain = true};
    struct roxi_profiles *profiles = roxi_load(campaign, &options, err);
    if (!profiles)
        return ROXI_FAILED;
    roxi_profiles_free(profiles);
    return ROXI_OK;
}

int roxi_cmd_import(int argc, char **argv, struct ix_error *err)
{
    bool explained = false;
    const struct ix_option_group groups[] = {{own_rows, 1, &explained}, {0}};
    const struct ix_command_line line = {.program = "roxi",
                                         .command = "import",
                                         .args = "CAMPAIGN DIR...",
                                         .args_min = 2,
                                         .args_max = INT_MAX,
                                         .about = about,
                                         .groups = groups};
    char **args;
    int status, count = 0;
    if (!roxi_options_parse(&line, NULL, argc, argv, &args, &status, err))
        return status;
    while (args[count])
        count++;
    struct ix_catalogue *catalogue = ix_catalogue_open(args[0], IX_CATALOGUE_CREATE, err);
    if (!catalogue)
        return ROXI_FAILED;
    status = import_all(catalogue, count - 1, args + 1, err);
    ix_catalogue_close(catalogue);
    if (status == ROXI_OK && explained)
        status = explain(args[0], err);
    return status;
}
