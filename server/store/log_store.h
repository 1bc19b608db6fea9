/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of trace logs inside the campaign's directory: DIR/runs/EXECUTION/NAME. NAME is built here
 * from the catalogue's data about the JVM; a path from a peer is never used. Every directory on the
 * way is opened without following links.
 *
 * A copy grows as NAME.part, locked by its writer, and is renamed to NAME when it is complete. A
 * NAME.part that was left behind is kept, so that writing can continue after its bytes.
 */
#ifndef IXOR_LOG_STORE_H
#define IXOR_LOG_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/base/error.h"
#include "schema/protocol/transfer.h"

#define IXOR_COPY_NAME 256
#define IXOR_COPY_PATH (2 * IXOR_COPY_NAME + 8)
#define IXOR_MAX_UPLOAD_DEFAULT (UINT64_C(8) << 30)
/* Free space that copies leave on the file system, for the catalogue. */
#define IXOR_LOG_STORE_RESERVE (UINT64_C(32) << 20)

struct ixor_log_store;

/* `dir`: the campaign. NULL on failure. */
struct ixor_log_store *ixor_log_store_new(const char *dir, struct ix_error *err);
void ixor_log_store_free(struct ixor_log_store *d); /* d may be NULL */

/* The file name of a JVM's log, of letters, digits and "-_." only: ROLE-PID-HOST-START-vID.ixl */
struct ixor_copy_of {
    int64_t vm;            /* the catalogue's id */
    const char *execution; /* the catalogue's name of it */
    const char *role, *host;
    int64_t pid, started_ns;
    uint32_t part; /* 0: the log itself */
};

/* One copy being written. */
struct ixor_copy {
    int dir;                   /* DIR/runs/EXECUTION; -1: nothing is open */
    int fd;                    /* NAME.part */
    char name[IXOR_COPY_NAME]; /* NAME, with the part's number */
    char path[IXOR_COPY_PATH]; /* relative to the campaign: runs/EXECUTION/NAME */
    uint64_t size;             /* bytes written */
};
#define IXOR_NO_COPY ((struct ixor_copy){.dir = -1, .fd = -1})

/* Where the copy of the log itself is, relative to the campaign; of->part is ignored. */
void ixor_log_store_path(const struct ixor_copy_of *of, char path[IXOR_COPY_PATH]);

/* Size of the finished copy; -1: there is none. */
int64_t ixor_log_store_size(const struct ixor_log_store *d, const struct ixor_copy_of *of);
/* Opens or creates NAME.part. 0, or -1, also if another process is writing it; then nothing is
 * open. */
int ixor_copy_open(struct ixor_copy *c, const struct ixor_log_store *d,
                   const struct ixor_copy_of *of, struct ix_error *err);
/* Whether `more` bytes fit and leave the reserve free: 0, or -1 with a message. */
int ixor_copy_room(const struct ixor_copy *c, uint64_t more, struct ix_error *err);
/* Discards the bytes written so far. */
int ixor_copy_restart(struct ixor_copy *c, struct ix_error *err);
int ixor_copy_write(struct ixor_copy *c, const void *data, size_t size, struct ix_error *err);
/* Adds up to `size` of the bytes written, from `offset` on, to a digest; returns how many, or
 * -1. */
int64_t ixor_copy_digest(const struct ixor_copy *c, uint64_t offset, size_t size,
                         struct ix_digest *digest, struct ix_error *err);
/* Renames NAME.part to NAME, replacing an older copy, which was this JVM's and shorter. */
int ixor_copy_finish(struct ixor_copy *c, struct ix_error *err);
/* `remove`: deletes NAME.part, too. Does nothing if nothing is open. */
void ixor_copy_close(struct ixor_copy *c, bool remove);

/* Opens for reading a file inside the campaign's directory that an agent named by an absolute path;
 * does not follow links. -1 if it is not inside, or not a regular file. */
int ixor_log_store_open_inside(const struct ixor_log_store *d, const char *path);

#endif
