/* SPDX-License-Identifier: Apache-2.0 */
/* Copies files byte by byte, or by sharing blocks where the file system can do that. */
#ifndef ROXI_MERGE_FILES_H
#define ROXI_MERGE_FILES_H

#include "schema/base/error.h"

/* Copies a regular file; `to` must not exist. Links are not followed. 0 or -1. */
int roxi_copy_file(const char *from, const char *to, struct ix_error *err);

/* Copies a directory with everything in it; `to` may exist if it is empty. Copies nothing if
 * there is no `from`.
 * What is neither a file nor a directory is left out with a warning. 0, or -1, also after an
 * interruption. */
int roxi_copy_tree(const char *from, const char *to, struct ix_error *err);

/* Copies a trace log with its parts (tracelog.md, Parts). 0 or -1. */
int roxi_copy_log(const char *from, const char *to, struct ix_error *err);

#endif
