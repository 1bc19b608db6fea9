/* SPDX-License-Identifier: Apache-2.0 */
/* DIR/server.lock: which program works on a campaign's directory. The kernel releases a lock
 * however its process ends. */
#ifndef IX_SCHEMA_LOCK_H
#define IX_SCHEMA_LOCK_H

#include <stdbool.h>

#include "schema/base/error.h"

/* Locks the campaign for its one writer, who writes his process id into the file; makes the file if
 * there is none. *fd holds the lock until it is closed. 0, or -1: also if another process has a
 * lock, and then the message names it. */
int ix_lock_to_write(const char *dir, int *fd, struct ix_error *err);

/* Keeps writers out, but not other readers; nothing is changed. *fd is -1 if no server ever wrote
 * the campaign. Results as above. */
int ix_lock_to_read(const char *dir, int *fd, struct ix_error *err);

/* Whether a writer works on the campaign now. False also if that cannot be told. */
bool ix_lock_is_held(const char *dir);

#endif
