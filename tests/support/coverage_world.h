/* SPDX-License-Identifier: Apache-2.0 */
/* Classes that a double of the JVM loads, for tests of coverage: record/coverage.c is told of them,
 * and what packets tell of them is read. Link with --wrap of ixa_names_class, calloc, realloc,
 * reallocarray and strndup. */
#ifndef IX_TESTS_COVERAGE_WORLD_H
#define IX_TESTS_COVERAGE_WORLD_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/record/coverage.h"
#include "schema/base/bytes.h"
#include "tests/support/jvm_double.h"

extern struct coverage_world {
    struct double_class loaders[3];
    struct ix_log_writer *log;
    struct ixa_coverage c;
    uint64_t packet;                /* the last one */
    struct double_loaded **classes; /* those that are remembered */
    size_t count, cap;
} covering;

/* Allocations of what is tested. */
extern _Thread_local bool cover_counted;
extern _Thread_local size_t cover_allocations;
extern size_t cover_allocation_fails; /* number of the one that does, from 1 */

/* Before each test, and after it. */
int cover_set_up(void **state);
int cover_clean_up(void **state);

/* The class file of a class with one method of so many blocks. */
struct ix_out cover_class_file(const char *name, unsigned blocks);
/* Loads, or redefines, a class. `told`: the name that the agent is told, or NULL. Threads may call
 * it. */
struct double_loaded *cover_load_file(const char *name, const char *told,
                                      struct double_class *loader, const struct ix_out *file,
                                      struct double_loaded *redefined);
void cover_forget(struct double_loaded *l);
/* Until the test ends; returns it. */
struct double_loaded *cover_remember(struct double_loaded *l);
/* Makes the file, loads it and remembers it. */
struct double_loaded *cover_load_as(const char *name, const char *told, struct double_class *loader,
                                    unsigned blocks);
struct double_loaded *cover_load(const char *name, struct double_class *loader, unsigned blocks);
void cover_prepare(struct double_loaded *l);
/* How many fields of probes it has. */
unsigned cover_probes(const struct double_loaded *l);
void cover_execute(struct double_loaded *l, unsigned block);
void cover_execute_all(struct double_loaded *l);

void cover_nothing_is_held(void);
void cover_start(void);
/* Nothing is left. */
void cover_stop(void);

/* What a packet tells. */
struct told {
    size_t count;
    unsigned blocks[8]; /* how many there are of each number */
    char class[64];     /* of the last */
    size_t pauses;
    uint64_t paused[8]; /* by number of block: packets; 0: none */
    unsigned again[8];  /* likewise: how many are executed again */
};

/* Each is the packet after the one before, unless it is the last, and has a log of its own. -1 is
 * the log's failure. */
int cover_try_packet(bool last, struct told *told);
struct told cover_packet(bool last);

#endif
