/* A snapshot's payload: its differences from the snapshot before (tracelog.md, SNAPSHOT). */
#ifndef IX_SCHEMA_TRACELOG_EDITS_H
#define IX_SCHEMA_TRACELOG_EDITS_H

#include "schema/bytes.h"
#include "schema/error.h"
#include "schema/tracelog.h"

/* Appends the payload; `before` is all zero ahead of the first. O(threads of both). */
void ix_put_snapshot(struct ix_out *out, const struct ix_snapshot *before,
                     const struct ix_snapshot *now);

struct ix_entries {
    struct ix_entry *at; /* owned by whom the list belongs to */
    size_t count, cap;
};

/* What a payload changes (ix_changes); owned, as ix_entries is. */
struct ix_edited {
    uint32_t *set, *gone;
    size_t set_count, set_cap, gone_count, gone_cap;
};

/* What a payload may refer to, and what it starts from. */
struct ix_edit_base {
    const struct ix_snapshot *before; /* all zero ahead of the first */
    uint32_t threads, stacks;         /* numbers are below these */
};

/* Decodes a payload. The threads are put into `list`, whose content is replaced and which must not
 * be that of the snapshot before; *now refers to it. `edited` is replaced, too. -1 if a rule of the
 * format is broken (but for the order of packets, which is the caller's) or memory ran out.
 * O(edits), and a copy of the threads that are the same. */
int ix_get_snapshot(struct ix_in in, const struct ix_edit_base *base, struct ix_entries *list,
                    struct ix_edited *edited, struct ix_snapshot *now, struct ix_error *err);

#endif
