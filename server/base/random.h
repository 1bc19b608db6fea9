/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that a seed repeats: Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators" (2014), splitmix64. The state begins as the seed. */
#ifndef IXOR_RANDOM_H
#define IXOR_RANDOM_H

#include <stdint.h>

uint64_t ixor_random_bits(uint64_t *state);
/* Uniform, from 0 to below 1. */
double ixor_random_part(uint64_t *state);

#endif
