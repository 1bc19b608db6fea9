/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a campaign's call stacks as files for other programs: one walk over the runs, their
 * JVMs and the snapshots in their logs, and a table of functions for each format.
 *
 * A log that is missing or is not a trace log is left out with a warning; a torn log, or one whose
 * end is missing, counts up to its last complete record, with a warning; a log that breaks the
 * rules of its format is an error, and so is an export without any snapshot.
 */
#ifndef ROXI_EXPORT_H
#define ROXI_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "roxi/campaign/listing.h"
#include "roxi/campaign/tally.h"
#include "roxi/export/dictionary.h"

struct export_options {
    const char *campaign, *format;
    const char *execution, *role; /* NULL: all */
    uint64_t packet;              /* 0: all */
    bool lines;                   /* distinguish frames that differ only in their line */
    bool no_threads;              /* omit role and thread name before stacks */
    size_t max_nodes;
};

/* Which options a format takes, besides the first three. */
enum export_takes { EXPORT_TAKES_LINES = 1, EXPORT_TAKES_THREADS = 2, EXPORT_TAKES_NODES = 4 };

/* An export in progress, as passed to a format's functions. */
struct export
{
    const struct export_options *options;
    FILE *out;
    struct export_dictionary dictionary;
    const struct roxi_listed_execution *execution; /* being read */
    const struct roxi_listed_vm *vm;               /* being read */
    const struct ix_log_reader *reader;            /* its log; NULL: left out */
    const char *problem;  /* in `vm_end`: why the log is left out, or how it is torn; or NULL */
    uint64_t last_packet; /* read from the log so far; 0: none */
    struct export_log log;
    void *state; /* the format's */
};

/* Functions return 0, or -1 with a message; those that a format does not need are NULL. */
struct export_format {
    const char *name;
    unsigned takes;    /* EXPORT_TAKES_* */
    unsigned keeps;    /* for the dictionary; --lines adds to it */
    size_t state_size; /* its bytes are initially zero */
    int (*begin)(struct export *x, struct ix_error *err);
    int (*execution_begin)(struct export *x, struct ix_error *err);
    int (*vm_begin)(struct export *x, struct ix_error *err);
    int (*snapshot)(struct export *x, const struct ix_snapshot *s, struct ix_error *err);
    int (*rest)(struct export *x, struct ix_error *err); /* the reader is at the log's end */
    int (*vm_end)(struct export *x, struct ix_error *err);
    int (*execution_end)(struct export *x, struct ix_error *err);
    int (*end)(struct export *x, struct ix_error *err);
    void (*release)(void *state); /* called after a failure too */
};

extern const struct export_format export_collapsed, export_json, export_speedscope, export_pprof,
    export_jstack, export_dot;

/* The format with that name; NULL: there is none. */
const struct export_format *export_format_find(const char *name);

/* Writes the complete export to `out`. The caller checks the stream for errors. */
int export_write(const struct export_format *format, const struct export_options *options,
                 FILE *out, struct ix_error *err);
/* Processes a single log, for tests: `x` has its options, stream, and state. */
int export_read_log(struct export *x, const struct export_format *format, struct ix_log_reader *log,
                    uint64_t *snapshots, struct ix_error *err);

/* Writes the origin of the data: the members of a JSON object, on one line, without the braces. */
void export_origin(FILE *out, const struct export_options *options);

/* A thread's name for people: a thread without a name is shown by its identifier. */
enum { EXPORT_ROOM = 32 };
const char *export_thread_name(const struct ix_thread *thread, char room[EXPORT_ROOM]);

/* Prints text as text_print does (text_escape.h), on one line and in UTF-8; `instead` returns
 * the replacement for a character with a meaning in the format, NULL to leave it. */
void export_print(FILE *out, const char *text, const char *(*instead)(char c));

/* ---- how often each call stack was seen ---- */

struct export_group {
    uint32_t execution, role, thread; /* strings; 0 where not distinguished */
};

/* A thread of the log's part being read. */
struct export_running {
    uint32_t place; /* index in `seen`, + 1; 0: the thread is not live */
    uint32_t group; /* + 1; 0: not known, or not any more */
    uint32_t stack; /* the log's number */
    uint64_t since; /* number of snapshots of the log before that */
};

struct export_counts {
    struct ix_intern groups; /* keys: struct export_group */
    struct roxi_tally seen;  /* keys: roxi_pair(group, stack) */

    struct export_running *threads; /* owned, by the log's number */
    size_t thread_count, thread_cap;
    uint32_t part;
    uint64_t now; /* snapshots of the log so far */
};

enum export_by { EXPORT_BY_THREAD = 1, EXPORT_BY_EXECUTION = 2 };

/* Adds a snapshot's stacks; `by` (EXPORT_BY_*) selects what is distinguished. Threads that have
 * not changed cost nothing. They are counted when they change, or by export_count_end, which
 * must be called for every log. */
int export_count(struct export *x, struct export_counts *counts, const struct ix_snapshot *s,
                 unsigned by, struct ix_error *err);
void export_count_end(struct export_counts *counts);
struct export_group export_group_at(const struct export_counts *counts, uint32_t group);
void export_counts_free(struct export_counts *counts);

#endif
