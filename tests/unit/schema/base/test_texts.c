/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8, and numbers and sizes as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "schema/base/units.h"
#include "schema/base/utf8.h"

static void characters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        uint32_t code;
    } rows[] = {
        {"az", 1, 'a'},
        {"\x7f", 1, 0x7f},
        {"\xc2\x80", 2, 0x80}, /* the lowest of two bytes */
        {"\xdf\xbf", 2, 0x7ff},
        {"\xe0\xa0\x80", 3, 0x800},
        {"\xed\x9f\xbf", 3, 0xd7ff},
        {"\xee\x80\x80", 3, 0xe000},
        {"\xef\xbf\xbf", 3, 0xffff},
        {"\xf0\x90\x80\x80", 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", 4, 0x10ffff}, /* the highest */
        {"\x80", 0, 0},                    /* a continuation */
        {"\xc1\xbf", 0, 0},                /* overlong */
        {"\xe0\x9f\xbf", 0, 0},
        {"\xf0\x8f\xbf\xbf", 0, 0},
        {"\xed\xa0\x80", 0, 0}, /* surrogates */
        {"\xed\xbf\xbf", 0, 0},
        {"\xf4\x90\x80\x80", 0, 0}, /* above */
        {"\xf5\x80\x80\x80", 0, 0},
        {"\xff", 0, 0},
        {"\xc2", 0, 0}, /* cut short */
        {"\xe2\x82", 0, 0},
        {"\xf0\x90\x80", 0, 0},
        {"\xc2z", 0, 0},
        {"", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t code = 0;
        assert_int_equal(ix_utf8_decode(rows[i].text, strlen(rows[i].text), &code), rows[i].length);
        assert_int_equal(ix_utf8_length(rows[i].text, strlen(rows[i].text)), rows[i].length);
        if (rows[i].length)
            assert_int_equal(code, rows[i].code);
    }
}

static void bounded_lengths(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t max, length;
    } rows[] = {
        {"", 0, 0},
        {"abc", 0, 0},
        {"abc", 2, 2},
        {"abc", 3, 3},
        {"abc", 9, 3},
        {"a\xc3\xa9z", 3, 3}, /* between characters */
        {"a\xc3\xa9z", 2, 1}, /* within one */
        {"\xe2\x82\xacz", 2, 0},
        {"a\xf0\x90\x80\x80", 4, 1},
        {"a\xf0\x90\x80\x80", 5, 5},
        {"\x80\x80\x80\x80\x80\x80", 5, 2}, /* not UTF-8: no character is longer */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(ix_utf8_bounded(rows[i].text, rows[i].max), rows[i].length);
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        uint64_t bytes;
    } rows[] = {
        {"0", true, 0},
        {"512", true, 512},
        {"64k", true, 65536},
        {"8m", true, 8388608},
        {"2g", true, 2147483648},
        {"1t", true, UINT64_C(1) << 40},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"16777215t", true, UINT64_C(16777215) << 40},
        {"16777216t", false, 0},
        {"", false, 0},
        {"k", false, 0},
        {"-1", false, 0},
        {"+1", false, 0},
        {"1kk", false, 0},
        {"1K", false, 0},
        {"1.5g", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t bytes;
        assert_int_equal(ix_parse_size(rows[i].text, strlen(rows[i].text), &bytes), rows[i].good);
        if (rows[i].good)
            assert_int_equal(bytes, rows[i].bytes);
    }
    uint64_t number;
    assert_true(ix_parse_number("123,", 3, &number));
    assert_int_equal(number, 123);
    assert_false(ix_parse_number("123,", 4, &number));
    assert_false(ix_parse_number("64k", 3, &number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(characters),
                                       cmocka_unit_test(bounded_lengths), cmocka_unit_test(sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
