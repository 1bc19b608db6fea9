/* SPDX-License-Identifier: Apache-2.0 */
/* Every message against bytes worked by hand from protocol.md, then its limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "schema/protocol/protocol.h"

/* HELLO of a JVM with UDP port 0x1234, pid 77, started at 300, clock 128, last packet 5. */
static const uint8_t hello_bytes[] = {
    43, 0,    0,    0,    1,   'I', 'X', 'O', 'R', 2,   0,   0x34, 0x12, 77,  0,   0,
    0,  0xac, 0x02, 0x80, 0x1, 5,   2,   'r', '1', 6,   'c', 'l',  'i',  'e', 'n', 't',
    1,  'h',  3,    'j',  'd', 'k', 4,   '/', 'a', '/', 'b', 3,    'm',  '/', 't'};

static const uint8_t welcome_bytes[] = {17, 0, 0,    0,    2, 8,   7,   6,    5,    4,   3,
                                        2,  1, 0x80, 0x01, 2, 'r', '1', 0xc0, 0x84, 0x3d};
static const uint8_t refuse_bytes[] = {4, 0, 0, 0, 3, 2, 'n', 'o'};
static const uint8_t report_bytes[] = {22, 0,  0,    0,    4,  1,  2,  3, 2, /* 2 packets: */
                                       7,  10, 11,   12,   13, 14, 0,  8, 9,
                                       20, 21, 0x80, 0x01, 23, 24, 25, 0};
static const uint8_t keepalive_bytes[] = {1, 0, 0, 0, 5};
static const uint8_t goodbye_bytes[] = {7, 0, 0, 0, 6, 2, 4, 'f', 'u', 'l', 'l'};

static struct ix_hello hello_worked(void)
{
    return (struct ix_hello){
        .udp_port = 0x1234,
        .pid = 77,
        .started_ns = 300,
        .mono_ns = 128,
        .last_packet = 5,
        .execution = "r1",
        .role = "client",
        .host = "h",
        .jvm = "jdk",
        .log = "/a/b",
        .machine = "m/t",
    };
}

/* Reports are too large for many of them on a stack. */
static struct ix_report report_a, report_b;

static void report_worked(struct ix_report *m)
{
    *m = (struct ix_report){.stale = 1, .superseded = 2, .foreign = 3, .count = 2};
    m->taken[0] = (struct ix_taken){7, 10, 11, 12, 13, 14, 0, 8};
    m->taken[1] = (struct ix_taken){9, 20, 21, 128, 23, 24, 25, 0};
}

static void assert_bytes(struct ix_out *out, const uint8_t *want, size_t size)
{
    assert_false(out->failed);
    assert_int_equal(out->len, size);
    assert_memory_equal(out->data, want, size);
    ix_out_free(out);
}

/* The payload of the one frame that `data` must be. */
static struct ix_message_frame frame_of(const uint8_t *data, size_t size, uint8_t type)
{
    struct ix_message_frame frame = {0};
    assert_int_equal(ix_next_message(data, size, &frame, NULL), 1);
    assert_int_equal(frame.type, type);
    assert_int_equal(frame.size, size);
    assert_int_equal(frame.payload_size, size - 5);
    return frame;
}

static void encoders_write_the_worked_bytes(void **state)
{
    (void)state;
    struct ix_out out = {0};
    struct ix_hello hello = hello_worked();
    ix_encode_hello(&out, &hello);
    assert_bytes(&out, hello_bytes, sizeof hello_bytes);

    ix_encode_welcome(&out, &(struct ix_welcome){0x0102030405060708, 128, "r1", 1000000});
    assert_bytes(&out, welcome_bytes, sizeof welcome_bytes);

    ix_encode_refuse(&out, &(struct ix_refuse){"no"});
    assert_bytes(&out, refuse_bytes, sizeof refuse_bytes);

    report_worked(&report_a);
    ix_encode_report(&out, &report_a);
    assert_bytes(&out, report_bytes, sizeof report_bytes);

    ix_encode_keepalive(&out);
    assert_bytes(&out, keepalive_bytes, sizeof keepalive_bytes);

    ix_encode_goodbye(&out, &(struct ix_goodbye){.reason = IX_BYE_LOG, .text = "full"});
    assert_bytes(&out, goodbye_bytes, sizeof goodbye_bytes);
}

static void assert_same_hello(const struct ix_hello *a, const struct ix_hello *b)
{
    assert_int_equal(a->udp_port, b->udp_port);
    assert_int_equal(a->pid, b->pid);
    assert_true(a->started_ns == b->started_ns);
    assert_true(a->mono_ns == b->mono_ns);
    assert_true(a->last_packet == b->last_packet);
    assert_string_equal(a->execution, b->execution);
    assert_string_equal(a->role, b->role);
    assert_string_equal(a->host, b->host);
    assert_string_equal(a->jvm, b->jvm);
    assert_string_equal(a->log, b->log);
    assert_string_equal(a->machine, b->machine);
}

static void assert_same_report(const struct ix_report *a, const struct ix_report *b)
{
    assert_true(a->stale == b->stale && a->superseded == b->superseded);
    assert_true(a->foreign == b->foreign);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->taken, b->taken, a->count * sizeof a->taken[0]);
}

static void decoders_read_the_worked_bytes(void **state)
{
    (void)state;
    struct ix_error err;
    struct ix_message_frame f = frame_of(hello_bytes, sizeof hello_bytes, IX_HELLO);
    struct ix_hello hello, want = hello_worked();
    assert_int_equal(ix_decode_hello(f.payload, f.payload_size, &hello, &err), 0);
    assert_same_hello(&hello, &want);

    f = frame_of(welcome_bytes, sizeof welcome_bytes, IX_WELCOME);
    struct ix_welcome welcome;
    assert_int_equal(ix_decode_welcome(f.payload, f.payload_size, &welcome, &err), 0);
    assert_true(welcome.session == 0x0102030405060708);
    assert_int_equal(welcome.interval_ns, 128);
    assert_string_equal(welcome.execution, "r1");
    assert_int_equal(welcome.report_ns, 1000000);

    f = frame_of(refuse_bytes, sizeof refuse_bytes, IX_REFUSE);
    struct ix_refuse refuse;
    assert_int_equal(ix_decode_refuse(f.payload, f.payload_size, &refuse, &err), 0);
    assert_string_equal(refuse.reason, "no");

    f = frame_of(report_bytes, sizeof report_bytes, IX_REPORT);
    assert_int_equal(ix_decode_report(f.payload, f.payload_size, &report_b, &err), 0);
    report_worked(&report_a);
    assert_same_report(&report_b, &report_a);

    f = frame_of(goodbye_bytes, sizeof goodbye_bytes, IX_GOODBYE);
    struct ix_goodbye goodbye;
    assert_int_equal(ix_decode_goodbye(f.payload, f.payload_size, &goodbye, &err), 0);
    assert_int_equal(goodbye.reason, IX_BYE_LOG);
    assert_string_equal(goodbye.text, "full");
    assert_int_equal(goodbye.verdict, IX_TEST_NONE);

    frame_of(keepalive_bytes, sizeof keepalive_bytes, IX_KEEPALIVE);
}

/* Decodes a payload of any type; only whether it is accepted counts. */
static int decode(uint8_t type, const uint8_t *payload, size_t size, struct ix_error *err)
{
    struct ix_hello hello;
    struct ix_welcome welcome;
    struct ix_refuse refuse;
    struct ix_goodbye goodbye;
    switch (type) {
    case IX_HELLO:
        return ix_decode_hello(payload, size, &hello, err);
    case IX_WELCOME:
        return ix_decode_welcome(payload, size, &welcome, err);
    case IX_REFUSE:
        return ix_decode_refuse(payload, size, &refuse, err);
    case IX_REPORT:
        return ix_decode_report(payload, size, &report_b, err);
    default:
        assert_int_equal(type, IX_GOODBYE);
        return ix_decode_goodbye(payload, size, &goodbye, err);
    }
}

static const struct {
    const uint8_t *bytes;
    size_t size;
} worked[] = {
    {hello_bytes, sizeof hello_bytes},     {welcome_bytes, sizeof welcome_bytes},
    {refuse_bytes, sizeof refuse_bytes},   {report_bytes, sizeof report_bytes},
    {goodbye_bytes, sizeof goodbye_bytes},
};
#define WORKED (sizeof worked / sizeof worked[0])

/* A copy of exactly `size` bytes on the heap: the address sanitizer sees reading past it. */
static uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKED; i++) {
        for (size_t cut = 0; cut < worked[i].size; cut++) {
            uint8_t *copy = exact_copy(worked[i].bytes, cut);
            struct ix_message_frame frame;
            assert_int_equal(ix_next_message(copy, cut, &frame, NULL), 0);
            free(copy);
            if (cut < 5)
                continue;
            copy = exact_copy(worked[i].bytes + 5, cut - 5);
            struct ix_error err = {""};
            assert_int_equal(decode(worked[i].bytes[4], copy, cut - 5, &err), -1);
            assert_non_null(strstr(err.text, "cut short"));
            free(copy);
        }
    }
}

static void more_bytes_at_the_end_are_ignored(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKED; i++) {
        uint8_t longer[64];
        memset(longer, 0xff, sizeof longer);
        memcpy(longer, worked[i].bytes, worked[i].size);
        assert_int_equal(decode(longer[4], longer + 5, worked[i].size + 9 - 5, NULL), 0);
    }
}

static void frames_keep_to_their_bounds(void **state)
{
    (void)state;
    struct ix_message_frame frame;
    struct ix_error err;
    static const uint8_t zero[] = {0, 0, 0, 0, 1};
    assert_int_equal(ix_next_message(zero, sizeof zero, &frame, &err), -1);
    static const uint8_t above[] = {1, 0, 1, 0}; /* 65,537 */
    assert_int_equal(ix_next_message(above, sizeof above, &frame, &err), -1);
    assert_non_null(strstr(err.text, "65537"));

    size_t size = IX_MESSAGE_PREFIX + IX_MESSAGE_MAX;
    uint8_t *largest = calloc(1, size);
    assert_non_null(largest);
    largest[2] = 1; /* 65,536 */
    assert_int_equal(ix_next_message(largest, size - 1, &frame, &err), 0);
    assert_int_equal(ix_next_message(largest, size, &frame, &err), 1);
    assert_int_equal(frame.payload_size, 65535);
    free(largest);
}

static void two_frames_come_one_after_the_other(void **state)
{
    (void)state;
    struct ix_out out = {0};
    ix_encode_keepalive(&out);
    ix_encode_refuse(&out, &(struct ix_refuse){"no"});
    struct ix_message_frame frame;
    assert_int_equal(ix_next_message(out.data, out.len, &frame, NULL), 1);
    assert_int_equal(frame.size, 5);
    assert_int_equal(frame.payload_size, 0);
    assert_int_equal(ix_next_message(out.data + 5, out.len - 5, &frame, NULL), 1);
    assert_int_equal(frame.type, IX_REFUSE);
    ix_out_free(&out);
}

/* What a REFUSE of these bytes decodes to; NULL if it is not accepted. */
static const char *reason_of(const char *bytes, size_t len)
{
    static struct ix_refuse m;
    struct ix_out out = {0};
    ix_put_string(&out, bytes, len);
    int rc = ix_decode_refuse(out.data, out.len, &m, NULL);
    ix_out_free(&out);
    return rc == 0 ? m.reason : NULL;
}

static void texts_are_utf8_without_control_characters(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        bool good;
    } table[] = {
        {"", 0, true},
        {"a b~", 4, true},
        {"a\0b", 3, false},
        {"\n", 1, false},
        {"\x1b[2J", 4, false},
        {"\x7f", 1, false},
        {"\xc3\xa9", 2, true}, /* U+00E9 */
        {"\xc3", 1, false},
        {"\xc3\x28", 2, false},
        {"\xa9", 1, false},
        {"\xc2\x9b", 2, false},         /* U+009B, CSI */
        {"\xc2\xa0", 2, true},          /* U+00A0 */
        {"\xc1\xa9", 2, false},         /* overlong */
        {"\xe0\x80\xa9", 3, false},     /* overlong */
        {"\xe2\x82\xac", 3, true},      /* U+20AC */
        {"\xe2\x82(", 3, false},        /* third byte */
        {"\xed\xa0\x80", 3, false},     /* a surrogate */
        {"\xf0\x9f\x98\x80", 4, true},  /* U+1F600 */
        {"\xf0\x8f\xbf\xbf", 4, false}, /* overlong */
        {"\xf4\x8f\xbf\xbf", 4, true},  /* U+10FFFF */
        {"\xf4\x90\x80\x80", 4, false}, /* above it */
        {"\xf5\x80\x80\x80", 4, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *got = reason_of(table[i].bytes, table[i].len);
        if ((got != NULL) != table[i].good)
            fail_msg("text %zu is %s", i, got ? "accepted" : "refused");
        if (got)
            assert_memory_equal(got, table[i].bytes, table[i].len + 1);
    }
}

static void hello_rules(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t byte;
        const char *says; /* NULL: accepted */
    } table[] = {
        {5, 'J', "magic"},  {9, 3, "protocol version 3"},
        {12, 0, NULL},      {22, 0xff, "execution"},
        {27, '\n', "role"}, {33, 0x80, "host"},
        {35, 0x1f, "JVM"},  {40, 0x7f, "log"},
        {40, 0xe9, NULL}, /* a path may be Latin-1 */
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint8_t bytes[sizeof hello_bytes];
        memcpy(bytes, hello_bytes, sizeof bytes);
        bytes[table[i].at] = table[i].byte;
        struct ix_error err = {""};
        int rc = decode(IX_HELLO, bytes + 5, sizeof bytes - 5, &err);
        assert_int_equal(rc, table[i].says ? -1 : 0);
        if (table[i].says && !strstr(err.text, table[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.text, table[i].says);
    }
    uint8_t bytes[sizeof hello_bytes];
    memcpy(bytes, hello_bytes, sizeof bytes);
    bytes[11] = bytes[12] = 0;
    struct ix_error err = {""};
    assert_int_equal(decode(IX_HELLO, bytes + 5, sizeof bytes - 5, &err), -1);
    assert_string_equal(err.text, "HELLO: UDP port is 0");
}

/* What later releases have added to the end of HELLO and GOODBYE. */
static void added_fields(void **state)
{
    (void)state;
    struct ix_hello hello = hello_worked();
    hello.test = true;
    struct ix_out out = {0};
    ix_encode_hello(&out, &hello);
    assert_int_equal(out.len, sizeof hello_bytes + 1);
    assert_int_equal(out.data[0], hello_bytes[0] + 1); /* the frame's length */
    assert_int_equal(out.data[out.len - 1], 1);
    struct ix_error err = {""};
    assert_int_equal(ix_decode_hello(out.data + 5, out.len - 5, &hello, &err), 0);
    assert_true(hello.test);
    assert_int_equal(ix_decode_hello(out.data + 5, out.len - 6, &hello, &err), 0);
    assert_false(hello.test);
    out.data[out.len - 1] = 2;
    assert_int_equal(ix_decode_hello(out.data + 5, out.len - 5, &hello, &err), 0);
    assert_false(hello.test); /* a value of a later release */
    ix_out_clear(&out);
    hello.burst_ns = 300;
    ix_encode_hello(&out, &hello);
    assert_int_equal(out.len, sizeof hello_bytes); /* only with a test */
    ix_out_clear(&out);
    hello.test = true;
    ix_encode_hello(&out, &hello);
    assert_int_equal(out.len, sizeof hello_bytes + 3);
    assert_int_equal(ix_decode_hello(out.data + 5, out.len - 5, &hello, &err), 0);
    assert_int_equal(hello.burst_ns, 300);
    assert_int_equal(ix_decode_hello(out.data + 5, out.len - 7, &hello, &err), 0);
    assert_int_equal(hello.burst_ns, 0);
    ix_out_clear(&out);
    struct ix_goodbye bye = {.reason = IX_BYE_EXIT, .verdict = IX_TEST_ABORTED};
    ix_encode_goodbye(&out, &bye);
    static const uint8_t bytes[] = {4, 0, 0, 0, 6, 1, 0, 3};
    assert_int_equal(out.len, sizeof bytes);
    assert_memory_equal(out.data, bytes, sizeof bytes);
    assert_int_equal(ix_decode_goodbye(bytes + 5, 3, &bye, &err), 0);
    assert_int_equal(bye.verdict, IX_TEST_ABORTED);
    out.data[7] = 4;
    assert_int_equal(ix_decode_goodbye(out.data + 5, 3, &bye, &err), 0);
    assert_int_equal(bye.verdict, IX_TEST_NONE);
    ix_out_free(&out);
}

static void other_messages_have_rules_too(void **state)
{
    (void)state;
    static const uint8_t no_session[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0};
    assert_int_equal(decode(IX_WELCOME, no_session, sizeof no_session, NULL), -1);
    static const uint8_t reason_0[] = {0, 0}, reason_4[] = {4, 0};
    assert_int_equal(decode(IX_GOODBYE, reason_0, sizeof reason_0, NULL), -1);
    assert_int_equal(decode(IX_GOODBYE, reason_4, sizeof reason_4, NULL), -1);

    static const uint8_t packet_0[] = {0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(decode(IX_REPORT, packet_0, sizeof packet_0, NULL), -1);
    uint8_t two[] = {0, 0, 0, 2, 5, 1, 1, 1, 1, 1, 1, 1, 6, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(decode(IX_REPORT, two, sizeof two, NULL), 0);
    two[12] = 5;
    assert_int_equal(decode(IX_REPORT, two, sizeof two, NULL), -1);
    two[12] = 4;
    assert_int_equal(decode(IX_REPORT, two, sizeof two, NULL), -1);

    static const uint8_t count_901[] = {0, 0, 0, 0x85, 0x07};
    struct ix_error err;
    assert_int_equal(decode(IX_REPORT, count_901, sizeof count_901, &err), -1);
    assert_non_null(strstr(err.text, "count"));

    static const uint8_t above[] = {0x80, 0x80, 0x80, 0x80, 0x80,
                                    0x80, 0x80, 0x80, 0x80, 1, /* 2^63 */
                                    0,    0,    0};
    assert_int_equal(decode(IX_REPORT, above, sizeof above, NULL), -1);
}

static void the_largest_messages_fit_a_frame(void **state)
{
    (void)state;
    report_a = (struct ix_report){UINT64_MAX, UINT64_MAX, UINT64_MAX, IX_REPORT_MAX + 7, {{0}}};
    for (size_t i = 0; i < IX_REPORT_MAX; i++)
        report_a.taken[i] = (struct ix_taken){IX_PACKET_MAX - IX_REPORT_MAX + i + 1,
                                              UINT64_MAX,
                                              UINT64_MAX,
                                              UINT64_MAX,
                                              UINT64_MAX,
                                              UINT64_MAX,
                                              UINT64_MAX,
                                              UINT64_MAX};
    struct ix_out out = {0};
    ix_encode_report(&out, &report_a);
    struct ix_message_frame f = frame_of(out.data, out.len, IX_REPORT);
    assert_int_equal(ix_decode_report(f.payload, f.payload_size, &report_b, NULL), 0);
    assert_int_equal(report_b.count, IX_REPORT_MAX);
    assert_true(report_b.stale == IX_COUNT_MAX && report_b.superseded == IX_COUNT_MAX &&
                report_b.foreign == IX_COUNT_MAX);
    const struct ix_taken *last = &report_b.taken[IX_REPORT_MAX - 1];
    assert_true(last->packet == IX_PACKET_MAX && last->mono_ns == IX_CLOCK_MAX_NS &&
                last->real_ns == IX_CLOCK_MAX_NS && last->stop_ns == IX_STOP_MAX_NS &&
                last->threads == IX_THREADS_MAX && last->frames == IX_COUNT_MAX &&
                last->missed == IX_COUNT_MAX && last->ready_ns == IX_CLOCK_MAX_NS);
    ix_out_free(&out);

    struct ix_hello hello = {.udp_port = 1, .pid = 1, .started_ns = UINT64_MAX}, back;
    memset(hello.execution, 'e', IX_NAME_MAX);
    memset(hello.role, 'r', IX_NAME_MAX);
    memset(hello.host, 'h', IX_NAME_MAX);
    memset(hello.jvm, 'j', IX_JVM_MAX);
    memset(hello.log, 'l', IX_PATH_MAX);
    ix_encode_hello(&out, &hello);
    f = frame_of(out.data, out.len, IX_HELLO);
    assert_int_equal(ix_decode_hello(f.payload, f.payload_size, &back, NULL), 0);
    hello.started_ns = IX_CLOCK_MAX_NS;
    assert_same_hello(&back, &hello);
    ix_out_free(&out);
}

static void encoders_mend_text(void **state)
{
    (void)state;
    struct ix_hello hello = {.udp_port = 1, .pid = 1, .role = "a\nb\x1b\xff", .log = "/x\xe9\ny"};
    struct ix_hello back;
    memset(hello.jvm, 'j', sizeof hello.jvm); /* not even terminated */
    struct ix_out out = {0};
    ix_encode_hello(&out, &hello);
    struct ix_message_frame f = frame_of(out.data, out.len, IX_HELLO);
    assert_int_equal(ix_decode_hello(f.payload, f.payload_size, &back, NULL), 0);
    assert_string_equal(back.role, "a?b??");
    assert_string_equal(back.log, "/x\xe9?y");
    assert_int_equal(strlen(back.jvm), IX_JVM_MAX);
    ix_out_free(&out);
}

static void encoders_cut_at_a_character(void **state)
{
    (void)state;
    struct ix_refuse refuse, back;
    memset(refuse.reason, 'x', sizeof refuse.reason);
    memcpy(refuse.reason + IX_REASON_MAX - 1, "\xc3\xa9", 2); /* one byte too far */
    struct ix_out out = {0};
    ix_encode_refuse(&out, &refuse);
    struct ix_message_frame f = frame_of(out.data, out.len, IX_REFUSE);
    assert_int_equal(ix_decode_refuse(f.payload, f.payload_size, &back, NULL), 0);
    assert_int_equal(strlen(back.reason), IX_REASON_MAX - 1);
    assert_memory_equal(back.reason, refuse.reason, IX_REASON_MAX - 1);
    ix_out_free(&out);
}

/* 0 to max, every length about as often. */
static uint64_t any_number(uint64_t max)
{
    uint64_t v = (uint64_t)random() << 33 ^ (uint64_t)random() << 15 ^ (uint64_t)random();
    v >>= 1 + random() % 63;
    return v < max ? v : max;
}

static void any_text(char *text, size_t max)
{
    size_t len = (size_t)random() % (max + 1);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)(' ' + random() % 95);
    text[len] = '\0';
}

static void random_hello(struct ix_hello *m)
{
    *m = (struct ix_hello){
        .udp_port = (uint16_t)(1 + random() % 65535),
        .pid = 1 + (uint32_t)any_number(IX_PID_MAX - 1),
        .started_ns = any_number(IX_CLOCK_MAX_NS),
        .mono_ns = any_number(IX_CLOCK_MAX_NS),
        .last_packet = any_number(IX_PACKET_MAX),
    };
    any_text(m->execution, IX_NAME_MAX);
    any_text(m->role, IX_NAME_MAX);
    any_text(m->host, IX_NAME_MAX);
    any_text(m->jvm, IX_JVM_MAX);
    any_text(m->log, IX_PATH_MAX);
    any_text(m->machine, IX_MACHINE_MAX);
}

static void random_report(struct ix_report *m)
{
    *m = (struct ix_report){.stale = any_number(IX_COUNT_MAX),
                            .superseded = any_number(IX_COUNT_MAX),
                            .foreign = any_number(IX_COUNT_MAX),
                            .count = (size_t)random() % (IX_REPORT_MAX + 1)};
    uint64_t packet = 0;
    for (size_t i = 0; i < m->count; i++) {
        packet += 1 + (uint64_t)random() % 1000;
        m->taken[i] = (struct ix_taken){.packet = packet,
                                        .mono_ns = any_number(IX_CLOCK_MAX_NS),
                                        .real_ns = any_number(IX_CLOCK_MAX_NS),
                                        .stop_ns = any_number(IX_STOP_MAX_NS),
                                        .threads = any_number(IX_THREADS_MAX),
                                        .frames = any_number(IX_COUNT_MAX),
                                        .missed = any_number(IX_COUNT_MAX),
                                        .ready_ns = any_number(IX_CLOCK_MAX_NS)};
    }
}

static void random_round_trips(void **state)
{
    (void)state;
    unsigned seed = (unsigned)time(NULL);
    print_message("seed %u\n", seed);
    srandom(seed);
    struct ix_out out = {0};
    for (int round = 0; round < 300; round++) {
        struct ix_hello hello, back;
        random_hello(&hello);
        ix_out_clear(&out);
        ix_encode_hello(&out, &hello);
        struct ix_message_frame f = frame_of(out.data, out.len, IX_HELLO);
        assert_int_equal(ix_decode_hello(f.payload, f.payload_size, &back, NULL), 0);
        assert_same_hello(&back, &hello);

        random_report(&report_a);
        ix_out_clear(&out);
        ix_encode_report(&out, &report_a);
        f = frame_of(out.data, out.len, IX_REPORT);
        assert_int_equal(ix_decode_report(f.payload, f.payload_size, &report_b, NULL), 0);
        assert_same_report(&report_b, &report_a);
    }
    ix_out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoders_write_the_worked_bytes),
        cmocka_unit_test(decoders_read_the_worked_bytes),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(more_bytes_at_the_end_are_ignored),
        cmocka_unit_test(frames_keep_to_their_bounds),
        cmocka_unit_test(two_frames_come_one_after_the_other),
        cmocka_unit_test(texts_are_utf8_without_control_characters),
        cmocka_unit_test(hello_rules),
        cmocka_unit_test(added_fields),
        cmocka_unit_test(other_messages_have_rules_too),
        cmocka_unit_test(the_largest_messages_fit_a_frame),
        cmocka_unit_test(encoders_mend_text),
        cmocka_unit_test(encoders_cut_at_a_character),
        cmocka_unit_test(random_round_trips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
