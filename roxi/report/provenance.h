/* SPDX-License-Identifier: Apache-2.0 */
/* The origin of a result: the program that made it, its inputs and its options. Stated inside
 * the result where its format allows that, and for any result in a separate file (--provenance). */
#ifndef ROXI_PROVENANCE_H
#define ROXI_PROVENANCE_H

#include <stdint.h>
#include <stdio.h>

#include "roxi/base/json.h"
#include "roxi/base/output.h"
#include "roxi/campaign/profile.h"

/* An option and the value used. */
struct roxi_stated {
    const char *name; /* without "--" */
    enum roxi_stated_kind {
        ROXI_STATED_NOT_GIVEN,
        ROXI_STATED_WORD,
        ROXI_STATED_COUNT,
        ROXI_STATED_NUMBER,
        ROXI_STATED_FLAG,
    } kind;
    const char *word;
    uint64_t count;
    double number;
    bool flag;
};

/* What a result was computed from. Nothing is owned. */
struct roxi_origin {
    const char *campaign;              /* its directory, as given */
    const struct roxi_stated *options; /* those that affect the result, in order */
    size_t option_count;
    const struct roxi_profiles *profiles; /* stated as a fingerprint (fingerprint.h) */
};

/* Begins a document `{"format":"roxi-NAME","version":1,...`, which the caller continues and
 * closes. The version changes when a member changes its meaning or is removed, not when one is
 * added. -1: out of memory; then there is no result. */
int roxi_json_begin(struct roxi_json *j, const char *name, const struct roxi_origin *origin,
                    struct ix_error *err);
/* Closes it and ends the line. */
void roxi_json_end(struct roxi_json *j);

/* The same as a complete document on one line, which the caller frees. NULL: out of memory. */
char *roxi_provenance_text(const struct roxi_origin *origin);

/* The same as a comment in square brackets, on one line and without brackets inside: for Newick.
 * -1: out of memory. */
int roxi_provenance_comment(FILE *out, const struct roxi_origin *origin);

/* The files that a command writes. */
struct roxi_output_options {
    const char *output;     /* NULL: standard output */
    const char *provenance; /* a file that states the origin of the output; NULL: none */
};

/* A command's output, and the file that --provenance names, if any. */
struct roxi_result {
    struct roxi_output data, side;
};

/* Opens both before the work starts, so that a path that cannot be written is reported at once.
 * 0, or -1 with nothing left open. */
int roxi_result_open(struct roxi_result *r, const struct roxi_output_options *o,
                     struct ix_error *err);
/* Puts both files in place, the provenance first: whoever finds the data also finds its origin. */
int roxi_result_commit(struct roxi_result *r, const char *command, const struct roxi_origin *origin,
                       struct ix_error *err);
/* Discards both. No effect after commit. */
void roxi_result_abandon(struct roxi_result *r);

#endif
