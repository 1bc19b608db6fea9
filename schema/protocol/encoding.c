/* Frames, text and numbers of messages, as protocol.md says. */
#include "schema/protocol_parts.h"

#include <string.h>

#include "schema/protocol.h"

static const uint8_t magic[4] = {'I', 'X', 'O', 'R'};

/* ---- encoding ---- */

/* Length of the character at `text` if it may be in a string of this kind, else 0. UTF-8 by table
 * 3-7 of the Unicode standard (no surrogates, no overlong forms); no C0 and C1 control characters,
 * which could steer the terminal that shows the text. */
static size_t character(const char *text, size_t len, enum ix_text_kind kind)
{
    const uint8_t *b = (const uint8_t *)text;
    if (b[0] < 0x20 || b[0] == 0x7f)
        return 0;
    if (b[0] < 0x80 || kind == IX_TEXT_PATH)
        return 1;
    size_t size = b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 0;
    if (size == 0 || size > len)
        return 0;
    uint8_t low = b[0] == 0xc2 ? 0xa0 : b[0] == 0xe0 ? 0xa0 : b[0] == 0xf0 ? 0x90 : 0x80;
    uint8_t high = b[0] == 0xed ? 0x9f : b[0] == 0xf4 ? 0x8f : 0xbf;
    if (b[1] < low || b[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++)
        if (b[i] < 0x80 || b[i] > 0xbf)
            return 0;
    return size;
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

/* How a string goes out: mended, or not at all. Bytes written; `out` NULL: only counted. */
static size_t mend(struct ix_out *out, const char *text, size_t max, enum ix_text_kind kind)
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
    ix_put_varint(out, mend(NULL, text, max, kind));
    mend(out, text, max, kind);
}

void ix_put_number(struct ix_out *out, uint64_t v)
{
    ix_put_varint(out, v < IX_NUMBER_MAX ? v : IX_NUMBER_MAX);
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

uint64_t ix_take_number(struct ix_payload *p, const char *field)
{
    uint64_t v = ix_get_varint_max(&p->in, IX_NUMBER_MAX);
    ix_payload_check(p, field);
    return v;
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

