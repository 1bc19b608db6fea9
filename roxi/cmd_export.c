/* roxi export: writes an execution in another program's format. So far: the original's layout. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "roxi/command.h"
#include "roxi/text_export.h"

static const char help[] =
    "Usage: roxi export CAMPAIGN --execution E --format text -o DIR\n"
    "Writes execution E in the original Ixor's layout; DIR is made, whole or not\n"
    "at all.\n"
    "  -e, --execution E   which one\n"
    "      --format text   the format\n"
    "  -o, --output DIR    where to; must not exist, or be empty\n";

struct request {
    const char *campaign, *execution, *format, *output;
    bool help;
};

static int parse(int argc, char **argv, struct request *q, struct ix_error *err)
{
    enum { FORMAT = 256 };
    static const struct option options[] = {
        {"execution", required_argument, NULL, 'e'},
        {"format", required_argument, NULL, FORMAT},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":e:o:h", options, NULL)) != -1;) {
        switch (option) {
        case 'e':
            q->execution = optarg;
            break;
        case FORMAT:
            q->format = optarg;
            break;
        case 'o':
            q->output = optarg;
            break;
        case 'h':
            q->help = true;
            return ROXI_OK;
        default:
            return roxi_bad_option(option, argv, err);
        }
    }
    if (argc - optind != 1) {
        ix_fail(err, "one campaign is needed");
        return ROXI_USAGE;
    }
    q->campaign = argv[optind];
    return ROXI_OK;
}

static int check(const struct request *q, struct ix_error *err)
{
    if (!q->format)
        ix_fail(err, "a format is needed: --format text");
    else if (strcmp(q->format, "text") != 0)
        ix_fail(err, "there is no format '%s'; there is: text", q->format);
    else if (!q->execution)
        ix_fail(err, "an execution is needed: --execution NAME");
    else if (!q->output || !*q->output)
        ix_fail(err, "a directory to write to is needed: -o DIR");
    else
        return ROXI_OK;
    return ROXI_USAGE;
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
    struct ix_catalogue *catalogue = ix_catalogue_open(q.campaign, IX_CATALOGUE_READ, err);
    if (!catalogue)
        return ROXI_FAILED;
    status = text_export(catalogue, q.execution, q.output, err) == 0 ? ROXI_OK : ROXI_FAILED;
    ix_catalogue_close(catalogue);
    return status;
}
