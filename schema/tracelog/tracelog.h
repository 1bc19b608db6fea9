/* SPDX-License-Identifier: Apache-2.0 */
/* Trace log: what the writer and the reader agree on. The format is described in tracelog.md. */
#ifndef IX_SCHEMA_TRACELOG_H
#define IX_SCHEMA_TRACELOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IX_LOG_MAGIC "\x89IXL\r\n\x1a\n"
#define IX_LOG_MAGIC_SIZE 8
#define IX_LOG_HEADER_SIZE 12
#define IX_LOG_MAJOR 1
#define IX_LOG_MINOR 9
#define IX_LOG_SUFFIX ".ixl"
#define IX_LOG_PART_KEY "part" /* of META */

enum ix_log_type {
    IX_LOG_META = 1,
    IX_LOG_STRING = 2,
    IX_LOG_CLASS = 3,
    IX_LOG_METHOD = 4,
    IX_LOG_FRAME = 5,
    IX_LOG_STACK = 6,
    IX_LOG_THREAD = 7,
    IX_LOG_SNAPSHOT = 8,
    /* Facts about the snapshot that follows; since minor version 1. */
    IX_LOG_VIRTUAL = 9,
    IX_LOG_PROCESS = 10,
    IX_LOG_LOCKS = 11,
    IX_LOG_EXCEPTIONS = 12,
    IX_LOG_CONNECTIONS = 13,   /* since minor version 2 */
    IX_LOG_SYNCHRONIZERS = 14, /* since minor version 3 */
    IX_LOG_FIRSTS = 15,        /* since minor version 4 */
    IX_LOG_STARTERS = 16,      /* since minor version 5 */
    IX_LOG_TURNS = 17,         /* likewise */
    IX_LOG_TRAFFIC = 18,       /* since minor version 6 */
    IX_LOG_INVOCATIONS = 19,   /* since minor version 7 */
    IX_LOG_COVERAGE = 20,      /* since minor version 8 */
    IX_LOG_PAUSES = 21,        /* since minor version 9 */
};

enum ix_log_edit { IX_EDIT_SAME = 0, IX_EDIT_CHANGED = 1, IX_EDIT_GONE = 2, IX_EDIT_NEW = 3 };

#define IX_LOG_STRING_MAX 65536u     /* bytes of one string */
#define IX_LOG_PAYLOAD_MAX 16777216u /* bytes of one record's payload */

/* Line values of frames without a source line. */
#define IX_LINE_UNKNOWN (-1)
#define IX_LINE_COMPILED (-2)
#define IX_LINE_NATIVE (-3)

/* Stacks that are never defined. */
#define IX_STACK_EMPTY 0u /* no frame at all */
#define IX_STACK_CUT 1u   /* callers unknown: cut off by the depth limit */

#define IX_THREAD_DAEMON 1u
#define IX_THREAD_DAEMON_UNKNOWN 2u
#define IX_THREAD_VIRTUAL 4u
#define IX_THREAD_LEFT 8u /* behind, by an earlier test of the JVM */
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

/* What a log defines: names are strings as above. */
struct ix_frame {
    uint32_t method;
    int32_t line;
};

struct ix_method {
    uint32_t class_number;
    const char *name, *descriptor;
};

struct ix_class {
    const char *name, *source; /* source: "" if unknown */
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
    int64_t mono_ns;                /* monotonic clock when the stop was asked for */
    int64_t real_ns;                /* wall clock at that time, since 1970 */
    uint64_t stop_ns;               /* from asking for the stop to the threads running again */
    uint64_t missed;                /* threads since the previous snapshot that none could show */
    const struct ix_entry *entries; /* ascending by thread number, each once */
    size_t count;
};

/* How a snapshot differs from the one before it in its part; the first one from no threads. */
struct ix_changes {
    const uint32_t *set; /* places in the snapshot's entries, ascending: threads that are new, or
                            may have another state or stack; all others are unchanged */
    size_t set_count;
    const uint32_t *gone; /* numbers of threads that have gone */
    size_t gone_count;
    const uint32_t *redefined; /* numbers of threads, present or not, that may have another name */
    size_t redefined_count;
};

/* ---- Facts: optional, each about the snapshot that it comes with ---- */

/* The process at the time of the snapshot; sums since its start, 0 if not known. */
struct ix_process {
    uint64_t cpu_ns; /* of all threads, user and system */
    uint64_t rss_bytes;
    uint64_t descriptors; /* open now */
    uint64_t gc_count, gc_ns;
};

enum ix_lock_kind {
    IX_LOCK_OWNS = 0,   /* the thread has entered the object's monitor */
    IX_LOCK_ENTERS = 1, /* the thread is blocked on entering it */
    IX_LOCK_WAITS = 2,  /* the thread is in Object.wait on it */
    IX_LOCK_PARKED = 3, /* the thread is parked, for the sake of the object (Thread.parkBlocker) */
    IX_LOCK_OWNS_SYNCHRONIZER = 4, /* the thread has locked this lock of java.util.concurrent */
    IX_LOCK_LAST = IX_LOCK_OWNS_SYNCHRONIZER,
};

/* A thread and a monitor, or a synchronizer. */
struct ix_lock {
    uint32_t thread; /* ix_thread.number, in the snapshot */
    enum ix_lock_kind kind;
    uint64_t object; /* the same for the same object within a snapshot; not 0. An object that is a
                      * monitor and a synchronizer has two numbers */
    uint32_t class_number; /* of the object */
    int32_t depth; /* IX_LOCK_OWNS: frame that entered it, 0 the executing one; -1 unknown */
};

/* Exceptions of one class thrown at one place by one thread since the snapshot before. */
struct ix_exception {
    uint32_t thread;       /* ix_thread.number; 0: a thread that ended or was never in a snapshot */
    uint32_t class_number; /* of the exception */
    uint32_t frame;        /* where it was thrown */
    uint64_t count;        /* 1 or more */
};

/* The first exception of a class in this JVM, or the first one on this call stack, about to be made
 * since the snapshot before. */
struct ix_first {
    uint32_t thread;       /* ix_thread.number; 0: a thread that ended or was never in a snapshot */
    uint32_t class_number; /* of the exception */
    uint32_t stack;        /* that makes it; IX_STACK_EMPTY if unknown */
};

/* Which call stack started a thread. */
struct ix_starter {
    uint32_t thread; /* ix_thread.number */
    uint32_t stack;  /* IX_STACK_EMPTY if unknown */
};

/* How often a thread was put onto a CPU since it was last told. */
struct ix_turns {
    uint32_t thread; /* ix_thread.number */
    uint64_t turns;  /* 1 or more */
};

/* How often a method was called since it was last told. */
struct ix_invocations {
    uint32_t method;
    uint64_t count; /* 1 or more, or at_least */
    bool at_least;  /* from now on not all calls are counted */
};

/* A basic block of a method that has been executed for the first time since the snapshot before. */
struct ix_covered {
    uint32_t frame; /* the method, and the line of the block's first instruction */
    uint32_t block; /* of the class, from 0, in the order of its code */
};

/* A basic block that was told before as executed, and for a while is not executed, or is again. */
struct ix_pause {
    uint32_t frame, block; /* as there */
    uint64_t packets;      /* for so many it has not been executed; 0: it has been executed again */
};

enum ix_wait_kind {
    IX_WAIT_READ = 0,
    IX_WAIT_WRITE = 1,
    IX_WAIT_ACCEPT = 2,
    IX_WAIT_CONNECT = 3,
    IX_WAIT_POLL = 4, /* for several descriptors at once: an epoll loop, a poll of many */
};

/* A thread that slept in such a system call from before the stop until after it. Addresses are
 * "10.0.0.1:80", "[::1]:80", "unix:/path", "pipe:[4711]"; "" if unknown or none. */
struct ix_wait {
    uint32_t thread; /* ix_thread.number, in the snapshot */
    enum ix_wait_kind kind;
    const char *local, *remote;
};

enum ix_connection_state { IX_CONNECTION_CLOSED, IX_CONNECTION_OPEN, IX_CONNECTION_LISTENS };

/* A socket of the process of which something has changed since the snapshot before. */
struct ix_connection {
    uint32_t thread; /* the last one seen to read or write on it, or to accept; 0 unknown */
    enum ix_connection_state state;
    const char *local, *remote; /* remote: "" if it listens */
};

/* Which end of a connection was the last to send something to the other one. */
enum ix_spoke { IX_SPOKE_UNKNOWN = 0, IX_SPOKE_HERE = 1, IX_SPOKE_THERE = 2 };

/* What went over one of the process's TCP connections since it was last told. */
struct ix_traffic {
    const char *local, *remote;
    uint64_t sent, received; /* segments with data, which is often one for each message */
    uint64_t sent_bytes, received_bytes;
    uint64_t unread; /* bytes that have arrived and that the process has not read yet */
    enum ix_spoke last;
};

/* A thread in Object.wait on the object of another thread, as in Thread.join. */
struct ix_join {
    uint32_t thread, joined; /* ix_thread.number, both in the snapshot */
};

/* What is recorded of calls and connections (ix_connections.flags). */
#define IX_CONNECTIONS_HIDDEN 1u /* the kernel does not tell which calls threads are in */
/* There was more than the agent looks at for one packet, or it has not looked at all of the
 * process's descriptors yet since this part began. */
#define IX_CONNECTIONS_PARTIAL 2u

struct ix_connections {
    unsigned flags;
    const struct ix_wait *waits;
    size_t wait_count;
    const struct ix_connection *changes;
    size_t change_count;
    const struct ix_join *joins;
    size_t join_count;
};

/* All facts about one snapshot. */
struct ix_facts {
    bool has_virtual, has_process;
    uint64_t virtual_hidden; /* live virtual threads that are not in the snapshot */
    struct ix_process process;
    const struct ix_lock *locks;
    size_t lock_count;
    const struct ix_exception *exceptions;
    size_t exception_count;
    uint64_t exceptions_dropped; /* above the agent's rate limit */
    const struct ix_first *firsts;
    size_t first_count;
    uint64_t firsts_dropped;           /* more than the agent looks at between two snapshots */
    const struct ix_starter *starters; /* of threads that are new, or were so a while ago */
    size_t starter_count;
    const struct ix_turns *turns; /* of some threads, each in turn */
    size_t turn_count;
    const struct ix_traffic *traffic; /* of connections that were looked at, if anything changed */
    size_t traffic_count;
    const struct ix_invocations *invocations; /* of some methods, each in turn */
    size_t invocation_count;
    const struct ix_covered *covered; /* each once in a log */
    size_t covered_count;
    const struct ix_pause *pauses;
    size_t pause_count;
    struct ix_connections connections;
};

#endif
