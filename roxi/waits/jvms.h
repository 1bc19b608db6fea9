/* SPDX-License-Identifier: Apache-2.0 */
/* The JVMs of a run, packet by packet: their snapshots of the same packet, and the sockets that
 * each of them has open by then. */
#ifndef ROXI_WAITS_JVMS_H
#define ROXI_WAITS_JVMS_H

#include "roxi/campaign/listing.h"
#include "schema/tracelog/reader.h"

/* A stream socket that is open. */
struct waits_socket {
    const char *local, *remote;
    char *texts; /* owned: both; NULL: they are another's */
    bool listens;
    bool accepted; /* the JVM listens on its local port: the other side has connected */
    bool former;   /* it was open when the JVM's log, or a part of it, ended: perhaps it still is */
    bool
        passed_on; /* whoever accepted it has been seen to accept again: another thread serves it */
    uint64_t since;  /* which of the JVM's snapshots was the first to have it */
    uint32_t thread; /* the last one seen on it, in the log's numbers; 0: none */
};

struct waits_jvm {
    const struct roxi_listed_vm *vm;
    struct ix_log_reader *log;   /* NULL: it has none, or it has ended */
    struct ix_snapshot snapshot; /* the next one that is due */
    bool here;                   /* it is of the present packet */
    bool tells;                  /* its waits for connections are known at this packet */
    bool complete;               /* its log's part has told all sockets that were open */
    bool quiet;                  /* no warnings */
    uint64_t taken;              /* snapshots so far */
    uint32_t part;
    uint64_t retired; /* the packet after which all sockets became former ones; 0: never */
    struct waits_socket *sockets; /* owned */
    size_t socket_count, socket_cap;
};

struct waits_jvms {
    struct waits_jvm *list; /* owned */
    size_t count;
    uint64_t packet;
    bool any_facts; /* of connections or locks, in any log so far */
    bool left_out;  /* some JVM of the run, because it has no log */
};

/* Opens the logs of a run. A JVM without a readable log is left out with a warning; `quiet`:
 * without one, as who has read the logs before has given it. -1 on failure;
 * free it in any case. The execution must outlive it. */
int waits_jvms_open(struct waits_jvms *jvms, const struct roxi_listed_execution *execution,
                    bool quiet, struct ix_error *err);
/* The next packet that any of them took: 1, 0 after the last, -1 on failure. */
int waits_jvms_next(struct waits_jvms *jvms, struct ix_error *err);
void waits_jvms_free(struct waits_jvms *jvms);

void waits_jvm_forget_sockets(struct waits_jvm *jvm);

/* The place of a thread in the JVM's snapshot; SIZE_MAX: it is not in it. O(log n). */
size_t waits_jvm_entry(const struct waits_jvm *jvm, uint32_t thread);

/* Where the port begins in "10.0.0.1:80"; the whole of an address without one. */
const char *waits_port(const char *address);

#endif
