/* SPDX-License-Identifier: Apache-2.0 */
/* Blocking TLS for tests: a few calls around schema/protocol/wire.h. Each gives up after
 * WIRE_MS. */
#ifndef IX_TESTS_WIRE_SUPPORT_H
#define IX_TESTS_WIRE_SUPPORT_H

#include <stdint.h>

#include "schema/protocol/wire.h"

#define WIRE_MS 5000

/* Performs the handshake with the other end of the socket; NULL if that fails. */
struct ix_wire *wire_meet(struct ix_tls *tls, int fd);

/* Sends all of it. False: the connection has ended. */
bool wire_send(struct ix_wire *w, int fd, const void *data, size_t size);

/* Receives at least one byte. Returns how many, or -1 at the end. */
ssize_t wire_receive(struct ix_wire *w, int fd, void *data, size_t size);

/* One side of a connection with this agent key. NULL: out of memory. */
struct ix_tls *wire_tls(enum ix_tls_side side, const struct ix_key *agent);

#endif
