/* SPDX-License-Identifier: Apache-2.0 */
/* What a call stack tells of the thing that its thread waits for. */
#ifndef IX_SCHEMA_WAITS_STACK_H
#define IX_SCHEMA_WAITS_STACK_H

#include <stdbool.h>

#include "schema/tracelog/reader.h"

/* The class in whose method a parked thread waits, below what only parks (LockSupport,
 * AbstractQueuedSynchronizer): java.util.concurrent.FutureTask, say. NULL if there is none. Lives
 * as long as the reader's part. */
const char *waits_stack_class(const struct ix_log_reader *log, uint32_t stack);
/* "queue", "future" or "park". */
const char *waits_stack_word(const char *class);
/* True if it is a worker without work: of a thread pool, a timer. */
bool waits_stack_idle(const struct ix_log_reader *log, uint32_t stack);
/* True if it joins a thread. */
bool waits_stack_joins(const struct ix_log_reader *log, uint32_t stack);
/* True if it accepts connections, or selects among several. */
bool waits_stack_accepts(const struct ix_log_reader *log, uint32_t stack);
bool waits_stack_selects(const struct ix_log_reader *log, uint32_t stack);
/* True if it runs, or waits on behalf of, virtual threads. */
bool waits_stack_virtual(const struct ix_log_reader *log, uint32_t stack);

#endif
