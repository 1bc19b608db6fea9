/* SPDX-License-Identifier: Apache-2.0 */
/* What `roxi explain` and `roxi diff` share. */
#ifndef ROXI_COMMANDS_EXPLAIN_H
#define ROXI_COMMANDS_EXPLAIN_H

#include "roxi/commands/options.h"

enum roxi_explain_format { ROXI_EXPLAIN_TEXT, ROXI_EXPLAIN_MARKDOWN, ROXI_EXPLAIN_JSON };

struct roxi_explain_options {
    enum roxi_explain_format format;
    bool all; /* findings */
};

/* --format, --json, --all */
struct ix_option_group roxi_explain_rows(struct roxi_explain_options *o);

/* Several runs against others. */
struct roxi_explain_several {
    const char *campaign; /* of the runs */
    const char *others;   /* the campaign whose runs they are compared with; NULL: with the runs of
                             `campaign` that passed, and only those that failed are explained */
    struct roxi_load_options load;
    struct roxi_ranking_options ranking;
    struct roxi_explain_options explain;
};
int roxi_explain_several(struct roxi_result *out, struct roxi_explain_several *several,
                         struct ix_error *err);

#endif
