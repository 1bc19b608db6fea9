/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/run_options.h"

#include "server/base/command.h"
#include "server/base/units.h"
#include "server/junit/find.h"
#include "server/sampling/lead.h"

#define TIMEOUT_DEFAULT_NS 60000000000u
#define RUNS_MAX 1000000u

static const char about[] =
    "Runs COMMAND and samples every JVM that it starts, directly or indirectly. A run\n"
    "passes if COMMAND exits with status 0 and no test failed in the reports that\n"
    "--junit names. Processes that COMMAND leaves running are ended. DIR gets the\n"
    "catalogue, the trace logs and COMMAND's output; a later call with the same DIR\n"
    "adds runs to it.\n"
    "\n"
    "With --tests COMMAND is a build, as in 'ixor run --tests -- mvn test': its JUnit\n"
    "tests are the runs, its output is shown, and its exit status is that of ixor.\n"
    "JVMs that a test starts are not recorded: if they matter, leave out --tests and\n"
    "run one test, as in 'ixor run --runs 30 -- mvn test -Dtest=ShopIT'.";

static const char after[] =
    "TIME has a unit: us, ms, s or m. COMMAND gets IXOR_RUN (1, 2, ... within this\n"
    "call), IXOR_EXECUTION, IXOR_RUN_DIR and IXOR_SERVER in its environment, and\n"
    "JAVA_TOOL_OPTIONS, extended by the agent. A script that clears that variable\n"
    "hides its JVMs.\n"
    "\n"
    "Exit status: 0, even if runs failed; 1 when data is missing, no JVM took a\n"
    "snapshot, or COMMAND could not be started; 2 after wrong use; 128 + N when\n"
    "signal N ended it, as in 130 after Ctrl-C. With --tests: COMMAND's own.\n"
    "\n"
    "Example:  ixor run --runs 20 --out campaign -- ./my-test.sh";

static int set_timeout(void *target, const char *value, struct ix_error *err)
{
    struct ixor_run_options *o = target;
    if (ixor_parse_duration(value, &o->timeout_ns, err) != 0)
        return -1;
    return o->timeout_ns ? 0 : ix_fail(err, "'%s' leaves COMMAND no time", value);
}

static int set_junit(void *target, const char *value, struct ix_error *err)
{
    struct ixor_run_options *o = target;
    o->junit = value;
    return ixor_find_check(value, err);
}

static int set_until(void *target, const char *value, struct ix_error *err)
{
    struct ixor_run_options *o = target;
    return ixor_until_parse(value, &o->until, err);
}

static int set_disturb(void *target, const char *value, struct ix_error *err)
{
    struct ixor_run_options *o = target;
    return ixor_disturbance_parse(value, &o->disturb, err);
}

#define FIELD(name) offsetof(struct ixor_run_options, name)

static const struct ix_option rows[] = {
    {IX_OPTION_COUNT, "runs", .value = "N", .help = "run COMMAND N times", .preset = "1",
     .offset = FIELD(runs), .min = 1, .max = RUNS_MAX},
    {IX_OPTION_CALL, "until", .value = "failed|N-failed|TIME",
     .help =
         "begin no further run once one has failed, N have, or TIME has passed; --runs, if given, "
         "is the limit",
     .set = set_until},
    {IX_OPTION_CALL, "disturb", .value = "WHAT[,WHAT...]",
     .help =
         "make rare failures frequent: cpu=25% gives COMMAND less processor, hogs=4 starts busy "
         "processes beside it, pause stops one of its JVMs at a time for 5 to 200 ms",
     .set = set_disturb},
    {IX_OPTION_COUNT, "disturb-every", .value = "N",
     .help = "disturb only every Nth run; with 2, undisturbed and disturbed runs take turns",
     .preset = "1", .offset = FIELD(disturb_every), .min = 1, .max = RUNS_MAX},
    {IX_OPTION_CALL, "timeout", .value = "TIME",
     .help = "end a run that takes longer, and label it failed", .preset = "60s; none with --tests",
     .set = set_timeout},
    {IX_OPTION_TEXT, "out", .value = "DIR", .help = "the campaign's directory",
     .preset = "ixor-campaign", .offset = FIELD(out)},
    {IX_OPTION_FLAG, "show-output",
     .help = "show COMMAND's output instead of keeping it in DIR/runs/NAME/output.txt; with "
             "--json on standard error",
     .offset = FIELD(show_output)},
    {IX_OPTION_CALL, "junit", .value = "GLOB",
     .help =
         "also read the verdict from JUnit XML reports that match and were written during the run, "
         "as in '**/surefire-reports/TEST-*.xml'; quote it",
     .set = set_junit},
    {IX_OPTION_FLAG, "no-coverage",
     .help =
         "do not record which code is executed: a program that is busy all the time takes about "
         "15 % more of the processor with it",
     .offset = FIELD(no_coverage)},
};

/* Checks that need all options. */
static int check_tests(const struct ixor_run_options *o, struct ix_error *err)
{
    if (ixor_tests_check(&o->tests, err) != 0)
        return -1;
    if (!o->tests.wanted)
        return 0;
    if (o->junit)
        return ix_fail(err, "options --tests and --junit exclude each other: with --tests each "
                            "test has its own verdict");
    if (ixor_until_given(&o->until))
        return ix_fail(err, "options --tests and --until exclude each other: the runs are tests; "
                            "--runs N repeats COMMAND");
    if (ixor_disturbance_any(&o->disturb))
        return ix_fail(err,
                       "options --tests and --disturb exclude each other: what is disturbed is "
                       "a run of COMMAND");
    return 0;
}

static int check_disturb(const struct ixor_run_options *o, struct ix_error *err)
{
    if (o->disturb_every > 1 && !ixor_disturbance_any(&o->disturb))
        return ix_fail(err,
                       "--disturb-every has nothing to disturb runs with; give --disturb, too");
    return 0;
}

int ixor_run_options_parse(struct ixor_run_options *o, int argc, char **argv, struct ix_error *err)
{
    *o = (struct ixor_run_options){
        .disturb_every = 1, .lead.ns = IXOR_LEAD_AUTO, .out = "ixor-campaign"};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(rows, o),      ixor_tests_group(&o->tests),
        ixor_rhythm_group(&o->rhythm), ixor_lead_group(&o->lead),
        ixor_http_group(&o->http),     ixor_agent_group(&o->agent),
        ixor_json_group(&o->json),     {.target = NULL},
    };
    const struct ix_command_line line = {
        .program = "ixor",
        .command = "run",
        .args = "COMMAND [ARG...]",
        .args_min = 1,
        .args_max = SIZE_MAX,
        .command_follows = true,
        .about = about,
        .after = after,
        .groups = groups,
    };
    const int parsed = ixor_parse_options(&line, argc, argv, &o->command, err);
    if (parsed != IXOR_OK)
        return parsed;
    o->runs_given = o->runs > 0;
    if (!o->runs_given)
        o->runs = ixor_until_given(&o->until) ? RUNS_MAX : 1;
    if (!o->timeout_ns && !o->tests.wanted)
        o->timeout_ns = TIMEOUT_DEFAULT_NS;
    if (check_disturb(o, err) != 0 || check_tests(o, err) != 0)
        return ixor_wrong_use(&line, err);
    o->rhythm.pauses = o->disturb.pause;
    o->rhythm.of_tests = o->tests.wanted;
    const int status = ixor_rhythm_finish(&o->rhythm, err);
    return status == IXOR_USAGE ? ixor_wrong_use(&line, err) : status;
}
