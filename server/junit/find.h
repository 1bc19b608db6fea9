/* SPDX-License-Identifier: Apache-2.0 */
/* Finds files by a pattern of the shell: *, ? and [...], as glob(3) has them, and one ** for any
 * number of directories. Wildcards do not match hidden names (.git), and ** does not follow
 * symbolic links. */
#ifndef IXOR_JUNIT_FIND_H
#define IXOR_JUNIT_FIND_H

#include "schema/base/error.h"

/* Whether ixor_find_files can use it. 0, or -1 with a message. */
int ixor_find_check(const char *pattern, struct ix_error *err);

/* Calls back for each match, ordered by name within a directory; a relative pattern is relative to
 * the working directory. The path lives until the callback returns. 0, or -1: out of memory. With
 * ** it takes as long as find(1) does. */
int ixor_find_files(const char *pattern, void (*each)(void *user, const char *path), void *user,
                    struct ix_error *err);

#endif
