/* SPDX-License-Identifier: Apache-2.0 */
/* Reading thread dumps: places, states, dates, names of files, packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "roxi/import/date.h"
#include "roxi/import/packets.h"
#include "roxi/import/place.h"
#include "roxi/import/sources.h"
#include "schema/tracelog/thread_state.h"

static struct ix_span span(const char *text)
{
    return (struct ix_span){text, strlen(text)};
}

static void places(void **state)
{
    static const struct {
        const char *text, *parsed; /* parsed NULL: it is no frame */
    } cases[] = {
        {"a.B.run(B.java:12)", "a.B run B.java 12"},
        {"B.run(B.java)", "B run B.java -1"},
        {"a.B.run(Unknown Source)", "a.B run  -1"},
        {"a.B.run(Native Method)", "a.B run  -3"},
        {"a.B.run(Compiled Code)", "a.B run  -2"},
        {"java.lang.Thread.run(java.base@17.0.15/Thread.java:840)",
         "java.lang.Thread run Thread.java 840"},
        {"java.lang.Object.wait(java.base@17.0.15/Native Method)", "java.lang.Object wait  -3"},
        {"java.base/java.lang.Thread.run(Thread.java:840)", "java.lang.Thread run Thread.java 840"},
        {"app//a.B.run(B.java:1)", "a.B run B.java 1"},
        {"loader/m@1.0/a.B.run(B.java:1)", "a.B run B.java 1"},
        {"a.B$$Lambda$14/0x00007f01.run(Unknown Source)", "a.B$$Lambda$14/0x00007f01 run  -1"},
        {"app//a.B$$Lambda/0x7f.run(Unknown Source)", "a.B$$Lambda/0x7f run  -1"},
        {"a.B$$Lambda$1/1234.run(Unknown Source)", "a.B$$Lambda$1/1234 run  -1"},
        {"a.B.<init>(B.java:3)", "a.B <init> B.java 3"},
        {"a.B.ends (quickly)(B.kt:3)", "a.B ends (quickly) B.kt 3"},
        {"a.B.run(B.java:0)", "a.B run B.java:0 -1"},
        {"a.B.run(B.java:99999999999)", "a.B run B.java:99999999999 -1"},
        {"a.B.run()", "a.B run  -1"},
        {"a.B.run(B.java:1", NULL},
        {"a.B.run(B.java:1) and more", NULL},
        {"run(B.java:1)", NULL},
        {".run(B.java:1)", NULL},
        {"a.B.(B.java:1)", NULL},
        {"", NULL},
        {")", NULL},
        {"/", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dump_frame f;
        char parsed[200];
        if (!dump_place_parse(span(cases[i].text), &f)) {
            assert_null(cases[i].parsed);
            continue;
        }
        snprintf(parsed, sizeof parsed, "%.*s %.*s %.*s %d", (int)f.class_name.len,
                 f.class_name.text, (int)f.method.len, f.method.text, (int)f.source.len,
                 f.source.len ? f.source.text : "", f.line);
        assert_non_null(cases[i].parsed);
        assert_string_equal(parsed, cases[i].parsed);
        assert_int_equal(f.descriptor.len, 0);
    }
}

/* What is read is what would be printed. */
static void states(void **state)
{
    static const char *const words[] = {
        "NEW",
        "RUNNABLE",
        "BLOCKED (on object monitor)",
        "WAITING (on object monitor)",
        "WAITING (parked)",
        "WAITING",
        "TIMED_WAITING (sleeping)",
        "TIMED_WAITING (on object monitor)",
        "TIMED_WAITING (parked)",
        "TIMED_WAITING",
        "TERMINATED",
    };
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_string_equal(ix_thread_state_words(dump_state_parse(span(words[i]), false)),
                            words[i]);
    assert_string_equal(ix_thread_state_words(dump_state_parse(span("WAITING (parking)"), false)),
                        "WAITING (parked)");
    assert_true(dump_state_parse(span("RUNNABLE"), true) & IX_THREAD_IN_NATIVE);
    assert_false(dump_state_parse(span("WAITING"), true) & IX_THREAD_IN_NATIVE);
    assert_int_equal(dump_state_parse(span("EATING"), false), 0);
}

static void dates(void **state)
{
    static const struct {
        const char *text;
        int64_t ms; /* since 1970 */
    } cases[] = {
        {"1970-01-02 00:00:00", 86400000},
        {"2026-11-22 12:00:01", 1795348801000},
        {"2026-11-22T12:00:01.5Z", 1795348801500},
        {"2026-11-22T12:00:01.123456789Z", 1795348801123},
        {"2026-11-22 12:00:01,250", 1795348801250},
        {"2026-11-22T13:00:01+01:00", 1795348801000},
        {"2026-11-22T11:30:01-0030", 1795348801000},
        {"2026-11-22 12:00", 0},
        {"2026-13-22 12:00:01", 0},
        {"2026-11-22 12:00:01 INFO", 0},
        {"2026-11-22 12:00:01+1", 0},
        {"1969-11-22 12:00:01", 0},
        {"So 22. Nov 12:00:01 CET 2026", 0},
        {"", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(dump_date_parse(span(cases[i].text)) / 1000000, cases[i].ms);
}

static void roles(void **state)
{
    static const char *const cases[][2] = {
        {"server.txt", "server"},
        {"server-1.txt", "server"},
        {"server_20261122.log", "server"},
        {"name-node-007.jstack", "name-node"},
        {"broker1.txt", "broker1"},
        {"kafka.broker.txt", "kafka"},
        {"4711.txt", "jvm"},
        {"001-server.txt", "001-server"},
        {"server@2.txt", "server"},
        {"-", "-"},
        {"", "jvm"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *role = dump_role_of(cases[i][0]);
        assert_string_equal(role, cases[i][1]);
        free(role);
    }
}

/* ---- packets ---- */

enum { DUMPS = 8 };

struct moments {
    const char *text; /* JVM and time in seconds, blank, and so on; ? is no time */
    const char *want; /* JVM:packet, by JVM and packet */
    double interval;
    bool by_order;
};

static void check_moments(const struct moments *m)
{
    struct dump_moment list[DUMPS];
    struct dump_rhythm rhythm;
    char got[200] = "";
    size_t count = 0, len = 0;
    for (const char *at = m->text; *at; count++) {
        char *end;
        list[count] = (struct dump_moment){.jvm = (uint32_t)(*at - 'a'), .order = count};
        list[count].real_ns = (int64_t)(1e9 * strtod(at + 1, &end));
        at = end + strspn(end, " ?");
    }
    assert_int_equal(dump_packets(list, count, &rhythm), 0);
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(got + len, sizeof got - len, "%s%c:%d", i ? " " : "",
                                'a' + (int)list[i].jvm, (int)list[i].packet);
    assert_string_equal(got, m->want);
    assert_int_equal(rhythm.interval_ns, (int64_t)(1e9 * m->interval));
    assert_int_equal(rhythm.by_order, m->by_order);
}

static void packets(void **state)
{
    static const struct moments cases[] = {
        {"a10 b11 a20 b21", "a:1 a:2 b:1 b:2", 10, false},
        {"a10 a20 a30 b21", "a:1 a:2 a:3 b:2", 10, false},
        {"a10 a20 b16 b26", "a:1 a:2 b:2 b:3", 10,
         false}, /* more than half of the interval apart */
        {"a10 a11 b10 a30 b31", "a:1 a:2 a:3 b:1 b:3", 19, false},
        {"a10 b4000", "a:1 b:1", 0, false}, /* one dump each: one packet */
        {"a10 a10 b10", "a:1 a:2 b:2", 0, false},
        {"b20 a20 b10 a10", "a:1 a:2 b:1 b:2", 10, false}, /* found in any order */
        {"a10 a? b5 b? b?", "a:1 a:2 b:1 b:2 b:3", 0, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_moments(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places), cmocka_unit_test(states),  cmocka_unit_test(dates),
        cmocka_unit_test(roles),  cmocka_unit_test(packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
