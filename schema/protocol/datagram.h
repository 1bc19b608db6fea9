/* SPDX-License-Identifier: Apache-2.0 */
/* The datagrams between server and agents (protocol.md, "UDP"): 64 bytes each, of which the last 16
 * are a MAC under the session's secret. Pure functions on byte buffers.
 */
#ifndef IX_SCHEMA_DATAGRAM_H
#define IX_SCHEMA_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IX_DATAGRAM_SIZE 64u
#define IX_SECRET_SIZE 32u /* bytes of a session's secret */
#define IX_TARGET_AHEAD_MAX_NS 1000000000ull

enum ix_datagram_kind {
    IX_REQUEST = 1, /* server to agent: take packet `number` at `time_ns` */
    IX_PROBE = 2,   /* server to agent: what does your clock say? */
    IX_ANSWER = 3,  /* agent to server: the answer to probe `number` */
};

struct ix_datagram {
    enum ix_datagram_kind kind;
    uint64_t session;
    uint64_t number;  /* of the packet or of the probe, 1 or more */
    uint64_t time_ns; /* request: target time, receiver's monotonic clock, 0 at once; probe: 0;
                         answer: agent's monotonic clock when the probe arrived */
    uint64_t sent_ns; /* sender's monotonic clock when it was sent; 0 not given */
};

/* A secret prepared for use with HMAC-SHA-256 (RFC 2104), truncated to 16 of 32 bytes. Not for two
 * threads at once. NULL: out of memory. */
struct ix_sealer;
struct ix_sealer *ix_sealer_new(const uint8_t secret[IX_SECRET_SIZE]);
void ix_sealer_free(struct ix_sealer *s); /* s may be NULL */

/* Encodes and seals. -1 if the MAC cannot be computed (out of memory); then nothing may be sent. */
int ix_datagram_seal(struct ix_sealer *s, const struct ix_datagram *d,
                     uint8_t bytes[IX_DATAGRAM_SIZE]);
/* False if these bytes are not a datagram of this version, or not sealed with this secret; *d is
 * then undefined. The MAC is checked first, in constant time. */
bool ix_datagram_open(struct ix_sealer *s, const uint8_t *bytes, size_t size,
                      struct ix_datagram *d);

/* The session that a datagram claims to belong to, unchecked; 0 if it is not a datagram. For
 * finding the sealer to open it with. */
uint64_t ix_datagram_session(const uint8_t *bytes, size_t size);

/* Decodes without checking the seal; for fuzzing. */
bool ix_datagram_decode(const uint8_t *bytes, size_t size, struct ix_datagram *d);

#endif
