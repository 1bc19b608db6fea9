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
    struct ix_error err;
    assert_int_equal(roxi_rules_rewrite(rules, ROXI_RULE_CLASS, name, &result, &lines, &err), 0);
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
        {"frames /a/", "line 1, column 7: begins with none of class, thread, node, skip-thread"},
        {"\n\nclass", "line 3, column 6: has no pattern; write class /PATTERN/REPLACEMENT/"},
        {"idle ", "column 6: has no pattern; write idle /PATTERN/"},
        {"class /a", "column 9: the pattern is not ended by another '/'"},
        {"class /a/b", "column 11: the replacement is not ended by another '/'"},
        {"class /a/b/ c", "column 13: has more after its last '/'"},
        {"idle /a/b/", "column 9: has more after its last '/'"},
        {"learn-threads now", "begins with none of class"},
        {"class //b/", "column 8: the pattern is empty"},
        {" class /(a/b/", "column 11: the pattern '(a': missing closing parenthesis"},
        {"class /\\/\\/x**y/b/", "column 14: the pattern '//x**y': "},
        {"class /a[z-b]/c/", "column 12: the pattern 'a[z-b]': range out of order"},
        {"class /(a)/\\2/", "column 12: the replacement's \\2 has no group in the pattern"},
        {"class /a/\\n/", "'\\' is followed by neither a digit nor '\\'"},
        {"class /a{1,99999}/b/", "number too big"},
        {"class /(a{60000}){60000}/b/", "too large"},
        {"class \\a\\b\\", "column 8: the pattern begins with no delimiter"},
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

/* Patterns that try exponentially or quadratically many ways, on names of all lengths: soon there
 * is a result, or a message that says where the pattern is. */
static void test_catastrophes(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "(a+)+[bc]",       "(a|aa)*[bc]",         "(((a|b)*c)*d)*[ef]",
        "(a?b?){200}[cd]", "(.*)(.*)(.*)[xy]",    "(a*)*\\1[bc]",
        "(?=(a+))*[bc]",   "([[:alpha:]]+)*[12]", "(?R)?a?[bc]"};
    static const size_t sizes[] = {30, 1000, 65536};
    size_t refused = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            char text[80];
            struct ix_error err = {""};
            struct ix_out result = {0};
            snprintf(text, sizeof text, "# 1\n  thread  /%s/x/\n", patterns[i]);
            struct roxi_rules *rules = parse(text);
            char *name = malloc(sizes[k] + 1);
            assert_non_null(name);
            memset(name, 'a', sizes[k]);
            name[sizes[k]] = '\0';
            if (roxi_rules_rewrite(rules, ROXI_RULE_THREAD, name, &result, NULL, &err) != 0) {
                assert_non_null(
                    strstr(err.text, "rules mine, line 2, column 12: this pattern takes"));
                refused++;
            }
            free(name);
            ix_out_free(&result);
            roxi_rules_free(rules);
        }
    }
    assert_true(refused > 3);
}

/* Rules that each make a name many times longer. */
static void test_growth(void **state)
{
    (void)state;
    struct ix_error err = {""};
    struct ix_out result = {0};
    struct roxi_rules *rules = parse("class /(x)?/0123456789/\nclass |()|0123456789|\n"
                                     "class |()|0123456789|\nclass |()|0123456789|\n"
                                     "class |()|0123456789|\nclass |()|0123456789|\n");
    assert_int_equal(roxi_rules_rewrite(rules, ROXI_RULE_CLASS, "short", &result, NULL, &err), -1);
    assert_non_null(strstr(err.text, "line 5, column 8: this pattern and its replacement make"));
    ix_out_free(&result);
    roxi_rules_free(rules);
}

/* The built-in rules do with the longest names. */
static void test_long_names(void **state)
{
    (void)state;
    static const char fill[] = {'a', '1', ' ', '-', ':', '(', '[', '@'};
    struct ix_error err = {""};
    struct ix_out result = {0};
    struct roxi_rules *rules = roxi_rules_named("thesis", &err);
    char *name = malloc(65537);
    assert_non_null(name);
    for (size_t i = 0; i < sizeof fill; i++) {
        memset(name, fill[i], 65536);
        name[65536] = '\0';
        for (int kind = ROXI_RULE_CLASS; kind <= ROXI_RULE_THREAD; kind++)
            if (roxi_rules_rewrite(rules, (enum roxi_rule_kind)kind, name, &result, NULL, &err) !=
                0)
                fail_msg("'%c': %s", fill[i], err.text);
    }
    free(name);
    ix_out_free(&result);
    roxi_rules_free(rules);
}

static void test_nodes(void **state)
{
    (void)state;
    struct ix_error err = {""};
    struct ix_out node = {0};
    struct roxi_rules *rules = parse("node /^(n[0-9])-/\\1/\nnode /(on) (\\S+)/\\2/\n");
    static const char *const names[][2] = {{"n1-x", "n1"}, {"x on n7", "n7"}, {"y", ""}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(roxi_rules_extract(rules, ROXI_RULE_NODE, names[i][0], &node, &err), 0);
        assert_string_equal((const char *)node.data, names[i][1]);
    }
    ix_out_free(&node);
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

/* A file that only adds to the built-in rules. */
static void test_built_in(void **state)
{
    (void)state;
    struct ix_error err;
    struct roxi_rules *all = roxi_rules_named(NULL, &err);
    struct roxi_rules *r = parse("# mine\nbuilt-in\nskip-frame /[.]Mine[.]/\n");
    assert_true(roxi_rules_learn(r));
    for (int kind = 0; kind < ROXI_RULE_KINDS; kind++)
        assert_int_equal(roxi_rules_count(r, kind),
                         roxi_rules_count(all, kind) + (kind == ROXI_RULE_SKIP_FRAME));
    assert_int_equal(roxi_rules_match(r, ROXI_RULE_SKIP_FRAME, "a.Mine.run", &err), 3);
    assert_int_equal(roxi_rules_match(r, ROXI_RULE_SKIP_THREAD, "DestroyJavaVM", &err), 2);
    roxi_rules_free(r);
    roxi_rules_free(all);
}

static void test_matching(void **state)
{
    (void)state;
    struct ix_error err;
    struct roxi_rules *rules = parse("idle /^a\\.B\\.park$/\nskip-frame /reflect/\nidle /wait/\n");
    assert_int_equal(roxi_rules_match(rules, ROXI_RULE_IDLE, "a.B.park", &err), 1);
    assert_int_equal(roxi_rules_match(rules, ROXI_RULE_IDLE, "x.wait0", &err), 3);
    assert_int_equal(roxi_rules_match(rules, ROXI_RULE_IDLE, "java.lang.reflect.M.invoke", &err),
                     0);
    assert_int_equal(roxi_rules_match(rules, ROXI_RULE_SKIP_FRAME, "java.lang.reflect.M.i", &err),
                     2);
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
        assert_int_equal(roxi_names_thread(names, "gc-1", NULL), ROXI_LEFT_OUT);
        assert_string_equal(roxi_symbols_text(symbols, roxi_names_thread(names, "p-1", NULL)), "p");
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
        cmocka_unit_test(test_rewriting),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_catastrophes), cmocka_unit_test(test_growth),
        cmocka_unit_test(test_long_names),   cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_learning),     cmocka_unit_test(test_built_in),
        cmocka_unit_test(test_matching),     cmocka_unit_test(test_names_and_what_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
