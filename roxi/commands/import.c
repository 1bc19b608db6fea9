/* SPDX-License-Identifier: Apache-2.0 */
/* roxi import: makes a campaign of thread dumps, or takes runs in the original's layout into one.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "roxi/campaign/load.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/options.h"
#include "roxi/import/import.h"
#include "roxi/legacy/import.h"

static const char about[] =
    "With -o: makes a campaign from thread dumps as jstack, 'jcmd PID Thread.print',\n"
    "kill -3 and 'roxi export --format jstack' print them, alone or between other\n"
    "lines; from jcmd's JSON; and from recordings of JDK Flight Recorder. Each\n"
    "argument is a run of that name: a file; or a directory with a subdirectory for\n"
    "each role, or with files whose names begin with the role (server-1.txt,\n"
    "server-2.txt). The dumps' dates decide which of them are one packet. C must not\n"
    "exist; it appears whole or not at all.\n"
    "\n"
    "Without -o: adds runs in the original Ixor's layout (DIR/files.list,\n"
    "<address>-<pid>.txt, trace logs) to a campaign, which is created if it does not\n"
    "exist. A run's name is DIR's last component. A run is imported whole or not at\n"
    "all, and roxi stops at the first one that cannot be imported. A log that was cut\n"
    "off counts up to its last whole block.";

struct request {
    const char *target;
    bool explained;
};

static const struct ix_option own_rows[] = {
    {
        .type = IX_OPTION_TEXT,
        .name = "output",
        .letter = 'o',
        .value = "C",
        .help = "the directory of the new campaign, for thread dumps",
        .offset = offsetof(struct request, target),
    },
    {
        .type = IX_OPTION_FLAG,
        .name = "explain-names",
        .help = "print to standard error what the built-in rules make of the campaign's names: "
                "kind, name, result, lines of the rules (see 'roxi rules')",
        .offset = offsetof(struct request, explained),
    },
};

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

static int import_dumps(char **args, const char *target, struct ix_error *err)
{
    struct dump_imported imported;
    if (dump_import((const char *const *)args, ix_count_args(args), target, &imported, err) != 0)
        return ROXI_FAILED;
    fprintf(stderr, "imported into %s: runs %zu, JVMs %zu, snapshots %" PRIu64 "\n", target,
            imported.runs, imported.jvms, imported.snapshots);
    return ROXI_OK;
}

static int import_runs(char **args, struct ix_error *err)
{
    const size_t count = ix_count_args(args);
    if (count < 2) {
        ix_fail(err, "which runs? Give their directories behind the campaign, or make a new "
                     "campaign of thread dumps with -o CAMPAIGN");
        return roxi_wrong_use("import", err);
    }
    struct ix_catalogue *catalogue = ix_catalogue_open(args[0], IX_CATALOGUE_CREATE, err);
    if (!catalogue)
        return ROXI_FAILED;
    const int status = import_all(catalogue, (int)count - 1, args + 1, err);
    ix_catalogue_close(catalogue);
    return status;
}

int roxi_cmd_import(int argc, char **argv, struct ix_error *err)
{
    struct request q = {0};
    const struct ix_option_group groups[] = {IX_OPTION_GROUP(own_rows, &q), {0}};
    const struct ix_command_line line = {.program = "roxi",
                                         .command = "import",
                                         .args = "DUMPS... -o C | CAMPAIGN DIR...",
                                         .args_min = 1,
                                         .args_max = INT_MAX,
                                         .about = about,
                                         .groups = groups};
    char **args;
    int status;
    if (!roxi_options_parse(&line, NULL, argc, argv, &args, &status, err))
        return status;
    status = q.target ? import_dumps(args, q.target, err) : import_runs(args, err);
    if (status == ROXI_OK && q.explained)
        status = explain(q.target ? q.target : args[0], err);
    return status;
}
