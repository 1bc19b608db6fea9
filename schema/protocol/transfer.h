/* SPDX-License-Identifier: Apache-2.0 */
/* The messages that upload a trace log from where it was written to the campaign's directory
 * (protocol.md, "Log transfer"): pure functions on byte buffers, like those of protocol.h.
 */
#ifndef IX_SCHEMA_TRANSFER_H
#define IX_SCHEMA_TRANSFER_H

#include "schema/protocol/protocol.h"

enum ix_transfer_message {
    IX_LOG_OFFER = 9,   /* to the server: offers a log */
    IX_LOG_ACCEPT = 10, /* from the server: whether it wants the log, from which offset, how fast */
    IX_LOG_DATA = 11,   /* to the server */
    IX_LOG_DONE = 12,   /* to the server: the log is complete */
    IX_LOG_STORED = 13, /* from the server */
    IX_LOG_WANTED = 14, /* from the server: does this host have the log of a JVM that has ended? */
};

#define IX_LOG_DATA_MAX 32768u /* bytes of a log in one message */
#define IX_LOG_HEAD_MAX 4096u  /* bytes at a log's beginning that distinguish it from others */
#define IX_DIGEST_SIZE 16u

/* Which log: the JVM that wrote it, as its HELLO said. */
struct ix_log_name {
    uint32_t pid;
    uint64_t started_ns;
    char execution[IX_NAME_MAX + 1];
    char host[IX_NAME_MAX + 1];
    char log[IX_PATH_MAX + 1]; /* absolute */
};

enum ix_offer_state {
    IX_OFFER_GROWING = 1, /* being written; can be sent when the JVM has ended */
    IX_OFFER_WHOLE = 2,   /* nothing will be added */
    IX_OFFER_MISSING = 3, /* was wanted, but does not exist */
    IX_OFFER_KEPT = 4,    /* was wanted, but this peer will not send it */
};

struct ix_log_offer {
    uint8_t state; /* enum ix_offer_state */
    struct ix_log_name name;
    uint64_t part;          /* 0: the file of that name; n: its n-th part (tracelog.md, Parts) */
    uint64_t parts;         /* files of this log that will be offered after this one */
    uint64_t size;          /* bytes so far */
    uint64_t device, inode; /* of the file, by stat(2); 0 not known */
    uint64_t head_size;     /* at most IX_LOG_HEAD_MAX */
    uint8_t head[IX_DIGEST_SIZE]; /* digest of its first head_size bytes */
};

enum ix_accept_answer {
    IX_ACCEPT_NOT_NEEDED = 0, /* the server can read it where it is, or has it */
    IX_ACCEPT_SEND = 1,       /* for a growing log: when it is complete and offered again */
    IX_ACCEPT_REFUSED = 2,
};

struct ix_log_accept {
    uint8_t answer;  /* enum ix_accept_answer */
    uint64_t offset; /* bytes that the server already has; at most the offer's size */
    uint64_t rate;   /* bytes per second at most, 1 or more */
    char reason[IX_REASON_MAX + 1];
};

/* `data` points into the frame when decoded. */
struct ix_log_data {
    uint64_t offset;
    const uint8_t *data;
    size_t size; /* 1 to IX_LOG_DATA_MAX */
};

struct ix_log_done {
    uint64_t size;
    uint8_t digest[IX_DIGEST_SIZE];
};

enum ix_stored_result {
    IX_STORED_WHOLE = 1,
    IX_STORED_DAMAGED = 2, /* the digest differs and the server discarded its copy: offer it
                              again */
    IX_STORED_NOT = 3,
};

struct ix_log_stored {
    uint8_t result; /* enum ix_stored_result */
    char reason[IX_REASON_MAX + 1];
};

void ix_encode_log_offer(struct ix_out *out, const struct ix_log_offer *m);
void ix_encode_log_accept(struct ix_out *out, const struct ix_log_accept *m);
void ix_encode_log_data(struct ix_out *out, const struct ix_log_data *m);
void ix_encode_log_done(struct ix_out *out, const struct ix_log_done *m);
void ix_encode_log_stored(struct ix_out *out, const struct ix_log_stored *m);
void ix_encode_log_wanted(struct ix_out *out, const struct ix_log_name *m);

int ix_decode_log_offer(const uint8_t *payload, size_t size, struct ix_log_offer *m,
                        struct ix_error *err);
int ix_decode_log_accept(const uint8_t *payload, size_t size, struct ix_log_accept *m,
                         struct ix_error *err);
int ix_decode_log_data(const uint8_t *payload, size_t size, struct ix_log_data *m,
                       struct ix_error *err);
int ix_decode_log_done(const uint8_t *payload, size_t size, struct ix_log_done *m,
                       struct ix_error *err);
int ix_decode_log_stored(const uint8_t *payload, size_t size, struct ix_log_stored *m,
                         struct ix_error *err);
int ix_decode_log_wanted(const uint8_t *payload, size_t size, struct ix_log_name *m,
                         struct ix_error *err);

/* ---- digests ---- */

/* XXH3 of 128 bits (xxHash 0.8), most significant byte first. It detects damage by a disk, a
 * resumed transfer or a bug. It need not resist attackers, since a peer that may send a log can
 * write any log. At 10 GB/s and more it costs the server's only thread little compared with the
 * copying. */
struct ix_digest;
struct ix_digest *ix_digest_new(void);    /* NULL: out of memory */
void ix_digest_free(struct ix_digest *d); /* d may be NULL */
void ix_digest_clear(struct ix_digest *d);
void ix_digest_add(struct ix_digest *d, const void *data, size_t size);
void ix_digest_value(const struct ix_digest *d, uint8_t value[IX_DIGEST_SIZE]);
void ix_digest_of(const void *data, size_t size, uint8_t value[IX_DIGEST_SIZE]);

#endif
