/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and call stacks as JSON (docs/viewer.md), from trace logs that may still be growing.
 *
 * A log can be read only forwards. So each one stays open at two positions: at its end, so that the
 * next query for the newest packet costs only what has been written since, and at the last packet
 * asked for, with the IXOR_STACKS_KEPT snapshots before it. To find an earlier packet the log is
 * read again from the start. No call reads for longer than IXOR_STACKS_NS: it then returns busy,
 * and the next call continues.
 *
 * Memory: IXOR_STACKS_LOGS readers, or fewer if they hold more than IXOR_STACKS_BYTES together; a
 * log that alone takes more is not read further. Snapshots: IXOR_STACKS_KEPT_BYTES per log, or the
 * one asked for. One struct, one thread.
 */
#ifndef IXOR_STACKS_H
#define IXOR_STACKS_H

#include <stdint.h>

#include "server/viewer/live.h"

#define IXOR_STACKS_LOGS 16u
#define IXOR_STACKS_THREADS 5000u /* in an answer; others are only counted */
#define IXOR_STACKS_FRAMES 5000u
#define IXOR_STACKS_TEXT 400u /* bytes of a name in an answer; longer ones are cut */

struct ixor_stacks;

struct ixor_stacks *ixor_stacks_new(void);    /* NULL: out of memory */
void ixor_stacks_free(struct ixor_stacks *s); /* s may be NULL */

/* The threads of a packet (0: the newest) in the log at `path`, and the complete stack of one of
 * them. Results as in live.h. */
enum ixor_found ixor_stacks_threads(struct ixor_stacks *s, const char *path, uint64_t packet,
                                    json_t **out, struct ix_error *err);
enum ixor_found ixor_stacks_stack(struct ixor_stacks *s, const char *path, uint64_t packet,
                                  uint32_t thread, json_t **out, struct ix_error *err);

#endif
