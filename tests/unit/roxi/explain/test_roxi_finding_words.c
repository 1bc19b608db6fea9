/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a finding, and the call stack that is shown with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/explain/words.h"
#include "schema/base/text_memory.h"
#include "tests/support/profiles_fixture.h"

static char *path_of(const struct roxi_finding *f)
{
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    assert_int_equal(roxi_finding_show_path(t.out, profiles, f, 4, true), 0);
    char *text = ix_text_close(&t);
    assert_non_null(text);
    return text;
}

/* A bridge calls the method of the same name, of the same class: that is one thing to look at. */
static void test_same_name(void **state)
{
    const uint32_t a = name_number("a.Handler"), read = name_number("read");
    struct roxi_finding f = {
        .kind = ROXI_IN_CALL,
        .stack = stack_number("a.A.run()V:1;a.A.go()V:2;a.Handler.read(I)V:3;a.Handler.read(J)V:6"),
        .call = {a, read, a, read},
        .here = 2,
        .who = {.role = name_number("x")},
        .thread = ROXI_NONE,
        .ends_at = {.role = name_number("x")},
    };
    struct ix_text t;
    (void)state;
    char *path = path_of(&f);
    assert_non_null(strstr(path, " > a.Handler.read(Unknown Source:6)\n       a.Handler.read("));
    assert_null(strchr(strchr(path, '>') + 1, '>'));
    free(path);
    f.stack = stack_number(
        "a.Z.z()V:9;a.A.run()V:1;a.A.go()V:2;a.Handler.read(I)V:3;a.Handler.read(J)V:6");
    path = path_of(&f);
    assert_non_null(strstr(path, "       ... 1 caller\n"));
    free(path);
    assert_int_equal(ix_text_open(&t), 0);
    roxi_finding_say(t.out, profiles->symbols, &f, 9, true);
    char *text = ix_text_close(&t);
    assert_string_equal(text,
                        "2 packets in Handler.read, typically 0; waits for another of its threads");
    free(text);
}

/* What others wait for: a thread, one of their own role, or a JVM of which no more is known. */
static void test_waited_for(void **state)
{
    static const struct {
        const char *waiters, *stack, *says;
    } rows[] = {
        {"x", "a.A.run()V:1", "x waits for it: 7 packets, typically 2"},
        {"y", "a.A.run()V:1", "other threads of y wait for it: 7 packets, typically 2"},
        {"x", NULL,
         "x waits for it: 7 packets, typically 2; which of its threads should answer is not known"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct roxi_finding f = {.kind = ROXI_IN_CALL,
                                       .waited_for = true,
                                       .who = {.role = name_number("y")},
                                       .waiters = {.role = name_number(rows[i].waiters)},
                                       .thread = ROXI_NONE,
                                       .stack = rows[i].stack ? stack_number(rows[i].stack) : 0,
                                       .here = 7,
                                       .elsewhere = 2};
        struct ix_text t;
        assert_int_equal(ix_text_open(&t), 0);
        roxi_finding_say(t.out, profiles->symbols, &f, 9, true);
        char *text = ix_text_close(&t);
        assert_string_equal(text, rows[i].says);
        free(text);
    }
}

/* ---- peers that did each other's work ---- */

static struct roxi_finding of_peer(const char *who, const char *as, const char *method)
{
    const struct roxi_member none = {.role = ROXI_NONE};
    return (struct roxi_finding){
        .kind = ROXI_IN_CALL,
        .call = {name_number("a.A"), name_number(method), ROXI_NONE, ROXI_NONE},
        .here = 2,
        .who = {.role = name_number(who)},
        .as = {.role = name_number(as)},
        .thread = ROXI_NONE,
        .ends_at = none,
    };
}

/* Of a run with so many packets. */
static char *explained_of(size_t packets, int (*print)(FILE *out, const struct roxi_explanation *x),
                          struct roxi_finding *list, size_t count)
{
    const struct roxi_findings findings = {.list = list, .count = count, .normal = 9};
    char name[] = "run1";
    const struct roxi_profile run = {
        .name = name, .total = 1, .history = {.moment_count = packets}};
    const struct roxi_explanation x = {.profiles = profiles, .run = &run, .findings = &findings};
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    assert_int_equal(print(t.out, &x), 0);
    char *text = ix_text_close(&t);
    assert_non_null(text);
    return text;
}

static char *explained_by(int (*print)(FILE *out, const struct roxi_explanation *x),
                          struct roxi_finding *list, size_t count)
{
    return explained_of(0, print, list, count);
}

static void expect_once(const char *text, const char *part)
{
    const char *found = strstr(text, part);
    if (!found || strstr(found + 1, part))
        fail_msg("not once '%s' in '%s'", part, text);
}

static void test_peers_are_named_once(void **state)
{
    struct roxi_finding list[] = {
        of_peer("x", "x", "own"),     of_peer("S2", "S1", "lead"),  of_peer("S1", "S2", "follow"),
        of_peer("S2", "S1", "count"), of_peer("S3", "S4", "write"),
    };
    (void)state;
    char *text = explained_by(roxi_explain_text, list, 5);
    expect_once(text, "has as many. In this\nrun S2 does the work of S1 and is compared with S1 of "
                      "other runs; likewise S1\nwith S2, S3 with S4.\n\n 1. x\n");
    expect_once(text, "\n 2. S2\n");
    expect_once(text, "compared");
    free(text);
    text = explained_by(roxi_explain_markdown, list, 3);
    expect_once(text,
                "\n\nIn this run `S2` does the work of `S1` and is compared with `S1` of other "
                "runs; likewise `S1` with `S2`.\n\n1. `x`: ");
    expect_once(text, "\n2. `S2`: ");
    free(text);
    text = explained_by(roxi_explain_text, list, 1);
    assert_null(strstr(text, "In this run"));
    free(text);
}

/* A finding by itself says it, too; of two nodes of a role, without the role. */
static void test_a_finding_alone(void **state)
{
    struct roxi_finding f = of_peer("S", "S", "lead");
    struct ix_text t;
    (void)state;
    f.who.node = name_number("n2");
    f.as.node = name_number("n1");
    f.thread = name_number("worker");
    assert_int_equal(ix_text_open(&t), 0);
    roxi_finding_say_where(t.out, profiles->symbols, &f);
    putc('|', t.out);
    roxi_finding_say_place(t.out, profiles->symbols, &f);
    f.as.node = 0;
    putc('|', t.out);
    roxi_finding_say_where(t.out, profiles->symbols, &f);
    char *text = ix_text_close(&t);
    assert_string_equal(text, "S, node n2 (compared with node n1 of other runs), thread worker|"
                              "S, node n2, thread worker|"
                              "S, node n2 (compared with S of other runs), thread worker");
    free(text);
}

/* ---- what is said of a finding ---- */

static void expect_like(const struct roxi_finding *f, size_t normal, const char *want)
{
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    roxi_finding_say_like(t.out, f, normal);
    char *text = ix_text_close(&t);
    assert_string_equal(text, want);
    free(text);
}

static void test_how_many_like_it(void **state)
{
    static const struct {
        size_t like, normal;
        bool less, bad_end;
        const char *want;
    } cases[] = {
        {0, 45, false, false, "none of 45 normal runs has as many"},
        {0, 45, true, false, "none of 45 normal runs has as few"},
        {1, 45, false, false, "1 of 45 normal runs has as many"},
        {2, 45, true, false, "2 of 45 normal runs have as few"},
        {0, 1, false, false, "the other run has fewer"},
        {0, 1, true, false, "the other run has more"},
        {1, 1, false, false, "the other run has as many"},
        {1, 1, true, false, "the other run has as few"},
        {0, 0, false, false, "there is no normal run"},
        {0, 45, false, true, "unlike all 45 normal runs"},
        {3, 45, true, true, "so did 3 of 45 normal runs"},
        {0, 1, false, true, "unlike the other run"},
        {1, 1, false, true, "so did the other run"},
        {0, 0, false, true, "there is no normal run"},
    };
    static const struct {
        size_t like, normal;
        bool there;
        const char *want;
    } firsts[] = {
        {0, 45, false, "none of 45 normal runs made one"},
        {1, 45, false, "1 of 45 normal runs made one"},
        {0, 1, false, "the other run did not make one"},
        {1, 1, false, "the other run made one"},
        {0, 0, false, "there is no normal run"},
        {0, 45, true, "none of 45 normal runs made one there"},
        {0, 1, true, "the other run did not make one there"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct roxi_finding f = {.kind = cases[i].bad_end ? ROXI_BAD_END : ROXI_IN_CALL,
                                       .less = cases[i].less,
                                       .like = cases[i].like};
        expect_like(&f, cases[i].normal, cases[i].want);
    }
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        const struct roxi_finding f = {
            .about = ROXI_ABOUT_FIRST, .like = firsts[i].like, .there = firsts[i].there};
        expect_like(&f, firsts[i].normal, firsts[i].want);
    }
}

/* ---- code that was executed ---- */

static struct roxi_finding of_code(uint32_t blocks, size_t like)
{
    return (struct roxi_finding){
        .about = ROXI_ABOUT_COVERED,
        .kind = ROXI_DURATION_KINDS,
        .call = {name_number("a.desk.Desk"), name_number("quote"), ROXI_NONE, ROXI_NONE},
        .stack = stack_number("a.desk.Desk.quote()V:31"),
        .who = {.role = name_number("x")},
        .as = {.role = name_number("x")},
        .thread = ROXI_NONE,
        .ends_at = {.role = ROXI_NONE},
        .packet = 14,
        .here = blocks,
        .like = like,
        .share = 0.75,
    };
}

static void test_executed_code(void **state)
{
    static const struct {
        uint32_t blocks;
        size_t like, normal;
        const char *says, *like_this;
    } rows[] = {
        {1, 0, 45, " that normal runs do not", "none of 45 normal runs did"},
        {1, 1, 45, " that few normal runs do", "1 of 45 normal runs did"},
        {2, 2, 45, ", and 1 more block of its class, that few normal runs do",
         "2 of 45 normal runs did"},
        {3, 0, 45, ", and 2 more blocks of its class, that normal runs do not",
         "none of 45 normal runs did"},
        {1, 0, 1, " that the other run does not", "the other run did not"},
        {3, 0, 0, ", and 2 more blocks of its class, that normal runs do not",
         "there is no normal run"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct roxi_finding f = of_code(rows[i].blocks, rows[i].like);
        struct ix_text t;
        assert_int_equal(ix_text_open(&t), 0);
        roxi_finding_say(t.out, profiles->symbols, &f, rows[i].normal, true);
        char *text = ix_text_close(&t);
        assert_memory_equal(text, "executed code in Desk.quote", 27);
        assert_string_equal(text + 27, rows[i].says);
        free(text);
        expect_like(&f, rows[i].normal, rows[i].like_this);
    }
}

/* The line is in what is shown below. */
static void test_executed_code_as_text(void **state)
{
    struct roxi_finding f = of_code(2, 0);
    (void)state;
    char *text = explained_by(roxi_explain_text, &f, 1);
    expect_once(text, "\n 1. x, since packet 14 (0.0 s)\n"
                      "    executed code in Desk.quote, and 1 more block of its class, that normal "
                      "runs\n    do not; none of 9 normal runs did; 75 % of the score:\n"
                      "     > a.desk.Desk.quote(Unknown Source:31)\n");
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    free(text);
    text = explained_by(roxi_explain_markdown, &f, 1);
    expect_once(text, "1. `x, since packet 14 (0.0 s)`: `executed code in a.desk.Desk.quote, and 1 "
                      "more block of its class, that normal runs do not`; none of 9 normal runs "
                      "did; 75 % of the score\n\n    ```\n     > a.desk.Desk.quote(Unknown "
                      "Source:31)\n    ```\n");
    free(text);
}

static void test_executed_code_as_json(void **state)
{
    const struct roxi_finding f = of_code(2, 1);
    const struct roxi_profile run = {.total = 1};
    struct ix_text t;
    (void)state;
    assert_int_equal(ix_text_open(&t), 0);
    struct roxi_json j = {.out = t.out};
    roxi_json_open(&j, '{');
    assert_int_equal(roxi_finding_json(&j, profiles, &run, &f, 45), 0);
    roxi_json_close(&j);
    char *text = ix_text_close(&t);
    expect_once(text, "\"kind\":\"executed-here\"");
    expect_once(text, "\"thread\":null");
    expect_once(text, "\"path\":[\"a.desk.Desk.quote(Unknown Source:31)\"]");
    expect_once(text, "\"packet\":14");
    expect_once(text, "\"here\":2");
    expect_once(text, "\"normal_runs\":45,\"normal_runs_like_this\":1,\"share\":0.75");
    expect_once(text,
                "\"x, since packet 14 (0.0 s): executed code in a.desk.Desk.quote, and 1 more "
                "block of its class, that few normal runs do; 1 of 45 normal runs did\"");
    free(text);
}

static void expect_said_of(const struct roxi_finding *f, size_t normal, const char *want)
{
    struct ix_text t;
    assert_int_equal(ix_text_open(&t), 0);
    roxi_finding_say(t.out, profiles->symbols, f, normal, true);
    char *text = ix_text_close(&t);
    assert_string_equal(text, want);
    free(text);
}

static void expect_said(const struct roxi_finding *f, const char *want)
{
    expect_said_of(f, 9, want);
}

static void test_what_is_said(void **state)
{
    struct roxi_finding f = of_peer("x", "x", "f");
    (void)state;
    f.elsewhere = 17;
    expect_said(&f, "2 packets in A.f, typically 17");
    expect_said_of(&f, 1, "2 packets in A.f, there 17");
    expect_said_of(&f, 0, "2 packets in A.f, typically 17");
    f.deadlock = true;
    expect_said(&f, "in a deadlock, 2 packets in A.f, typically 17");
    f.deadlock = false;
    f.here = 0;
    f.less = true;
    expect_said(&f, "never in A.f, typically 17 packets");
    f.elsewhere = 1;
    expect_said(&f, "never in A.f, typically 1 packet");
    f.kind = ROXI_ANSWERED;
    expect_said(&f, "answered 0 packets, typically 1");
    f.kind = ROXI_LOST;
    f.here = 5;
    expect_said(&f, "did not answer 5 packets in a row, typically 1");
    f.kind = ROXI_BAD_END;
    f.less = false;
    expect_said(&f, "did not end in an orderly way (killed, crashed, or its log is not whole)");
}

/* What is said of threads would otherwise be thought to be of their JVM. */
static void test_the_summary_names_threads(void **state)
{
    struct roxi_finding f = of_peer("x", "x", "f");
    (void)state;
    f.kind = ROXI_DURATION_KINDS;
    f.thread = name_number("pool-*");
    f.share = 0.005;
    f.about = ROXI_ABOUT_GROWTH;
    f.resource = ROXI_THREADS;
    char *text = explained_by(roxi_explain_text, &f, 1);
    expect_once(text, "\nx, thread pool-*: 2 threads at once, typically 0; ");
    expect_once(text, "; less than\n    1 % of the score\n");
    free(text);
    f.about = ROXI_ABOUT_GONE;
    f.share = 0.006;
    text = explained_by(roxi_explain_text, &f, 1);
    expect_once(text, "\nx, thread pool-*: the last such thread ended 2 packets before its JVM, ");
    expect_once(text, "; 1 % of the score\n");
    free(text);
}

/* In one line, with single blanks. */
static char *flat_text_of(size_t packets, struct roxi_finding *list, size_t count)
{
    char *text = explained_of(packets, roxi_explain_text, list, count), *end = text;
    for (const char *c = text; *c; c++)
        if ((*c != ' ' && *c != '\n') || (end > text && end[-1] != ' '))
            *end++ = (char)(*c == '\n' ? ' ' : *c);
    *end = '\0';
    return text;
}

/* Several threads can have more packets than the run. */
static void test_packets_of_several_threads(void **state)
{
    struct roxi_finding list[] = {of_peer("x", "x", "f"), of_peer("y", "y", "g")};
    const char *const said =
        "A packet counts once for each thread, so there can be more than the run's 90.";
    (void)state;
    list[1].here = 91;
    char *text = flat_text_of(90, list, 2);
    expect_once(text, said);
    free(text);
    text = explained_of(90, roxi_explain_markdown, list, 2);
    expect_once(text, said);
    free(text);
    text = flat_text_of(91, list, 2);
    assert_null(strstr(text, "once for each thread"));
    free(text);
    list[1].kind = ROXI_DURATION_KINDS; /* 91 threads, not packets */
    list[1].about = ROXI_ABOUT_GROWTH;
    text = flat_text_of(90, list, 2);
    assert_null(strstr(text, "once for each thread"));
    free(text);
}

/* Who is in a deadlock does not just wait for another thread. */
static void test_a_deadlock_blocks(void **state)
{
    struct roxi_finding f = of_peer("x", "x", "f");
    (void)state;
    f.doing = ROXI_WAITING;
    f.stack = stack_number("a.A.f()V:1");
    char *text = flat_text_of(0, &f, 1);
    expect_once(text, "; mostly waiting for another thread: ");
    free(text);
    f.deadlock = true;
    text = flat_text_of(0, &f, 1);
    expect_once(text, "; mostly blocked: ");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_name, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_waited_for, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_peers_are_named_once, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_a_finding_alone, profiles_set_up, profiles_tear_down),
        cmocka_unit_test(test_how_many_like_it),
        cmocka_unit_test_setup_teardown(test_executed_code, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_executed_code_as_text, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_executed_code_as_json, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_said, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_the_summary_names_threads, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_packets_of_several_threads, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_a_deadlock_blocks, profiles_set_up,
                                        profiles_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
