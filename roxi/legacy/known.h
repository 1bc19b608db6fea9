/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers what repeats in a text log: the identity of threads, and call stacks. Both are
 * recognised by a digest of their lines, so that a repetition is not parsed again. Memory:
 * O(different threads and frames of different stacks).
 *
 * Equal digests count as equal lines without a check: a chance collision takes about 2^64
 * digests, and a deliberate one only spoils the log of whoever made it.
 */
#ifndef ROXI_TEXT_KNOWN_H
#define ROXI_TEXT_KNOWN_H

#include "roxi/legacy/map.h"
#include "schema/base/bytes.h"

struct text_frame {
    uint64_t method; /* identifier */
    int64_t line;
};

/* What identifies a thread. */
struct text_who {
    uint64_t id, start;
    size_t name, group, parent; /* offsets in text_known.text */
};

struct text_stack {
    size_t first, count; /* range in text_known.frames: executing frame first */
};

/* All zero: empty. */
struct text_known {
    struct text_map thread_lines, thread_contents; /* digests -> numbers */
    struct text_map stack_lines, stack_contents;
    struct text_who *threads; /* by number - 1 */
    struct text_stack *stacks;
    struct text_frame *frames;
    struct ix_out text; /* the threads' names, each with a zero byte */
    size_t thread_count, thread_cap, stack_count, stack_cap, frame_count, frame_cap;
};
void text_known_free(struct text_known *k);

struct text_digest {
    uint64_t low, high;
};
struct text_digest text_digest_of(struct ix_span lines);

/* The number, from 1, that was stored for these lines; 0 if they are new. */
uint32_t text_known_find(const struct text_map *lines, struct text_digest digest);
/* Stores it. -1: out of memory. */
int text_known_note(struct text_map *lines, struct text_digest digest, uint32_t number);

/* The number of a thread whose names have been appended to `text` from `who.name` on, in order;
 * if the thread is already known they are removed again. 0: out of memory. */
uint32_t text_known_thread(struct text_known *k, struct text_who who);
/* The same for a stack that consists of the last `count` frames, 1 or more, of `frames`. */
uint32_t text_known_stack(struct text_known *k, size_t count);

static inline const char *text_known_at(const struct text_known *k, size_t place)
{
    return (const char *)k->text.data + place;
}

#endif
