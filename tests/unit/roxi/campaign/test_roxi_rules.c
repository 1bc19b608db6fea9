/* SPDX-License-Identifier: Apache-2.0 */
/* Rules files: what is taken, what is refused and how that is said, and what rules do to names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "roxi/campaign/names.h"

static struct roxi_rules *parse(const char *text)
{
    struct ix_error err = {""};
    struct roxi_rules *rules = roxi_rules_parse(text, strlen(text), "mine", &err);
    if (!rules)
        fail_msg("%s", err.text);
    return rules;
}

static void assert_rewritten(const char *text, const char *name, const char *want,
                             const char *want_lines)
{
    struct roxi_rules *rules = parse(text);
    struct ix_out result = {0}, lines = {0};
    assert_int_equal(roxi_rules_rewrite(rules, ROXI_RULE_CLASS, name, &result, &lines), 0);
    assert_string_equal((const char *)result.data, want);
    assert_string_equal((const char *)lines.data, want_lines);
    ix_out_free(&result);
    ix_out_free(&lines);
    roxi_rules_free(rules);
}

static void test_rewriting(void **state)
{
    (void)state;
    assert_rewritten("class /a/b/\n", "banana", "bbnbnb", "1");
    assert_rewritten("# first\n\n  class\t|a(.)|<\\1\\0\\\\>|  \n", "xab", "x<bab\\>", "3");
    assert_rewritten("class /a\\/b/c/\nclass ,c\\.,d,", "a/b.x", "dx", "1,2");
    assert_rewritten("class /x*/-/", "ab", "-a-b-", "1");
    assert_rewritten("class /^a//", "aab", "ab", "1");
    assert_rewritten("class /.*//", "all of it", "all of it", ""); /* leaves nothing */
    assert_rewritten("thread /a/b/\nidle /a/\n", "a", "a", "");    /* other kinds */
    assert_rewritten("class /(a)|(b)/[\\1\\2]/", "ab", "[a][b]",
                     "1"); /* a group that is not there */
    assert_rewritten("class /a/b/\r\n", "a", "b", "1");
    assert_rewritten("", "a", "a", "");
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"frames /a/", "line 1: begins with none of class, thread, skip-thread"},
        {"\n\nclass", "line 3: has no pattern; write class /PATTERN/REPLACEMENT/"},
        {"idle ", "has no pattern; write idle /PATTERN/"},
        {"class /a", "the pattern is not ended by another '/'"},
        {"class /a/b", "the replacement is not ended by another '/'"},
        {"class /a/b/ c", "has more after its last '/'"},
        {"idle /a/b/", "has more after its last '/'"},
        {"learn-threads now", "begins with none of class"},
        {"class //b/", "the pattern is empty"},
        {"class /(a/b/", "the pattern '(a': "},
        {"class /(a)\\1/b/", "the pattern has a back-reference, \\1"},
        {"class /(a)/\\2/", "the replacement's \\2 has no group in the pattern"},
        {"class /a/\\n/", "'\\' is followed by neither a digit nor '\\'"},
        {"class /a{1,9999}/b/", "more than 2 repeats {n,m}, or one above 255"},
        {"class /a{2}b{2}c{2}/b/", "more than 2 repeats"},
        {"class /a+++++/b/", "more than 4 deep"},
        {"class /((((a+)+|c)*x)?(b[])+]+)*)*/b/", "more than 4 deep"},
        {"class \\a\\b\\", "begins with no delimiter"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct ix_error err = {""};
        assert_null(roxi_rules_parse(bad[i].text, strlen(bad[i].text), "mine", &err));
        if (!strstr(err.text, bad[i].message) || !strstr(err.text, "rules mine, line "))
            fail_msg("'%s': '%s' lacks '%s'", bad[i].text, err.text, bad[i].message);
    }
    struct ix_error err = {""};
    assert_null(roxi_rules_parse("class /a\0/b/", 12, "mine", &err));
    assert_non_null(strstr(err.text, "zero byte"));
    assert_null(roxi_rules_read("/nowhere/at all", &err));
    assert_non_null(strstr(err.text, "'/nowhere/at all': No such file"));
    assert_null(roxi_rules_read("/", &err));
    assert_non_null(strstr(err.text, "Is a directory"));
    assert_null(roxi_rules_read("/dev/zero", &err));
    assert_non_null(strstr(err.text, "longer than"));
}

static void test_repeats_that_are_not_nested(void **state)
{
    (void)state;
    const char *brackets = "idle /[]+*?{++++[:alpha:]+++++]+(a+)*b+c+d+e+f+\\+\\+\\+\\+\\+/";
    struct ix_error err = {""};
    struct roxi_rules *rules = roxi_rules_parse(brackets, strlen(brackets), "mine", &err);
    assert_string_equal(err.text, "");
    roxi_rules_free(rules);
}

static void test_learning(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool learn;
    } rules[] = {
        {"", false}, {"# x\n learn-threads \r\n", true}, {"class /a/b/\nlearn-threads", true}};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct roxi_rules *r = parse(rules[i].text);
        assert_int_equal(roxi_rules_learn(r), rules[i].learn);
        roxi_rules_free(r);
    }
    static const char *const names[] = {NULL, "thesis"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct ix_error err = {""};
        struct roxi_rules *r = roxi_rules_named(names[i], &err);
        assert_string_equal(err.text, "");
        assert_int_equal(roxi_rules_learn(r), !names[i]);
        assert_int_equal(roxi_rules_count(r, ROXI_RULE_THREAD) > 0, names[i] != NULL);
        roxi_rules_free(r);
    }
}

static void test_matching(void **state)
{
    (void)state;
    struct roxi_rules *rules = parse("idle /^a\\.B\\.park$/\nskip-frame /reflect/\nidle /wait/\n");
    assert_int_equal(roxi_rules_match(rules, ROXI_RULE_IDLE, "a.B.park"), 1);
    assert_int_equal(roxi_rules_match(rules, ROXI_RULE_IDLE, "x.wait0"), 3);
    assert_int_equal(roxi_rules_match(rules, ROXI_RULE_IDLE, "java.lang.reflect.M.invoke"), 0);
    assert_int_equal(roxi_rules_match(rules, ROXI_RULE_SKIP_FRAME, "java.lang.reflect.M.i"), 2);
    assert_int_equal(roxi_rules_count(rules, ROXI_RULE_IDLE), 2);
    assert_int_equal(roxi_rules_count(rules, ROXI_RULE_CLASS), 0);
    roxi_rules_free(rules);
}

/* Each name is told of once, and only if something became of it. */
static void test_names_and_what_is_told(void **state)
{
    (void)state;
    struct ix_error err = {""};
    char *told = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&told, &size);
    struct roxi_rules *rules = parse("class /[0-9]+$//\nthread /-.*//\nskip-thread /^gc$/\n"
                                     "skip-frame /^a\\.C\\.glue$/\nidle /park/\n");
    struct roxi_symbols *symbols = roxi_symbols_new();
    struct roxi_names *names = roxi_names_new(symbols, rules, NULL, out, &err);
    assert_non_null(names);
    for (int again = 0; again < 2; again++) {
        const uint32_t c = roxi_names_class(names, "a.C12");
        assert_string_equal(roxi_symbols_text(symbols, c), "a.C");
        assert_int_equal(roxi_names_class(names, "a.C"), c);
        assert_int_equal(roxi_names_thread(names, "gc-1"), ROXI_LEFT_OUT);
        assert_string_equal(roxi_symbols_text(symbols, roxi_names_thread(names, "p-1")), "p");
        const uint32_t glue = roxi_symbols_string(symbols, "glue", 4);
        const uint32_t park = roxi_symbols_string(symbols, "park", 4);
        const uint32_t run = roxi_symbols_string(symbols, "run", 3);
        assert_int_equal(roxi_names_frame(names, c, glue), ROXI_FRAME_SKIPPED);
        assert_int_equal(roxi_names_frame(names, c, park), ROXI_FRAME_IDLE);
        assert_int_equal(roxi_names_frame(names, c, run), ROXI_FRAME_KEPT);
    }
    roxi_names_free(names);
    fclose(out);
    assert_string_equal(told, "class\ta.C12\ta.C\t1\n"
                              "thread\tgc-1\tgc\t2\n"
                              "thread\tgc\t(skipped)\t3\n"
                              "thread\tp-1\tp\t2\n"
                              "frame\ta.C.glue\t(skipped)\t4\n"
                              "frame\ta.C.park\t(idle)\t5\n");
    free(told);
    roxi_symbols_free(symbols);
    roxi_rules_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rewriting),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_repeats_that_are_not_nested),
        cmocka_unit_test(test_learning),
        cmocka_unit_test(test_matching),
        cmocka_unit_test(test_names_and_what_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
