/* A campaign's call stacks as files for other programs: one walk over the executions, their JVMs
 * and the snapshots in their logs, and a table of functions for each format.
 *
 * A log that is missing, or is none, is left out with a warning; one that is torn counts up to its
 * last whole record, with a warning; one that breaks its format's rules is an error. That there is
 * no snapshot at all is one, too. */
#ifndef ROXI_EXPORT_H
#define ROXI_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "roxi/export_dictionary.h"
#include "roxi/listing.h"
#include "roxi/tally.h"

struct export_options {
    const char *campaign, *format;
    const char *execution, *role; /* NULL: all */
    uint64_t packet;              /* 0: all */
    bool lines;                   /* frames that differ in their line alone are not the same */
    bool no_threads;              /* stacks without role and thread name before them */
    size_t max_nodes;
};

/* Which of them a format takes, beside the first three. */
enum export_takes { EXPORT_TAKES_LINES = 1, EXPORT_TAKES_THREADS = 2, EXPORT_TAKES_NODES = 4 };

/* An export under way: what a format's functions are given. */
struct export {
    const struct export_options *options;
    FILE *out;
    struct export_dictionary dictionary;
    const struct roxi_listed_execution *execution; /* being read */
    const struct roxi_listed_vm *vm;               /* being read */
    const struct ix_log_reader *reader;            /* its log; NULL: it is left out */
    const char *problem; /* in `vm_end`: why the log is left out, or how it is torn; or NULL */
    struct export_log log;
    void *state; /* the format's */
};

/* Functions return 0, or -1 with a message; one that a format does not need is NULL. */
struct export_format {
    const char *name;
    unsigned takes; /* EXPORT_TAKES_* */
    unsigned keeps; /* of the dictionary; --lines adds to it */
    size_t state_size; /* of zero bytes at first */
    int (*begin)(struct export *x, struct ix_error *err);
    int (*execution_begin)(struct export *x, struct ix_error *err);
    int (*vm_begin)(struct export *x, struct ix_error *err);
    int (*snapshot)(struct export *x, const struct ix_snapshot *s, struct ix_error *err);
    int (*vm_end)(struct export *x, struct ix_error *err);
    int (*execution_end)(struct export *x, struct ix_error *err);
    int (*end)(struct export *x, struct ix_error *err);
    void (*release)(void *state); /* also after a failure */
};

extern const struct export_format export_collapsed, export_json, export_speedscope, export_pprof,
    export_jstack, export_dot;

/* The format of that name; NULL: there is none. */
const struct export_format *export_format_find(const char *name);

/* Writes the whole to `out`. The stream's own errors are the caller's. */
int export_write(const struct export_format *format, const struct export_options *options,
                 FILE *out, struct ix_error *err);
/* The part of it that is about one log, for tests: `x` has its options, stream, and state. */
int export_read_log(struct export *x, const struct export_format *format,
                    struct ix_log_reader *log, uint64_t *snapshots, struct ix_error *err);

/* Where this comes from: the members of a JSON object, on one line, without its braces. */
void export_origin(FILE *out, const struct export_options *options);

/* A thread's name for a human: one without a name is called by its identifier. */
enum { EXPORT_ROOM = 32 };
const char *export_thread_name(const struct ix_thread *thread, char room[EXPORT_ROOM]);

/* Prints text as text_print does (text_escape.h), in one line and in UTF-8; what has a meaning in
 * the format is replaced: `instead` says by what, NULL for a byte that stays. */
void export_print(FILE *out, const char *text, const char *(*instead)(char c));

/* ---- how often each call stack was seen ---- */

struct export_group {
    uint32_t execution, role, thread; /* strings; 0 where they are not told apart */
};

struct export_counts {
    struct ix_intern groups; /* keys: struct export_group */
    struct roxi_tally seen;  /* keys: roxi_pair(group, stack) */
};

enum export_by { EXPORT_BY_THREAD = 1, EXPORT_BY_EXECUTION = 2 };

/* Adds a snapshot's stacks; `by` (EXPORT_BY_*) says what is told apart. */
int export_count(struct export *x, struct export_counts *counts, const struct ix_snapshot *s,
                 unsigned by, struct ix_error *err);
struct export_group export_group_at(const struct export_counts *counts, uint32_t group);
void export_counts_free(struct export_counts *counts);

#endif
