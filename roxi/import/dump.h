/* SPDX-License-Identifier: Apache-2.0 */
/* What thread dumps contain, whatever their format: parsers of dumps call these functions, thread
 * by thread. Texts are valid during the call. */
#ifndef ROXI_IMPORT_DUMP_H
#define ROXI_IMPORT_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/base/bytes.h"
#include "schema/base/error.h"
#include "schema/tracelog/tracelog.h"

struct dump_thread {
    uint64_t id;
    struct ix_span name, group; /* group: empty if it is not known */
    int32_t priority;           /* or IX_PRIORITY_UNKNOWN */
    uint32_t flags;             /* IX_THREAD_* */
};

struct dump_frame {
    struct ix_span class_name, method, descriptor, source; /* the last two: empty if not known */
    int32_t line;                                          /* as in a trace log */
};

struct dump_lock {
    enum ix_lock_kind kind;
    uint64_t object; /* the same for the same object in a dump; not 0 */
    struct ix_span class_name;
    int32_t depth; /* as in a trace log */
};

/* How a thread ends. */
enum dump_end {
    DUMP_WHOLE,
    DUMP_CUT,  /* its callers are not in the dump */
    DUMP_TORN, /* what was said of it cannot be relied on: it does not count */
};

/* 0, or -1 with a message, which ends the reading. */
struct dump_sink {
    void *user;
    int (*thread)(void *user, const struct dump_thread *thread, struct ix_error *err);
    /* From the executing frame on. */
    int (*frame)(void *user, const struct dump_frame *frame, struct ix_error *err);
    int (*lock)(void *user, const struct dump_lock *lock, struct ix_error *err);
    /* JVMTI's bits. */
    int (*end)(void *user, uint32_t state, enum dump_end how, struct ix_error *err);
};

/* Where a dump is, and what is known about it as a whole. */
struct dump_head {
    uint64_t offset, line;  /* where it begins */
    int64_t real_ns;        /* since 1970; 0: it has no date that can be read */
    uint64_t pid;           /* 0: not known */
    uint64_t packet;        /* 0: not known; roxi's own exports say it */
    char *execution, *role; /* owned; NULL: likewise */
    char *jvm;              /* owned */
    bool torn;              /* it is not whole */
};

#endif
