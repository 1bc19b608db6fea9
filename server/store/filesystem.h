/* SPDX-License-Identifier: Apache-2.0 */
/* Where a catalogue can be written: SQLite's WAL needs shared memory, which network file systems do
 * not provide. */
#ifndef IXOR_FILESYSTEM_H
#define IXOR_FILESYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/statfs.h>

#include "schema/base/error.h"

/* The name of a network file system by its type (statfs(2)), NULL if it is not one. *maybe: it may
 * also be local (FUSE, 9P). */
const char *ixor_network_filesystem(uint32_t type, bool *maybe);

/* Refuses a directory (which need not exist yet) on a network file system: -1 with a message. 1
 * with a warning in *err if that is not certain; 0: fine. ask: statfs, or a test's replacement. */
int ixor_filesystem_check(const char *dir, int (*ask)(const char *path, struct statfs *out),
                          struct ix_error *err);

#endif
