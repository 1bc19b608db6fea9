/* roxi: compares whole executions of a distributed Java system and names the unusual ones.
 * Picks the command, and is the one place that prints errors. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "roxi/command.h"
#include "roxi/interrupt.h"
#include "roxi/ranks.h"
#include "roxi/text_escape.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv, struct ix_error *err);
    const char *about;
    bool shared; /* several ranks (ranks.h) do it together */
};

static const struct command commands[] = {
    {"import", roxi_cmd_import, "take executions in the original text layout into a campaign", false},
    {"matrix", roxi_cmd_matrix, "distances between all executions, or their counts", true},
    {"cluster", roxi_cmd_cluster, "group similar executions", true},
    {"medoids", roxi_cmd_medoids, "name the typical execution of each cluster", true},
    {"sample", roxi_cmd_sample, "choose executions to look at from the clusters", true},
    {"next", roxi_cmd_next, "name the next execution worth looking at", false},
    {"evaluate", roxi_cmd_evaluate, "how well clusters find failures that are known", false},
    {"rank", roxi_cmd_rank, "list the executions, most unusual first", false},
    {"check", roxi_cmd_check, "list those that are unusual beside a campaign of good ones", false},
    {"distance", roxi_cmd_distance, "distance between two call stacks", false},
    {"export", roxi_cmd_export, "write call stacks in other programs' formats", false},
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

/* What was asked for must be written: a full disk or a closed pipe must not look like success. */
static int printed(struct ix_error *err)
{
    if (fflush(stdout) == 0)
        return ROXI_OK;
    ix_fail(err, "cannot write standard output");
    return ROXI_FAILED;
}

static int print_help(struct ix_error *err)
{
    printf("Usage: roxi COMMAND [OPTION]... CAMPAIGN\n"
           "Compares the executions of a campaign (a directory that 'ixor run' or\n"
           "'roxi import' made) and names the unusual ones. Start with:\n"
           "    roxi rank CAMPAIGN\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].about);
    printf("\n'roxi COMMAND --help' tells the options; --version the version.\n"
           "Exit status: 0 done, 1 failure, 2 wrong use, 3 check found unusual executions,\n"
           "130 interrupted.\n");
    return printed(err);
}

static void print_error(int status, const char *command, const struct ix_error *err)
{
    fprintf(stderr, "roxi%s%s: ", command ? " " : "", command ? command : "");
    text_print(stderr, err->text);
    fputc('\n', stderr);
    if (status == ROXI_USAGE)
        fprintf(stderr, "try 'roxi%s%s --help'\n", command ? " " : "", command ? command : "");
}

static int finish(int status, const char *command, const struct ix_error *err)
{
    if (status != ROXI_OK && status != ROXI_UNUSUAL)
        print_error(status, command, err);
    if (status == ROXI_FAILED && roxi_interrupted())
        status = ROXI_INTERRUPTED;
    return roxi_ranks_end(status, command, err->text);
}

static int run(int argc, char **argv, struct ix_error *err, const char **name)
{
    if (argc < 2) {
        ix_fail(err, "which command?");
        return ROXI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return print_help(err);
    if (strcmp(argv[1], "--version") == 0) {
        printf("roxi %s\n", IXOR_VERSION);
        return printed(err);
    }
    const struct command *command = find(argv[1]);
    if (!command) {
        ix_fail(err, "there is no command '%s'", argv[1]);
        return ROXI_USAGE;
    }
    *name = command->name;
    if (!command->shared && roxi_ranks_count() > 1) {
        ix_fail(err, "this is no work for several ranks; start it without mpirun");
        return ROXI_USAGE;
    }
    return command->run(argc - 1, argv + 1, err);
}

int main(int argc, char **argv)
{
    struct ix_error err = {.text = ""};
    const char *name = NULL;
    const int started = roxi_ranks_start(argc, argv, &err);
    if (started > 0)
        return ROXI_OK;
    const int status = started < 0 ? ROXI_USAGE : run(argc, argv, &err, &name);
    return finish(status, name, &err);
}
