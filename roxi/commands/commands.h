/* The commands of roxi: one function each, listed in main.c's table.
 *
 * A command gets its own argc and argv (argv[0] is its name), prints data to stdout or -o FILE and
 * everything else to stderr, and returns its exit status. When it returns ROXI_FAILED or
 * ROXI_USAGE it has left a message in *err, which main prints; a command prints no error itself.
 */
#ifndef ROXI_COMMAND_H
#define ROXI_COMMAND_H

#include "schema/error.h"

enum roxi_status {
    ROXI_OK = 0,
    ROXI_FAILED = 1,
    ROXI_USAGE = 2,
    ROXI_UNUSUAL = 3, /* roxi check: done, and it found unusual executions; there is no message */
    ROXI_INTERRUPTED = 130,
};

int roxi_cmd_import(int argc, char **argv, struct ix_error *err);
int roxi_cmd_matrix(int argc, char **argv, struct ix_error *err);
int roxi_cmd_cluster(int argc, char **argv, struct ix_error *err);
int roxi_cmd_medoids(int argc, char **argv, struct ix_error *err);
int roxi_cmd_sample(int argc, char **argv, struct ix_error *err);
int roxi_cmd_next(int argc, char **argv, struct ix_error *err);
int roxi_cmd_evaluate(int argc, char **argv, struct ix_error *err);
int roxi_cmd_rank(int argc, char **argv, struct ix_error *err);
int roxi_cmd_check(int argc, char **argv, struct ix_error *err);
int roxi_cmd_distance(int argc, char **argv, struct ix_error *err);
int roxi_cmd_export(int argc, char **argv, struct ix_error *err);
int roxi_cmd_dump(int argc, char **argv, struct ix_error *err);
int roxi_cmd_rules(int argc, char **argv, struct ix_error *err);

/* Says what getopt_long (with opterr = 0 and an option string that starts with ':') did not like;
 * `result` is what it returned, '?' or ':'. Returns ROXI_USAGE. */
int roxi_bad_option(int result, char **argv, struct ix_error *err);

/* Prints a warning to stderr: "roxi: ...". */
void roxi_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
