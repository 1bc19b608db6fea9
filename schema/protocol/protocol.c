/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in bytes, as protocol.md says.
 *
 * Encoders truncate and repair strings and clamp numbers to what a decoder accepts: an agent
 * dropped for an odd role name or clock could never report why.
 */
#include "schema/protocol/protocol.h"

#include "schema/protocol/encoding.h"

#define NUMBER_BYTES_MAX 9u /* IX_NUMBER_MAX as a varint */

/* The longest messages fit a frame, so no encoder has to split one. */
_Static_assert(1 + (4 + 8 * IX_REPORT_MAX) * NUMBER_BYTES_MAX <= IX_MESSAGE_MAX, "REPORT");
_Static_assert(1 + 12 + 4 * NUMBER_BYTES_MAX + 3 * (2 + IX_NAME_MAX) + 2 + IX_JVM_MAX + 2 +
                       IX_PATH_MAX + 1 + IX_MACHINE_MAX + 1 <=
                   IX_MESSAGE_MAX,
               "HELLO");

/* ---- frames ---- */

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

/* A last field that came with a later release: left out when 0. */
static void put_added_u8(struct ix_out *out, uint8_t v)
{
    if (v)
        ix_put_u8(out, v);
}

void ix_encode_hello(struct ix_out *out, const struct ix_hello *m)
{
    size_t at = ix_begin_frame(out, IX_HELLO);
    ix_put_greeting(out);
    ix_put_u16(out, m->udp_port);
    ix_put_u32(out, m->pid);
    ix_put_number(out, m->started_ns, IX_CLOCK_MAX_NS);
    ix_put_number(out, m->mono_ns, IX_CLOCK_MAX_NS);
    ix_put_number(out, m->last_packet, IX_PACKET_MAX);
    ix_put_text(out, m->execution, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_put_text(out, m->role, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_put_text(out, m->host, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_put_text(out, m->jvm, IX_JVM_MAX, IX_TEXT_UTF8);
    ix_put_text(out, m->log, IX_PATH_MAX, IX_TEXT_PATH);
    ix_put_text(out, m->machine, IX_MACHINE_MAX, IX_TEXT_UTF8);
    put_added_u8(out, m->test);
    if (m->test && m->burst_ns)
        ix_put_number(out, m->burst_ns, IX_CLOCK_MAX_NS);
    ix_end_frame(out, at);
}

void ix_encode_welcome(struct ix_out *out, const struct ix_welcome *m)
{
    const uint64_t report_delay = m->report_ns && m->report_ns < IX_REPORT_DELAY_MIN_NS
                                      ? IX_REPORT_DELAY_MIN_NS
                                      : m->report_ns;
    size_t at = ix_begin_frame(out, IX_WELCOME);
    ix_put_u64(out, m->session);
    ix_put_number(out, m->interval_ns, IX_INTERVAL_MAX_NS);
    ix_put_text(out, m->execution, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_put_number(out, report_delay, IX_REPORT_DELAY_MAX_NS);
    ix_end_frame(out, at);
}

void ix_encode_refuse(struct ix_out *out, const struct ix_refuse *m)
{
    size_t at = ix_begin_frame(out, IX_REFUSE);
    ix_put_text(out, m->reason, IX_REASON_MAX, IX_TEXT_UTF8);
    ix_end_frame(out, at);
}

void ix_encode_report(struct ix_out *out, const struct ix_report *m)
{
    size_t count = m->count < IX_REPORT_MAX ? m->count : IX_REPORT_MAX;
    size_t at = ix_begin_frame(out, IX_REPORT);
    ix_put_number(out, m->stale, IX_COUNT_MAX);
    ix_put_number(out, m->superseded, IX_COUNT_MAX);
    ix_put_number(out, m->foreign, IX_COUNT_MAX);
    ix_put_number(out, count, IX_REPORT_MAX);
    for (size_t i = 0; i < count; i++) {
        const struct ix_taken *t = &m->taken[i];
        ix_put_number(out, t->packet, IX_PACKET_MAX);
        ix_put_number(out, t->mono_ns, IX_CLOCK_MAX_NS);
        ix_put_number(out, t->real_ns, IX_CLOCK_MAX_NS);
        ix_put_number(out, t->stop_ns, IX_STOP_MAX_NS);
        ix_put_number(out, t->threads, IX_THREADS_MAX);
        ix_put_number(out, t->frames, IX_COUNT_MAX);
        ix_put_number(out, t->missed, IX_COUNT_MAX);
        ix_put_number(out, t->ready_ns, IX_CLOCK_MAX_NS);
    }
    ix_end_frame(out, at);
}

void ix_encode_keepalive(struct ix_out *out)
{
    ix_end_frame(out, ix_begin_frame(out, IX_KEEPALIVE));
}

void ix_encode_goodbye(struct ix_out *out, const struct ix_goodbye *m)
{
    size_t at = ix_begin_frame(out, IX_GOODBYE);
    ix_put_u8(out, m->reason);
    ix_put_text(out, m->text, IX_REASON_MAX, IX_TEXT_UTF8);
    put_added_u8(out, m->verdict <= IX_TEST_ABORTED ? m->verdict : IX_TEST_NONE);
    ix_end_frame(out, at);
}

/* ---- decoders ---- */

/* The same; 0 also instead of a value above max, which a still later release may have. */
static uint8_t take_added_u8(struct ix_payload *p, uint8_t max)
{
    const uint8_t v = ix_in_left(&p->in) ? ix_get_u8(&p->in) : 0;
    return v <= max ? v : 0;
}

int ix_decode_hello(const uint8_t *payload, size_t size, struct ix_hello *m, struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("HELLO", payload, size, err);
    ix_take_greeting(&p);
    m->udp_port = ix_get_u16(&p.in);
    ix_payload_check(&p, "UDP port");
    if (m->udp_port == 0)
        ix_payload_refuse(&p, "UDP port", "is 0");
    m->pid = ix_take_pid(&p);
    m->started_ns = ix_take_number(&p, "start", 0, IX_CLOCK_MAX_NS);
    m->mono_ns = ix_take_number(&p, "clock", 0, IX_CLOCK_MAX_NS);
    m->last_packet = ix_take_number(&p, "last packet", 0, IX_PACKET_MAX);
    ix_take_text(&p, "execution", m->execution, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_take_text(&p, "role", m->role, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_take_text(&p, "host", m->host, IX_NAME_MAX, IX_TEXT_UTF8);
    ix_take_text(&p, "JVM", m->jvm, IX_JVM_MAX, IX_TEXT_UTF8);
    ix_take_text(&p, "log", m->log, IX_PATH_MAX, IX_TEXT_PATH);
    ix_take_text(&p, "machine", m->machine, IX_MACHINE_MAX, IX_TEXT_UTF8);
    m->test = take_added_u8(&p, 1);
    m->burst_ns =
        m->test && ix_in_left(&p.in) ? ix_take_number(&p, "burst", 0, IX_CLOCK_MAX_NS) : 0;
    return ix_payload_result(&p);
}

int ix_decode_welcome(const uint8_t *payload, size_t size, struct ix_welcome *m,
                      struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("WELCOME", payload, size, err);
    m->session = ix_get_u64(&p.in);
    ix_payload_check(&p, "session");
    if (m->session == 0)
        ix_payload_refuse(&p, "session", "is 0");
    m->interval_ns = ix_take_number(&p, "interval", 0, IX_INTERVAL_MAX_NS);
    ix_take_text(&p, "execution", m->execution, IX_NAME_MAX, IX_TEXT_UTF8);
    m->report_ns = ix_take_number(&p, "report delay", 0, IX_REPORT_DELAY_MAX_NS);
    if (m->report_ns && m->report_ns < IX_REPORT_DELAY_MIN_NS)
        ix_payload_refuse(&p, "report delay", "is out of bounds");
    return ix_payload_result(&p);
}

int ix_decode_refuse(const uint8_t *payload, size_t size, struct ix_refuse *m, struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("REFUSE", payload, size, err);
    ix_take_text(&p, "reason", m->reason, IX_REASON_MAX, IX_TEXT_UTF8);
    return ix_payload_result(&p);
}

int ix_decode_report(const uint8_t *payload, size_t size, struct ix_report *m, struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("REPORT", payload, size, err);
    m->stale = ix_take_number(&p, "stale", 0, IX_COUNT_MAX);
    m->superseded = ix_take_number(&p, "superseded", 0, IX_COUNT_MAX);
    m->foreign = ix_take_number(&p, "foreign", 0, IX_COUNT_MAX);
    m->count = (size_t)ix_take_number(&p, "count", 0, IX_REPORT_MAX);
    uint64_t last = 0;
    for (size_t i = 0; i < m->count && !p.refused; i++) {
        struct ix_taken *t = &m->taken[i];
        t->packet = ix_take_number(&p, "packet", 1, IX_PACKET_MAX);
        t->mono_ns = ix_take_number(&p, "monotonic clock", 0, IX_CLOCK_MAX_NS);
        t->real_ns = ix_take_number(&p, "wall clock", 0, IX_CLOCK_MAX_NS);
        t->stop_ns = ix_take_number(&p, "stop length", 0, IX_STOP_MAX_NS);
        t->threads = ix_take_number(&p, "threads", 0, IX_THREADS_MAX);
        t->frames = ix_take_number(&p, "frames", 0, IX_COUNT_MAX);
        t->missed = ix_take_number(&p, "missed", 0, IX_COUNT_MAX);
        t->ready_ns = ix_take_number(&p, "readiness", 0, IX_CLOCK_MAX_NS);
        if (t->packet <= last)
            ix_payload_refuse(&p, "packet", "is not above the one before");
        last = t->packet;
    }
    return ix_payload_result(&p);
}

int ix_decode_goodbye(const uint8_t *payload, size_t size, struct ix_goodbye *m,
                      struct ix_error *err)
{
    struct ix_payload p = ix_payload_of("GOODBYE", payload, size, err);
    m->reason = ix_get_u8(&p.in);
    ix_payload_check(&p, "reason");
    if (m->reason < IX_BYE_EXIT || m->reason > IX_BYE_REQUEST)
        ix_payload_refuse(&p, "reason", "is unknown");
    ix_take_text(&p, "text", m->text, IX_REASON_MAX, IX_TEXT_UTF8);
    m->verdict = take_added_u8(&p, IX_TEST_ABORTED);
    return ix_payload_result(&p);
}
