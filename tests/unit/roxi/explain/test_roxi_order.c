/* SPDX-License-Identifier: Apache-2.0 */
/* Which of hand-made findings comes first. */
#include "roxi/explain/finder.h"
#include "tests/support/findings_fixture.h"

#define STANDS "a.C.take()V:1;java.lang.Object.wait()V:-3"

/* Code of a.C that x no longer executes, from packet 40 on. */
static struct roxi_finding missed(void)
{
    struct roxi_finding x =
        roxi_finding_of(ROXI_ABOUT_MISSED, (struct roxi_member){.role = string("x")});
    x.stack = stack("a.C.take()V:9");
    x.call.class_name = string("a.C");
    x.packet = 40;
    x.weight = 4;
    return x;
}

/* A thread of the role that waits. */
static struct roxi_finding wait_of(const char *role, uint64_t packet)
{
    struct roxi_finding x =
        roxi_finding_of(ROXI_ABOUT_DURATION, (struct roxi_member){.role = string(role)});
    x.kind = ROXI_IN_CALL;
    x.doing = ROXI_WAITING;
    x.stack = stack(STANDS);
    x.packet = packet;
    x.share = 0.2;
    x.weight = 3;
    return x;
}

/* Code that y executes. */
static struct roxi_finding executed(uint64_t packet)
{
    struct roxi_finding x =
        roxi_finding_of(ROXI_ABOUT_COVERED, (struct roxi_member){.role = string("y")});
    x.stack = stack("a.D.fix()V:9");
    x.call.class_name = string("a.D");
    x.packet = packet;
    x.share = 0.2;
    x.weight = 1;
    return x;
}

/* What comes first of these. */
static struct roxi_finding first_of(const struct roxi_finding *list, size_t count)
{
    struct roxi_profile run = {0};
    struct roxi_findings out = {0};
    struct roxi_finder f = {.out = &out, .profiles = p, .run = &run};
    for (size_t i = 0; i < count; i++)
        assert_int_equal(roxi_finder_add(&f, &list[i]), 0);
    assert_int_equal(roxi_put_in_order(&f), 0);
    assert_int_equal(out.count, count);
    const struct roxi_finding first = out.list[0];
    roxi_findings_free(&out);
    return first;
}

static bool comes_first(struct roxi_finding x)
{
    const struct roxi_finding list[] = {missed(), x};
    return first_of(list, 2).about != ROXI_ABOUT_MISSED;
}

/* Code that one JVM no longer executes comes after what another one has done since then or before.
 */
static void test_other_jvm(void **state)
{
    (void)state;
    assert_true(comes_first(wait_of("y", 40)));
    assert_true(comes_first(wait_of("y", 20)));
    assert_false(comes_first(wait_of("y", 41)));
    struct roxi_finding little = wait_of("y", 40), network = wait_of("y", 40),
                        less = wait_of("y", 40);
    little.share = 0.07;
    assert_false(comes_first(little));
    network.doing = ROXI_ON_NETWORK;
    assert_false(comes_first(network));
    less.less = true;
    assert_false(comes_first(less));
    assert_true(comes_first(executed(40)));
    assert_false(comes_first(executed(41)));
}

/* A thread that is elsewhere says more than code that is executed. */
static void test_both(void **state)
{
    (void)state;
    const struct roxi_finding list[] = {missed(), executed(39), wait_of("y", 40)};
    assert_int_equal(first_of(list, 3).about, ROXI_ABOUT_DURATION);
}

/* Of code that ceased it is known by when, and what departs until then may be why. */
static void test_by(void **state)
{
    (void)state;
    for (uint64_t latest = 40; latest <= 44; latest += 4) {
        struct roxi_finding ceased = missed();
        ceased.about = ROXI_ABOUT_CEASED;
        ceased.latest = latest;
        const struct roxi_finding then[] = {ceased, wait_of("y", latest)},
                                  later[] = {ceased, wait_of("y", latest + 1)};
        assert_int_equal(first_of(then, 2).about, ROXI_ABOUT_DURATION);
        assert_int_equal(first_of(later, 2).about, ROXI_ABOUT_CEASED);
    }
}

/* So are threads that have ended, and before them the exception that ended them. */
static void test_ended(void **state)
{
    (void)state;
    struct roxi_finding gone = executed(38), exception = executed(38);
    gone.about = ROXI_ABOUT_GONE;
    exception.about = ROXI_ABOUT_FIRST;
    exception.thrown = string("java.io.EOFException");
    exception.at_end = true;
    exception.packet = 41;
    const struct roxi_finding list[] = {missed(), gone}, with[] = {missed(), gone, exception};
    assert_int_equal(first_of(list, 2).about, ROXI_ABOUT_GONE);
    assert_int_equal(first_of(with, 3).about, ROXI_ABOUT_FIRST);
    gone.share = 0.07;
    const struct roxi_finding little[] = {missed(), gone};
    assert_int_equal(first_of(little, 2).about, ROXI_ABOUT_MISSED);
}

/* What is only known of a library's code says little. */
static void test_library(void **state)
{
    (void)state;
    struct roxi_finding of_library = missed();
    of_library.call.class_name = string("org.apache.zoo.Server");
    const struct roxi_finding own[] = {missed(), wait_of("x", 46)},
                              list[] = {of_library, wait_of("x", 46)};
    assert_int_equal(first_of(own, 2).about, ROXI_ABOUT_MISSED);
    assert_int_equal(first_of(list, 2).about, ROXI_ABOUT_DURATION);
}

/* Of one JVM, only a thread that stands in the same class. */
static void test_same_jvm(void **state)
{
    (void)state;
    struct roxi_finding other = wait_of("x", 40), sleeping = wait_of("x", 40),
                        running = wait_of("x", 40);
    assert_true(comes_first(wait_of("x", 45)));
    assert_true(comes_first(wait_of("x", 20)));
    assert_false(comes_first(wait_of("x", 46)));
    other.stack = stack("a.D.take()V:1;java.lang.Object.wait()V:-3");
    assert_false(comes_first(other));
    sleeping.doing = ROXI_SLEEPING;
    assert_true(comes_first(sleeping));
    running.doing = ROXI_RUNNING;
    assert_false(comes_first(running));
}

/* A JVM for which the first one waits. */
static void test_waited_for(void **state)
{
    (void)state;
    for (uint64_t packet = 44; packet <= 46; packet++) {
        struct roxi_finding list[] = {wait_of("x", 40), wait_of("y", packet), wait_of("z", 40)};
        list[0].doing = ROXI_ON_NETWORK;
        list[0].ends_at.role = string("y");
        list[0].weight = 30;
        list[1].waited_for = list[2].waited_for = true;
        list[1].waiters = list[2].waiters = list[0].who;
        const struct roxi_finding first = first_of(list, 3);
        assert_int_equal(first.who.role, string(packet <= 45 ? "y" : "x"));
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_other_jvm), TEST(test_both),     TEST(test_by),         TEST(test_ended),
        TEST(test_library),   TEST(test_same_jvm), TEST(test_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
