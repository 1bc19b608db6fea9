/* roxi rules: the rules that make unstable names equal. */
#include <getopt.h>
#include <stdio.h>

#include "roxi/command.h"
#include "roxi/rules.h"

static const char help[] =
    "Usage: roxi rules [FILE]\n"
    "Prints the rules that are built in, which make names equal that differ from run\n"
    "to run (a lambda's address, a pool thread's number), and say which threads and\n"
    "frames do not count; or checks those in FILE. The text explains itself:\n"
    "    roxi rules >my.rules            edit it, then\n"
    "    roxi rules my.rules             check it, and\n"
    "    roxi rank --rules my.rules --explain-names CAMPAIGN\n";

static int check(const char *path, struct ix_error *err)
{
    struct roxi_rules *rules = roxi_rules_read(path, err);
    if (!rules)
        return ROXI_FAILED;
    for (int kind = 0; kind < ROXI_RULE_KINDS; kind++)
        printf("%-12s %zu\n", roxi_rule_word(kind), roxi_rules_count(rules, kind));
    roxi_rules_free(rules);
    return ROXI_OK;
}

int roxi_cmd_rules(int argc, char **argv, struct ix_error *err)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (option != 'h')
            return roxi_bad_option(option, argv, err);
        fputs(help, stdout);
        return ROXI_OK;
    }
    if (argc - optind > 1) {
        ix_fail(err, "'%s' is more than the one file that is checked", argv[optind + 1]);
        return ROXI_USAGE;
    }
    if (argc - optind == 1)
        return check(argv[optind], err);
    fputs(roxi_rules_default, stdout);
    return ROXI_OK;
}
