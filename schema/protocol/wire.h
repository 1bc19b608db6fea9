/* A byte stream over TLS on a non-blocking socket, for who waits with poll(2): the agent, programs
 * that control a server, tests. (The server has libevent for that.) Never blocks, never raises
 * SIGPIPE.
 */
#ifndef IX_SCHEMA_WIRE_H
#define IX_SCHEMA_WIRE_H

#include <stddef.h>
#include <sys/types.h>

#include "schema/tls.h"

struct ix_wire;

/* Over a connected socket, which stays the caller's; its side of TLS is that of `tls`, which must
 * outlive the wire. NULL: out of memory. */
struct ix_wire *ix_wire_new(struct ix_tls *tls, int fd);
void ix_wire_free(struct ix_wire *w); /* w may be NULL */

/* All three return 0 when nothing can be done before ix_wire_events are there, -1 when the
 * connection is over. */

/* 1: done, and the peer has proven the key. -1: see ix_wire_fault. To be called first. */
int ix_wire_shake(struct ix_wire *w);
/* Else how many bytes were read, or written. A write that returned 0 is to be repeated with the same
 * bytes, to which others may have been added. size > 0. */
ssize_t ix_wire_read(struct ix_wire *w, void *data, size_t size);
ssize_t ix_wire_write(struct ix_wire *w, const void *data, size_t size);

/* What to poll for: POLLIN, and POLLOUT if the last call wants it. */
short ix_wire_events(const struct ix_wire *w);
/* There is something to read that poll does not see. */
bool ix_wire_pending(const struct ix_wire *w);

/* Why the handshake failed; IX_TLS_KEY also if the peer proved nothing. */
enum ix_tls_fault ix_wire_fault(const struct ix_wire *w);
/* After the handshake: see ix_tls_proven and ix_tls_secret. */
enum ix_key_kind ix_wire_proven(const struct ix_wire *w);
int ix_wire_secret(struct ix_wire *w, uint8_t secret[IX_SECRET_SIZE]);
/* Tells the peer that nothing will follow, if the socket takes it now. */
void ix_wire_end(struct ix_wire *w);

/* Gives back what OpenSSL keeps for a thread; the thread's last call. */
void ix_wire_thread_end(void);

#endif
