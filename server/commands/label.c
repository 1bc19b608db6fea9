/* SPDX-License-Identifier: Apache-2.0 */
/* ixor label: sets or removes a user's verdict on a run. */
#include "schema/catalogue/catalogue.h"
#include "server/base/command.h"
#include "server/commands/common_options.h"

static const struct ix_command_line line = {
    .program = "ixor",
    .command = "label",
    .args = "DIR RUN passed|failed|unknown",
    .args_min = 3,
    .args_max = 3,
    .about = "Records whether a run of the campaign DIR passed or failed, whatever its\n"
             "command's exit status said, or that it is unknown. 'ixor status DIR' lists the\n"
             "runs.",
    .groups = &(const struct ix_option_group){.target = NULL},
};

int ixor_cmd_label(int argc, char **argv, struct ix_error *err)
{
    static const enum ix_verdict verdicts[] = {IX_VERDICT_PASSED, IX_VERDICT_FAILED,
                                               IX_VERDICT_UNKNOWN};
    char **args;
    const int parsed = ixor_parse_options(&line, argc, argv, &args, err);
    if (parsed != IXOR_OK)
        return parsed == IXOR_HELPED ? IXOR_OK : parsed;
    const int place = ix_option_word(args[2], "passed|failed|unknown", err);
    if (place < 0)
        return ixor_wrong_use(&line, err);
    struct ix_catalogue *c = ix_catalogue_open(args[0], IX_CATALOGUE_WRITE, err);
    const int bad = !c || ix_catalogue_label(c, args[1], verdicts[place], err) != 0;
    ix_catalogue_close(c);
    return bad ? IXOR_FAILED : IXOR_OK;
}
