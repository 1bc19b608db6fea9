/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that a test makes up, to rank and to explain them. There is one campaign at a time. */
#ifndef TESTS_PROFILES_FIXTURE_H
#define TESTS_PROFILES_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roxi/rank/ranking.h"

/* The campaign: empty after profiles_set_up, gone after profiles_tear_down, as cmocka calls them.
 */
extern struct roxi_profiles *profiles;
int profiles_set_up(void **state);
int profiles_tear_down(void **state);

/* The numbers of a text and of a call stack, which is written as for roxi distance. */
uint32_t name_number(const char *text);
uint32_t stack_number(const char *text);

/* Adds a run, in which threads of a role were seen `count` times on each call stack. */
struct seen {
    const char *role, *thread, *stack;
    uint64_t count;
};
void add_seen(const struct seen *seen, size_t count);

/* Adds JVMs of a role to the run added last. */
void add_role(const char *role, uint64_t answered, uint64_t early, uint32_t bad_ends);

/* First exceptions of the run added last are known; there are none yet. */
void tell_firsts(void);
/* Adds the first exception of a class, in a JVM of a role, to the run added last. */
void add_first(const char *role, const char *class_name, uint64_t packet);

/* The ranking of all runs, whose scores are the sums of their parts; roxi_ranking_free it.
 * reference: as for roxi_ranking_make. */
struct roxi_ranking rank_all(const bool *reference);

/* Why a run is unusual, in words; valid until the next call. */
const char *explained(const struct roxi_ranking *r, size_t run);

#endif
