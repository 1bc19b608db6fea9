/* roxi import: takes executions in the original's layout into a campaign. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "roxi/command.h"
#include "roxi/load.h"
#include "roxi/text_import.h"

static const char help[] =
    "Usage: roxi import CAMPAIGN DIR...\n"
    "Takes executions in the original Ixor's layout (DIR/files.list,\n"
    "<address>-<pid>.txt, trace logs) into a campaign, which is made if it does not\n"
    "exist. An execution's name is DIR's last component. An execution is taken\n"
    "whole or not at all; at the first one that cannot be taken roxi stops. A log\n"
    "that was cut off counts up to its last whole block.\n"
    "\n"
    "      --explain-names        show on standard error what the built-in rules\n"
    "                             make of the campaign's names: kind, name, result,\n"
    "                             lines of the rules (see 'roxi rules')\n";

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
    fprintf(stderr, "imported into %s: executions %d, VMs %" PRIu64 ", snapshots %" PRIu64 "\n",
            ix_catalogue_dir(catalogue), count, vms, snapshots);
    return ROXI_OK;
}

/* Names are stored as they are and looked at when they are read. */
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
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"explain-names", no_argument, NULL, 'e'},
                                            {0}};
    bool explained = false;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (option == 'e') {
            explained = true;
            continue;
        }
        if (option != 'h')
            return roxi_bad_option(option, argv, err);
        fputs(help, stdout);
        return ROXI_OK;
    }
    if (argc - optind < 2) {
        ix_fail(err, "a campaign and at least one directory are needed");
        return ROXI_USAGE;
    }
    struct ix_catalogue *catalogue = ix_catalogue_open(argv[optind], IX_CATALOGUE_CREATE, err);
    if (!catalogue)
        return ROXI_FAILED;
    int status = import_all(catalogue, argc - optind - 1, argv + optind + 1, err);
    ix_catalogue_close(catalogue);
    if (status == ROXI_OK && explained)
        status = explain(argv[optind], err);
    return status;
}
