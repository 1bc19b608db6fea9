/* SPDX-License-Identifier: Apache-2.0 */
/* Maps a trace log's numbers to the campaign's dictionary: every class, method, frame, stack and
 * thread of the log is normalised and looked up once, and costs one array access afterwards. */
#ifndef ROXI_LOG_SYMBOLS_H
#define ROXI_LOG_SYMBOLS_H

#include "roxi/campaign/names.h"
#include "roxi/campaign/tally.h"
#include "schema/tracelog/reader.h"

/* How much of a frame is compared. */
enum roxi_granularity { ROXI_LINES, ROXI_METHODS, ROXI_CLASSES };
/* Its name; a constant. */
const char *roxi_granularity_name(enum roxi_granularity granularity);

struct roxi_log_stack {
    uint32_t number;    /* in the dictionary, for use as a parent */
    uint32_t counts_as; /* the same, or ROXI_LEFT_OUT if it is idle */
};

struct roxi_log_symbols {
    const struct ix_log_reader *log;
    struct roxi_symbols *symbols;
    struct roxi_names *names;
    enum roxi_granularity granularity;
    uint32_t part; /* the log's part to which the numbers belong */
    /* By the log's numbers; owned. */
    uint32_t *classes; /* string of the normalised name + 1; 0: not requested yet */
    struct roxi_log_method *methods;
    struct roxi_log_frame *frames;
    struct roxi_log_stack *stacks;
    struct roxi_log_thread *threads;
    size_t class_count, class_cap, method_count, method_cap, frame_count, frame_cap;
    size_t stack_count, stack_cap, thread_count, thread_cap;
};

/* The log, the dictionary and the rules must outlive it. */
void roxi_log_symbols_init(struct roxi_log_symbols *l, const struct ix_log_reader *log,
                           struct roxi_symbols *symbols, struct roxi_names *names,
                           enum roxi_granularity granularity);
void roxi_log_symbols_release(struct roxi_log_symbols *l);

/* Takes over the log's new definitions; call it for each snapshot. -1: out of memory. */
int roxi_log_symbols_update(struct roxi_log_symbols *l);

/* The dictionary's stack for a stack of a snapshot; ROXI_LEFT_OUT if it is idle. Callers cut off
 * by a depth limit are ignored: such a stack is compared as if its thread began at the cut. */
static inline uint32_t roxi_log_symbols_stack(const struct roxi_log_symbols *l, uint32_t stack)
{
    return l->stacks[stack].counts_as;
}
/* The same, idle or not. */
static inline uint32_t roxi_log_symbols_whole(const struct roxi_log_symbols *l, uint32_t stack)
{
    return l->stacks[stack].number;
}
/* Adds to `sources` which files the classes met so far in this part are compiled from, as
 * roxi_pair(class, file). -1: out of memory. */
int roxi_log_symbols_sources(struct roxi_log_symbols *l, struct roxi_tally *sources);
/* An exception of that class, thrown in that frame, numbers of the log: the string of the class's
 * normalised name, and the dictionary's stack of the frame alone. After roxi_log_symbols_update.
 * -1: out of memory. */
int roxi_log_symbols_thrown(struct roxi_log_symbols *l, uint32_t class_number, uint32_t frame,
                            uint32_t *class_string, uint32_t *stack);
/* The first exception of that class, made in that call stack, numbers of the log: the string of the
 * class's normalised name, and the dictionary's stack. After roxi_log_symbols_update. -1: out of
 * memory. */
int roxi_log_symbols_first(struct roxi_log_symbols *l, uint32_t class_number, uint32_t log_stack,
                           uint32_t *class_string, uint32_t *stack);
/* The dictionary's stack of a method alone, without a line; ROXI_LEFT_OUT if a rule skips it. After
 * roxi_log_symbols_update. ROXI_NONE: out of memory. */
uint32_t roxi_log_symbols_called(struct roxi_log_symbols *l, uint32_t method);
/* The dictionary's stack of a frame alone, with its line only at the granularity of lines;
 * otherwise as roxi_log_symbols_called. */
uint32_t roxi_log_symbols_covered(struct roxi_log_symbols *l, uint32_t frame);
/* The string of a thread's present normalised name (threads can be renamed). ROXI_LEFT_OUT: a
 * rule skips it, or an earlier test has left it behind; ROXI_NONE: out of memory. */
uint32_t roxi_log_symbols_thread(struct roxi_log_symbols *l, uint32_t thread);

#endif
