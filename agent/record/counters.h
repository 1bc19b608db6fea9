/* SPDX-License-Identifier: Apache-2.0 */
/* How often methods were called, as HotSpot itself counts it to decide what to compile.
 *
 * Where the counts are is known from the description of its structures that HotSpot exports for the
 * serviceability agent (vmStructs.hpp), as far as that tells it; ixa_counters_check compares the
 * rest with what JVMTI says of a method. The counts are read as another process would read them
 * (process_vm_readv): an address that is no longer valid is an error and no crash, and the JVM is
 * neither called nor stopped.
 *
 * A method is counted while it is interpreted, or compiled with profiling (tiers 2 and 3). So its
 * count is exact at first, and ends at 200 or so for a trivial method, at some thousands for
 * others. A JVM without the tiers that profile (TieredStopAtLevel=1) counts each method to 200 or
 * so, one that only interprets (-Xint) counts none. Calls from compiled code of which a method has
 * become a part are not counted either, and nothing tells of that.
 *
 * Any thread; no JVM is called. */
#ifndef IX_AGENT_COUNTERS_H
#define IX_AGENT_COUNTERS_H

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IXA_COUNTERS_BATCH 128u /* methods read at a time */

/* Offsets in bytes. */
struct ixa_counters {
    uint16_t constants, data, counters, code; /* of a method's parts, which are pointers; data and
                                               * counters are in a row */
    uint16_t max_locals, parameters;          /* in its constants */
    uint16_t interpreted;                     /* its count, in its counters */
    uint16_t method, profiled;                /* in its data: a pointer back, and another count */
    uint16_t tier;                            /* in its code; a byte */
};

struct ixa_count {
    bool known;    /* false: it cannot be read */
    bool at_least; /* there is code now that does not count */
    uint32_t calls;
};

/* False if this JVM does not describe itself, or not as HotSpot 17 to 25 do. */
bool ixa_counters_find(struct ixa_counters *c);

/* True if this is where the JVM keeps what it says of a method: as many words of parameters and of
 * local variables. The method must not be native or abstract. */
bool ixa_counters_check(const struct ixa_counters *c, jmethodID method, jint parameters,
                        jint max_locals);

/* How often each of at most IXA_COUNTERS_BATCH methods was called. A count of a method whose class
 * is unloaded may be anything. */
void ixa_counters_read(const struct ixa_counters *c, const jmethodID *methods, size_t count,
                       struct ixa_count *counts);

#endif
