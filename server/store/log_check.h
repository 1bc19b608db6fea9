/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a trace log is complete: in one call, or in slices between the server's other
 * work. */
#ifndef IXOR_LOG_CHECK_H
#define IXOR_LOG_CHECK_H

#include "server/store/catalogue_writer.h"

/* 1 if it is, 0 if not, -1 if it cannot be opened. O(bytes). */
int ixor_log_is_complete(const char *path);

/* Checks received copies one after another in the event loop. */
struct ixor_log_check;
struct ixor_log_check *ixor_log_check_new(struct event_base *base, struct ixor_writer *writer,
                                          struct ix_error *err);
/* Copies that have not been checked stay unchecked in the catalogue. w may be NULL. */
void ixor_log_check_free(struct ixor_log_check *w);
/* Queues a check of the JVM's copy at `path`, whose result is recorded later; if out of memory,
 * never. */
void ixor_log_check_add(struct ixor_log_check *w, int64_t vm, const char *path);

#endif
