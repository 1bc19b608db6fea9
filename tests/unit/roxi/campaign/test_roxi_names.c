/* SPDX-License-Identifier: Apache-2.0 */
/* The thesis' rules: which unstable names they make equal, and which must stay. Its rules for
 * classes are those of the default, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "roxi/campaign/names.h"

struct pair {
    const char *raw, *want;
};

static const struct pair classes[] = {
    /* lambda proxies of JDK 17, 21 and 25, as JVMTI and as Java print them */
    {"LT$$Lambda$1.0x00007efc74000a08", "LT$$Lambda"},
    {"LT$$Lambda$1/0x00007efc74000a08", "LT$$Lambda"},
    {"LT$$Lambda.0x000000006e040210", "LT$$Lambda"},
    {"LT$$Lambda/0x000000006e040210", "LT$$Lambda"},
    {"LT$$Lambda$14", "LT$$Lambda"},
    {"a.b.C$D$$Lambda$1234/567890", "a.b.C$D$$Lambda"},
    {"a.b.C$$Lambda", "a.b.C$$Lambda"},
    {"jdk.internal.reflect.GeneratedMethodAccessor12",
     "jdk.internal.reflect.GeneratedMethodAccessor"},
    {"jdk.internal.reflect.GeneratedConstructorAccessor3",
     "jdk.internal.reflect.GeneratedConstructorAccessor"},
    {"sun.reflect.GeneratedSerializationConstructorAccessor7",
     "sun.reflect.GeneratedSerializationConstructorAccessor"},
    {"$Proxy3", "$Proxy"},
    {"com.sun.proxy.$Proxy12", "com.sun.proxy.$Proxy"},
    {"jdk.proxy2.$Proxy12", "jdk.proxy.$Proxy"},
    {"java.lang.invoke.LambdaForm$MH/0x00007f5c01002400", "java.lang.invoke.LambdaForm$MH"},
    {"java.lang.invoke.LambdaForm$DMH.0x00007f5c01002400", "java.lang.invoke.LambdaForm$DMH"},
    {"a.Hidden+0x00000001", "a.Hidden"},
    {"a.Service$$EnhancerBySpringCGLIB$$1a2b3c", "a.Service$$EnhancerBySpringCGLIB"},
    {"a.S$$EnhancerByCGLIB$$1a2b$$FastClassByCGLIB$$3c4d",
     "a.S$$EnhancerByCGLIB$$FastClassByCGLIB"},
    {"a.S$$FastClassByGuice$$104f7d1", "a.S$$FastClassByGuice"},
    {"a.S$$SpringCGLIB$$0", "a.S$$SpringCGLIB"},
    {"a.S$ByteBuddy$aB3dE", "a.S$ByteBuddy"},
    {"a.S$MockitoMock$12345", "a.S$MockitoMock"},
    {"a.Order$HibernateProxy$kZ82", "a.Order$HibernateProxy"},
    {"a.Order_$$_jvst1a2_3", "a.Order_$$_jvst"},
    {"a.Order_$$_javassist_14", "a.Order_$$_javassist"},
    /* what must stay */
    {"java.lang.Thread", "java.lang.Thread"},
    {"pk0.C4$In", "pk0.C4$In"},
    {"a.Client2", "a.Client2"},
    {"a.B$1", "a.B$1"},
    {"a.B$Proxy2", "a.B$Proxy2"},
    {"a.MyGeneratedMethodAccessor1", "a.MyGeneratedMethodAccessor1"},
    {"jdk.proxy2.Other", "jdk.proxy.Other"},
    {"a.0xcafe1", "a"}, /* looks like a hidden class; no Java identifier begins with a digit */
    {"", ""},
};

static const struct pair threads[] = {
    {"RMI TCP Connection(7)-10.0.0.1", "RMI TCP Connection"},
    {"worker [3]", "worker"},
    {"pool-1-thread-2", "pool"},
    {"main", "main"},
    {"Signal Dispatcher", "Signal Dispatcher"},
    {"trailing \t ", "trailing"},
    {" leading", " leading"},
    {"a  b (c) d", "a  b"},
    {"-1", "-1"},
    {" (x", " (x"},
    {"[", "["},
    {"   ", "   "},
    {"", ""},
    {"back\\slash", "back\\slash"},
    {"two\nlines - x\ny", "two\nlines"},
    {"qtp1579572132-25", "qtp"},
    {"Timer@1b2c3d4e", "Timer@"},
    {"user@abc", "user@abc"},
    /* what a name has of the run */
    {"NIOServerCxnFactory.AcceptThread:/127.64.0.3:21813", "NIOServerCxnFactory.AcceptThread:/*"},
    {"to host.example/10.0.0.1:80, 10.0.0.2", "to host.example/*, *"},
    {"to /0:0:0:0:0:0:0:1:2181", "to /*"},
    {"to fe80:0:0:0:a:b:c:d%eth0 now", "to * now"},
    {"to /[0:0:0:0:0:0:0:1]:2181", "to /"},
    {"550e8400-e29b-41d4-a716-446655440000 reader", "* reader"},
    {"Session 0x1000d0b8f3a0001", "Session *"},
    {"job 9f86d081884c7d659a2feaa0c55ad015", "job *"},
    {"SendWorker:2", "SendWorker:*"},
    {"Acceptor:8080", "Acceptor:*"},
    {"Acceptor:45123", "Acceptor:*"},
    {"of process 12345 since 1700000000000", "of process * since *"},
    /* what tells threads apart */
    {"Worker 2", "Worker 2"},
    {"Worker 00017", "Worker 00017"},
    {"C2 CompilerThread0", "C2 CompilerThread0"},
    {"update to 1.2.3", "update to 1.2.3"},
    {"at 12:30 today", "at 12:30 today"},
    {"deadbeef", "deadbeef"},
};

static struct roxi_rules *thesis(void)
{
    struct ix_error err = {""};
    struct roxi_rules *rules = roxi_rules_named("thesis", &err);
    if (!rules)
        fail_msg("%s", err.text);
    return rules;
}

typedef uint32_t names_of_kind(struct roxi_names *n, const char *name);

static void check(names_of_kind *normal, const struct pair *pairs, size_t n)
{
    struct roxi_symbols *symbols = roxi_symbols_new();
    struct ix_error err = {""};
    struct roxi_rules *rules = thesis();
    struct roxi_names *names = roxi_names_new(symbols, rules, NULL, NULL, &err);
    assert_non_null(names);
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < n; i++) {
            uint32_t got = normal(names, pairs[i].raw);
            assert_string_equal(roxi_symbols_text(symbols, got), pairs[i].want);
            /* what came out comes out unchanged */
            assert_int_equal(normal(names, pairs[i].want), got);
        }
    }
    roxi_names_free(names);
    roxi_rules_free(rules);
    roxi_symbols_free(symbols);
}

static void test_classes(void **state)
{
    (void)state;
    check(roxi_names_class, classes, sizeof classes / sizeof classes[0]);
}

static uint32_t thread(struct roxi_names *n, const char *name)
{
    return roxi_names_thread(n, name, NULL);
}

static void test_threads(void **state)
{
    (void)state;
    check(thread, threads, sizeof threads / sizeof threads[0]);
}

/* The same text can be a class and a thread. */
static void test_kinds_are_apart(void **state)
{
    (void)state;
    struct roxi_symbols *symbols = roxi_symbols_new();
    struct roxi_rules *rules = thesis();
    struct roxi_names *names = roxi_names_new(symbols, rules, NULL, NULL, NULL);
    uint32_t as_class = roxi_names_class(names, "a-b");
    uint32_t as_thread = roxi_names_thread(names, "a-b", NULL);
    assert_string_equal(roxi_symbols_text(symbols, as_class), "a-b");
    assert_string_equal(roxi_symbols_text(symbols, as_thread), "a");
    roxi_names_free(names);
    roxi_rules_free(rules);
    roxi_symbols_free(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_kinds_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
