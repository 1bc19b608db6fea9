/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, text and numbers of messages, as protocol.md says. */
#include "schema/protocol/encoding.h"

#include <string.h>

#include "schema/base/utf8.h"
#include "schema/protocol/limits.h"

static const uint8_t magic[4] = {'I', 'X', 'O', 'R'};

/* ---- encoding ---- */

/* Length of the character at `text` if it may be in a string of this kind, else 0: no control
 * characters (C0 and C1), which could steer the terminal that shows the text. */
static size_t character(const char *text, size_t len, enum ix_text_kind kind)
{
    uint32_t code;
    if ((unsigned char)text[0] < 0x20 || text[0] == 0x7f)
        return 0;
    if (kind == IX_TEXT_PATH)
        return 1;
    const size_t size = ix_utf8_decode(text, len, &code);
    return code >= 0x80 && code < 0xa0 ? 0 : size;
}

size_t ix_begin_frame(struct ix_out *out, uint8_t type)
{
    size_t at = out->len;
    ix_put_u32(out, 0);
    ix_put_u8(out, type);
    return at;
}

void ix_end_frame(struct ix_out *out, size_t at)
{
    if (out->failed)
        return;
    size_t length = out->len - at - IX_MESSAGE_PREFIX;
    for (size_t i = 0; i < IX_MESSAGE_PREFIX; i++)
        out->data[at + i] = (uint8_t)(length >> (8 * i));
}

/* Writes a string repaired. Returns the bytes written; `out` NULL: only counts. */
static size_t put_repaired(struct ix_out *out, const char *text, size_t max, enum ix_text_kind kind)
{
    const size_t len = strnlen(text, max + 1);
    size_t used = 0;
    for (size_t i = 0; i < len;) {
        const size_t size = character(text + i, len - i, kind);
        const size_t step = size ? size : 1;
        if (used + step > max)
            break;
        if (out)
            ix_put_bytes(out, size ? text + i : "?", step);
        used += step;
        i += step;
    }
    return used;
}

void ix_put_text(struct ix_out *out, const char *text, size_t max, enum ix_text_kind kind)
{
    ix_put_varint(out, put_repaired(NULL, text, max, kind));
    put_repaired(out, text, max, kind);
}

void ix_put_number(struct ix_out *out, uint64_t v, uint64_t max)
{
    ix_put_varint(out, v < max ? v : max);
}

void ix_put_greeting(struct ix_out *out)
{
    ix_put_bytes(out, magic, sizeof magic);
    ix_put_u16(out, IX_PROTOCOL_VERSION);
}

/* ---- decoding ---- */

struct ix_payload ix_payload_of(const char *message, const uint8_t *data, size_t size,
                                struct ix_error *err)
{
    return (struct ix_payload){.in = ix_in_of(data, size), .message = message, .err = err};
}

void ix_payload_refuse(struct ix_payload *p, const char *field, const char *fault)
{
    if (!p->refused)
        ix_fail(p->err, "%s: %s %s", p->message, field, fault);
    p->refused = true;
    p->in.failed = true;
}

void ix_payload_check(struct ix_payload *p, const char *field)
{
    if (p->in.failed)
        ix_payload_refuse(p, field, "is cut short or out of bounds");
}

uint64_t ix_take_number(struct ix_payload *p, const char *field, uint64_t min, uint64_t max)
{
    uint64_t v = ix_get_varint_max(&p->in, max);
    ix_payload_check(p, field);
    if (!p->refused && v < min)
        ix_payload_refuse(p, field, "is out of bounds");
    return v;
}

uint32_t ix_take_pid(struct ix_payload *p)
{
    const uint32_t pid = ix_get_u32(&p->in);
    ix_payload_check(p, "process id");
    if (!p->refused && (pid == 0 || pid > IX_PID_MAX))
        ix_payload_refuse(p, "process id", "is out of bounds");
    return pid;
}

void ix_take_text(struct ix_payload *p, const char *field, char *text, size_t max,
                  enum ix_text_kind kind)
{
    struct ix_span span = ix_get_string(&p->in, max);
    ix_payload_check(p, field);
    for (size_t i = 0; i < span.len;) {
        size_t size = character(span.text + i, span.len - i, kind);
        if (size == 0) {
            ix_payload_refuse(p, field, "has a control character or is not UTF-8");
            span.len = 0;
        }
        i += size;
    }
    memcpy(text, span.text, span.len);
    text[span.len] = '\0';
}

static void take_magic(struct ix_payload *p)
{
    const uint8_t *bytes = ix_get_bytes(&p->in, sizeof magic);
    ix_payload_check(p, "magic");
    if (bytes && memcmp(bytes, magic, sizeof magic) != 0)
        ix_payload_refuse(p, "magic", "is not \"IXOR\": the peer is not an Ixor");
}

static void take_version(struct ix_payload *p)
{
    uint16_t version = ix_get_u16(&p->in);
    ix_payload_check(p, "version");
    if (p->refused || version == IX_PROTOCOL_VERSION)
        return;
    ix_fail(p->err,
            "%s: protocol version %u; this side speaks %u: use programs of the same "
            "release",
            p->message, (unsigned)version, IX_PROTOCOL_VERSION);
    p->refused = true;
    p->in.failed = true;
}

void ix_take_greeting(struct ix_payload *p)
{
    take_magic(p);
    take_version(p);
}

int ix_payload_result(const struct ix_payload *p)
{
    return p->refused ? -1 : 0;
}
