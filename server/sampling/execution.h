/* SPDX-License-Identifier: Apache-2.0 */
/* A run of the system under test, as the server knows it. */
#ifndef IXOR_EXECUTION_H
#define IXOR_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/protocol/protocol.h"

struct ixor_burst;

struct ixor_execution {
    struct ixor_execution *next;
    int64_t id; /* in the catalogue; below 0: the catalogue writer's number for it */
    char name[IX_NAME_MAX + 1];
    bool open;     /* JVMs are admitted */
    bool sampling; /* packets are sent */
    unsigned nth;  /* of the runs of this test; 0: not of a test */
    char test[IX_TEST_NAME_MAX + 1];
    struct ixor_burst *burst; /* of a test, while it is open; NULL: none is planned */
    size_t sessions;          /* live ones */
    size_t sent_now;          /* JVMs that get the packet being sent */

    /* Counted since the server opened it, for progress; a JVM that reconnects counts again: */
    uint64_t vms, packets, requests, taken;
};

#endif
