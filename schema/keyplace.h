/* Where a server leaves the agent key for JVMs of the same user on the same host, so that
 * `server=HOST:PORT` is all that they must be told: ixor/PORT in $XDG_RUNTIME_DIR, and PORT in
 * /tmp/ixor-UID. Both sides use only a directory that is this user's own, closed to others and no
 * symbolic link; whatever else is there in its place is left alone.
 */
#ifndef IX_SCHEMA_KEYPLACE_H
#define IX_SCHEMA_KEYPLACE_H

#include <stdbool.h>

#include "schema/key.h"

/* 0 if at least one place took it. What a server that was killed left behind is replaced. */
int ix_keyplace_put(uint16_t port, const struct ix_key *agent, struct ix_error *err);
/* Takes away what put has left, unless another server has replaced it since. */
void ix_keyplace_remove(uint16_t port, const struct ix_key *agent);
bool ix_keyplace_find(uint16_t port, struct ix_key *agent);

#endif
