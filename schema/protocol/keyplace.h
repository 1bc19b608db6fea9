/* SPDX-License-Identifier: Apache-2.0 */
/* Where a server leaves the agent key for JVMs of the same user on the same host, so that they need
 * only `server=HOST:PORT`: ixor/PORT in $XDG_RUNTIME_DIR, and PORT in /tmp/ixor-UID. Both sides use
 * a directory only if it belongs to this user, is closed to others and is not a symbolic link;
 * anything else is left alone.
 *
 * The server holds a shared lock (flock(2)) on its file for as long as it runs. Keys without a lock
 * belong to servers that crashed; the next server of this user removes them.
 */
#ifndef IX_SCHEMA_KEYPLACE_H
#define IX_SCHEMA_KEYPLACE_H

#include <stdbool.h>

#include "schema/protocol/key.h"

/* 0 if the key could be written to at least one place. Removes keys that killed servers left
 * behind. One server per process: a second call releases the first one's lock. */
int ix_keyplace_put(uint16_t port, const struct ix_key *agent, struct ix_error *err);
/* Removes what ix_keyplace_put wrote, unless another server has replaced it since. */
void ix_keyplace_remove(uint16_t port, const struct ix_key *agent);
bool ix_keyplace_find(uint16_t port, struct ix_key *agent);

#endif
