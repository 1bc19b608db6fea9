/* SPDX-License-Identifier: Apache-2.0 */
/* The commands' side of a control connection to the server that writes a campaign: blocking, with a
 * time limit.
 */
#ifndef IXOR_CLIENT_H
#define IXOR_CLIENT_H

#include <jansson.h>
#include <stdint.h>

#include "schema/base/error.h"

struct ixor_client;

/* Connects to the server that DIR/server.lock announces. The limit also applies to each later
 * exchange. NULL on failure: no server for DIR, or it does not answer. */
struct ixor_client *ixor_client_open(const char *dir, uint64_t limit_ns, struct ix_error *err);
void ixor_client_close(struct ixor_client *c); /* c may be NULL */

/* Sends a command and waits for the answer: a new JSON object, NULL on failure or if the server
 * refuses. `text`: at most IX_CONTROL_TEXT_MAX bytes of UTF-8 without control characters. */
json_t *ixor_client_ask(struct ixor_client *c, const char *verb, const char *text,
                        struct ix_error *err);

#endif
