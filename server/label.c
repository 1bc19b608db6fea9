/* ixor label: a user's verdict on an execution, or none. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "schema/catalogue.h"
#include "server/command.h"

static const char help[] =
    "Usage: ixor label DIR EXECUTION passed|failed|unknown\n"
    "\n"
    "Says whether an execution of the campaign DIR passed or failed, whatever its\n"
    "command's exit status said; or that nobody knows. 'ixor status DIR' lists the\n"
    "executions.\n"
    "\n"
    "  -h, --help   this text\n";

int ixor_cmd_label(int argc, char **argv, struct ix_error *err)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
    opterr = 0;
    for (int o; (o = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (o != 'h')
            return ixor_bad_option(o, argv, err);
        fputs(help, stdout);
        return IXOR_OK;
    }
    if (argc - optind != 3) {
        ix_fail(err, "expected a campaign's directory, an execution, and passed, failed or unknown");
        return IXOR_USAGE;
    }
    const char *dir = argv[optind], *name = argv[optind + 1], *word = argv[optind + 2];
    enum ix_verdict verdict;
    if (strcmp(word, "passed") == 0) {
        verdict = IX_VERDICT_PASSED;
    } else if (strcmp(word, "failed") == 0) {
        verdict = IX_VERDICT_FAILED;
    } else if (strcmp(word, "unknown") == 0) {
        verdict = IX_VERDICT_UNKNOWN;
    } else {
        ix_fail(err, "'%s' is not a verdict; expected passed, failed or unknown", word);
        return IXOR_USAGE;
    }
    struct ix_catalogue *c = ix_catalogue_open(dir, IX_CATALOGUE_WRITE, err);
    int bad = !c || ix_catalogue_label(c, name, verdict, err) != 0;
    ix_catalogue_close(c);
    return bad ? IXOR_FAILED : IXOR_OK;
}
