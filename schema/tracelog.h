/* Trace log: what the writer and the reader agree on. The format is described in tracelog.md. */
#ifndef IX_SCHEMA_TRACELOG_H
#define IX_SCHEMA_TRACELOG_H

#include <stddef.h>
#include <stdint.h>

#define IX_LOG_MAGIC "\x89IXL\r\n\x1a\n"
#define IX_LOG_MAGIC_SIZE 8
#define IX_LOG_HEADER_SIZE 12
#define IX_LOG_MAJOR 1
#define IX_LOG_MINOR 0
#define IX_LOG_SUFFIX ".ixl"

enum ix_log_type {
    IX_LOG_META = 1,
    IX_LOG_STRING = 2,
    IX_LOG_CLASS = 3,
    IX_LOG_METHOD = 4,
    IX_LOG_FRAME = 5,
    IX_LOG_STACK = 6,
    IX_LOG_THREAD = 7,
    IX_LOG_SNAPSHOT = 8,
};

enum ix_log_edit { IX_EDIT_SAME = 0, IX_EDIT_CHANGED = 1, IX_EDIT_GONE = 2, IX_EDIT_NEW = 3 };

#define IX_LOG_STRING_MAX 65536u   /* bytes of one string */
#define IX_LOG_PAYLOAD_MAX 16777216u /* bytes of one record's payload */

/* Lines of a frame that has no source line. */
#define IX_LINE_UNKNOWN (-1)
#define IX_LINE_COMPILED (-2)
#define IX_LINE_NATIVE (-3)

/* Stacks that are never defined. */
#define IX_STACK_EMPTY 0u /* no frame at all */
#define IX_STACK_CUT 1u   /* callers unknown: the depth limit cut them off */

#define IX_THREAD_DAEMON 1u
#define IX_THREAD_DAEMON_UNKNOWN 2u
#define IX_PRIORITY_UNKNOWN (-1)

/* A thread as a log describes it. Strings are UTF-8, terminated, never NULL. */
struct ix_thread {
    uint32_t number; /* within this log, from 1, without gaps */
    uint64_t start;  /* logical start: order of thread starts, from 1 */
    uint64_t id;     /* Java's thread id */
    const char *name, *group, *parent;
    int32_t priority; /* 1 to 10, or IX_PRIORITY_UNKNOWN */
    uint32_t flags;   /* IX_THREAD_* */
};

/* One thread in one snapshot. */
struct ix_entry {
    uint32_t thread; /* ix_thread.number */
    uint32_t state;  /* JVMTI thread state bits */
    uint32_t stack;  /* stack number */
};

/* All threads of a JVM at one instant. */
struct ix_snapshot {
    uint64_t packet;
    int64_t mono_ns; /* monotonic clock when the stop was asked for */
    int64_t real_ns; /* wall clock then, since 1970 */
    uint64_t stop_ns; /* from asking for the stop to the threads running again */
    uint64_t missed;  /* threads no snapshot could show since the one before */
    const struct ix_entry *entries; /* ascending by thread number, each once */
    size_t count;
};

#endif
