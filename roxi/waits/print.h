/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the graph of a packet. */
#ifndef ROXI_WAITS_PRINT_H
#define ROXI_WAITS_PRINT_H

#include <stdio.h>

#include "roxi/base/json.h"
#include "roxi/campaign/thread_nodes.h"
#include "schema/waits/build.h"

/* As trees: those that wait for nobody, each with those that wait for it. Without the packet's
 * number, so that packets can be compared. Nothing if nobody waits for anybody. */
void waits_print_text(FILE *out, const struct waits_build *b);
/* As an element of the list "packets" (docs/waits.md). nodes: of the threads; NULL: not known. -1
 * with a message. */
int waits_print_json(struct roxi_json *j, const struct waits_build *b,
                     struct roxi_thread_nodes *nodes, struct ix_error *err);
/* As a graph for Graphviz. */
void waits_print_dot(FILE *out, const struct waits_build *b);
/* Text within a quoted string of Graphviz's, without control characters. */
void waits_print_quoted(FILE *out, const char *text);

#endif
