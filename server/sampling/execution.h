/* An execution that the server knows: one run of the whole system under observation. */
#ifndef IXOR_EXECUTION_H
#define IXOR_EXECUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/protocol.h"

struct ixor_execution {
    struct ixor_execution *next;
    int64_t id; /* in the catalogue */
    char name[IX_NAME_MAX + 1];
    bool open;       /* JVMs are admitted */
    bool sampling;   /* packets are sent */
    size_t sessions; /* live ones */
    size_t sent_now; /* VMs that the packet being sent goes to */

    /* Since the server opened it, for progress; a VM that connects again counts again: */
    uint64_t vms, packets, requests, taken;
};

#endif
