/* SPDX-License-Identifier: Apache-2.0 */
/* roxi diff: what the runs of one campaign do that those of another do not. */
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/explain.h"

static const char about[] =
    "Prints how the runs of CAMPAIGN-B differ from those of CAMPAIGN-A, such as two\n"
    "builds or two machines. Findings are those of 'roxi explain', each with the\n"
    "number of runs of both campaigns that show it. Runs of B that differ in\n"
    "different ways are listed in groups.";

struct request {
    struct roxi_explain_several several;
    struct roxi_output_options output;
};

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    struct request *q = request;
    return roxi_explain_several(out, &q->several, err);
}

int roxi_cmd_diff(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.several.load = roxi_default_load()};
    q.several.load.granularity = ROXI_METHODS;
    const struct ix_option_group groups[] = {
        roxi_explain_rows(&q.several.explain),
        roxi_ranking_rows(&q.several.ranking),
        roxi_output_rows(&q.output),
        roxi_load_rows(&q.several.load),
        roxi_memlimit_rows(),
        {0},
    };
    const struct roxi_command command = {.name = "diff",
                                         .about = about,
                                         .groups = groups,
                                         .request = &q,
                                         .args = "CAMPAIGN-A CAMPAIGN-B",
                                         .arguments = {&q.several.others, &q.several.campaign},
                                         .output = &q.output,
                                         .run = run};
    return roxi_command(&command, argc, argv, err);
}
