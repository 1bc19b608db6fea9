/* SPDX-License-Identifier: Apache-2.0 */
/* A JVM as far as packets and clocks are concerned: where requests go, what its clock shows, which
 * packets it was sent. It is part of a session, which registers it when the agent has been
 * admitted.
 */
#ifndef IXOR_JVM_H
#define IXOR_JVM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "schema/protocol/datagram.h"
#include "schema/protocol/protocol.h"
#include "server/base/units.h"
#include "server/sampling/clock.h"
#include "server/sampling/execution.h"
#include "server/store/catalogue_writer.h"

/* struct ix_hello in a tenth of its size: one block, including the strings. */
struct ixor_hello {
    uint16_t udp_port;
    uint32_t pid;
    uint64_t started_ns, mono_ns, last_packet;
    bool test;         /* `execution` is a test's name */
    uint64_t burst_ns; /* of a test; 0: none */
    const char *execution, *role, *host, *jvm, *log, *machine;
};
/* NULL: out of memory. free(3) releases it. */
struct ixor_hello *ixor_hello_copy(const struct ix_hello *hello);

/* Packets whose target time is remembered; reports usually arrive within 250 ms. A stop reported
 * after its target time was forgotten is not counted as late. */
#define IXOR_AIMS 32
struct ixor_aim {
    uint64_t number, target_ns; /* the JVM's clock */
};

/* Probes that can be open at a time; answers to older ones are ignored. */
#define IXOR_PROBES_OPEN 8
struct ixor_probing {
    bool entered;
    uint32_t slot;
    unsigned burst; /* probes left in the burst */
    uint64_t due_ns, number;
    int64_t sent_ns[IXOR_PROBES_OPEN]; /* of probe n at n % IXOR_PROBES_OPEN; 0: not open */
    uint64_t told_ns;                  /* when the catalogue was last updated; 0 never */
    struct ixor_clock_line told;
    TAILQ_ENTRY(ixor_jvm) links;
};

struct ixor_jvm {
    TAILQ_ENTRY(ixor_jvm) links; /* in a list of JVMs */
    uint64_t began_ns;           /* of its connection; monotonic clock */
    struct ixor_hello *hello;    /* owned by the session */
    struct ixor_execution *execution;
    struct ixor_writer_vm *vm;
    struct ixor_address udp;     /* where requests go */
    struct ix_sealer *sealer;    /* seals them; owned by the session */
    uint64_t key;                /* the protocol's session number; prober.c gives it */
    uint64_t asked;              /* packets, in this session */
    uint64_t unanswered;         /* of these, since the last one it is known to have taken */
    struct ixor_clock clock;     /* against the server's */
    struct ixor_probing probing; /* prober.c's */
    struct ixor_aim aimed[IXOR_AIMS];
    uint64_t reported; /* highest packet that it reported in time for the outcome */
};

/* The JVMs that get packets while their run is sampled. */
TAILQ_HEAD(ixor_jvms, ixor_jvm);

#endif
