/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is written to memory as to a file. Other than open_memstream of glibc 2.36, which drops
 * what it has no room for without a word, it tells if memory ran out. */
#ifndef ROXI_TEXT_MEMORY_H
#define ROXI_TEXT_MEMORY_H

#include <stdbool.h>
#include <stdio.h>

/* Does not move while it is open. */
struct roxi_text {
    FILE *out; /* write here */
    char *text;
    size_t size, cap;
    bool failed;
};

/* -1: memory ran out, and nothing to close. */
int roxi_text_open(struct roxi_text *t);
/* How many bytes have been written so far. (The stream itself has no position.) */
size_t roxi_text_length(struct roxi_text *t);
/* All that was written, terminated; t->size is its length. The caller frees it. NULL: memory ran
 * out, now or while it was written. */
char *roxi_text_close(struct roxi_text *t);

#endif
