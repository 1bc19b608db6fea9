/* Copies of trace logs inside the campaign's directory: DIR/runs/EXECUTION/NAME. What a copy is
 * called is decided here, from what the catalogue knows of the VM; no path that came from outside
 * is ever used. Every directory on the way is opened without following links.
 *
 * A copy grows as NAME.part, locked by whoever writes it, and becomes NAME when it is whole. The
 * bytes of a NAME.part that was left behind are kept, so that writing can go on after them.
 */
#ifndef IXOR_DEPOT_H
#define IXOR_DEPOT_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/error.h"
#include "schema/transfer.h"

#define IXOR_COPY_NAME 256
#define IXOR_COPY_PATH (2 * IXOR_COPY_NAME + 8)
#define IXOR_MAX_UPLOAD_DEFAULT (UINT64_C(8) << 30)
/* What copies leave of a file system: the catalogue must go on. */
#define IXOR_DEPOT_RESERVE (UINT64_C(32) << 20)

struct ixor_depot;

/* `dir`: the campaign. NULL on failure. */
struct ixor_depot *ixor_depot_new(const char *dir, struct ix_error *err);
void ixor_depot_free(struct ixor_depot *d); /* d may be NULL */

/* The file name of a VM's log, of letters, digits and "-_." only: ROLE-PID-HOST-START-vID.ixl */
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
    uint64_t size;             /* bytes there are */
};
#define IXOR_NO_COPY ((struct ixor_copy){.dir = -1, .fd = -1})

/* Where the copy of the log itself is, relative to the campaign; of->part does not count. */
void ixor_depot_path(const struct ixor_copy_of *of, char path[IXOR_COPY_PATH]);

/* Size of the finished copy; -1: there is none. */
int64_t ixor_depot_size(const struct ixor_depot *d, const struct ixor_copy_of *of);
/* Opens NAME.part, or makes it. 0, or -1: also when somebody else is writing it; nothing is open
 * then. */
int ixor_copy_open(struct ixor_copy *c, const struct ixor_depot *d, const struct ixor_copy_of *of,
                   struct ix_error *err);
/* Refuses a copy that would leave less than the reserve: 0, or -1 with a message. */
int ixor_copy_room(const struct ixor_copy *c, uint64_t more, struct ix_error *err);
/* Throws away what is there. */
int ixor_copy_restart(struct ixor_copy *c, struct ix_error *err);
int ixor_copy_write(struct ixor_copy *c, const void *data, size_t size, struct ix_error *err);
/* Adds up to `size` of the bytes that are there, from `offset` on, to a digest; how many, or -1. */
int64_t ixor_copy_digest(const struct ixor_copy *c, uint64_t offset, size_t size,
                         struct ix_digest *digest, struct ix_error *err);
/* NAME.part becomes NAME, in the place of one that may be there: it was this VM's, and shorter. */
int ixor_copy_finish(struct ixor_copy *c, struct ix_error *err);
/* `remove`: what is there of NAME.part goes, too. Nothing happens if nothing is open. */
void ixor_copy_close(struct ixor_copy *c, bool remove);

/* A file inside the campaign's directory that an agent has named by an absolute path: opened for
 * reading, links not followed. -1 if it is not inside, or not a regular file. */
int ixor_depot_open_inside(const struct ixor_depot *d, const char *path);

#endif
