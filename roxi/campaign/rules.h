/* Rules for names, as data: a text of lines (default.rules says how), read, checked and made ready
 * for use. Which names there are and what has become of them is names.h's. */
#ifndef ROXI_RULES_H
#define ROXI_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/bytes.h"
#include "schema/error.h"

enum roxi_rule_kind {
    ROXI_RULE_CLASS,       /* rewrites */
    ROXI_RULE_THREAD,      /* rewrites */
    ROXI_RULE_SKIP_THREAD, /* these and the following match */
    ROXI_RULE_SKIP_FRAME,
    ROXI_RULE_IDLE,
    ROXI_RULE_KINDS
};

struct roxi_rules;

/* The text that is built in. */
extern const char roxi_rules_default[];

/* Reads rules out of a text (`name` is for messages) or a file of at most 1 MiB. NULL and a message
 * with the line if one is bad. */
struct roxi_rules *roxi_rules_parse(const char *text, size_t len, const char *name,
                                    struct ix_error *err);
struct roxi_rules *roxi_rules_read(const char *path, struct ix_error *err);
void roxi_rules_free(struct roxi_rules *r); /* r may be NULL */

/* The kind's word in a rules file. */
const char *roxi_rule_word(enum roxi_rule_kind kind);
size_t roxi_rules_count(const struct roxi_rules *r, enum roxi_rule_kind kind);

/* The line of the first rule of the kind that matches; 0: none does. */
unsigned roxi_rules_match(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text);

/* `text` (terminated) after all rules of the kind, terminated, in `result`, whose content is
 * replaced. The lines of the rules that changed it, comma-separated and terminated, in `lines`,
 * likewise; NULL: not wanted. -1: memory ran out. */
int roxi_rules_rewrite(const struct roxi_rules *r, enum roxi_rule_kind kind, const char *text,
                       struct ix_out *result, struct ix_out *lines);

#endif
