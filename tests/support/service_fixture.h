/* SPDX-License-Identifier: Apache-2.0 */
/* A server with a campaign in the temporary directory, and queries for tests. */
#ifndef IX_TESTS_SERVICE_FIXTURE_H
#define IX_TESTS_SERVICE_FIXTURE_H

#include "server/sampling/ticker.h"
#include "tests/support/serving.h"

#define EVERY_NS 5000000
#define LEAD_NS 2000000

extern unsigned warnings; /* since serve() */

/* Starts the server for this run; sets rhythm and lead of `options` to those above. */
void serve(struct ixor_service_options options, const char *execution);

/* Set-up of a test: a server for run0001. Tear-down: stop_and_leave. */
int service_set_up(void **state);

/* Sessions that are open now. */
size_t live(void);

/* Rows in the catalogue's table of snapshots. */
size_t snapshots(void);

#endif
