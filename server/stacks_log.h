/* One trace log at one place of it, for stacks.c. */
#ifndef IXOR_STACKS_LOG_H
#define IXOR_STACKS_LOG_H

#include <sys/types.h>

#include "schema/tracelog_reader.h"
#include "server/stacks.h"

/* A snapshot with entries of its own. */
struct ixor_kept {
    struct ix_snapshot snapshot; /* its entries are those below */
    struct ix_entry *entries;
    size_t room;
};

struct ixor_log {
    char *path;
    bool newest; /* it is for questions for the newest packet */
    struct ix_log_reader *reader; /* NULL: closed */
    dev_t device; /* of the file at `path` when it was opened; 0, 0 if there was none */
    ino_t inode;
    uint32_t part;
    uint64_t first, last; /* packets read so far, 0 none */
    uint64_t used;        /* greater: more recently */
    struct ixor_kept kept[IXOR_STACKS_KEPT]; /* the last ones, all of this part */
    size_t kept_count, kept_next;            /* a ring */
};

/* Goes to a packet (0: to the log's end). Found: *snapshot, which lives until the next call. If the log
 * has no such packet the message names its neighbours. */
enum ixor_found ixor_log_seek(struct ixor_log *log, uint64_t packet,
                              const struct ix_snapshot **snapshot, struct ix_error *err);
/* Forgets what was read; path and use stay. */
void ixor_log_close(struct ixor_log *log);
void ixor_log_free(struct ixor_log *log);

#endif
