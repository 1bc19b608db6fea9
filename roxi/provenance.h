/* Where a result comes from: what made it, from what, and with which options. Stated inside where
 * the format has room for it, and for any result in a file of its own (--provenance). */
#ifndef ROXI_PROVENANCE_H
#define ROXI_PROVENANCE_H

#include <stdio.h>

#include "roxi/options.h"
#include "roxi/output.h"
#include "roxi/profile.h"

/* What a result was computed from. */
struct roxi_origin {
    const struct roxi_options *options;
    unsigned takes; /* ROXI_OPT_* of the command: these are stated, with the values that were used */
    const struct roxi_profiles *profiles; /* stated as a fingerprint (fingerprint.h) */
};

/* Writes `{"format":"roxi-NAME","version":1,...` without the closing brace. The version changes
 * when a member changes its meaning or goes away, not when one is added. */
void roxi_json_begin(FILE *out, const char *name, const struct roxi_origin *origin);

/* The same, whole and on one line, as a text to be freed. NULL: memory ran out. */
char *roxi_provenance_text(const struct roxi_origin *origin);

/* The same as a comment in square brackets, on one line and with none inside: for Newick. -1:
 * memory ran out. */
int roxi_provenance_comment(FILE *out, const struct roxi_origin *origin);

/* A command's output, and the file that --provenance names, if any. */
struct roxi_result {
    struct roxi_output data, side;
};

/* Opens both, as --output and --provenance say; before the work, so that a path that cannot be
 * written is known at once. 0, or -1 with nothing left open. */
int roxi_result_open(struct roxi_result *r, const struct roxi_options *o, struct ix_error *err);
/* Puts both in their places, where the data is from first: who finds the data finds that, too. */
int roxi_result_commit(struct roxi_result *r, const char *command,
                       const struct roxi_origin *origin, struct ix_error *err);
/* Gives both up. Harmless after commit. */
void roxi_result_abandon(struct roxi_result *r);

#endif
