/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of messages (protocol.md): frames, text, numbers. Only for the files that encode and
 * decode messages (protocol.c, control.c, transfer.c).
 */
#ifndef IX_SCHEMA_ENCODING_H
#define IX_SCHEMA_ENCODING_H

#include <stdbool.h>

#include "schema/base/bytes.h"
#include "schema/base/error.h"

#define IX_NUMBER_MAX ((uint64_t)INT64_MAX) /* the catalogue's integers are signed */

enum ix_text_kind {
    IX_TEXT_UTF8, /* names and sentences, shown on terminals and in JSON */
    IX_TEXT_PATH, /* a path's bytes need not be UTF-8 */
};

/* ---- encoding ---- */

/* Starts a frame; pass the returned position to ix_end_frame, which writes the length. */
size_t ix_begin_frame(struct ix_out *out, uint8_t type);
void ix_end_frame(struct ix_out *out, size_t at);

/* A string that is terminated within max + 1 bytes, or truncated between characters; '?' replaces
 * each byte that is not allowed. */
void ix_put_text(struct ix_out *out, const char *text, size_t max, enum ix_text_kind kind);
void ix_put_number(struct ix_out *out, uint64_t v, uint64_t max); /* clamped to max */
/* "IXOR" and the protocol's version, which begin the first message of a connection. */
void ix_put_greeting(struct ix_out *out);

/* ---- decoding ---- */

/* A payload being decoded. `err` describes the first fault; `in` is sticky, so later values are 0
 * or empty. */
struct ix_payload {
    struct ix_in in;
    const char *message;
    struct ix_error *err;
    bool refused;
};

struct ix_payload ix_payload_of(const char *message, const uint8_t *data, size_t size,
                                struct ix_error *err);
void ix_payload_refuse(struct ix_payload *p, const char *field, const char *fault);
/* Call after a read from p->in: refuses the payload if that failed. Every function takes the
 * field's name, for the message about the first failure. */
void ix_payload_check(struct ix_payload *p, const char *field);
/* A varint from min to max; max is at most IX_NUMBER_MAX. */
uint64_t ix_take_number(struct ix_payload *p, const char *field, uint64_t min, uint64_t max);
uint32_t ix_take_pid(struct ix_payload *p); /* a u32 */
/* text has room for max + 1 bytes. */
void ix_take_text(struct ix_payload *p, const char *field, char *text, size_t max,
                  enum ix_text_kind kind);
void ix_take_greeting(struct ix_payload *p);
int ix_payload_result(const struct ix_payload *p); /* 0, or -1: refused */

#endif
