/* SPDX-License-Identifier: Apache-2.0 */
/* ixor run --tests: COMMAND is a build, and the JUnit tests in the JVMs that it starts are the runs
 * (docs/junit.md). */
#ifndef IXOR_RUN_TESTS_H
#define IXOR_RUN_TESTS_H

#include "server/commands/driver.h"

/* Runs COMMAND once or, with --runs, several times, and collects the runs of its tests in d->ids.
 * *status: COMMAND's exit status, or 128 and the signal that ended it; of several calls that of the
 * last one that was not 0. 0 or -1, also if no test was recorded. */
int ixor_run_tests(struct ixor_driver *d, int *status, struct ix_error *err);

#endif
