/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot's payload: its differences from the snapshot before (tracelog.md, SNAPSHOT). */
#ifndef IX_SCHEMA_TRACELOG_EDITS_H
#define IX_SCHEMA_TRACELOG_EDITS_H

#include "schema/base/bytes.h"
#include "schema/base/error.h"
#include "schema/tracelog/tracelog.h"

/* Appends the payload; `before` is all zero ahead of the first. O(threads of both). */
void ix_put_snapshot(struct ix_out *out, const struct ix_snapshot *before,
                     const struct ix_snapshot *now);

/* The list of threads that a payload is applied to. All zero: empty. */
struct ix_list {
    struct ix_entry *at;    /* owned; the snapshot before, if there is one, then this one */
    struct ix_entry *moved; /* owned; space for entries that new threads are inserted before */
    size_t cap, moved_cap;
};

/* What a payload changes (ix_changes); owned. */
struct ix_edited {
    uint32_t *set, *gone;
    size_t set_count, set_cap, gone_count, gone_cap;
};

/* What a payload can refer to, and what it starts from. */
struct ix_edit_base {
    const struct ix_snapshot *before; /* all zero ahead of the first; its entries are the list's */
    uint32_t threads, stacks;         /* numbers are below these */
};

/* Decodes a payload: updates the list to that of *now, which refers to it, and replaces `edited`.
 * -1 if a rule of the format is broken (except the order of packets, which the caller checks) or
 * memory ran out; then the list is in between. O(edits) if no thread comes or goes, else O(threads
 * of both). */
int ix_get_snapshot(struct ix_in in, const struct ix_edit_base *base, struct ix_list *list,
                    struct ix_edited *edited, struct ix_snapshot *now, struct ix_error *err);

#endif
