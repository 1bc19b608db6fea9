/* SPDX-License-Identifier: Apache-2.0 */
/* Where a command writes its data: stdout, or a file that appears complete or not at all. */
#ifndef ROXI_OUTPUT_H
#define ROXI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "schema/base/error.h"

struct roxi_output {
    FILE *stream;    /* write here */
    char *path;      /* the requested file; NULL: stdout */
    char *temporary; /* NULL: none */
    bool nameless;   /* the temporary file has no name yet */
};

/* path NULL or "-": stdout. Otherwise writes to a temporary file beside `path`, so that a
 * failure leaves an existing `path` unchanged. Where the file system allows it, the temporary
 * file has no name, so that nothing remains of it however the program ends. Devices and pipes
 * are written directly. 0 or -1. */
int roxi_output_open(struct roxi_output *out, const char *path, struct ix_error *err);

/* The same for the file that is named like `path` with `ending` behind it. */
int roxi_output_open_beside(struct roxi_output *out, const char *path, const char *ending,
                            struct ix_error *err);

/* Is it standard output, and that a terminal, so that a person reads it? */
bool roxi_output_is_terminal(const struct roxi_output *out);

/* From now on every output that is opened goes to /dev/null, because another process writes it. */
void roxi_output_discard(void);

/* Call when everything is written: flushes and puts the file in its place. -1 if any write
 * failed; then no file remains. */
int roxi_output_commit(struct roxi_output *out, struct ix_error *err);

/* Discards the file. No effect after commit. */
void roxi_output_abandon(struct roxi_output *out);

#endif
