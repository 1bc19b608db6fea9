/* SPDX-License-Identifier: Apache-2.0 */
/* The JVMs of a run at one packet: their snapshots of it, and the sockets that each of them has
 * open at it. A reader of the logs (roxi/waits/run.h, server/viewer/lockstep.h) goes from packet to
 * packet, because sockets follow from all snapshots of a JVM so far. */
#ifndef IX_SCHEMA_WAITS_JVMS_H
#define IX_SCHEMA_WAITS_JVMS_H

#include "schema/tracelog/reader.h"

/* A stream socket that is open. */
struct waits_socket {
    const char *local, *remote;
    char *texts; /* owned: both; NULL: they are another's */
    bool listens;
    bool accepted; /* the JVM listens on its local port: the other side has connected */
    bool former;   /* it was open when the JVM's log, or a part of it, ended; it may still be */
    bool
        passed_on; /* whoever accepted it has been seen to accept again: another thread serves it */
    uint64_t since;  /* which of the JVM's snapshots was the first to have it */
    uint32_t thread; /* the last one seen on it, in the log's numbers; 0: none */
};

struct waits_jvm {
    const char *role, *host;     /* not owned */
    size_t place;                /* in the reader's list of JVMs */
    const void *known;           /* what else the reader knows of it, or NULL */
    struct ix_log_reader *log;   /* NULL: it has none, or it has ended */
    struct ix_snapshot snapshot; /* the next one that is due */
    bool here;                   /* it is of the present packet */
    bool tells;                  /* at this packet the log says who waits on which connection */
    bool complete;               /* the log's part has listed all open sockets */
    uint64_t taken;              /* snapshots so far */
    uint64_t turn; /* so many snapshots it takes until the log has what was opened or accepted */
    uint32_t part;
    uint64_t retired; /* the packet after which all sockets became former ones; 0: never */
    struct waits_socket *sockets; /* owned */
    size_t socket_count, socket_cap;
    size_t sockets_max; /* more are not kept; 0: no bound */
    bool overflown;     /* there were more */
};

struct waits_jvms {
    struct waits_jvm *list; /* owned */
    size_t count;
    uint64_t packet;
    bool any_facts; /* of connections or locks, in any log so far */
    bool left_out;  /* some JVM of the run, because it has no log */
    bool quiet;     /* the reader gives no warnings */
};

/* Call after each ix_log_next of the JVM's log that gave a snapshot: if the snapshot is of another
 * part, forgets what the previous part said. packet: the previous one. */
void waits_jvm_follow_part(struct waits_jvm *jvm, uint64_t packet);
/* The JVM's snapshot is of the present packet: takes over its facts. -1: out of memory.
 * O(sockets^2) if some have changed. */
int waits_jvm_arrive(struct waits_jvms *jvms, struct waits_jvm *jvm);
/* Its log has ended: closes it. Its open sockets count as former ones for 1,000 packets. */
void waits_jvm_end(struct waits_jvm *jvm, uint64_t packet);
/* Call before each packet. */
void waits_jvm_forget_former(struct waits_jvm *jvm, uint64_t packet);

void waits_jvm_free(struct waits_jvm *jvm);
void waits_jvms_free(struct waits_jvms *jvms);

/* All of them, at once. */
void waits_jvm_forget_sockets(struct waits_jvm *jvm);

/* The place of a thread in the JVM's snapshot; SIZE_MAX: it is not in it. O(log n). */
size_t waits_jvm_entry(const struct waits_jvm *jvm, uint32_t thread);

/* True if all JVMs' connections are known: then what none of them has is outside. O(JVMs). */
bool waits_jvms_tell(const struct waits_jvms *jvms);
/* True if in addition the JVM's log has had the socket, which may be NULL, for so long that the
 * others' would have its other end: what a JVM has just accepted its agent has yet to look at.
 * O(JVMs). */
bool waits_jvms_tell_end(const struct waits_jvms *jvms, const struct waits_jvm *of,
                         const struct waits_socket *socket);

/* Where the port begins in "10.0.0.1:80"; the whole of an address without one. */
const char *waits_port(const char *address);

#endif
