/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol's parsers on any bytes. The first byte picks one: 0 the stream of messages, 6 the
 * datagram, the others a decoder for the rest as its payload. What is accepted must come out the
 * same after being encoded and decoded again. */
#include "schema/protocol/control.h"
#include "schema/protocol/datagram.h"
#include "tests/fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

CHECK_ROUND_TRIP(hello, struct ix_hello, IX_HELLO)
CHECK_ROUND_TRIP(welcome, struct ix_welcome, IX_WELCOME)
CHECK_ROUND_TRIP(refuse, struct ix_refuse, IX_REFUSE)
CHECK_ROUND_TRIP(report, struct ix_report, IX_REPORT)
CHECK_ROUND_TRIP(goodbye, struct ix_goodbye, IX_GOODBYE)
CHECK_ROUND_TRIP(control, struct ix_control, IX_CONTROL)
CHECK_ROUND_TRIP(reply, struct ix_reply, IX_REPLY)

static void check_message(uint8_t type, const uint8_t *payload, size_t size)
{
    switch (type) {
    case IX_HELLO:
        check_hello(payload, size);
        break;
    case IX_WELCOME:
        check_welcome(payload, size);
        break;
    case IX_REFUSE:
        check_refuse(payload, size);
        break;
    case IX_REPORT:
        check_report(payload, size);
        break;
    case IX_GOODBYE:
        check_goodbye(payload, size);
        break;
    case IX_CONTROL:
        check_control(payload, size);
        break;
    case IX_REPLY:
        check_reply(payload, size);
        break;
    default:
        break;
    }
}

static void check_stream(const uint8_t *data, size_t size)
{
    struct ix_message_frame frame;
    struct ix_error err;
    while (ix_next_message(data, size, &frame, &err) == 1) {
        require(frame.size <= size && frame.payload == data + 5 &&
                frame.payload_size == frame.size - 5);
        check_message(frame.type, frame.payload, frame.payload_size);
        data += frame.size;
        size -= frame.size;
    }
}

/* What is accepted, sealed and opened again, is the same. */
static void check_datagram(const uint8_t *data, size_t size)
{
    struct ix_datagram d, back;
    uint8_t bytes[IX_DATAGRAM_SIZE];
    if (!ix_datagram_decode(data, size, &d))
        return;
    require(d.session != 0 && d.number != 0 && ix_datagram_session(data, size) == d.session);
    static const uint8_t secret[IX_SECRET_SIZE];
    struct ix_sealer *sealer = ix_sealer_new(secret);
    require(sealer && ix_datagram_seal(sealer, &d, bytes) == 0);
    require(memcmp(bytes, data, IX_DATAGRAM_SIZE - 16) == 0);
    require(ix_datagram_open(sealer, bytes, sizeof bytes, &back));
    require(d.kind == back.kind && d.time_ns == back.time_ns && d.sent_ns == back.sent_ns);
    bytes[size % sizeof bytes] ^= 1;
    require(!ix_datagram_open(sealer, bytes, sizeof bytes, &back));
    ix_sealer_free(sealer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* In the order of the corpus: new ones come last. */
    static const uint8_t decoders[] = {0,          IX_HELLO, IX_WELCOME, IX_REFUSE, IX_REPORT,
                                       IX_GOODBYE, 0,        IX_CONTROL, IX_REPLY};
    enum { STREAM = 0, DATAGRAM = 6 };
    if (size == 0)
        return 0;
    unsigned which = data[0] % sizeof decoders;
    if (which == STREAM)
        check_stream(data + 1, size - 1);
    else if (which == DATAGRAM)
        check_datagram(data + 1, size - 1);
    else
        check_message(decoders[which], data + 1, size - 1);
    return 0;
}
