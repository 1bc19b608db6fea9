/* SPDX-License-Identifier: Apache-2.0 */
/* Durations, counts, addresses and their texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "schema/protocol/protocol.h"
#include "server/base/units.h"

static void durations_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {
        {"100ms", 100000000},
        {"1s", 1000000000},
        {"2m", 120000000000},
        {"250us", 250000},
        {"1.5s", 1500000000},
        {"0.25ms", 250000},
        {"0", 0},
        {"0s", 0},
        {"0.0000001us", 0},
        {"1.00000000000000000000000000009s", 1000000000},
        {"525600m", 31536000000000000},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t ns = 1;
        struct ix_error err = {""};
        if (ixor_parse_duration(good[i].text, &ns, &err) != 0 || ns != good[i].ns)
            fail_msg("%s: %llu %s", good[i].text, (unsigned long long)ns, err.text);
    }
}

static void bad_durations_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "5",
                                      "ms",
                                      "-1s",
                                      "1 s",
                                      "1h",
                                      "1.s",
                                      ".5s",
                                      "1.5.5s",
                                      "1sec",
                                      "525601m",
                                      "1e3s",
                                      "99999999999999999999999999s",
                                      "0x10s",
                                      "+1s"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t ns;
        struct ix_error err = {""};
        assert_int_equal(ixor_parse_duration(bad[i], &ns, &err), -1);
        assert_non_null(strstr(err.text, bad[i]));
    }
}

static void counts_have_bounds(void **state)
{
    (void)state;
    uint64_t v;
    assert_int_equal(ixor_parse_count("1", 1, 10, &v, NULL), 0);
    assert_int_equal(v, 1);
    assert_int_equal(ixor_parse_count("10", 1, 10, &v, NULL), 0);
    assert_int_equal(ixor_parse_count("18446744073709551615", 0, UINT64_MAX, &v, NULL), 0);
    assert_true(v == UINT64_MAX);
    static const char *const bad[] = {"0",  "11", "",   "x",
                                      "1x", "-1", " 1", "110000000000000000000"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(ixor_parse_count(bad[i], 1, 10, &v, NULL), -1);
    assert_int_equal(ixor_parse_count("18446744073709551616", 0, UINT64_MAX, &v, NULL), -1);
}

static void sizes_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"512", 512}, {"64k", 65536}, {"8m", 8u << 20}, {"2g", UINT64_C(2) << 30}};
    uint64_t v;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(ixor_parse_size(good[i].text, 1, UINT64_MAX, &v, NULL), 0);
        assert_true(v == good[i].bytes);
    }
    static const char *const bad[] = {"",
                                      "k",
                                      "-1",
                                      "1kb",
                                      "1 k",
                                      "0x10",
                                      "1.5m",
                                      "99999999999g",
                                      "99",
                                      "2m",
                                      "18446744073709551616"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(ixor_parse_size(bad[i], 100, 1u << 20, &v, NULL), -1);
}

static void addresses_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *canonical;
        int loopback;
    } good[] = {
        {"127.0.0.1:80", "127.0.0.1:80", 1},
        {"127.0.0.1", "127.0.0.1:4967", 1},
        {":99", "127.0.0.1:99", 1},
        {"0.0.0.0:0", "0.0.0.0:0", 0},
        {"[::1]:80", "[::1]:80", 1},
        {"::1", "[::1]:4967", 1},
        {"[::]", "[::]:4967", 0},
        {"[::ffff:127.0.0.5]:1", "[::ffff:127.0.0.5]:1", 1},
        {"10.1.2.3:65535", "10.1.2.3:65535", 0},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct ixor_address a;
        char text[IXOR_ADDRESS_TEXT];
        struct ix_error err = {""};
        if (ixor_parse_address(good[i].text, &a, &err) != 0)
            fail_msg("%s", err.text);
        ixor_address_text(&a, text);
        assert_string_equal(text, good[i].canonical);
        assert_int_equal(ixor_address_is_loopback(&a), good[i].loopback);
    }
    static const char *const bad[] = {"",     "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:x",
                                      "[::1", "[::1]80",  "1.2.3.4.5:80"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct ixor_address a;
        assert_int_equal(ixor_parse_address(bad[i], &a, NULL), -1);
    }
}

static void hosts_of_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *text, *host;
    } table[] = {
        {"[::1]:80", "::1"},           {"::1", "::1"}, {"some.host:1", "some.host"},
        {"some.host", "some.host"},    {":99", ""},    {"[::1", NULL},
        {"too-long-for-that:1", NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char host[16];
        assert_int_equal(ixor_address_host(table[i].text, host, sizeof host),
                         table[i].host ? 0 : -1);
        if (table[i].host)
            assert_string_equal(host, table[i].host);
    }
}

static void hosts_are_compared_without_ports(void **state)
{
    (void)state;
    struct ixor_address a, b, c;
    assert_int_equal(ixor_parse_address("10.0.0.1:1", &a, NULL), 0);
    assert_int_equal(ixor_parse_address("[::ffff:10.0.0.1]:2", &b, NULL), 0);
    assert_int_equal(ixor_parse_address("10.0.0.2:1", &c, NULL), 0);
    assert_true(ixor_address_same_host(&a, &b));
    assert_false(ixor_address_same_host(&a, &c));
    assert_int_equal(ixor_parse_address("[::1]:1", &c, NULL), 0);
    assert_false(ixor_address_same_host(&a, &c));
}

static void texts(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        const char *text;
    } durations[] = {{-1, "-"},
                     {0, "0ns"},
                     {999, "999ns"},
                     {1000, "1.00us"},
                     {45100, "45.1us"},
                     {999499, "999us"},
                     {999500, "1.00ms"},
                     {9994999, "9.99ms"},
                     {9995000, "10.0ms"},
                     {12300000000, "12.3s"},
                     {99949999999, "99.9s"},
                     {99950000000, "1m40s"},
                     {245000000000, "4m05s"}};
    char text[IXOR_UNIT_TEXT];
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        ixor_duration_text(durations[i].ns, text);
        assert_string_equal(text, durations[i].text);
    }
    ixor_duration_text(3660000000000, text);
    assert_string_equal(text, "1h01m");
    ixor_size_text(1023, text);
    assert_string_equal(text, "1023 B");
    ixor_size_text(1536, text);
    assert_string_equal(text, "1.5 KiB");
    ixor_size_text(UINT64_MAX, text);
    assert_string_equal(text, "16777216.0 TiB");
    ixor_percent_text(0, 0, text);
    assert_string_equal(text, "-");
    ixor_percent_text(0, 7, text);
    assert_string_equal(text, "0");
    ixor_percent_text(1, 100000, text);
    assert_string_equal(text, "<0.1");
    ixor_percent_text(1, 8, text);
    assert_string_equal(text, "12");
    ixor_percent_text(1, 30, text);
    assert_string_equal(text, "3.3");
    ixor_percent_text(5, 5, text);
    assert_string_equal(text, "100");
    ixor_share_text(1, 8, text);
    assert_string_equal(text, "12%");
    ixor_share_text(0, 0, text);
    assert_string_equal(text, "-");
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    (void)state;
    char to[8];
    ixor_safe_text("a\033[2Jb\n", to, sizeof to);
    assert_string_equal(to, "a?[2Jb?");
    ixor_safe_text("0123456789", to, sizeof to);
    assert_string_equal(to, "0123456");
}

static void other_text_does_not_either(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } table[] = {
        {"a\xC2\x9B"
         "31mb",
         "a?31mb"}, /* U+009B, which begins a sequence as ESC [ does */
        {"gnp.\xE2\x80\xAE"
         "exe",
         "gnp.?exe"}, /* U+202E, from here on to the left */
        {"\xE2\x81\xA6x\xE2\x81\xA9", "?x?"},
        {"\xD8\x9C\xEF\xBB\xBF\xE2\x80\xA8\xE2\x80\x8B\xF3\xA0\x81\x81", "?????"},
        {"\x9B\xFF\xC3", "???"},           /* no UTF-8 */
        {"\xC0\x9B\xE0\x80\x9B", "?????"}, /* too long ones */
        {"\xED\xA0\x80", "???"},           /* a surrogate */
        {"\xF4\x90\x80\x80", "????"},      /* too high */
        {"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
    };
    char to[64];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ixor_safe_text(table[i].from, to, sizeof to);
        assert_string_equal(to, table[i].to);
        snprintf(to, sizeof to, "%s", table[i].from);
        ixor_safe_text(to, to, sizeof to); /* in place */
        assert_string_equal(to, table[i].to);
    }
    ixor_safe_text("ab\xE2\x82\xAC", to, 5); /* no half of a character */
    assert_string_equal(to, "ab");
    ixor_safe_text("ab\xE2\x82\xAC", to, 6);
    assert_string_equal(to, "ab\xE2\x82\xAC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_read),
        cmocka_unit_test(bad_durations_are_refused),
        cmocka_unit_test(counts_have_bounds),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(addresses_are_read),
        cmocka_unit_test(hosts_of_addresses),
        cmocka_unit_test(hosts_are_compared_without_ports),
        cmocka_unit_test(texts),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(other_text_does_not_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
