/* SPDX-License-Identifier: Apache-2.0 */
/* roxi report: a campaign on a screen, or as a page. */
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/page/first_screen.h"
#include "roxi/page/page.h"

static const char about[] =
    "Says what is unusual in a campaign: how many runs failed, which runs to look at\n"
    "and why, and how certain that is. With -o FILE.html writes the same as a page\n"
    "that needs no other file and can be mailed. The page also has the findings of\n"
    "each unusual run with call stacks, and, with scripts, what every thread did\n"
    "packet by packet, all JVMs at one packet side by side, and flame graphs that\n"
    "compare a run with normal ones. A run is unusual if it failed or its score is\n"
    "above 1.";

enum format { AUTO, TEXT, HTML };
enum { RUNS = 20 }; /* shown in full by default: as many as one looks at, in a page of some MB */

struct request {
    const char *campaign;
    struct roxi_sheet_options sheet;
    struct roxi_output_options output;
    struct own {
        enum format format;
        size_t most;
    } own;
};

static int write_all(struct roxi_result *out, const struct request *q, const struct roxi_sheet *s,
                     struct ix_error *err)
{
    const bool page = q->own.format == HTML || (q->own.format == AUTO && q->output.output);
    int result = 0;
    if (page)
        result = roxi_page_write(out->data.stream, s, err);
    else if (roxi_first_screen(out->data.stream, s) != 0)
        result = ix_fail(err, "out of memory");
    return result == 0 ? roxi_result_commit(out, "report", s->origin, err) : result;
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    const struct request *q = request;
    struct roxi_sheet_options options = q->sheet;
    struct roxi_sheet sheet;
    struct roxi_statement stated = {0};
    options.most = q->own.most;
    if (roxi_sheet_make(&sheet, q->campaign, &options, err) != 0)
        return -1;
    roxi_state_loading(&stated, &q->sheet.load);
    roxi_state_ranking(&stated, &q->sheet.ranking);
    roxi_state_count(&stated, "runs", q->own.most);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &stated, sheet.profiles);
    sheet.origin = &origin;
    const int result = write_all(out, q, &sheet, err);
    roxi_sheet_free(&sheet);
    return result;
}

/* ---- options ---- */

static const struct ix_option own_rows[] = {
    {
        .type = IX_OPTION_WORD,
        .name = "format",
        .value = "F",
        .help = "text: one screen; html: the page; auto: html with -o, else text",
        .preset = "auto",
        .words = "auto|text|html", /* in the order of enum format */
        .offset = offsetof(struct own, format),
    },
    {
        .type = IX_OPTION_COUNT,
        .name = "runs",
        .value = "N",
        .help = "unusual runs to show in full",
        .preset = "20",
        .min = 0,
        .max = 1000,
        .offset = offsetof(struct own, most),
    },
};

int roxi_cmd_report(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.sheet.load = roxi_default_load(), .own.most = RUNS};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(own_rows, &q.own),
        roxi_ranking_rows(&q.sheet.ranking),
        roxi_output_rows(&q.output),
        roxi_load_rows(&q.sheet.load),
        roxi_memlimit_rows(),
        {0},
    };
    const struct roxi_command command = {.name = "report",
                                         .about = about,
                                         .groups = groups,
                                         .request = &q,
                                         .arguments = {&q.campaign},
                                         .output = &q.output,
                                         .run = run};
    return roxi_command(&command, argc, argv, err);
}
