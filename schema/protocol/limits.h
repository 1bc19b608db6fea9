/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol's numbers (protocol.md): version, sizes, times, and the bounds of every field. */
#ifndef IX_SCHEMA_LIMITS_H
#define IX_SCHEMA_LIMITS_H

#include <stdint.h>

#define IX_PROTOCOL_VERSION 2
#define IX_DEFAULT_PORT 4967
#define IX_MESSAGE_MAX 65536u     /* type and payload */
#define IX_MESSAGE_PREFIX 4u      /* the length before them */
#define IX_REPORT_MAX 900u        /* packets in one report */
#define IX_KEEPALIVE_MS 2000      /* silence after which a side sends KEEPALIVE */
#define IX_KEEPALIVE_RARE_MS 5000 /* the same with thousands of sessions */
#define IX_SILENCE_MS 15000       /* silence after which a side closes */
#define IX_REPORT_DELAY_MS 250    /* an agent reports a packet at most this late */

/* Bounds of the numbers (protocol.md, "Numbers"). Encoders clamp to them, decoders refuse values
 * beyond. */
#define IX_PID_MAX ((uint64_t)INT32_MAX)
#define IX_PACKET_MAX ((UINT64_C(1) << 53) - 1)   /* JSON readers have no exact integers above */
#define IX_SIZE_MAX ((UINT64_C(1) << 53) - 1)     /* bytes, and bytes a second */
#define IX_CLOCK_MAX_NS ((UINT64_C(1) << 62) - 1) /* the sum of two readings fits an int64_t */
#define IX_INTERVAL_MAX_NS (UINT64_C(1) << 53)    /* 104 days */
#define IX_STOP_MAX_NS UINT64_C(3600000000000)
#define IX_THREADS_MAX (UINT64_C(1) << 24) /* Linux has 2^22 at most; plus virtual ones */
/* Frames, drops: eight million such values can be summed. */
#define IX_COUNT_MAX (UINT64_C(1) << 40)
#define IX_REPORT_DELAY_MIN_NS UINT64_C(1000000) /* what WELCOME may ask for, if not 0 */
#define IX_REPORT_DELAY_MAX_NS UINT64_C(60000000000)

#define IX_NAME_MAX 256u
#define IX_TEST_NAME_MAX 180u /* with "#" and a number it is still a run's name */
#define IX_JVM_MAX 1024u
#define IX_MACHINE_MAX 80u
#define IX_PATH_MAX 4096u
#define IX_REASON_MAX 1024u

#endif
