/* Where a command's data goes: stdout, or a file that appears whole or not at all. */
#ifndef ROXI_OUTPUT_H
#define ROXI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "schema/error.h"

struct roxi_output {
    FILE *stream; /* write here */
    char *path;   /* the file asked for; NULL: stdout */
    char *temporary; /* NULL: none */
    bool nameless;   /* the file has no name yet */
};

/* path NULL or "-": stdout; else a temporary file beside `path`, so that a failure leaves an older
 * `path` as it was; one without a name where the file system can do that, so that nothing is left of
 * it, whatever ends the program. A device or pipe is written into as it is. With several ranks
 * (ranks.h) only rank 0 writes anything. 0 or -1. */
int roxi_output_open(struct roxi_output *out, const char *path, struct ix_error *err);

/* Everything was written: flushes, and puts the file in its place. -1 if any write failed (then
 * nothing is left behind). */
int roxi_output_commit(struct roxi_output *out, struct ix_error *err);

/* Gives the file up. Harmless after commit. */
void roxi_output_abandon(struct roxi_output *out);

#endif
