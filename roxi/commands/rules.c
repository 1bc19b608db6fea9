/* SPDX-License-Identifier: Apache-2.0 */
/* roxi rules: the rules that normalise names that vary between runs. */
#include <stdio.h>

#include "roxi/campaign/rules.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/options.h"

static const char about[] =
    "Prints the built-in rules, which make names equal that differ from run to run (a\n"
    "lambda's address, a pool thread's number), and list the threads and frames to\n"
    "leave out; or checks the rules in FILE. The text explains itself:\n"
    "    roxi rules >my.rules            edit it, then\n"
    "    roxi rules my.rules             check it, and\n"
    "    roxi rank --rules my.rules --explain-names CAMPAIGN";

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
    const struct ix_option_group groups[] = {{0}};
    const struct ix_command_line line = {.program = "roxi",
                                         .command = "rules",
                                         .args = "[FILE]",
                                         .args_max = 1,
                                         .about = about,
                                         .groups = groups};
    char **args;
    int status;
    if (!roxi_options_parse(&line, NULL, argc, argv, &args, &status, err))
        return status;
    if (args[0])
        return check(args[0], err);
    fputs(roxi_rules_default, stdout);
    return ROXI_OK;
}
