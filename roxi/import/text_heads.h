/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the thread dumps in a text: what jstack, `jcmd PID Thread.print` and a JVM that got SIGQUIT
 * print, and what `roxi export --format jstack` writes, any number of them, with anything else
 * before, behind and between them.
 *
 * A dump begins with "Full thread dump". It is complete if it ends with the line "JNI global
 * ref...", as the dumps of every JVM from 8 on do. A dump written by roxi says at its beginning how
 * many threads it has. */
#ifndef ROXI_IMPORT_TEXT_HEADS_H
#define ROXI_IMPORT_TEXT_HEADS_H

#include "roxi/import/dump.h"
#include "roxi/import/lines.h"

/* Calls `each` for each dump, in order; it takes over what the head owns. O(bytes), memory for one
 * line. 0, or -1 with a message, or what `each` returned if that is not 0. */
int dump_text_heads(struct dump_lines *lines,
                    int (*each)(void *user, struct dump_head *head, struct ix_error *err),
                    void *user, struct ix_error *err);

/* ---- words that both passes look for ---- */

bool dump_text_begins(struct ix_span line, const char *words);
/* True if the line ends a dump's threads. */
bool dump_text_is_end(struct ix_span line);
/* True if it is the line with which roxi begins a dump: "execution E, role R, process P, packet
 * N:". */
bool dump_text_is_origin(struct ix_span line);
#define DUMP_TEXT_TITLE "Full thread dump "

/* How many threads a dump of roxi has: the beginning of one of its lines in front (export/
 * jstack_facts.h). */
#define DUMP_TEXT_THREADS "threads\t"

#endif
