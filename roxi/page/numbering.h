/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that names, frames and call stacks have in a page: only what it uses is in it. */
#ifndef ROXI_NUMBERING_H
#define ROXI_NUMBERING_H

#include <stdbool.h>
#include <stdio.h>

#include "roxi/campaign/profile.h"

/* All zero but for the profiles: empty. */
struct roxi_numbering {
    const struct roxi_profiles *profiles;
    struct roxi_tally strings, frames, stacks, methods;
    bool failed; /* memory ran out */
};
void roxi_numbering_free(struct roxi_numbering *n);

/* Numbers; of the empty string and the empty stack 0. */
uint32_t roxi_number_string(struct roxi_numbering *n, uint32_t string);
uint32_t roxi_number_stack(struct roxi_numbering *n, uint32_t stack);
uint32_t roxi_number_method(struct roxi_numbering *n, uint32_t class_name, uint32_t method);

/* Writes the members "strings", "frames", "stacks" and "methods" (page_data.h), without braces. */
void roxi_numbering_write(FILE *out, struct roxi_numbering *n);

#endif
