/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/commands/command.h"

#include <stdio.h>
#include <unistd.h>

#include "roxi/base/status.h"
#include "roxi/base/text_wrap.h"
#include "schema/base/terminal.h"
#include "schema/catalogue/dir.h"

static size_t count_arguments(const struct roxi_command *c)
{
    size_t n = 0;
    while (n < ROXI_ARGUMENTS && c->arguments[n])
        n++;
    return n;
}

static bool is_campaign(const char *dir)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/" IX_CATALOGUE_FILE, dir);
    return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

/* CAMPAIGN RUN, the other way round. */
static bool are_swapped(char *const *args)
{
    return args[0] && args[1] && !is_campaign(args[0]) && is_campaign(args[1]);
}

int roxi_command(const struct roxi_command *c, int argc, char **argv, struct ix_error *err)
{
    const size_t most = count_arguments(c);
    const struct ix_command_line line = {.program = "roxi",
                                         .command = c->name,
                                         .args = c->args ? c->args : "CAMPAIGN",
                                         .args_min = most - c->optional,
                                         .args_max = most,
                                         .about = c->about,
                                         .after = c->after,
                                         .groups = c->groups};
    struct roxi_result out;
    char **args;
    int status;
    if (!roxi_options_parse(&line, c->output, argc, argv, &args, &status, err))
        return status;
    for (size_t i = 0; i < most && args[i]; i++)
        *c->arguments[i] = args[i];
    if (c->of_run && are_swapped(args)) {
        ix_fail(err, "'%s' is not a campaign, but '%s' is: the campaign comes first", args[0],
                args[1]);
        return roxi_wrong_use(c->name, err);
    }
    if (c->complete && c->complete(c->request, err) != 0)
        return roxi_wrong_use(c->name, err);
    if (roxi_result_open(&out, c->output, err) != 0)
        return ROXI_FAILED;
    if (roxi_output_is_terminal(&out.data))
        roxi_wrap_at(ix_screen_columns(STDOUT_FILENO));
    status = c->run(&out, c->request, err);
    roxi_result_abandon(&out);
    return status < 0 ? ROXI_FAILED : status;
}
