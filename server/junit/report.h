/* SPDX-License-Identifier: Apache-2.0 */
/* Reads test reports in the XML format that Ant's JUnit task introduced and that Surefire,
 * Failsafe, Gradle and JUnit's console launcher write: testsuite elements, alone or in testsuites,
 * with a testcase for each test. A test failed if its testcase has a failure or an error.
 *
 * Surefire and Failsafe can try failed tests again (rerunFailingTestsCount). A test that then
 * passes has passed; its failed tries are flakyFailure and flakyError. One that fails in every try
 * has a failure or an error for the first one, and rerunFailure and rerunError for the others.
 * Failed tries are counted, but are no failures of tests.
 *
 * Reading is bounded: a report with a DOCTYPE, which could define entities, is refused, and so are
 * files above IXOR_JUNIT_FILE_MAX, elements nested deeper than any report needs, and single tags
 * of 16 MiB. */
#ifndef IXOR_JUNIT_REPORT_H
#define IXOR_JUNIT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "schema/base/error.h"

#define IXOR_JUNIT_FILE_MAX (256u << 20)
#define IXOR_JUNIT_NAME 512
#define IXOR_JUNIT_TEXT 1024 /* room for a text about reports; fits into a mark */

struct ixor_junit {
    uint64_t tests;  /* testcases */
    uint64_t failed; /* of these, and failures of a testsuite itself; or what the testsuite's own
                        attributes count, if that is more than these and all failed tries */
    uint64_t flaky;  /* tests that passed after failed tries */
    uint64_t flaky_tries; /* failed tries of these */
    uint64_t reruns;      /* failed tries after the first one, of tests that failed */
    /* CLASS.METHOD of the first test that failed, and of the first flaky one, safe to print; "":
     * none did, or it has no name */
    char first[IXOR_JUNIT_NAME], first_flaky[IXOR_JUNIT_NAME];
};

/* Adds what a report says. 0; or -1 if it cannot be read to its end, with the line; then *sum is
 * unchanged. */
int ixor_junit_read(struct ixor_junit *sum, FILE *report, struct ix_error *err);
/* The same for a file; the message names it. */
int ixor_junit_read_file(struct ixor_junit *sum, const char *path, struct ix_error *err);

/* Whether there is something to say. */
bool ixor_junit_notable(const struct ixor_junit *sum);
/* "JUnit: 3 of 14 tests failed, first pkg.Class.method", "JUnit: 1 of 14 tests passed after 2
 * failed tries: pkg.Class.method", cut at the size. */
void ixor_junit_words(const struct ixor_junit *sum, char *text, size_t size);

#endif
