/* SPDX-License-Identifier: Apache-2.0 */
/* An empty directory for a test, and its removal. */
#ifndef IX_TESTS_TEMPDIR_H
#define IX_TESTS_TEMPDIR_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char tempdir[64]; /* of the current test */

/* For cmocka: set-up and tear-down of a test. */
int tempdir_make(void **state);
int tempdir_remove(void **state);

/* A path inside the directory; valid for the next seven calls. */
const char *in_tempdir(const char *name);

#endif
