/* SPDX-License-Identifier: Apache-2.0 */
/* roxi: compares complete runs of a distributed Java system and lists the unusual ones.
 * Dispatches to the command; only main prints errors. */
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "roxi/base/interrupt.h"
#include "roxi/base/output.h"
#include "roxi/base/text_escape.h"
#include "roxi/commands/commands.h"
#include "roxi/mpi/mpi.h"
#include "schema/commandline/commands.h"
#include "schema/commandline/options.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv, struct ix_error *err);
    const char *about;
    bool shared; /* several processes (mpi.h) share the work */
};

static const struct command commands[] = {
    {"import", roxi_cmd_import,
     "make a campaign from thread dumps, or add runs of the original Ixor", false},
    {"merge", roxi_cmd_merge, "make one campaign of several, such as shards of a CI job", false},
    {"baseline", roxi_cmd_baseline, "write a campaign of good runs to one small file", false},
    {"matrix", roxi_cmd_matrix, "print the distances between all runs, or their counts", true},
    {"cluster", roxi_cmd_cluster, "group similar runs", true},
    {"medoids", roxi_cmd_medoids, "list the typical run of each cluster", true},
    {"sample", roxi_cmd_sample, "choose runs to inspect from the clusters", true},
    {"next", roxi_cmd_next, "print the next run worth inspecting", false},
    {"evaluate", roxi_cmd_evaluate, "say how well clusters find known failures", false},
    {"rank", roxi_cmd_rank, "list the runs, most unusual first", false},
    {"explain", roxi_cmd_explain, "say why a run is unusual: who, where in the code, since when",
     false},
    {"report", roxi_cmd_report, "say what is unusual in a campaign, on a screen or as a page",
     false},
    {"diff", roxi_cmd_diff, "say how the runs of two campaigns differ", false},
    {"check", roxi_cmd_check, "list runs that are unusual compared with good ones", false},
    {"ci", roxi_cmd_ci, "summarise a campaign for a CI job, and fail by a policy", false},
    {"distance", roxi_cmd_distance, "print the distance between two call stacks", false},
    {"export", roxi_cmd_export, "write call stacks in other programs' formats", false},
    {"waits", roxi_cmd_waits, "say who waits for whom in a run, across JVMs", false},
    {"dump", roxi_cmd_dump, "print a trace log as a thread dump", false},
    {"rules", roxi_cmd_rules, "print or check the rules that make unstable names equal", false},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int fail_unknown(const char *name, struct ix_error *err)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    ix_fail_unknown_command("roxi", name, names, COMMANDS, err);
    return ROXI_USAGE;
}

/* A full disk or a closed pipe must not look like success. */
static int printed(struct ix_error *err)
{
    if (fflush(stdout) == 0)
        return ROXI_OK;
    ix_fail(err, "cannot write to standard output");
    return ROXI_FAILED;
}

static int print_help(struct ix_error *err)
{
    printf("Usage: roxi COMMAND [OPTION...] CAMPAIGN\n"
           "Compares the runs of a campaign (a directory that 'ixor run' or 'roxi import'\n"
           "created) and lists the unusual ones. Start with:\n"
           "    roxi rank CAMPAIGN\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].about);
    printf("\n'roxi COMMAND --help' lists the options of a command; 'roxi --version' prints the\n"
           "version. Exit status: 0 done, 1 failure, 2 wrong use, 3 unusual or failed runs\n"
           "(check, ci), 130 interrupted.\n");
    return printed(err);
}

/* For completion: IX_COMPLETE says in what form. */
static int print_list(struct ix_error *err)
{
    for (size_t i = 0; i < COMMANDS; i++)
        printf("%s\t-\t%s\n", commands[i].name, commands[i].about);
    puts("--help\t-\tprint the commands\n--version\t-\tprint the version");
    return printed(err);
}

static void print_error(const char *command, const struct ix_error *err)
{
    fprintf(stderr, "roxi%s%s: ", command ? " " : "", command ? command : "");
    text_print(stderr, err->text);
    fputc('\n', stderr);
}

static int finish(int status, const char *command, const struct ix_error *err)
{
    if (status != ROXI_OK && status != ROXI_UNUSUAL)
        print_error(command, err);
    if (status == ROXI_FAILED && roxi_interrupted())
        status = ROXI_INTERRUPTED;
    return roxi_mpi_end(status, command, err->text);
}

static int run(int argc, char **argv, struct ix_error *err, const char **name)
{
    if (argc < 2) {
        ix_fail(err, "a command is needed; try 'roxi --help'");
        return ROXI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return print_help(err);
    if (strcmp(argv[1], IX_COMPLETE) == 0)
        return print_list(err);
    if (strcmp(argv[1], "--version") == 0) {
        printf("roxi %s\n", IXOR_VERSION);
        return printed(err);
    }
    const struct command *command = find(argv[1]);
    if (!command)
        return fail_unknown(argv[1], err);
    *name = command->name;
    if (!command->shared && roxi_mpi_processes() > 1) {
        ix_fail(err, "this command runs in one process; start it without mpirun");
        return ROXI_USAGE;
    }
    return command->run(argc - 1, argv + 1, err);
}

int main(int argc, char **argv)
{
    struct ix_error err = {.text = ""};
    const char *name = NULL;
    signal(SIGXFSZ, SIG_IGN); /* beyond the file size limit, writes fail instead */
    const int started = roxi_mpi_start(argc, argv, &err);
    if (started > 0)
        return ROXI_OK;
    if (roxi_mpi_process() != 0)
        roxi_output_discard(); /* only process 0 writes */
    const int status = started < 0 ? ROXI_USAGE : run(argc, argv, &err, &name);
    return finish(status, name, &err);
}
