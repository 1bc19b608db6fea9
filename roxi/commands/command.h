/* SPDX-License-Identifier: Apache-2.0 */
/* The course of a command that reads campaigns and writes one result. */
#ifndef ROXI_COMMAND_H
#define ROXI_COMMAND_H

#include "roxi/commands/options.h"

enum { ROXI_ARGUMENTS = 2 };

struct roxi_command {
    const char *name, *about;
    const char *after;                    /* printed below the options; NULL: nothing */
    const struct ix_option_group *groups; /* all of its options */
    void *request;                        /* what the groups fill in, for the functions below */
    const char *args;                     /* its arguments, as --help names them; NULL: CAMPAIGN */
    const char **arguments[ROXI_ARGUMENTS]; /* in the request: get the arguments, in order; NULL
                                               ends the list */
    bool of_run;                            /* the arguments are CAMPAIGN and RUN */
    size_t optional; /* how many of the last ones can be left out, and are NULL then */
    const struct roxi_output_options *output; /* in the request */
    /* Completes and checks options that depend on others. 0, or -1 with a message: wrong use. NULL:
     * there is nothing to check. */
    int (*complete)(void *request, struct ix_error *err);
    /* Does the work and commits the result. Returns the exit status, or -1 with a message. */
    int (*run)(struct roxi_result *out, void *request, struct ix_error *err);
};

/* Parses the options, opens the output before the work starts, works, and discards the output
 * unless it was committed. Returns the exit status. */
int roxi_command(const struct roxi_command *c, int argc, char **argv, struct ix_error *err);

#endif
