/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the dumps of one JVM to a trace log, a snapshot each. */
#ifndef ROXI_IMPORT_SNAPSHOTS_H
#define ROXI_IMPORT_SNAPSHOTS_H

#include "roxi/import/dump.h"

struct dump_log;

/* What was written of a dump. */
struct dump_written {
    uint64_t threads, frames;
    uint64_t torn; /* threads that are left out: torn, or in the dump twice */
};

/* Creates the log. NULL on failure. */
struct dump_log *dump_log_new(const char *path, struct ix_error *err);
/* 0, or -1 if anything is missing from the log; `log` may be NULL. */
int dump_log_close(struct dump_log *log, struct ix_error *err);

/* As ix_log_meta; an empty value is left out. */
int dump_log_meta(struct dump_log *log, const char *key, const char *value, struct ix_error *err);

/* For each dump: begin, pass all of its threads to the sink, end. Packets ascend. Threads of
 * different dumps that have the same identifier are one thread. Memory: one dump, and the
 * definitions of a part of the log, which ends at 128 MiB. */
int dump_log_begin(struct dump_log *log, struct ix_error *err);
struct dump_sink dump_log_sink(struct dump_log *log);
int dump_log_end(struct dump_log *log, uint64_t packet, int64_t real_ns,
                 struct dump_written *written, struct ix_error *err);

#endif
