/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is written to memory as to a file. Other than open_memstream of glibc 2.36, which drops
 * what it has no room for without a word, it tells if memory ran out. */
#ifndef IX_SCHEMA_BASE_TEXT_MEMORY_H
#define IX_SCHEMA_BASE_TEXT_MEMORY_H

#include <stdbool.h>
#include <stdio.h>

/* Does not move while it is open. */
struct ix_text {
    FILE *out; /* write here */
    char *text;
    size_t size, cap;
    bool failed;
};

/* -1: memory ran out, and nothing to close. */
int ix_text_open(struct ix_text *t);
/* How many bytes have been written so far. (The stream itself has no position.) */
size_t ix_text_length(struct ix_text *t);
/* All that was written, terminated; t->size is its length. The caller frees it. NULL: memory ran
 * out, now or while it was written. */
char *ix_text_close(struct ix_text *t);

#endif
