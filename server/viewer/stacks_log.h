/* SPDX-License-Identifier: Apache-2.0 */
/* One trace log at one reading position, for stacks.c. */
#ifndef IXOR_STACKS_LOG_H
#define IXOR_STACKS_LOG_H

#include <sys/types.h>

#include "schema/tracelog/reader.h"
#include "server/viewer/live.h"

#define IXOR_STACKS_KEPT 32u
#define IXOR_STACKS_BYTES (UINT64_C(128) << 20)
#define IXOR_STACKS_KEPT_BYTES (UINT64_C(4) << 20)
#define IXOR_STACKS_NS UINT64_C(300000000)

/* A snapshot with entries of its own. */
struct ixor_kept {
    struct ix_snapshot snapshot; /* its entries are those below */
    struct ix_entry *entries;
    size_t room;
};

struct ixor_log {
    char *path;
    bool newest;                  /* serves queries for the newest packet */
    struct ix_log_reader *reader; /* NULL: closed */
    dev_t device; /* of the file at `path` when it was opened; 0, 0 if there was none */
    ino_t inode;
    uint32_t part;
    uint64_t first, before, last; /* packets read so far, 0 none: the first, the last two */
    struct ix_snapshot latest;    /* the last one, in the reader's memory */
    bool pending;                 /* it is not in `kept` yet, and its part is still current */
    uint64_t cost;                /* bytes of the log read to reach it */
    uint64_t used;                /* greater: more recently */
    struct ixor_kept kept[IXOR_STACKS_KEPT]; /* the last snapshots, all of this part */
    size_t kept_count, kept_next;            /* a ring */
    uint64_t kept_bytes;                     /* allocated for all of them */
};

/* Moves to a packet (0: the end of the log). Found: *snapshot, which lives until the next call. If
 * the log has no such packet the message names the nearest ones. */
enum ixor_found ixor_log_seek(struct ixor_log *log, uint64_t packet,
                              const struct ix_snapshot **snapshot, struct ix_error *err);
/* Bytes of memory that it holds. */
uint64_t ixor_log_memory(const struct ixor_log *log);
/* Discards what was read, except path and last use. */
void ixor_log_close(struct ixor_log *log);
void ixor_log_free(struct ixor_log *log);

#endif
