/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which dumps of a run's JVMs are one packet. */
#ifndef ROXI_IMPORT_PACKETS_H
#define ROXI_IMPORT_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dump_moment {
    uint32_t jvm;    /* any number */
    int64_t real_ns; /* 0: not known */
    uint64_t order;  /* the order in which the dumps were found; ascending within a JVM */
    uint64_t packet; /* gets the packet's number, from 1 */
};

struct dump_rhythm {
    bool by_order;       /* some dump has no date */
    int64_t interval_ns; /* the typical time between two dumps of a JVM; 0: none has two */
    uint64_t packets;
};

/* Numbers the dumps of one run; sorts the list by JVM and packet. Dumps of different JVMs within
 * half of the typical interval (the median) after the packet's first one are one packet. If one
 * dump has no date, the n-th dump of each JVM is packet n. Within a JVM packets ascend. O(n log n).
 * 0, or -1: out of memory. */
int dump_packets(struct dump_moment *moments, size_t count, struct dump_rhythm *rhythm);

#endif
