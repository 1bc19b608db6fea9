/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of both programs: tables of typed rows from which options are parsed and --help is
 * printed, in the same way everywhere.
 *
 * A command lists groups. A group is a table of rows and the struct that its rows fill in, so each
 * module has its own struct and commands that share options share a group. Rows are constants; text
 * values point into argv.
 */
#ifndef IX_OPTIONS_H
#define IX_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/base/error.h"

enum ix_option_type {
    IX_OPTION_FLAG,   /* takes no value; a bool at `offset` becomes true */
    IX_OPTION_TEXT,   /* const char *: the value, which must not be empty */
    IX_OPTION_COUNT,  /* size_t: a decimal number from `min` to `max` */
    IX_OPTION_WORD,   /* int or enum: the value's place among `words`, from 0 */
    IX_OPTION_SWITCH, /* bool: whether the value is the second of two `words` */
    IX_OPTION_CHOICE, /* takes no value; an int or enum becomes `min` */
    IX_OPTION_CALL,   /* `set` reads the value; NULL if `value` is NULL */
};

struct ix_option {
    enum ix_option_type type;
    const char *name;   /* without "--" */
    char letter;        /* 0: none */
    const char *value;  /* its name in --help; NULL: takes none, or is one of `words` */
    const char *help;   /* one paragraph; wrapped when printed */
    const char *preset; /* the default, as --help shows it; NULL: none is shown */
    size_t offset;      /* in the group's struct */
    const char *words;  /* separated by '|' */
    size_t min, max;
    /* 0, or -1 with what is wrong with the value; the caller prepends the option's name. */
    int (*set)(void *target, const char *value, struct ix_error *err);
};

struct ix_option_group {
    const struct ix_option *rows;
    size_t count;
    void *target; /* the struct that the rows fill in, holding the defaults; NULL ends a list */
};

/* The group of a table of rows. */
#define IX_OPTION_GROUP(table, to)                                                                 \
    (struct ix_option_group)                                                                       \
    {                                                                                              \
        .rows = (table), .count = sizeof(table) / sizeof *(table), .target = (to)                  \
    }

struct ix_command_line {
    const char *program, *command; /* as in "roxi", "rank" */
    const char *args;              /* as in "CAMPAIGN"; may have several lines */
    size_t args_min, args_max;
    bool command_follows; /* options end at the first argument, which begins another program's
                             command line */
    const char *about;    /* printed below the usage line, as it is; at most 80 columns */
    const char *after;    /* printed at the end, as it is; NULL: nothing */
    const struct ix_option_group *groups; /* ends with one whose target is NULL */
};

/* Shells that complete command lines (packaging/completion) ask for this, as the only word behind a
 * command or a program; --help does not show it. A line an item, three fields separated by tabs:
 *   of a program   COMMAND or OPTION, "-", purpose
 *   of a command   first the command itself, its arguments as --help names them, "-";
 *                  then OPTION (its letter on a line of its own), its value, help
 * "-": no argument or value. A value is one of words separated by '|', or a name such as FILE. */
#define IX_COMPLETE "--complete"

enum ix_parsed {
    IX_PARSED_ARGS,  /* go on */
    IX_PARSED_HELP,  /* --help or IX_COMPLETE was printed to standard output */
    IX_PARSED_WRONG, /* wrong use: a message that ends with how to get help */
    IX_PARSED_STUCK, /* standard output or memory failed: a message */
};

/* Parses argv (argv[0] is the command) and permutes it; *args: the arguments that are not options,
 * ending with NULL. If an option is repeated the last one wins. Long options are not abbreviated.
 */
enum ix_parsed ix_options_parse(const struct ix_command_line *line, int argc, char **argv,
                                char ***args, struct ix_error *err);

/* Adds to a message about wrong use how to get help. */
void ix_option_hint(const char *program, const char *command, struct ix_error *err);

/* How many arguments there are before the NULL that ends them. */
size_t ix_count_args(char *const *args);

/* The place of `value` among words separated by '|', from 0; -1 with a message that lists them. */
int ix_option_word(const char *value, const char *words, struct ix_error *err);
/* A decimal number. 0, or -1 with a message. */
int ix_option_count(const char *value, size_t min, size_t max, size_t *out, struct ix_error *err);

#endif
