/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the rules (rules.h) to the names in trace logs, of classes, threads and frames, once
 * for each name, and remembers the results. */
#ifndef ROXI_NAMES_H
#define ROXI_NAMES_H

#include <stdio.h>

#include "roxi/campaign/profile.h"
#include "roxi/campaign/rules.h"
#include "roxi/campaign/symbols.h"
#include "roxi/campaign/templates.h"
#include "schema/base/error.h"

#define ROXI_LEFT_OUT (UINT32_MAX - 1) /* instead of a number: a rule leaves it out */

struct roxi_names;

/* Results are interned in `symbols`, which must outlive the result, as must the rules. templates:
 * what threads' names become after the rules, must outlive the result; need not have learnt
 * anything before the first thread is asked for; NULL: nothing. explain: where to print each name
 * that the rules changed or left out, and with templates every thread's name, once, as KIND, name,
 * result, the rules' lines, the node, and the number of the run that made the template so wide,
 * counted from 1, separated by tabs; NULL: nowhere. NULL on failure. */
struct roxi_names *roxi_names_new(struct roxi_symbols *symbols, const struct roxi_rules *rules,
                                  const struct roxi_templates *templates, FILE *explain,
                                  struct ix_error *err);
void roxi_names_free(struct roxi_names *n); /* n may be NULL */

/* The string of a class's or thread's normalised name; ROXI_LEFT_OUT for a thread that is
 * skipped; ROXI_NONE on failure (roxi_names_failure). A known name costs one look-up. Of a thread
 * that belongs to a node it is NODE/TEMPLATE. group: the thread's, or NULL. */
uint32_t roxi_names_class(struct roxi_names *n, const char *name);
uint32_t roxi_names_thread(struct roxi_names *n, const char *name, const char *group);

/* Those of NODE/TEMPLATE that have occurred so far; the list lives until the next thread is asked
 * for. */
const struct roxi_node *roxi_names_nodes(const struct roxi_names *n, size_t *count);

/* Why there was no result: the message of a rule (rules.h); NULL: out of memory. */
const char *roxi_names_failure(const struct roxi_names *n);

enum roxi_frame_use {
    ROXI_FRAME_KEPT,
    ROXI_FRAME_SKIPPED, /* left out of call stacks */
    ROXI_FRAME_IDLE,    /* kept, but a call stack whose executing frame it is is not counted */
    ROXI_FRAME_UNKNOWN, /* failure */
};
/* For a method of a normalised class; both are strings of `symbols`. */
enum roxi_frame_use roxi_names_frame(struct roxi_names *n, uint32_t class_name, uint32_t method);

#endif
