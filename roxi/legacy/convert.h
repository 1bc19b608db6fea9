/* Turns the blocks of a text log into the snapshots of a trace log: resolves identifiers, finds
 * which threads are the same from block to block.
 *
 * A method or class identifier means what the latest block that wrote it said; within one block it
 * can be written once only. A thread is the same one as before if identifier, names and logical
 * start are all the same; of threads that share these in one block, the n-th is the n-th of the
 * other blocks. What the text does not have is left unknown: priority, daemon flag, wall clock,
 * stop length, missed threads.
 */
#ifndef ROXI_TEXT_CONVERT_H
#define ROXI_TEXT_CONVERT_H

#include "roxi/text_reader.h"
#include "schema/tracelog_writer.h"

struct text_convert;

/* `writer` is the caller's and must outlive the result; `name` is the text log's, for messages.
 * NULL if memory runs out. */
struct text_convert *text_convert_new(struct ix_log_writer *writer, const char *name,
                                      struct ix_error *err);
void text_convert_free(struct text_convert *c); /* may be NULL */

/* Appends the block as a snapshot. 0, or -1: the writer failed, or an identifier was never
 * written ("FILE:LINE: ..."). Expected O(lines of the block), sorting of new threads aside. */
int text_convert_block(struct text_convert *c, const struct text_block *block,
                       struct ix_error *err);

#endif
