/* SPDX-License-Identifier: Apache-2.0 */
/* What `roxi export --format jstack` says in addition to what a JVM prints, so that importing gives
 * the same campaign again: descriptors, and the groups of threads. The lines are described in
 * roxi/export/jstack_facts.h. */
#ifndef ROXI_IMPORT_TEXT_FACTS_H
#define ROXI_IMPORT_TEXT_FACTS_H

#include "roxi/import/dump.h"

/* Of one JVM. */
struct dump_text_facts;

struct dump_text_facts *dump_text_facts_new(void);        /* NULL: out of memory */
void dump_text_facts_free(struct dump_text_facts *facts); /* may be NULL */

/* Takes a line if it states such a fact. 0, or -1: out of memory. */
int dump_text_facts_take(struct dump_text_facts *facts, struct ix_span line, struct ix_error *err);

/* A dump begins: what was said of single frames of the one before is void. */
void dump_text_facts_begin(struct dump_text_facts *facts);

/* Adds what is known of the thread, or of its frame at that depth (0: the executing one), for which
 * the text "a.B.run(B.java:12)" stands. O(1). */
void dump_text_facts_frame(const struct dump_text_facts *facts, uint64_t thread, uint32_t depth,
                           struct ix_span text, struct dump_frame *frame);
void dump_text_facts_thread(const struct dump_text_facts *facts, struct dump_thread *thread);

#endif
