/* roxi: compares whole executions of a distributed Java system and names the unusual ones.
 * Picks the command, and is the one place that prints errors. */
#include <stdio.h>
#include <string.h>

#include "roxi/command.h"
#include "roxi/interrupt.h"
#include "roxi/text_escape.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv, struct ix_error *err);
    const char *about;
};

static const struct command commands[] = {
    {"import", roxi_cmd_import, "take executions in the original text layout into a campaign"},
    {"matrix", roxi_cmd_matrix, "distances between all executions, or their counts"},
    {"cluster", roxi_cmd_cluster, "group similar executions"},
    {"medoids", roxi_cmd_medoids, "name the typical execution of each cluster"},
    {"sample", roxi_cmd_sample, "choose executions to look at from the clusters"},
    {"next", roxi_cmd_next, "name the next execution worth looking at"},
    {"evaluate", roxi_cmd_evaluate, "how well clusters find failures that are known"},
    {"rank", roxi_cmd_rank, "list the executions, most unusual first"},
    {"distance", roxi_cmd_distance, "distance between two call stacks"},
    {"export", roxi_cmd_export, "write call stacks in other programs' formats"},
    {"dump", roxi_cmd_dump, "print a trace log as a thread dump"},
    {"rules", roxi_cmd_rules, "print or check the rules that make unstable names equal"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
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
           "Exit status: 0 done, 1 failure, 2 wrong use, 130 interrupted.\n");
    return fflush(stdout) == 0 ? ROXI_OK : ix_fail(err, "cannot write standard output");
}

/* The help asked for was not written: a full disk or a closed pipe must not look like success. */
static int finish(int status, const char *command, const struct ix_error *err)
{
    if (status == ROXI_OK)
        return ROXI_OK;
    fprintf(stderr, "roxi%s%s: ", command ? " " : "", command ? command : "");
    text_print(stderr, err->text);
    fputc('\n', stderr);
    if (status == ROXI_USAGE)
        fprintf(stderr, "try 'roxi%s%s --help'\n", command ? " " : "", command ? command : "");
    if (status == ROXI_USAGE)
        return ROXI_USAGE;
    return roxi_interrupted() ? ROXI_INTERRUPTED : ROXI_FAILED;
}

int main(int argc, char **argv)
{
    struct ix_error err = {.text = ""};
    if (argc < 2) {
        ix_fail(&err, "which command?");
        return finish(ROXI_USAGE, NULL, &err);
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return finish(print_help(&err), NULL, &err);
    if (strcmp(name, "--version") == 0) {
        printf("roxi %s\n", IXOR_VERSION);
        return fflush(stdout) == 0 ? ROXI_OK : ROXI_FAILED;
    }
    const struct command *command = find(name);
    if (!command) {
        ix_fail(&err, "there is no command '%s'", name);
        return finish(ROXI_USAGE, NULL, &err);
    }
    return finish(command->run(argc - 1, argv + 1, &err), command->name, &err);
}
