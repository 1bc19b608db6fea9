/* Messages in bytes, as protocol.md says.
 *
 * Encoders cut and mend strings and clamp numbers to what a decoder accepts: an agent that was
 * dropped for its odd role name or clock could never tell anybody why.
 */
#include "schema/protocol.h"

#include <string.h>

#define NUMBER_MAX ((uint64_t)INT64_MAX) /* the catalogue's integers are signed */
#define NUMBER_BYTES_MAX 9u              /* NUMBER_MAX as a varint */

/* The longest messages fit a frame, so no encoder has to split one. */
_Static_assert(1 + (4 + 8 * IX_REPORT_MAX) * NUMBER_BYTES_MAX <= IX_MESSAGE_MAX, "REPORT");
_Static_assert(1 + 12 + 3 * NUMBER_BYTES_MAX + 3 * (2 + IX_NAME_MAX) + 2 + IX_JVM_MAX + 2 +
                       IX_PATH_MAX + 1 + IX_MACHINE_MAX <=
                   IX_MESSAGE_MAX,
               "HELLO");

static const uint8_t hello_magic[4] = {'I', 'X', 'O', 'R'};

/* ---- text ---- */

enum text_kind {
    TEXT_UTF8, /* names and sentences: people read them on terminals and in JSON */
    TEXT_PATH, /* a path's bytes need not be UTF-8 */
};

/* Length of the character at `text` if it may be in a string of this kind, else 0. UTF-8 by table
 * 3-7 of the Unicode standard (no surrogates, no overlong forms); no C0 and C1 control characters,
 * which could steer the terminal that shows the text. */
static size_t character(const char *text, size_t len, enum text_kind kind)
{
    const uint8_t *b = (const uint8_t *)text;
    if (b[0] < 0x20 || b[0] == 0x7f)
        return 0;
    if (b[0] < 0x80 || kind == TEXT_PATH)
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

/* Writes a string that is terminated within max + 1 bytes or cut: by whole characters, '?' for
 * each byte of what may not be there. */
static void put_text(struct ix_out *out, const char *text, size_t max, enum text_kind kind)
{
    char mended[IX_PATH_MAX];
    size_t len = strnlen(text, max + 1), used = 0;
    for (size_t i = 0; i < len;) {
        size_t size = character(text + i, len - i, kind);
        size_t step = size ? size : 1;
        if (used + step > max)
            break;
        if (size)
            memcpy(mended + used, text + i, size);
        else
            mended[used] = '?';
        used += step;
        i += step;
    }
    ix_put_string(out, mended, used);
}

static void put_number(struct ix_out *out, uint64_t v)
{
    ix_put_varint(out, v < NUMBER_MAX ? v : NUMBER_MAX);
}

/* ---- frames ---- */

/* Starts a frame; the position goes to end_frame, which writes the length. */
static size_t begin_frame(struct ix_out *out, enum ix_message type)
{
    size_t at = out->len;
    ix_put_u32(out, 0);
    ix_put_u8(out, (uint8_t)type);
    return at;
}

static void end_frame(struct ix_out *out, size_t at)
{
    if (out->failed)
        return;
    size_t length = out->len - at - IX_MESSAGE_PREFIX;
    for (size_t i = 0; i < IX_MESSAGE_PREFIX; i++)
        out->data[at + i] = (uint8_t)(length >> (8 * i));
}

int ix_next_message(const uint8_t *data, size_t size, struct ix_message_frame *frame,
                    struct ix_error *err)
{
    if (size < IX_MESSAGE_PREFIX)
        return 0;
    struct ix_in in = ix_in_of(data, size);
    uint32_t length = ix_get_u32(&in);
    if (length < 1 || length > IX_MESSAGE_MAX)
        return ix_fail(err, "a message of %u bytes; 1 to %u are allowed (is the peer an Ixor?)",
                       (unsigned)length, IX_MESSAGE_MAX);
    if (ix_in_left(&in) < length)
        return 0;
    *frame = (struct ix_message_frame){
        .type = in.at[0],
        .payload = in.at + 1,
        .payload_size = length - 1,
        .size = IX_MESSAGE_PREFIX + length,
    };
    return 1;
}

/* ---- encoders ---- */

void ix_encode_hello(struct ix_out *out, const struct ix_hello *m)
{
    size_t at = begin_frame(out, IX_HELLO);
    ix_put_bytes(out, hello_magic, sizeof hello_magic);
    ix_put_u16(out, IX_PROTOCOL_VERSION);
    ix_put_u16(out, m->udp_port);
    ix_put_u32(out, m->pid);
    put_number(out, m->started_ns);
    put_number(out, m->mono_ns);
    put_number(out, m->last_packet);
    put_text(out, m->execution, IX_NAME_MAX, TEXT_UTF8);
    put_text(out, m->role, IX_NAME_MAX, TEXT_UTF8);
    put_text(out, m->host, IX_NAME_MAX, TEXT_UTF8);
    put_text(out, m->jvm, IX_JVM_MAX, TEXT_UTF8);
    put_text(out, m->log, IX_PATH_MAX, TEXT_PATH);
    put_text(out, m->machine, IX_MACHINE_MAX, TEXT_UTF8);
    end_frame(out, at);
}

void ix_encode_welcome(struct ix_out *out, const struct ix_welcome *m)
{
    size_t at = begin_frame(out, IX_WELCOME);
    ix_put_u64(out, m->session);
    put_number(out, m->interval_ns);
    put_text(out, m->execution, IX_NAME_MAX, TEXT_UTF8);
    put_number(out, m->report_ns);
    end_frame(out, at);
}

void ix_encode_refuse(struct ix_out *out, const struct ix_refuse *m)
{
    size_t at = begin_frame(out, IX_REFUSE);
    put_text(out, m->reason, IX_REASON_MAX, TEXT_UTF8);
    end_frame(out, at);
}

void ix_encode_report(struct ix_out *out, const struct ix_report *m)
{
    size_t count = m->count < IX_REPORT_MAX ? m->count : IX_REPORT_MAX;
    size_t at = begin_frame(out, IX_REPORT);
    put_number(out, m->stale);
    put_number(out, m->superseded);
    put_number(out, m->foreign);
    put_number(out, count);
    for (size_t i = 0; i < count; i++) {
        const struct ix_taken *t = &m->taken[i];
        put_number(out, t->packet);
        put_number(out, t->mono_ns);
        put_number(out, t->real_ns);
        put_number(out, t->stop_ns);
        put_number(out, t->threads);
        put_number(out, t->frames);
        put_number(out, t->missed);
        put_number(out, t->arrived_ns);
    }
    end_frame(out, at);
}

void ix_encode_keepalive(struct ix_out *out)
{
    end_frame(out, begin_frame(out, IX_KEEPALIVE));
}

void ix_encode_goodbye(struct ix_out *out, const struct ix_goodbye *m)
{
    size_t at = begin_frame(out, IX_GOODBYE);
    ix_put_u8(out, m->reason);
    put_text(out, m->text, IX_REASON_MAX, TEXT_UTF8);
    end_frame(out, at);
}

/* ---- decoders ---- */

/* A payload being taken apart. The first fault is described in `err`; `in` is sticky, so what is
 * taken after it is 0 or empty. */
struct payload {
    struct ix_in in;
    const char *message;
    struct ix_error *err;
    bool refused;
};

static struct payload payload_of(const char *message, const uint8_t *data, size_t size,
                                 struct ix_error *err)
{
    return (struct payload){.in = ix_in_of(data, size), .message = message, .err = err};
}

static void refuse(struct payload *p, const char *field, const char *fault)
{
    if (!p->refused)
        ix_fail(p->err, "%s: %s %s", p->message, field, fault);
    p->refused = true;
    p->in.failed = true;
}

/* Every take_... names its field, so that the first one that fails can be told. */
static void check(struct payload *p, const char *field)
{
    if (p->in.failed)
        refuse(p, field, "is cut short or out of bounds");
}

static uint64_t take_number(struct payload *p, const char *field)
{
    uint64_t v = ix_get_varint_max(&p->in, NUMBER_MAX);
    check(p, field);
    return v;
}

static void take_text(struct payload *p, const char *field, char *text, size_t max,
                      enum text_kind kind)
{
    struct ix_span span = ix_get_string(&p->in, max);
    check(p, field);
    for (size_t i = 0; i < span.len;) {
        size_t size = character(span.text + i, span.len - i, kind);
        if (size == 0) {
            refuse(p, field, "has a control character or is not UTF-8");
            span.len = 0;
        }
        i += size;
    }
    memcpy(text, span.text, span.len);
    text[span.len] = '\0';
}

static void take_magic(struct payload *p)
{
    const uint8_t *magic = ix_get_bytes(&p->in, sizeof hello_magic);
    check(p, "magic");
    if (magic && memcmp(magic, hello_magic, sizeof hello_magic) != 0)
        refuse(p, "magic", "is not \"IXOR\": the peer is not an Ixor agent");
}

static void take_version(struct payload *p)
{
    uint16_t version = ix_get_u16(&p->in);
    check(p, "version");
    if (p->refused || version == IX_PROTOCOL_VERSION)
        return;
    ix_fail(p->err,
            "%s: protocol version %u; this side speaks %u: use agent and server of the "
            "same release",
            p->message, (unsigned)version, IX_PROTOCOL_VERSION);
    p->refused = true;
    p->in.failed = true;
}

static int result(const struct payload *p)
{
    return p->refused ? -1 : 0;
}

int ix_decode_hello(const uint8_t *payload, size_t size, struct ix_hello *m, struct ix_error *err)
{
    struct payload p = payload_of("HELLO", payload, size, err);
    take_magic(&p);
    take_version(&p);
    m->udp_port = ix_get_u16(&p.in);
    check(&p, "UDP port");
    if (m->udp_port == 0)
        refuse(&p, "UDP port", "is 0");
    m->pid = ix_get_u32(&p.in);
    check(&p, "process id");
    m->started_ns = take_number(&p, "start");
    m->mono_ns = take_number(&p, "clock");
    m->last_packet = take_number(&p, "last packet");
    take_text(&p, "execution", m->execution, IX_NAME_MAX, TEXT_UTF8);
    take_text(&p, "role", m->role, IX_NAME_MAX, TEXT_UTF8);
    take_text(&p, "host", m->host, IX_NAME_MAX, TEXT_UTF8);
    take_text(&p, "JVM", m->jvm, IX_JVM_MAX, TEXT_UTF8);
    take_text(&p, "log", m->log, IX_PATH_MAX, TEXT_PATH);
    take_text(&p, "machine", m->machine, IX_MACHINE_MAX, TEXT_UTF8);
    return result(&p);
}

int ix_decode_welcome(const uint8_t *payload, size_t size, struct ix_welcome *m,
                      struct ix_error *err)
{
    struct payload p = payload_of("WELCOME", payload, size, err);
    m->session = ix_get_u64(&p.in);
    check(&p, "session");
    if (m->session == 0)
        refuse(&p, "session", "is 0");
    m->interval_ns = take_number(&p, "interval");
    take_text(&p, "execution", m->execution, IX_NAME_MAX, TEXT_UTF8);
    m->report_ns = take_number(&p, "report delay");
    return result(&p);
}

int ix_decode_refuse(const uint8_t *payload, size_t size, struct ix_refuse *m, struct ix_error *err)
{
    struct payload p = payload_of("REFUSE", payload, size, err);
    take_text(&p, "reason", m->reason, IX_REASON_MAX, TEXT_UTF8);
    return result(&p);
}

int ix_decode_report(const uint8_t *payload, size_t size, struct ix_report *m, struct ix_error *err)
{
    struct payload p = payload_of("REPORT", payload, size, err);
    m->stale = take_number(&p, "stale");
    m->superseded = take_number(&p, "superseded");
    m->foreign = take_number(&p, "foreign");
    m->count = (size_t)ix_get_varint_max(&p.in, IX_REPORT_MAX);
    check(&p, "count");
    uint64_t last = 0;
    for (size_t i = 0; i < m->count && !p.refused; i++) {
        struct ix_taken *t = &m->taken[i];
        t->packet = take_number(&p, "packet");
        t->mono_ns = take_number(&p, "monotonic clock");
        t->real_ns = take_number(&p, "wall clock");
        t->stop_ns = take_number(&p, "stop length");
        t->threads = take_number(&p, "threads");
        t->frames = take_number(&p, "frames");
        t->missed = take_number(&p, "missed");
        t->arrived_ns = take_number(&p, "arrival");
        if (t->packet <= last)
            refuse(&p, "packet", "is not above the one before");
        last = t->packet;
    }
    return result(&p);
}

int ix_decode_goodbye(const uint8_t *payload, size_t size, struct ix_goodbye *m,
                      struct ix_error *err)
{
    struct payload p = payload_of("GOODBYE", payload, size, err);
    m->reason = ix_get_u8(&p.in);
    check(&p, "reason");
    if (m->reason < IX_BYE_EXIT || m->reason > IX_BYE_REQUEST)
        refuse(&p, "reason", "is unknown");
    take_text(&p, "text", m->text, IX_REASON_MAX, TEXT_UTF8);
    return result(&p);
}
