/* SPDX-License-Identifier: Apache-2.0 */
/* The runs that a server has opened: their beginning and end, and which one an agent joins. */
#ifndef IXOR_EXECUTIONS_H
#define IXOR_EXECUTIONS_H

#include "server/session/context.h"

/* Opens a run, new or already in the catalogue, and makes it the current one, which agents join
 * that name none. Lives as long as the context. NULL on failure. */
struct ixor_execution *ixor_executions_open(struct ixor_context *c, const char *name,
                                            const char *command, int64_t begin_ns,
                                            struct ix_error *err);
/* Admits no more agents; those still connected are recorded as server-stopped. Does not record the
 * end of the run. */
void ixor_executions_close(struct ixor_context *c, struct ixor_execution *e, const char *why);
/* The open run for an agent that names `name` ("": none). Opens one if the server does so on
 * demand. NULL with the reason. */
struct ixor_execution *ixor_executions_find(struct ixor_context *c, const char *name,
                                            struct ix_error *err);
/* Opens a new run of a test, with the test's name and perhaps a number
 * (schema/protocol/protocol.md, "Tests"). It gets a burst if it lasts for burst_ns (0: never), or
 * for as long as the server's options say. NULL with the reason. O(runs). */
struct ixor_execution *ixor_executions_begin_test(struct ixor_context *c, const char *test,
                                                  uint64_t burst_ns, struct ix_error *err);
/* Ends the run of a test, and the sessions in it. More about it, if not empty, becomes a mark. */
void ixor_executions_end_test(struct ixor_context *c, struct ixor_execution *e,
                              enum ix_verdict verdict, const char *more);
/* The server ends: if a test has not ended, its run does. It has failed if its JVM vanished. */
void ixor_executions_stop_tests(struct ixor_context *c);

void ixor_executions_free(struct ixor_context *c); /* frees all; no session may be left */

#endif
