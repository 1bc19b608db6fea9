/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for names: reads, checks and compiles a text of lines (explained in common.rules).
 * names.h applies them and remembers the results. */
#ifndef ROXI_RULES_H
#define ROXI_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/base/bytes.h"
#include "schema/base/error.h"

enum roxi_rule_kind {
    ROXI_RULE_CLASS,       /* rewrites */
    ROXI_RULE_THREAD,      /* rewrites */
    ROXI_RULE_NODE,        /* its replacement is the name of a thread's node */
    ROXI_RULE_SKIP_THREAD, /* this and the following only match */
    ROXI_RULE_SKIP_FRAME,
    ROXI_RULE_IDLE,
    ROXI_RULE_KINDS
};

struct roxi_rules;

/* The built-in rules: the default, whose threads become templates, and the thesis'. */
extern const char roxi_rules_default[];
extern const char roxi_rules_thesis[];

/* Reads rules from a text (`name` is for messages) or from a file of at most 1 MiB. NULL and a
 * message with line and column if a rule is bad. */
struct roxi_rules *roxi_rules_parse(const char *text, size_t len, const char *name,
                                    struct ix_error *err);
struct roxi_rules *roxi_rules_read(const char *path, struct ix_error *err);
/* What --rules says: NULL is the default, "thesis" the thesis', anything else a file. */
struct roxi_rules *roxi_rules_named(const char *name, struct ix_error *err);
void roxi_rules_free(struct roxi_rules *r); /* r may be NULL */

/* The keyword of this kind in a rules file. */
const char *roxi_rule_word(enum roxi_rule_kind kind);
size_t roxi_rules_count(const struct roxi_rules *r, enum roxi_rule_kind kind);

/* True: threads' names become templates that are learnt (templates.h). */
bool roxi_rules_learn(const struct roxi_rules *r);

/* Matching a name takes a bounded time; what follows returns -1 with a message, which names the
 * rule's line and column, if a pattern needs more for this name; also if memory runs out. */

/* The line of the first rule of this kind that matches; 0: none does. */
int roxi_rules_match(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text,
                     struct ix_error *err);

/* Applies all rules of this kind to `text` (terminated) and replaces the content of `result`
 * with the outcome, terminated. `lines`, if not NULL, gets the line numbers of the rules that
 * changed it, comma-separated and terminated. */
int roxi_rules_rewrite(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text,
                       struct ix_out *result, struct ix_out *lines, struct ix_error *err);

/* Replaces the content of `result` with the replacement of the first rule of this kind that
 * matches, terminated; empty: none does, or it leaves nothing. */
int roxi_rules_extract(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text,
                       struct ix_out *result, struct ix_error *err);

#endif
