/* The messages between agents and the server (protocol.md, "TCP"): pure functions on byte buffers.
 *
 * Encoders append a whole frame (length, type, payload) to `out` (its `failed` tells whether there
 * was memory for it). Strings and numbers that the document does not allow are mended, cut and
 * clamped as it says. Decoders take the payload of one frame; strings come out as copies in fixed
 * arrays, so nothing points into the input. 0 on success; on anything that breaks the document's
 * rules -1 with a message, and *m is then undefined. All are O(bytes).
 */
#ifndef IX_SCHEMA_PROTOCOL_H
#define IX_SCHEMA_PROTOCOL_H

#include <stdbool.h>

#include "schema/bytes.h"
#include "schema/error.h"

#define IX_PROTOCOL_VERSION 2
#define IX_DEFAULT_PORT 4967
#define IX_MESSAGE_MAX 65536u     /* type and payload */
#define IX_MESSAGE_PREFIX 4u      /* the length before them */
#define IX_REPORT_MAX 900u        /* packets in one report */
#define IX_KEEPALIVE_MS 2000      /* silence after which a side sends KEEPALIVE */
#define IX_KEEPALIVE_RARE_MS 5000 /* the same among thousands of sessions */
#define IX_SILENCE_MS 15000       /* silence after which a side closes */
#define IX_REPORT_DELAY_MS 250    /* an agent reports a packet at most this late */

#define IX_NAME_MAX 256u
#define IX_JVM_MAX 1024u
#define IX_MACHINE_MAX 80u
#define IX_PATH_MAX 4096u
#define IX_REASON_MAX 1024u

enum ix_message {
    IX_HELLO = 1,
    IX_WELCOME = 2,
    IX_REFUSE = 3,
    IX_REPORT = 4,
    IX_KEEPALIVE = 5,
    IX_GOODBYE = 6,
};

enum ix_goodbye_reason { IX_BYE_EXIT = 1, IX_BYE_LOG = 2, IX_BYE_REQUEST = 3 };

struct ix_hello {
    uint16_t udp_port;
    uint32_t pid;
    uint64_t started_ns; /* wall clock of the JVM's start */
    uint64_t mono_ns;    /* sender's monotonic clock at sending */
    uint64_t last_packet;
    char execution[IX_NAME_MAX + 1];
    char role[IX_NAME_MAX + 1];
    char host[IX_NAME_MAX + 1];
    char jvm[IX_JVM_MAX + 1];
    char log[IX_PATH_MAX + 1];
    char machine[IX_MACHINE_MAX + 1]; /* which monotonic clock it has; empty: not known */
};

struct ix_welcome {
    uint64_t session;
    uint64_t interval_ns;
    char execution[IX_NAME_MAX + 1];
    uint64_t report_ns; /* report at most this late; 0: IX_REPORT_DELAY_MS */
};

struct ix_refuse {
    char reason[IX_REASON_MAX + 1];
};

struct ix_taken {
    uint64_t packet;
    uint64_t mono_ns, real_ns; /* when the stop was asked for */
    uint64_t stop_ns;
    uint64_t threads, frames, missed;
    uint64_t arrived_ns; /* monotonic clock when the request had come; 0 not known */
};

struct ix_report {
    uint64_t stale, superseded, foreign; /* requests dropped; see protocol.md */
    size_t count;                        /* at most IX_REPORT_MAX */
    struct ix_taken taken[IX_REPORT_MAX];
};

struct ix_goodbye {
    uint8_t reason; /* enum ix_goodbye_reason */
    char text[IX_REASON_MAX + 1];
};

void ix_encode_hello(struct ix_out *out, const struct ix_hello *m);
void ix_encode_welcome(struct ix_out *out, const struct ix_welcome *m);
void ix_encode_refuse(struct ix_out *out, const struct ix_refuse *m);
void ix_encode_report(struct ix_out *out, const struct ix_report *m);
void ix_encode_keepalive(struct ix_out *out);
void ix_encode_goodbye(struct ix_out *out, const struct ix_goodbye *m);

/* Looks for one whole frame at the start of `data`: 1 and its type, payload and total size; 0 if
 * more bytes are needed; -1 if the length breaks the bounds. */
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
