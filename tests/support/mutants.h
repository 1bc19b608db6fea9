/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers, and messages changed by them: the same for the same seed. */
#ifndef IX_TESTS_MUTANTS_H
#define IX_TESTS_MUTANTS_H

#include <stddef.h>
#include <stdint.h>

/* Starts the sequence of random numbers. */
void mutants_seed(uint64_t seed);

uint64_t next_random(void);

/* A random number from 0 to n - 1. */
size_t below(size_t n);

/* Changes, removes, duplicates and overwrites bytes of a message, up to three times. Returns its
 * new size, at most `room`. */
size_t mutate(uint8_t *bytes, size_t size, size_t room);

#endif
