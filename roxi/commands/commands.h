/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of roxi: one function each, listed in main.c's table.
 *
 * A command gets its own argc and argv (argv[0] is its name), prints data to stdout or -o FILE
 * and everything else to stderr, and returns its exit status (status.h). When it returns
 * ROXI_FAILED or ROXI_USAGE, *err holds a message for main to print; a command prints no error
 * itself.
 */
#ifndef ROXI_COMMANDS_H
#define ROXI_COMMANDS_H

#include "roxi/base/status.h"
#include "schema/base/error.h"

int roxi_cmd_import(int argc, char **argv, struct ix_error *err);
int roxi_cmd_merge(int argc, char **argv, struct ix_error *err);
int roxi_cmd_baseline(int argc, char **argv, struct ix_error *err);
int roxi_cmd_matrix(int argc, char **argv, struct ix_error *err);
int roxi_cmd_cluster(int argc, char **argv, struct ix_error *err);
int roxi_cmd_medoids(int argc, char **argv, struct ix_error *err);
int roxi_cmd_sample(int argc, char **argv, struct ix_error *err);
int roxi_cmd_next(int argc, char **argv, struct ix_error *err);
int roxi_cmd_evaluate(int argc, char **argv, struct ix_error *err);
int roxi_cmd_rank(int argc, char **argv, struct ix_error *err);
int roxi_cmd_explain(int argc, char **argv, struct ix_error *err);
int roxi_cmd_report(int argc, char **argv, struct ix_error *err);
int roxi_cmd_diff(int argc, char **argv, struct ix_error *err);
int roxi_cmd_check(int argc, char **argv, struct ix_error *err);
int roxi_cmd_ci(int argc, char **argv, struct ix_error *err);
int roxi_cmd_distance(int argc, char **argv, struct ix_error *err);
int roxi_cmd_export(int argc, char **argv, struct ix_error *err);
int roxi_cmd_waits(int argc, char **argv, struct ix_error *err);
int roxi_cmd_dump(int argc, char **argv, struct ix_error *err);
int roxi_cmd_rules(int argc, char **argv, struct ix_error *err);

#endif
