/* SPDX-License-Identifier: Apache-2.0 */
/* The messages about logs, in bytes: what is written comes back, and nothing else is let in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schema/protocol/transfer.h"

static struct ix_log_offer an_offer(void)
{
    struct ix_log_offer o = {.state = IX_OFFER_WHOLE,
                             .part = 3,
                             .parts = 2,
                             .size = 70000,
                             .device = 66,
                             .inode = 12345,
                             .head_size = 4096,
                             .head = {1, 2, 3, 255}};
    o.name = (struct ix_log_name){.pid = 42, .started_ns = 1234567890123456789};
    strcpy(o.name.execution, "run0001");
    strcpy(o.name.host, "h\xc3\xa9");
    strcpy(o.name.log, "/tmp/\xff.ixl"); /* a path need not be UTF-8 */
    return o;
}

/* The payload of what is in `out`, which must be one frame of this type. */
static struct ix_message_frame frame_of(const struct ix_out *out, uint8_t type)
{
    struct ix_message_frame f;
    assert_int_equal(ix_next_message(out->data, out->len, &f, NULL), 1);
    assert_int_equal(f.type, type);
    assert_int_equal(f.size, out->len);
    return f;
}

static void offers(void **state)
{
    (void)state;
    struct ix_out out = {0};
    const struct ix_log_offer o = an_offer();
    struct ix_log_offer back;
    ix_encode_log_offer(&out, &o);
    const struct ix_message_frame f = frame_of(&out, IX_LOG_OFFER);
    assert_int_equal(ix_decode_log_offer(f.payload, f.payload_size, &back, NULL), 0);
    assert_int_equal(back.state, o.state);
    assert_int_equal(back.name.pid, 42);
    assert_int_equal(back.name.started_ns, o.name.started_ns);
    assert_string_equal(back.name.execution, o.name.execution);
    assert_string_equal(back.name.host, o.name.host);
    assert_string_equal(back.name.log, o.name.log);
    assert_true(back.part == 3 && back.parts == 2 && back.size == 70000);
    assert_true(back.device == 66 && back.inode == 12345 && back.head_size == 4096);
    assert_memory_equal(back.head, o.head, IX_DIGEST_SIZE);
    /* Cut anywhere it is refused, with a reason. */
    for (size_t n = 0; n < f.payload_size; n++) {
        struct ix_error err = {""};
        assert_int_equal(ix_decode_log_offer(f.payload, n, &back, &err), -1);
        assert_memory_equal(err.text, "LOG_OFFER: ", 11);
    }
    ix_out_free(&out);
}

static void others(void **state)
{
    (void)state;
    struct ix_out out = {0};
    struct ix_log_accept accept = {
        .answer = IX_ACCEPT_SEND, .offset = 5, .rate = 1u << 20, .reason = "why"};
    ix_encode_log_accept(&out, &accept);
    struct ix_message_frame f = frame_of(&out, IX_LOG_ACCEPT);
    struct ix_log_accept accepted;
    assert_int_equal(ix_decode_log_accept(f.payload, f.payload_size, &accepted, NULL), 0);
    assert_true(accepted.answer == IX_ACCEPT_SEND && accepted.offset == 5 &&
                accepted.rate == 1u << 20);
    assert_string_equal(accepted.reason, "why");
    ix_out_clear(&out);

    static uint8_t bytes[IX_LOG_DATA_MAX];
    memset(bytes, 0xfe, sizeof bytes);
    ix_encode_log_data(&out, &(struct ix_log_data){77, bytes, sizeof bytes});
    f = frame_of(&out, IX_LOG_DATA);
    struct ix_log_data data;
    assert_int_equal(ix_decode_log_data(f.payload, f.payload_size, &data, NULL), 0);
    assert_true(data.offset == 77 && data.size == sizeof bytes);
    assert_memory_equal(data.data, bytes, sizeof bytes);
    assert_int_equal(ix_decode_log_data(f.payload, f.payload_size - 1, &data, NULL), -1);
    ix_out_clear(&out);

    struct ix_log_done done = {.size = 9, .digest = {7, 8}}, was_done;
    ix_encode_log_done(&out, &done);
    f = frame_of(&out, IX_LOG_DONE);
    assert_int_equal(ix_decode_log_done(f.payload, f.payload_size, &was_done, NULL), 0);
    assert_true(was_done.size == 9 && memcmp(was_done.digest, done.digest, IX_DIGEST_SIZE) == 0);
    assert_int_equal(ix_decode_log_done(f.payload, f.payload_size - 1, &was_done, NULL), -1);
    ix_out_clear(&out);

    struct ix_log_stored stored = {.result = IX_STORED_NOT, .reason = "full"}, was_stored;
    ix_encode_log_stored(&out, &stored);
    f = frame_of(&out, IX_LOG_STORED);
    assert_int_equal(ix_decode_log_stored(f.payload, f.payload_size, &was_stored, NULL), 0);
    assert_int_equal(was_stored.result, IX_STORED_NOT);
    assert_string_equal(was_stored.reason, "full");
    ix_out_clear(&out);

    const struct ix_log_offer o = an_offer();
    struct ix_log_name name;
    ix_encode_log_wanted(&out, &o.name);
    f = frame_of(&out, IX_LOG_WANTED);
    assert_int_equal(ix_decode_log_wanted(f.payload, f.payload_size, &name, NULL), 0);
    assert_int_equal(name.pid, 42);
    assert_string_equal(name.log, o.name.log);
    ix_out_free(&out);
}

/* What a peer may say and what not: one field is changed at a time. */
static void rules(void **state)
{
    (void)state;
    static const struct {
        const char *what, *error;
    } table[] = {
        {"state 0", "LOG_OFFER: state is unknown"},
        {"state 5", "LOG_OFFER: state is unknown"},
        {"relative", "LOG_OFFER: log is not an absolute path"},
        {"empty", "LOG_OFFER: log is not an absolute path"},
        {"part", "LOG_OFFER: part is cut short or out of bounds"},
        {"head", "LOG_OFFER: head is cut short or out of bounds"},
        {"head beyond", "LOG_OFFER: head is out of bounds"},
        {"parts", "LOG_OFFER: parts is cut short or out of bounds"},
        {"pid 0", "LOG_OFFER: process id is out of bounds"},
        {"pid -1", "LOG_OFFER: process id is out of bounds"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ix_log_offer o = an_offer(), back;
        struct ix_out out = {0};
        struct ix_error err = {""};
        switch (i) {
        case 0:
            o.state = 0;
            break;
        case 1:
            o.state = 5;
            break;
        case 2:
            strcpy(o.name.log, "tmp/x.ixl");
            break;
        case 3:
            o.name.log[0] = '\0';
            break;
        case 4:
            o.part = UINT64_C(1) << 32;
            break;
        case 5:
            o.head_size = IX_LOG_HEAD_MAX + 1;
            break;
        case 6:
            o.size = 4095;
            break;
        case 7:
            o.parts = UINT64_C(1) << 32;
            break;
        case 8:
            o.name.pid = 0;
            break;
        default:
            o.name.pid = UINT32_MAX;
            break;
        }
        ix_encode_log_offer(&out, &o);
        const struct ix_message_frame f = frame_of(&out, IX_LOG_OFFER);
        if (ix_decode_log_offer(f.payload, f.payload_size, &back, &err) != -1)
            fail_msg("%s is let in", table[i].what);
        assert_string_equal(err.text, table[i].error);
        ix_out_free(&out);
    }
    struct ix_log_accept accept;
    assert_int_equal(ix_decode_log_accept((const uint8_t *)"\1\0\0\0", 4, &accept, NULL), -1);
    assert_int_equal(ix_decode_log_accept((const uint8_t *)"\3\0\1\0", 4, &accept, NULL), -1);
    assert_int_equal(ix_decode_log_accept((const uint8_t *)"\1\0\1\0", 4, &accept, NULL), 0);
    /* 2^53 as an offset, a rate, a size */
    static const uint8_t far[] = {1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10, 1, 0};
    static const uint8_t fast[] = {1, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10, 0};
    static const uint8_t size[8 + IX_DIGEST_SIZE] = {0x80, 0x80, 0x80, 0x80,
                                                     0x80, 0x80, 0x80, 0x10};
    struct ix_log_done done;
    assert_int_equal(ix_decode_log_accept(far, sizeof far, &accept, NULL), -1);
    assert_int_equal(ix_decode_log_accept(fast, sizeof fast, &accept, NULL), -1);
    assert_int_equal(ix_decode_log_done(size, sizeof size, &done, NULL), -1);
    struct ix_log_data data;
    assert_int_equal(ix_decode_log_data(far + 1, sizeof far - 1, &data, NULL), -1);
    assert_int_equal(ix_decode_log_data((const uint8_t *)"\0\0", 2, &data, NULL), -1); /* empty */
    /* 32,769 bytes: more than a message may have, though they are there */
    static uint8_t large[4 + IX_LOG_DATA_MAX + 1] = {0, 0x81, 0x80, 0x02};
    assert_int_equal(ix_decode_log_data(large, sizeof large, &data, NULL), -1);
    struct ix_log_stored stored;
    assert_int_equal(ix_decode_log_stored((const uint8_t *)"\0\0", 2, &stored, NULL), -1);
    assert_int_equal(ix_decode_log_stored((const uint8_t *)"\4\0", 2, &stored, NULL), -1);
}

/* The values that xxhsum -H128 prints. */
static void digests(void **state)
{
    (void)state;
    static const uint8_t of_nothing[IX_DIGEST_SIZE] = {0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47,
                                                       0x98, 0xd8, 0x60, 0x01, 0xc3, 0x24,
                                                       0x46, 0x8d, 0x49, 0x7f};
    uint8_t value[IX_DIGEST_SIZE], at_once[IX_DIGEST_SIZE];
    static uint8_t bytes[100000];
    struct ix_digest *d = ix_digest_new();
    assert_non_null(d);
    ix_digest_value(d, value);
    assert_memory_equal(value, of_nothing, sizeof value);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251);
    ix_digest_of(bytes, sizeof bytes, at_once);
    for (size_t piece = 1; piece < sizeof bytes; piece = piece * 3 + 1) {
        ix_digest_clear(d);
        for (size_t at = 0; at < sizeof bytes; at += piece)
            ix_digest_add(d, bytes + at, at + piece < sizeof bytes ? piece : sizeof bytes - at);
        ix_digest_value(d, value);
        assert_memory_equal(value, at_once, sizeof value);
    }
    ix_digest_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offers),
        cmocka_unit_test(others),
        cmocka_unit_test(rules),
        cmocka_unit_test(digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
