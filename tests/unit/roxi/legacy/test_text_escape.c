/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes, quoting, numbers and fields of the text layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/text_number.h"

static struct ix_span span(const char *text)
{
    return (struct ix_span){text, strlen(text)};
}

static const struct {
    const char *text, *raw;
    enum text_kind kind;
} pairs[] = {
    {"main", "main", TEXT_FREE},
    {"", "", TEXT_FREE},
    {"a b", "a b", TEXT_FREE},
    {"a\tb", "a\tb", TEXT_FREE},
    {"back\\slash", "back\\\\slash", TEXT_FREE},
    {"\n\r", "\\n\\r", TEXT_FREE},
    {"", "\\e", TEXT_FIELD},
    {"do it", "do\\sit", TEXT_FIELD},
    {" ", "\\s", TEXT_FIELD},
    {"\\e", "\\\\e", TEXT_FIELD},
    {"a\tb", "a\\tb", TEXT_ROLE},
    {"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", TEXT_FIELD},
};

static void test_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct ix_out raw = {0}, text = {0};
        text_escape(&raw, pairs[i].text, pairs[i].kind);
        ix_put_u8(&raw, 0);
        assert_string_equal((char *)raw.data, pairs[i].raw);
        assert_null(text_unescape(&text, span(pairs[i].raw), pairs[i].kind));
        assert_string_equal((char *)text.data, pairs[i].text);
        ix_out_free(&raw);
        ix_out_free(&text);
    }
}

static const struct {
    struct ix_span raw;
    enum text_kind kind;
    const char *wrong;
} refused[] = {
    {{"", 0}, TEXT_FIELD, "an empty field (it is written \\e)"},
    {{"a\\e", 3}, TEXT_FIELD, "an unknown escape"},
    {{"\\e", 2}, TEXT_FREE, "an unknown escape"},
    {{"\\s", 2}, TEXT_FREE, "an unknown escape"},
    {{"\\t", 2}, TEXT_FREE, "an unknown escape"},
    {{"a\\", 2}, TEXT_FREE, "an unknown escape"},
    {{"a\0b", 3}, TEXT_FREE, "a zero byte"},
    {{"a\r", 2}, TEXT_FREE, "a carriage return (lines end in LF alone)"},
    {{"\xFF\xFE", 2}, TEXT_FREE, "malformed UTF-8"},
    {{"\xC3", 1}, TEXT_FREE, "malformed UTF-8"},
    {{"\xC0\x80", 2}, TEXT_FREE, "malformed UTF-8"},
    {{"\xE0\x80\x80", 3}, TEXT_FREE, "malformed UTF-8"},
    {{"\xED\xA0\x80", 3}, TEXT_FREE, "malformed UTF-8"},
    {{"\xF4\x90\x80\x80", 4}, TEXT_FREE, "malformed UTF-8"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct ix_out text = {0};
        const char *wrong = text_unescape(&text, refused[i].raw, refused[i].kind);
        assert_non_null(wrong);
        assert_string_equal(wrong, refused[i].wrong);
        ix_out_free(&text);
    }
}

/* Whatever bytes a name has, what is written reads back, and is the same if it was UTF-8. */
static void test_random_round_trip(void **state)
{
    (void)state;
    static const char *const parts[] = {"a", "\\",   " ",    "\n",   "\r",       "\t",  "e",
                                        "s", "\xFF", "\xC3", "\xA4", "\xC3\xA4", "\x1B"};
    unsigned seed = 20261121;
    for (int round = 0; round < 20000; round++) {
        char text[64] = "";
        size_t used = 0;
        bool utf8 = true;
        for (int n = rand_r(&seed) % 8; n-- > 0;) {
            const char *part = parts[rand_r(&seed) % (sizeof parts / sizeof parts[0])];
            memcpy(text + used, part, strlen(part) + 1);
            used += strlen(part);
        }
        for (size_t at = 0, size; at < used && utf8; at += size)
            utf8 = (size = text_utf8_length(text + at, used - at)) > 0;
        for (int kind = TEXT_FREE; kind <= TEXT_ROLE; kind++) {
            struct ix_out raw = {0}, back = {0};
            text_escape(&raw, text, kind);
            struct ix_span line = {(char *)raw.data, raw.len};
            if (raw.len == 0)
                line.text = "";
            assert_null(memchr(line.text, '\n', line.len));
            assert_null(text_unescape(&back, line, kind));
            if (utf8 && strcmp((char *)back.data, text) != 0)
                fail_msg("seed 20261121, round %d, kind %d", round, kind);
            ix_out_free(&raw);
            ix_out_free(&back);
        }
    }
}

static void test_shown(void **state)
{
    (void)state;
    char *shown = NULL;
    size_t size;
    FILE *out = open_memstream(&shown, &size);
    text_print(out, "a\x1B[31m\n\x7F \xC3\xA4 \xC2\x9B \xE2\x80\xAE \xD8\x9C \xFF\\");
    fclose(out);
    assert_string_equal(shown, "a\\x1B[31m\\x0A\\x7F \xC3\xA4 \\u009B \\u202E \\u061C \\xFF\\");
    free(shown);

    char quoted[TEXT_QUOTE_SIZE];
    assert_string_equal(text_quote(quoted, span("short")), "short");
    char longer[100];
    memset(longer, 'x', sizeof longer);
    assert_int_equal(strlen(text_quote(quoted, (struct ix_span){longer, 100})), 43);
    memset(longer, 0xff, sizeof longer);
    assert_int_equal(strlen(text_quote(quoted, (struct ix_span){longer, 100})), 163);
}

static void test_numbers(void **state)
{
    (void)state;
    uint64_t u;
    int64_t s;
    assert_true(text_decimal(span("0"), 10, &u) && u == 0);
    assert_true(text_decimal(span("10"), 10, &u) && u == 10);
    assert_false(text_decimal(span("11"), 10, &u));
    assert_true(text_decimal(span("18446744073709551615"), UINT64_MAX, &u) && u == UINT64_MAX);
    assert_false(text_decimal(span("18446744073709551616"), UINT64_MAX, &u));
    assert_false(text_decimal(span("99999999999999999999"), UINT64_MAX, &u));
    static const char *const none[] = {"", "-1", "+1", " 1", "1 ", "0x1", "1.0"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_false(text_decimal(span(none[i]), UINT64_MAX, &u));
    assert_true(text_signed(span("-3"), -3, &s) && s == -3);
    assert_false(text_signed(span("-4"), -3, &s));
    assert_false(text_signed(span("-"), -3, &s));
    assert_false(text_signed(span("2"), 3, &s));
    assert_true(text_signed(span("-9223372036854775808"), INT64_MIN, &s) && s == INT64_MIN);
    assert_false(text_signed(span("-9223372036854775809"), INT64_MIN, &s));
    assert_false(text_signed(span("9223372036854775808"), INT64_MIN, &s));
    assert_true(text_hex(span("04EFbfB0"), &u) && u == 0x4efbfb0);
    assert_true(text_hex(span("FFFFFFFFFFFFFFFF"), &u) && u == UINT64_MAX);
    assert_false(text_hex(span("10000000000000000"), &u));
    assert_false(text_hex(span(""), &u));
    assert_false(text_hex(span("0G"), &u));
}

static void test_fields(void **state)
{
    (void)state;
    struct ix_span f[3];
    assert_true(text_fields(span("a bc d"), f, 3));
    assert_int_equal(f[1].len, 2);
    assert_memory_equal(f[1].text, "bc", 2);
    static const char *const bad[] = {"", "a b", "a b c d", "a  b c", " a b c", "a b c ", "a b "};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(text_fields(span(bad[i]), f, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_random_round_trip),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
