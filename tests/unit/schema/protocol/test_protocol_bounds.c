/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds of every number in HELLO, WELCOME and REPORT (protocol.md, "Numbers"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "schema/protocol/protocol.h"

/* Whether the payload is let in. */
static int decode(uint8_t type, const uint8_t *payload, size_t size, struct ix_error *err)
{
    static struct ix_hello hello;
    static struct ix_welcome welcome;
    static struct ix_report report;
    switch (type) {
    case IX_HELLO:
        return ix_decode_hello(payload, size, &hello, err);
    case IX_WELCOME:
        return ix_decode_welcome(payload, size, &welcome, err);
    default:
        return ix_decode_report(payload, size, &report, err);
    }
}

/* The payload of a REPORT on one packet, of a HELLO and of a WELCOME, in which a number is another.
 */
static void put_report(struct ix_out *out, const uint64_t n[])
{
    for (size_t i = 0; i < 3; i++)
        ix_put_varint(out, n[i]);
    ix_put_varint(out, 1);
    for (size_t i = 3; i < 11; i++)
        ix_put_varint(out, n[i]);
}

static void put_hello(struct ix_out *out, const uint64_t n[])
{
    ix_put_bytes(out, "IXOR\2\0\1\0", 8); /* magic, version, port */
    ix_put_u32(out, (uint32_t)n[0]);
    for (size_t i = 1; i < 4; i++)
        ix_put_varint(out, n[i]);
    ix_put_bytes(out, "\0\0\0\0\2/x\0", 8);
}

static void put_welcome(struct ix_out *out, const uint64_t n[])
{
    ix_put_u64(out, n[0]);
    ix_put_varint(out, n[1]);
    ix_put_bytes(out, "\0", 1);
    ix_put_varint(out, n[2]);
}

/* Every number of these messages: least and greatest that are let in, and that those beyond are
 * not. */
static void numbers_have_bounds(void **state)
{
    (void)state;
    static const struct {
        uint8_t type;
        void (*put)(struct ix_out *out, const uint64_t n[]);
        size_t field, count; /* this one of so many */
        const char *name;
        uint64_t min, max;
    } table[] = {
        {IX_REPORT, put_report, 0, 11, "stale", 0, UINT64_C(1) << 40},
        {IX_REPORT, put_report, 1, 11, "superseded", 0, UINT64_C(1) << 40},
        {IX_REPORT, put_report, 2, 11, "foreign", 0, UINT64_C(1) << 40},
        {IX_REPORT, put_report, 3, 11, "packet", 1, (UINT64_C(1) << 53) - 1},
        {IX_REPORT, put_report, 4, 11, "monotonic clock", 0, (UINT64_C(1) << 62) - 1},
        {IX_REPORT, put_report, 5, 11, "wall clock", 0, (UINT64_C(1) << 62) - 1},
        {IX_REPORT, put_report, 6, 11, "stop length", 0, UINT64_C(3600000000000)},
        {IX_REPORT, put_report, 7, 11, "threads", 0, 1 << 24},
        {IX_REPORT, put_report, 8, 11, "frames", 0, UINT64_C(1) << 40},
        {IX_REPORT, put_report, 9, 11, "missed", 0, UINT64_C(1) << 40},
        {IX_REPORT, put_report, 10, 11, "readiness", 0, (UINT64_C(1) << 62) - 1},
        {IX_HELLO, put_hello, 0, 4, "process id", 1, INT32_MAX},
        {IX_HELLO, put_hello, 1, 4, "start", 0, (UINT64_C(1) << 62) - 1},
        {IX_HELLO, put_hello, 2, 4, "clock", 0, (UINT64_C(1) << 62) - 1},
        {IX_HELLO, put_hello, 3, 4, "last packet", 0, (UINT64_C(1) << 53) - 1},
        {IX_WELCOME, put_welcome, 0, 3, "session", 1, UINT64_MAX},
        {IX_WELCOME, put_welcome, 1, 3, "interval", 0, UINT64_C(1) << 53},
        {IX_WELCOME, put_welcome, 2, 3, "report delay", 1000000, UINT64_C(60000000000)},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const bool may_be_0 = strcmp(table[i].name, "report delay") == 0;
        const struct {
            uint64_t value;
            bool good;
        } cases[] = {{table[i].min, true},
                     {table[i].max, true},
                     {table[i].min ? table[i].min - 1 : 0, table[i].min == 0},
                     {table[i].max + 1, table[i].max + 1 == 0 ? table[i].min == 0 : false},
                     {UINT64_MAX >> 1, table[i].max == UINT64_MAX},
                     {0, table[i].min == 0 || may_be_0}};
        for (size_t j = 0; j < sizeof cases / sizeof cases[0]; j++) {
            uint64_t n[11];
            struct ix_out out = {0};
            struct ix_error err = {""};
            for (size_t k = 0; k < table[i].count; k++)
                n[k] = table[i].type == IX_WELCOME && k == 2 ? 0 : 1;
            n[table[i].field] = cases[j].value;
            table[i].put(&out, n);
            const int got = decode(table[i].type, out.data, out.len, &err);
            if ((got == 0) != cases[j].good || (got != 0 && !strstr(err.text, table[i].name)))
                fail_msg("%s %llu: %d, %s", table[i].name, (unsigned long long)cases[j].value, got,
                         err.text);
            ix_out_free(&out);
        }
    }
}

/* A server that asks for less than is let in asks for the least. */
static void report_delays_are_clamped(void **state)
{
    (void)state;
    static const uint64_t table[][2] = {{0, 0},
                                        {1, IX_REPORT_DELAY_MIN_NS},
                                        {999999, IX_REPORT_DELAY_MIN_NS},
                                        {UINT64_MAX, IX_REPORT_DELAY_MAX_NS}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ix_out out = {0};
        struct ix_welcome back;
        ix_encode_welcome(&out, &(struct ix_welcome){.session = 1, .report_ns = table[i][0]});
        struct ix_message_frame f;
        assert_int_equal(ix_next_message(out.data, out.len, &f, NULL), 1);
        assert_int_equal(ix_decode_welcome(f.payload, f.payload_size, &back, NULL), 0);
        assert_true(back.report_ns == table[i][1]);
        ix_out_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_have_bounds),
                                       cmocka_unit_test(report_delays_are_clamped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
