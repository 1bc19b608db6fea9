/* Threads and call stacks out of trace logs that may still be being written, as JSON (docs/viewer.md).
 *
 * A log can be read only forwards. So each one asked for stays open where it was read to, twice: at its
 * end, where the next question for the newest packet costs what has been written since, and at the
 * packet that was asked for last, with the IXOR_STACKS_KEPT snapshots before it. A packet before those
 * is found by reading the log again. No call reads for longer than IXOR_STACKS_NS: it says busy then,
 * and the next one goes on.
 *
 * Memory: IXOR_STACKS_LOGS readers, or fewer if the files behind them have more than
 * IXOR_STACKS_BYTES together (a reader's definitions are in proportion to what it has read); the one
 * at hand in any case. One struct, one thread.
 */
#ifndef IXOR_STACKS_H
#define IXOR_STACKS_H

#include <stdint.h>

#include "server/live.h"

#define IXOR_STACKS_LOGS 16u
#define IXOR_STACKS_KEPT 32u
#define IXOR_STACKS_BYTES (UINT64_C(256) << 20)
#define IXOR_STACKS_NS UINT64_C(300000000)
#define IXOR_STACKS_THREADS 5000u /* in an answer; more are counted */
#define IXOR_STACKS_FRAMES 5000u
#define IXOR_STACKS_TEXT 400u /* bytes of a name in an answer; longer ones are cut */

struct ixor_stacks;

struct ixor_stacks *ixor_stacks_new(void); /* NULL: out of memory */
void ixor_stacks_free(struct ixor_stacks *s); /* s may be NULL */

/* The threads of a packet (0: the newest there is) in the log at `path`, and the whole stack of one
 * of them. As the functions of live.h. */
enum ixor_found ixor_stacks_threads(struct ixor_stacks *s, const char *path, uint64_t packet,
                                    json_t **out, struct ix_error *err);
enum ixor_found ixor_stacks_stack(struct ixor_stacks *s, const char *path, uint64_t packet,
                                  uint32_t thread, json_t **out, struct ix_error *err);

#endif
