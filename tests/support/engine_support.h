/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the fast engine: random numbers, frames that resemble each other, call stacks
 * with common beginnings and ends. */
#ifndef TESTS_ENGINE_SUPPORT_H
#define TESTS_ENGINE_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/symbols.h"
#include "tests/support/rounds.h"

enum { SEQUENCES = 9 };

/* The strategies that compare sequences of frames. */
extern const char *const names[SEQUENCES];

/* State of draw(); tests set it themselves, or with begin_random(). */
extern uint64_t random_state;

/* Starts a test's own sequence of random numbers. SEED=N in the environment selects another
 * sequence for each N; without it the sequence is always the same. */
void begin_random(const char *test, uint64_t number);

/* A random number from 0 to below - 1. */
uint64_t draw(uint64_t below);

/* A unique name for each kind and number. */
uint32_t string(struct roxi_symbols *s, char kind, unsigned number);

/* One of `variety` frames; frames with close numbers differ only in the line, others in more. */
uint32_t make_frame(struct roxi_symbols *s, unsigned number);

/* A stack of this depth with new frames, except for those it shares with `like`: up to all of its
 * beginning, of its end, or of both. */
uint32_t make_stack(struct roxi_symbols *s, size_t depth, unsigned variety, uint32_t like);

#endif
