/* SPDX-License-Identifier: Apache-2.0 */
/* ixor label: sets or removes a user's verdict on a run. */
#include "schema/catalogue/catalogue.h"
#include "server/base/command.h"
#include "server/base/units.h"
#include "server/commands/common_options.h"
#include "server/junit/report.h"

static const char about[] =
    "Records whether a run of the campaign DIR passed or failed, whatever its\n"
    "command's exit status was, or that this is unknown. 'ixor status DIR' lists the\n"
    "runs. With --junit: the run failed if a test failed in one of the reports.";

struct options {
    bool junit;
};

/* Keeps which test failed, or passed only when tried again, as a mark after the run's last packet.
 */
static int mark(struct ix_catalogue *c, const char *run, const struct ixor_junit *sum,
                struct ix_error *err)
{
    char text[IXOR_JUNIT_TEXT];
    struct ix_mark mark = {.at_ns = ixor_wall_ns(), .text = text};
    struct ix_recent_packet none;
    int64_t next;
    ixor_junit_words(sum, text, sizeof text);
    if (ix_catalogue_find_execution(c, run, &mark.execution, err) < 0 ||
        ix_catalogue_packet(c, mark.execution, INT64_MAX, &none, &mark.packet, &next, err) < 0)
        return -1;
    return ix_catalogue_add_mark(c, &mark, err);
}

static int label(const char *dir, const char *run, enum ix_verdict verdict,
                 const struct ixor_junit *sum, struct ix_error *err)
{
    struct ix_catalogue *c = ix_catalogue_open(dir, IX_CATALOGUE_WRITE, err);
    int bad = !c || ix_catalogue_label(c, run, verdict, err) != 0;
    if (!bad && ixor_junit_notable(sum))
        bad = mark(c, run, sum, err);
    ix_catalogue_close(c);
    return bad ? IXOR_FAILED : IXOR_OK;
}

/* Nothing is labelled if a report cannot be read. */
static int label_by_reports(char **args, struct ix_error *err)
{
    struct ixor_junit sum = {0};
    for (char **file = args + 2; *file; file++) {
        if (ixor_junit_read_file(&sum, *file, err) != 0)
            return IXOR_FAILED;
    }
    return label(args[0], args[1], sum.failed ? IX_VERDICT_FAILED : IX_VERDICT_PASSED, &sum, err);
}

int ixor_cmd_label(int argc, char **argv, struct ix_error *err)
{
    static const enum ix_verdict verdicts[] = {IX_VERDICT_PASSED, IX_VERDICT_FAILED,
                                               IX_VERDICT_UNKNOWN};
    static const struct ix_option rows[] = {
        {IX_OPTION_FLAG, "junit",
         .help = "FILEs are JUnit XML reports of the run; which test failed, or passed only when "
                 "tried again, is kept as a mark",
         .offset = offsetof(struct options, junit)},
    };
    struct options o = {0};
    const struct ix_option_group groups[] = {IX_OPTION_GROUP(rows, &o), {.target = NULL}};
    const struct ix_command_line line = {
        .program = "ixor",
        .command = "label",
        .args = "DIR RUN passed|failed|unknown\n       ixor label DIR RUN --junit FILE...",
        .args_max = SIZE_MAX,
        .about = about,
        .groups = groups,
    };
    char **args;
    const int parsed = ixor_parse_options(&line, argc, argv, &args, err);
    if (parsed != IXOR_OK)
        return parsed;
    const size_t count = ix_count_args(args);
    if (count < 3 || (count > 3 && !o.junit)) {
        ix_fail(err, "expected DIR RUN %s", o.junit ? "FILE..." : "passed|failed|unknown");
        return ixor_wrong_use(&line, err);
    }
    if (o.junit)
        return label_by_reports(args, err);
    const int place = ix_option_word(args[2], "passed|failed|unknown", err);
    if (place < 0)
        return ixor_wrong_use(&line, err);
    return label(args[0], args[1], verdicts[place], &(struct ixor_junit){0}, err);
}
