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
    uint64_t time_ns; /* request: target time, receiver's monotonic clock, 0 at once;
                         probe: 0; answer: agent's monotonic clock when the probe had come */
    uint64_t sent_ns; /* sender's monotonic clock when it was sent; 0 not told */
};

/* A secret that is ready for use: HMAC-SHA-256 (RFC 2104), of whose 32 bytes 16 are sent. Not for
 * two threads at once. NULL: out of memory. */
struct ix_sealer;
struct ix_sealer *ix_sealer_new(const uint8_t secret[IX_SECRET_SIZE]);
void ix_sealer_free(struct ix_sealer *s); /* s may be NULL */

/* Encodes and seals. -1 when the MAC cannot be computed (out of memory); nothing may be sent then. */
int ix_datagram_seal(struct ix_sealer *s, const struct ix_datagram *d,
                     uint8_t bytes[IX_DATAGRAM_SIZE]);
/* False if these bytes are no datagram of this version, or not sealed with this secret; *d is then
 * undefined. The MAC is looked at first, in constant time. */
bool ix_datagram_open(struct ix_sealer *s, const uint8_t *bytes, size_t size,
                      struct ix_datagram *d);

/* The session that a datagram says it is of, before anything is believed; 0 if it is no datagram.
 * For finding the sealer to open it with. */
uint64_t ix_datagram_session(const uint8_t *bytes, size_t size);

/* Without the seal: for fuzzing. */
bool ix_datagram_decode(const uint8_t *bytes, size_t size, struct ix_datagram *d);

#endif
