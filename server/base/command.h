/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of ixor: one function each, listed in main.c's table.
 *
 * A command gets its own argc and argv (argv[0] is its name), prints data to stdout and everything
 * else to stderr, and returns the program's exit status. When it returns IXOR_FAILED or IXOR_USAGE
 * it leaves a message in *err, which main prints unless it is empty; a command prints no errors
 * itself.
 */
#ifndef IXOR_COMMAND_H
#define IXOR_COMMAND_H

#include "schema/base/error.h"

/* A command ended by a signal returns 128 + the signal's number; one that only printed its --help
 * may return IXOR_HELPED, which is success. */
enum ixor_status {
    IXOR_HELPED = -1,
    IXOR_OK = 0,
    IXOR_FAILED = 1,
    IXOR_USAGE = 2,
    IXOR_SIGNAL = 128
};

int ixor_cmd_run(int argc, char **argv, struct ix_error *err);
int ixor_cmd_serve(int argc, char **argv, struct ix_error *err);
int ixor_cmd_attach(int argc, char **argv, struct ix_error *err);
int ixor_cmd_detach(int argc, char **argv, struct ix_error *err);
int ixor_cmd_snapshot(int argc, char **argv, struct ix_error *err);
int ixor_cmd_mark(int argc, char **argv, struct ix_error *err);
int ixor_cmd_pause(int argc, char **argv, struct ix_error *err);
int ixor_cmd_resume(int argc, char **argv, struct ix_error *err);
int ixor_cmd_status(int argc, char **argv, struct ix_error *err);
int ixor_cmd_collect(int argc, char **argv, struct ix_error *err);
int ixor_cmd_top(int argc, char **argv, struct ix_error *err);
int ixor_cmd_label(int argc, char **argv, struct ix_error *err);

/* Prints a line to stderr, safe for a terminal: "ixor: ...". */
void ixor_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
