/* SPDX-License-Identifier: Apache-2.0 */
/* A byte stream over TLS on a non-blocking socket, for callers that wait with poll(2): the agent,
 * programs that control a server, tests. (The server has libevent for that.) Never blocks, never
 * raises SIGPIPE.
 */
#ifndef IX_SCHEMA_WIRE_H
#define IX_SCHEMA_WIRE_H

#include <stddef.h>
#include <sys/types.h>

#include "schema/protocol/tls.h"

struct ix_wire;

/* Uses a connected socket, which stays the caller's; client or server side according to `tls`,
 * which must outlive the wire. NULL: out of memory. */
struct ix_wire *ix_wire_new(struct ix_tls *tls, int fd);
void ix_wire_free(struct ix_wire *w); /* w may be NULL */

/* All three return 0 if they must wait for ix_wire_events, -1 if the connection has ended. */

/* The handshake; call it first. 1: done, and the peer has proven the key. -1: see ix_wire_fault. */
int ix_wire_shake(struct ix_wire *w);
/* Otherwise return how many bytes were read or written. A write that returned 0 must be repeated
 * with the same bytes, possibly with more appended. size > 0. */
ssize_t ix_wire_read(struct ix_wire *w, void *data, size_t size);
ssize_t ix_wire_write(struct ix_wire *w, const void *data, size_t size);

/* What to poll for: POLLIN, and POLLOUT if the last call needs it. */
short ix_wire_events(const struct ix_wire *w);
/* Whether there is data to read that poll(2) does not see. */
bool ix_wire_pending(const struct ix_wire *w);

/* Why the handshake failed; IX_TLS_KEY also if the peer proved nothing. */
enum ix_tls_fault ix_wire_fault(const struct ix_wire *w);
/* After the handshake: see ix_tls_proven and ix_tls_secret. */
enum ix_key_kind ix_wire_proven(const struct ix_wire *w);
int ix_wire_secret(struct ix_wire *w, uint8_t secret[IX_SECRET_SIZE]);
/* Tells the peer that nothing will follow, if the socket accepts that now. */
void ix_wire_end(struct ix_wire *w);

/* Frees what OpenSSL keeps for a thread; must be the thread's last call. */
void ix_wire_thread_end(void);

#endif
