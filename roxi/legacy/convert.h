/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the blocks of a text log into the snapshots of a trace log: resolves identifiers and
 * finds out which threads are the same from block to block.
 *
 * The meaning of a method or class identifier comes from the latest block that defined it; a
 * block may define it only once. Threads in different blocks are the same if identifier, names
 * and logical start all agree; if several threads of one block agree in these, the n-th matches
 * the n-th of other blocks. What the text does not contain remains unknown: priority, daemon
 * flag, wall clock, stop length, missed threads.
 */
#ifndef ROXI_TEXT_CONVERT_H
#define ROXI_TEXT_CONVERT_H

#include "roxi/legacy/reader.h"
#include "schema/tracelog/writer.h"

struct text_convert;

/* The caller owns `writer`, which must outlive the result; `name` is the text log's, for
 * messages. NULL if out of memory. */
struct text_convert *text_convert_new(struct ix_log_writer *writer, const char *name,
                                      struct ix_error *err);
void text_convert_free(struct text_convert *c); /* may be NULL */

/* Appends the block as a snapshot. 0, or -1: the writer failed, or an identifier was never
 * defined ("FILE:LINE: ..."). Expected O(lines of the block), apart from sorting new threads. */
int text_convert_block(struct text_convert *c, const struct text_block *block,
                       struct ix_error *err);

#endif
