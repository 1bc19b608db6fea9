/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of JUnit's tests (docs/junit.md): those of different tests are not compared with each
 * other. */
#ifndef ROXI_TESTS_H
#define ROXI_TESTS_H

#include <stdbool.h>

#include "schema/catalogue/catalogue.h"

/* Chooses the test whose runs are loaded. `wanted`: its name or what follows a dot in it, or NULL:
 * that of `run`, or if that is NULL the campaign's only one. *test: its name, which the caller
 * frees; NULL: all runs, because none is a test's. -1 with a message, which lists tests if there
 * are several to choose from. O(runs * tests). */
int roxi_test_choose(struct ix_catalogue *c, const char *wanted, const char *run, char **test,
                     struct ix_error *err);

/* Whether this is the test's name, or what follows a dot in it. */
bool roxi_test_is(const char *name, const char *wanted);

/* Whether a run is one of this test (NULL: always). */
bool roxi_test_has(const char *test, const struct ix_execution *e);

#endif
