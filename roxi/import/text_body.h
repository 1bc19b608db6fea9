/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one thread dump of a text (text_heads.h): threads, frames and locks.
 *
 * Lines that do not belong to a dump are skipped. A thread that they may have damaged is DUMP_TORN:
 * one with a frame that cannot be read, or with frames after a blank line or after a line that
 * begins the stack trace of an exception. Threads of the JVM that are not Java threads, or that run
 * no Java code, are left out. */
#ifndef ROXI_IMPORT_TEXT_BODY_H
#define ROXI_IMPORT_TEXT_BODY_H

#include "roxi/import/lines.h"
#include "roxi/import/text_facts.h"

/* Reads from where the dump begins to its end. `facts`: of its JVM, from one dump to the next. 0 or
 * -1. O(bytes), memory for one line and for the facts. */
int dump_text_body(struct dump_lines *lines, struct dump_text_facts *facts,
                   const struct dump_sink *sink, struct ix_error *err);

#endif
