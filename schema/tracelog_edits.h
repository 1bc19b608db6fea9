/* A snapshot's payload as differences from the snapshot before (tracelog.md, SNAPSHOT). */
#ifndef IX_SCHEMA_TRACELOG_EDITS_H
#define IX_SCHEMA_TRACELOG_EDITS_H

#include "schema/bytes.h"
#include "schema/tracelog.h"

/* Appends the payload; `before` is all zero ahead of the first. O(threads of both). */
void ix_put_snapshot(struct ix_out *out, const struct ix_snapshot *before,
                     const struct ix_snapshot *now);

#endif
