/* SPDX-License-Identifier: Apache-2.0 */
/* ixor: samples all JVMs of a distributed Java system at numbered instants. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "schema/commandline/commands.h"
#include "schema/commandline/options.h"
#include "server/base/command.h"
#include "server/base/units.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv, struct ix_error *err);
    const char *purpose;
} commands[] = {
    {"run", ixor_cmd_run, "run a command N times and sample every JVM that it starts"},
    {"serve", ixor_cmd_serve, "sample JVMs that something else starts"},
    {"attach", ixor_cmd_attach, "sample a JVM that is already running, or change its settings"},
    {"detach", ixor_cmd_detach, "stop sampling a JVM and take the agent out"},
    {"snapshot", ixor_cmd_snapshot, "take one packet now"},
    {"mark", ixor_cmd_mark, "note a text beside the last packet sent"},
    {"pause", ixor_cmd_pause, "stop a running server from sending packets"},
    {"resume", ixor_cmd_resume, "let a paused server send packets again"},
    {"collect", ixor_cmd_collect, "bring in trace logs that did not arrive by themselves"},
    {"status", ixor_cmd_status, "show the runs and JVMs of a campaign, losses, stops and skew"},
    {"top", ixor_cmd_top, "show a campaign live in a terminal"},
    {"label", ixor_cmd_label, "record whether a run passed or failed"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static void help(void)
{
    puts("ixor " IXOR_VERSION ": records the call stacks of all JVMs of a system at the same\n"
         "instants, run after run; roxi then finds the unusual runs.\n"
         "\n"
         "Usage: ixor COMMAND [OPTION...] [ARG...]\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-9s %s\n", commands[i].name, commands[i].purpose);
    puts("\n"
         "  ixor COMMAND --help    a command's options\n"
         "  ixor --version         the version\n"
         "\n"
         "To begin with:\n"
         "  ixor run --runs 20 --out campaign -- ./my-test.sh\n"
         "  roxi rank campaign\n"
         "\n"
         "Exit status: 0 done; 1 failure; 2 wrong use; 128 + N ended by signal N, as in 130\n"
         "after Ctrl-C.");
}

/* For completion: IX_COMPLETE says in what form. */
static void list(void)
{
    for (size_t i = 0; i < COMMANDS; i++)
        printf("%s\t-\t%s\n", commands[i].name, commands[i].purpose);
    puts("--help\t-\tprint the commands\n--version\t-\tprint the version");
}

static int finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("ixor: cannot write standard output");
        return status == IXOR_OK ? IXOR_FAILED : status;
    }
    return status;
}

static int refuse(const char *name)
{
    const char *names[COMMANDS];
    struct ix_error err;
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    ix_fail_unknown_command("ixor", name, names, COMMANDS, &err);
    ixor_safe_text(err.text, err.text, sizeof err.text);
    fprintf(stderr, "ixor: %s\n", err.text);
    return IXOR_USAGE;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file at its size limit fails its write; ixor goes on */
    if (argc < 2) {
        fputs("ixor: no command given; try 'ixor --help'\n", stderr);
        return IXOR_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        help();
        return finish(IXOR_OK);
    }
    if (strcmp(name, IX_COMPLETE) == 0) {
        list();
        return finish(IXOR_OK);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        puts("ixor " IXOR_VERSION);
        return finish(IXOR_OK);
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(name, commands[i].name) != 0)
            continue;
        struct ix_error err = {""};
        int status = commands[i].run(argc - 1, argv + 1, &err);
        ixor_safe_text(err.text, err.text, sizeof err.text);
        if (err.text[0] && status != IXOR_OK)
            fprintf(stderr, "ixor %s: %s\n", name, err.text);
        return finish(status == IXOR_HELPED ? IXOR_OK : status);
    }
    return refuse(name);
}
