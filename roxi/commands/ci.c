/* SPDX-License-Identifier: Apache-2.0 */
/* roxi ci: what a CI job says of a campaign, and whether it succeeds. */
#include <stdlib.h>
#include <string.h>

#include "roxi/ci/junit.h"
#include "roxi/ci/summary.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/step.h"
#include "roxi/page/page.h"

static const char about[] =
    "Summarises a campaign for a CI job, in Markdown on standard output: the failure\n"
    "rate with its 95 % interval, the unusual runs and the first finding of each. If\n"
    "$GITHUB_STEP_SUMMARY is set, the summary is also appended to the file that it\n"
    "names. A run is unusual if it failed or its score is above 1. Exit status: 0; 3\n"
    "if --fail-on says so; 1 failure.";

enum fail_on { FAILED, UNUSUAL, NEVER };
enum { RUNS = 20 }; /* shown in full in the page, as by roxi report */

struct request {
    const char *campaign;
    struct roxi_sheet_options sheet;
    struct roxi_output_options output;
    struct own {
        enum fail_on fail_on;
        const char *junit, *report; /* NULL: not wanted */
    } own;
};

/* ---- the files ---- */

/* Beside the summary; opened before the work starts, like the other outputs. */
struct files {
    struct roxi_output junit, report;
    struct roxi_step step;
};

static int open_files(struct files *f, const struct own *own, struct ix_error *err)
{
    if (own->junit && roxi_output_open(&f->junit, own->junit, err) != 0)
        return -1;
    if (own->report && roxi_output_open(&f->report, own->report, err) != 0)
        return -1;
    return roxi_step_open(&f->step, err);
}

static int commit_files(struct files *f, const struct own *own, struct ix_error *err)
{
    if (own->junit && roxi_output_commit(&f->junit, err) != 0)
        return -1;
    if (own->report && roxi_output_commit(&f->report, err) != 0)
        return -1;
    return roxi_step_close(&f->step, err);
}

static void abandon_files(struct files *f)
{
    roxi_output_abandon(&f->junit);
    roxi_output_abandon(&f->report);
    roxi_step_abandon(&f->step);
}

/* ---- the work ---- */

static int write_summary(struct roxi_result *out, struct files *f, const struct roxi_sheet *s,
                         const char *campaign, struct ix_error *err)
{
    char *text = roxi_ci_summary(s, campaign, err);
    if (!text)
        return -1;
    fputs(text, out->data.stream);
    roxi_step_add(&f->step, text);
    free(text);
    return 0;
}

static int write_all(struct roxi_result *out, struct files *f, const struct request *q,
                     const struct roxi_sheet *s, struct ix_error *err)
{
    if (q->own.junit &&
        roxi_ci_junit(f->junit.stream, s, q->campaign, q->own.fail_on == UNUSUAL, err) != 0)
        return -1;
    if (q->own.report && roxi_page_write(f->report.stream, s, err) != 0)
        return -1;
    if (write_summary(out, f, s, q->campaign, err) != 0 || commit_files(f, &q->own, err) != 0)
        return -1;
    return roxi_result_commit(out, "ci", s->origin, err);
}

static int work(struct roxi_result *out, struct files *f, const struct request *q,
                struct ix_error *err)
{
    struct roxi_sheet_options options = q->sheet;
    struct roxi_sheet sheet;
    struct roxi_statement stated = {0};
    options.most = RUNS;
    if (roxi_sheet_make(&sheet, q->campaign, &options, err) != 0)
        return -1;
    roxi_state_loading(&stated, &q->sheet.load);
    roxi_state_ranking(&stated, &q->sheet.ranking);
    const struct roxi_origin origin = roxi_origin_of(q->campaign, &stated, sheet.profiles);
    sheet.origin = &origin;
    const int result = write_all(out, f, q, &sheet, err);
    const bool fails =
        (q->own.fail_on == FAILED && sheet.failed) || (q->own.fail_on == UNUSUAL && sheet.unusual);
    roxi_sheet_free(&sheet);
    return result != 0 ? -1 : fails ? ROXI_UNUSUAL : ROXI_OK;
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    const struct request *q = request;
    struct files files = {.step.out = NULL};
    const int result = open_files(&files, &q->own, err) == 0 ? work(out, &files, q, err) : -1;
    abandon_files(&files);
    return result;
}

/* ---- options ---- */

static const struct ix_option own_rows[] = {
    {
        .type = IX_OPTION_WORD,
        .name = "fail-on",
        .value = "WHEN",
        .help =
            "when to exit with 3: failed: if a run failed; unusual: also if one is unusual; never",
        .preset = "failed",
        .words = "failed|unusual|never", /* in the order of enum fail_on */
        .offset = offsetof(struct own, fail_on),
    },
    {
        .type = IX_OPTION_TEXT,
        .name = "junit-out",
        .value = "FILE",
        .help = "also write a JUnit XML report with a testcase for each run; with --fail-on "
                "unusual, unusual runs are failures",
        .offset = offsetof(struct own, junit),
    },
    {
        .type = IX_OPTION_TEXT,
        .name = "report",
        .value = "FILE",
        .help = "also write the page of 'roxi report', to be kept as an artifact",
        .offset = offsetof(struct own, report),
    },
};

static int complete(void *request, struct ix_error *err)
{
    const struct request *q = request;
    const char *const files[] = {q->own.junit, q->own.report, q->output.output,
                                 q->output.provenance};
    enum { FILES = sizeof files / sizeof *files };
    for (size_t i = 1; i < FILES; i++)
        for (size_t k = 0; k < i; k++)
            if (files[i] && files[k] && strcmp(files[i], files[k]) == 0)
                return ix_fail(err, "two options name the same file, '%s'", files[i]);
    return 0;
}

int roxi_cmd_ci(int argc, char **argv, struct ix_error *err)
{
    struct request q = {.sheet.load = roxi_default_load()};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(own_rows, &q.own),
        roxi_ranking_rows(&q.sheet.ranking),
        roxi_output_rows(&q.output),
        roxi_load_rows(&q.sheet.load),
        roxi_memlimit_rows(),
        {0},
    };
    const struct roxi_command command = {.name = "ci",
                                         .about = about,
                                         .groups = groups,
                                         .request = &q,
                                         .arguments = {&q.campaign},
                                         .output = &q.output,
                                         .complete = complete,
                                         .run = run};
    return roxi_command(&command, argc, argv, err);
}
