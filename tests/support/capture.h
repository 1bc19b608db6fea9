/* SPDX-License-Identifier: Apache-2.0 */
/* What a test's code writes to stderr. Uses the test's temporary directory. */
#ifndef IX_TESTS_CAPTURE_H
#define IX_TESTS_CAPTURE_H

#include <stddef.h>

/* From now on stderr goes to a file. The result is for capture_end. */
int capture_begin(void);
/* Ends that. text: what was written, up to its first size - 1 bytes. */
void capture_end(int before, char *text, size_t size);

#endif
