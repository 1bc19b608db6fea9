/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a file of numbers as they are in this machine's memory, and XXH3-64 of all that at its
 * end. */
#ifndef ROXI_CHECKED_FILE_H
#define ROXI_CHECKED_FILE_H

#include <stddef.h>

#include "schema/base/error.h"

struct roxi_checked_file;

/* The file appears complete or not at all (roxi/base/output.h). NULL: error. */
struct roxi_checked_file *roxi_checked_file_open(const char *path, struct ix_error *err);
/* What fails is an error of roxi_checked_file_commit. */
void roxi_checked_file_put(struct roxi_checked_file *f, const void *bytes, size_t len);
/* Appends the checksum and puts the file in its place. Frees f in any case. 0 or -1. */
int roxi_checked_file_commit(struct roxi_checked_file *f, struct ix_error *err);

#endif
