/* SPDX-License-Identifier: Apache-2.0 */
/* A JVMTI thread state (ix_entry.state) in the words of jstack. */
#ifndef IX_SCHEMA_THREAD_STATE_H
#define IX_SCHEMA_THREAD_STATE_H

#include <stdint.h>

/* Thread state bits (JVM Tool Interface, GetThreadState). */
enum ix_thread_bit {
    IX_THREAD_ALIVE = 0x1,
    IX_THREAD_TERMINATED = 0x2,
    IX_THREAD_RUNNABLE = 0x4,
    IX_THREAD_WITH_TIMEOUT = 0x20,
    IX_THREAD_SLEEPING = 0x40,
    IX_THREAD_WAITING = 0x80,
    IX_THREAD_OBJECT_WAIT = 0x100,
    IX_THREAD_PARKED = 0x200,
    IX_THREAD_BLOCKED = 0x400,
    IX_THREAD_SUSPENDED = 0x100000,
    IX_THREAD_INTERRUPTED = 0x200000,
    IX_THREAD_IN_NATIVE = 0x400000,
};

/* "TIMED_WAITING (sleeping)" and so on; a constant string. Does not mention suspension,
 * interruption or native code. */
const char *ix_thread_state_words(uint32_t state);

#endif
