/* SPDX-License-Identifier: Apache-2.0 */
/* The messages between agents and the server (protocol.md, "TCP"): pure functions on byte buffers.
 *
 * Encoders append a whole frame (length, type, payload) to `out` (out->failed: memory ran out).
 * Strings and numbers that the document does not allow are repaired, truncated and clamped as it
 * describes. Decoders take the payload of one frame; strings come out as copies in fixed arrays, so
 * nothing points into the input. 0 on success; -1 with a message if a rule of the document is
 * broken; then *m is undefined. All are O(bytes).
 */
#ifndef IX_SCHEMA_PROTOCOL_H
#define IX_SCHEMA_PROTOCOL_H

#include <stdbool.h>

#include "schema/base/bytes.h"
#include "schema/base/error.h"
#include "schema/protocol/limits.h"

enum ix_message {
    IX_HELLO = 1,
    IX_WELCOME = 2,
    IX_REFUSE = 3,
    IX_REPORT = 4,
    IX_KEEPALIVE = 5,
    IX_GOODBYE = 6,
};

/* Of a test whose run a JVM ends with its GOODBYE. */
enum ix_test_verdict {
    IX_TEST_NONE, /* the session was not a test's, or the JVM ended before the test did */
    IX_TEST_PASSED,
    IX_TEST_FAILED,
    IX_TEST_ABORTED, /* neither */
};

enum ix_goodbye_reason { IX_BYE_EXIT = 1, IX_BYE_LOG = 2, IX_BYE_REQUEST = 3 };

struct ix_hello {
    uint16_t udp_port;   /* not 0 */
    uint32_t pid;        /* 1 to IX_PID_MAX */
    uint64_t started_ns; /* wall clock of the JVM's start */
    uint64_t mono_ns;    /* sender's monotonic clock at sending */
    uint64_t last_packet;
    char execution[IX_NAME_MAX + 1];
    char role[IX_NAME_MAX + 1];
    char host[IX_NAME_MAX + 1];
    char jvm[IX_JVM_MAX + 1];
    char log[IX_PATH_MAX + 1];
    char machine[IX_MACHINE_MAX + 1]; /* identifies its monotonic clock; empty: not known */
    bool test;                        /* `execution` names a test: open a new run of it */
    uint64_t burst_ns; /* of a test: if it lasts this long, a burst is worth it; 0: not known */
};

struct ix_welcome {
    uint64_t session;
    uint64_t interval_ns;
    char execution[IX_NAME_MAX + 1];
    /* Report at most this late: IX_REPORT_DELAY_MIN_NS to _MAX_NS; 0: IX_REPORT_DELAY_MS. */
    uint64_t report_ns;
};

struct ix_refuse {
    char reason[IX_REASON_MAX + 1];
};

struct ix_taken {
    uint64_t packet;
    uint64_t mono_ns, real_ns; /* when the stop was asked for */
    uint64_t stop_ns;
    uint64_t threads, frames, missed;
    uint64_t ready_ns; /* monotonic clock when the request had arrived, plus how long it takes to
                        * prepare a stop; 0 not known */
};

struct ix_report {
    uint64_t stale, superseded, foreign; /* requests dropped; see protocol.md */
    size_t count;                        /* at most IX_REPORT_MAX */
    struct ix_taken taken[IX_REPORT_MAX];
};

struct ix_goodbye {
    uint8_t reason; /* enum ix_goodbye_reason */
    char text[IX_REASON_MAX + 1];
    uint8_t verdict; /* enum ix_test_verdict */
};

void ix_encode_hello(struct ix_out *out, const struct ix_hello *m);
void ix_encode_welcome(struct ix_out *out, const struct ix_welcome *m);
void ix_encode_refuse(struct ix_out *out, const struct ix_refuse *m);
void ix_encode_report(struct ix_out *out, const struct ix_report *m);
void ix_encode_keepalive(struct ix_out *out);
void ix_encode_goodbye(struct ix_out *out, const struct ix_goodbye *m);

/* Looks for one complete frame at the start of `data`: 1 and its type, payload and total size; 0 if
 * more bytes are needed; -1 if the length is out of bounds. */
struct ix_message_frame {
    uint8_t type;
    const uint8_t *payload;
    size_t payload_size;
    size_t size; /* of the frame with its prefix: how far to advance */
};
int ix_next_message(const uint8_t *data, size_t size, struct ix_message_frame *frame,
                    struct ix_error *err);

int ix_decode_hello(const uint8_t *payload, size_t size, struct ix_hello *m, struct ix_error *err);
int ix_decode_welcome(const uint8_t *payload, size_t size, struct ix_welcome *m,
                      struct ix_error *err);
int ix_decode_refuse(const uint8_t *payload, size_t size, struct ix_refuse *m,
                     struct ix_error *err);
int ix_decode_report(const uint8_t *payload, size_t size, struct ix_report *m,
                     struct ix_error *err);
int ix_decode_goodbye(const uint8_t *payload, size_t size, struct ix_goodbye *m,
                      struct ix_error *err);

#endif
