/* SPDX-License-Identifier: Apache-2.0 */
/* Varints, zigzags, strings and the stickiness of both directions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schema/base/bytes.h"

static void fixed_fields_are_little_endian(void **state)
{
    (void)state;
    static const uint8_t want[] = {0x12, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12, 8,
                                   7,    6,    5,    4,    3,    2,    1};
    struct ix_out out = {0};
    ix_put_u8(&out, 0x12);
    ix_put_u16(&out, 0x1234);
    ix_put_u32(&out, 0x12345678);
    ix_put_u64(&out, 0x0102030405060708);
    assert_int_equal(out.len, sizeof want);
    assert_memory_equal(out.data, want, sizeof want);

    struct ix_in in = ix_in_of(out.data, out.len);
    assert_int_equal(ix_get_u8(&in), 0x12);
    assert_int_equal(ix_get_u16(&in), 0x1234);
    assert_int_equal(ix_get_u32(&in), 0x12345678);
    assert_true(ix_get_u64(&in) == 0x0102030405060708);
    assert_false(in.failed);
    assert_int_equal(ix_in_left(&in), 0);
    ix_out_free(&out);
}

static void varints_by_hand(void **state)
{
    (void)state;
    static const struct {
        uint64_t v;
        size_t len;
        uint8_t bytes[10];
    } table[] = {
        {0, 1, {0x00}},
        {1, 1, {0x01}},
        {127, 1, {0x7f}},
        {128, 2, {0x80, 0x01}},
        {300, 2, {0xac, 0x02}}, /* 300 = 2 * 128 + 44 */
        {16383, 2, {0xff, 0x7f}},
        {16384, 3, {0x80, 0x80, 0x01}},
        {INT64_MAX, 9, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}},
        {UINT64_MAX, 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ix_out out = {0};
        ix_put_varint(&out, table[i].v);
        assert_int_equal(out.len, table[i].len);
        assert_memory_equal(out.data, table[i].bytes, out.len);
        struct ix_in in = ix_in_of(out.data, out.len);
        assert_true(ix_get_varint(&in) == table[i].v);
        assert_false(in.failed);
        for (size_t cut = 0; cut < out.len; cut++) {
            in = ix_in_of(out.data, cut);
            assert_int_equal(ix_get_varint(&in), 0);
            assert_true(in.failed);
        }
        ix_out_free(&out);
    }
}

static void varints_that_do_not_fit_fail(void **state)
{
    (void)state;
    static const uint8_t bit_64[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    static const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                     0x80, 0x80, 0x80, 0x81, 0x00};
    struct ix_in in = ix_in_of(bit_64, sizeof bit_64);
    assert_int_equal(ix_get_varint(&in), 0);
    assert_true(in.failed);
    in = ix_in_of(eleven, sizeof eleven);
    assert_int_equal(ix_get_varint(&in), 0);
    assert_true(in.failed);
}

static void varint_max_is_inclusive(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {100, 101, 5};
    struct ix_in in = ix_in_of(bytes, sizeof bytes);
    assert_int_equal(ix_get_varint_max(&in, 100), 100);
    assert_false(in.failed);
    assert_int_equal(ix_get_varint_max(&in, 100), 0);
    assert_true(in.failed);
    assert_int_equal(ix_get_u8(&in), 0); /* sticky: the 5 is not read */
}

static void zigzags_by_hand(void **state)
{
    (void)state;
    static const struct {
        int64_t v;
        uint64_t coded;
    } table[] = {
        {0, 0},
        {-1, 1},
        {1, 2},
        {-2, 3},
        {64, 128},
        {INT64_MAX, UINT64_MAX - 1},
        {INT64_MIN, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ix_out out = {0};
        ix_put_zigzag(&out, table[i].v);
        struct ix_in in = ix_in_of(out.data, out.len);
        assert_true(ix_get_varint(&in) == table[i].coded);
        in = ix_in_of(out.data, out.len);
        assert_true(ix_get_zigzag(&in) == table[i].v);
        ix_out_free(&out);
    }
}

static void strings_keep_to_their_bound_and_their_input(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {3, 'a', 'b', 'c', 4, 'd', 'e', 'f'};
    struct ix_in in = ix_in_of(bytes, sizeof bytes);
    struct ix_span span = ix_get_string(&in, 3);
    assert_int_equal(span.len, 3);
    assert_memory_equal(span.text, "abc", 3);
    span = ix_get_string(&in, 10); /* says 4, has 3 */
    assert_int_equal(span.len, 0);
    assert_true(in.failed);

    in = ix_in_of(bytes, sizeof bytes);
    assert_int_equal(ix_get_string(&in, 2).len, 0);
    assert_true(in.failed);
}

static void an_empty_range_holds_nothing(void **state)
{
    (void)state;
    struct ix_in in = ix_in_of(NULL, 0);
    assert_int_equal(ix_in_left(&in), 0);
    assert_int_equal(ix_get_u32(&in), 0);
    assert_true(in.failed);
}

static void out_of_memory_is_sticky_until_cleared(void **state)
{
    (void)state;
    struct ix_out out = {0};
    ix_put_u8(&out, 1);
    volatile size_t huge = SIZE_MAX - 16;
    ix_put_bytes(&out, "", huge); /* refused before anything is read */
    assert_true(out.failed);
    assert_int_equal(out.len, 1);
    ix_put_u8(&out, 2);
    assert_int_equal(out.len, 1);
    ix_out_clear(&out);
    ix_put_u8(&out, 3);
    assert_false(out.failed);
    assert_int_equal(out.len, 1);
    assert_int_equal(out.data[0], 3);
    ix_out_free(&out);
}

static void long_output_grows_and_keeps_its_bytes(void **state)
{
    (void)state;
    struct ix_out out = {0};
    for (uint32_t i = 0; i < 5000; i++)
        ix_put_u32(&out, i * 2654435761u);
    assert_int_equal(out.len, 20000);
    struct ix_in in = ix_in_of(out.data, out.len);
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(ix_get_u32(&in), i * 2654435761u);
    ix_out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_fields_are_little_endian),
        cmocka_unit_test(varints_by_hand),
        cmocka_unit_test(varints_that_do_not_fit_fail),
        cmocka_unit_test(varint_max_is_inclusive),
        cmocka_unit_test(zigzags_by_hand),
        cmocka_unit_test(strings_keep_to_their_bound_and_their_input),
        cmocka_unit_test(an_empty_range_holds_nothing),
        cmocka_unit_test(out_of_memory_is_sticky_until_cleared),
        cmocka_unit_test(long_output_grows_and_keeps_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
