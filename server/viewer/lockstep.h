/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the trace logs of a run that is not over, together and while they grow, up to the newest
 * packet that its JVMs have taken.
 *
 * A log can be read only forwards, and a graph of who waits for whom needs the snapshots of one
 * packet and the sockets that follow from all packets before it. So all logs are read from their
 * beginning, packet by packet. If a running JVM has not written the next packet yet, reading waits
 * until that packet is older than `patience_ns`; then it continues without this JVM, which catches
 * up later. JVMs that ended before they were seen are not read.
 *
 * No call reads for longer than IXOR_STACKS_NS (stacks_log.h): it then returns busy, and the next
 * call continues. Memory: IXOR_LOCKSTEP_JVMS readers; a run whose readers hold more than
 * IXOR_STACKS_BYTES is given up. One struct, one thread. */
#ifndef IXOR_LOCKSTEP_H
#define IXOR_LOCKSTEP_H

#include <sys/types.h>

#include "schema/waits/jvms.h"
#include "server/viewer/live.h"

#define IXOR_LOCKSTEP_JVMS 100u
#define IXOR_LOCKSTEP_SOCKETS 2048u /* of a JVM; an agent knows 1,024 */

struct ixor_lockstep_jvm {
    int64_t vm; /* in the catalogue */
    char *role, *host, *path;
    dev_t device; /* of the file at `path` when it was opened */
    ino_t inode;
    bool running; /* by the catalogue */
    bool due;     /* its snapshot is of a packet to come */
};

/* All zero, but for patience_ns: nothing read yet. */
struct ixor_lockstep {
    int64_t patience_ns;
    int64_t execution;
    struct waits_jvms jvms;                          /* at the present packet; 0: none yet */
    struct ixor_lockstep_jvm of[IXOR_LOCKSTEP_JVMS]; /* by place in jvms.list */
    bool between;     /* some have been read beyond the present packet */
    int64_t taken_ns; /* wall clock, when it was taken; 0: not known */
    size_t left_out;  /* running JVMs whose logs are not read, or are on another host */
    bool too_large;
};

/* Continues to read. Found: the JVMs are at the newest packet. For another run than before it
 * starts again. */
enum ixor_found ixor_lockstep_read(struct ixor_lockstep *s, struct ixor_live *l, int64_t execution,
                                   struct ix_error *err);
void ixor_lockstep_free(struct ixor_lockstep *s);

#endif
