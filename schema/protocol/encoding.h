/* What the messages of protocol.md are made of: frames, text, numbers. For the files that encode
 * and decode them (protocol.c, control.c, transfer.c) and nobody else.
 */
#ifndef IX_SCHEMA_PROTOCOL_PARTS_H
#define IX_SCHEMA_PROTOCOL_PARTS_H

#include <stdbool.h>

#include "schema/bytes.h"
#include "schema/error.h"

#define IX_NUMBER_MAX ((uint64_t)INT64_MAX) /* the catalogue's integers are signed */

enum ix_text_kind {
    IX_TEXT_UTF8, /* names and sentences: people read them on terminals and in JSON */
    IX_TEXT_PATH, /* a path's bytes need not be UTF-8 */
};

/* ---- encoding ---- */

/* Starts a frame; the position goes to ix_end_frame, which writes the length. */
size_t ix_begin_frame(struct ix_out *out, uint8_t type);
void ix_end_frame(struct ix_out *out, size_t at);

/* A string that is terminated within max + 1 bytes or cut: by whole characters, '?' for each byte
 * of what may not be there. */
void ix_put_text(struct ix_out *out, const char *text, size_t max, enum ix_text_kind kind);
void ix_put_number(struct ix_out *out, uint64_t v); /* clamped to IX_NUMBER_MAX */
/* "IXOR" and the protocol's version: how the first message of a connection begins. */
void ix_put_greeting(struct ix_out *out);

/* ---- decoding ---- */

/* A payload being taken apart. The first fault is described in `err`; `in` is sticky, so what is
 * taken after it is 0 or empty. */
struct ix_payload {
    struct ix_in in;
    const char *message;
    struct ix_error *err;
    bool refused;
};

struct ix_payload ix_payload_of(const char *message, const uint8_t *data, size_t size,
                                struct ix_error *err);
void ix_payload_refuse(struct ix_payload *p, const char *field, const char *fault);
/* After a read from p->in: refuses if that failed. Every function names its field, so that the
 * first one that fails can be told. */
void ix_payload_check(struct ix_payload *p, const char *field);
uint64_t ix_take_number(struct ix_payload *p, const char *field);
/* text has room for max + 1 bytes. */
void ix_take_text(struct ix_payload *p, const char *field, char *text, size_t max,
                  enum ix_text_kind kind);
void ix_take_greeting(struct ix_payload *p);
int ix_payload_result(const struct ix_payload *p); /* 0, or -1: refused */

#endif
