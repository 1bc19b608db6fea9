/* SPDX-License-Identifier: Apache-2.0 */
/* Which classes are of widely used libraries, and of what runs tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roxi/base/platform.h"
#include "schema/base/library.h"

static void test_lists(void **state)
{
    static const struct {
        const char *class_name;
        bool library, tests, platform;
    } rows[] = {
        {"org.junit.platform.console.ConsoleLauncher", true, true, true},
        {"org/junit/jupiter/engine/JupiterTestEngine", true, true, true},
        {"org.opentest4j.AssertionFailedError", true, true, true},
        {"org.apache.maven.surefire.booter.ForkedBooter", true, true, true},
        {"worker.org.gradle.process.internal.worker.GradleWorkerMain", true, true, true},
        {"org.apache.kafka.clients.NetworkClient", true, false, false},
        {"io.netty.channel.nio.NioEventLoop", true, false, false},
        {"org.mockito.Mockito", true, false, false},
        {"org.junitas.Shop", false, false, false},
        {"java.lang.Thread", false, false, true},
        {"shop.Orders", false, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ix_is_of_library(rows[i].class_name), rows[i].library);
        assert_int_equal(ix_is_of_tests(rows[i].class_name), rows[i].tests);
        assert_int_equal(roxi_is_platform(rows[i].class_name), rows[i].platform);
    }
}

static void test_same(void **state)
{
    (void)state;
    assert_true(ix_is_same_library("org.apache.kafka.common.X", "org.apache.kafka.Y"));
    assert_true(ix_is_same_library("org/apache/kafka/common/X", "org.apache.kafka.Y"));
    assert_true(ix_is_same_library("org.apache.kafka.Y", "org/apache/kafka/Y"));
    assert_true(ix_is_same_library("org.h2.tools.Server", "org.h2.engine.Session"));
    assert_true(ix_is_same_library("io/netty/channel/X", "io.netty.handler.Y"));
    assert_true(ix_is_same_library("akka.X", "akka.cluster.Y"));
    assert_false(ix_is_same_library("org.apache.kafkas.X", "org.apache.kafka.Y"));
    assert_false(ix_is_same_library("org.apache.zoo.X", "org.apache.kafka.Y"));
    assert_false(ix_is_same_library("org.apache.X", "org.apache.X"));
    assert_false(ix_is_same_library("org.apache", "org.apache"));
    assert_false(ix_is_same_library("com.google.common.X", "com.google.inject.Y"));
    assert_false(ix_is_same_library("io.netty.X", "io.grpc.X"));
    assert_false(ix_is_same_library("a.b.c.X", "a.b.c.X"));
    assert_false(ix_is_same_library("", ""));
}

static void test_builds(void **state)
{
    (void)state;
    assert_true(ix_is_main_of_build("org.codehaus.plexus.classworlds.launcher.Launcher"));
    assert_true(ix_is_main_of_build("org/gradle/launcher/daemon/bootstrap/GradleDaemon"));
    assert_false(ix_is_main_of_build("org.gradle.process.internal.worker.GradleWorkerMain"));
    assert_false(ix_is_main_of_build("org.apache.maven.surefire.booter.ForkedBooter"));
    assert_true(ix_is_of_build("org.apache.maven.plugin.surefire.booterclient.ForkStarter"));
    assert_true(ix_is_of_build("com.google.inject.Guice"));
    assert_false(ix_is_of_build("org.apache.kafka.clients.NetworkClient"));
    assert_false(ix_is_of_build("shop.Orders"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_same),
                                       cmocka_unit_test(test_builds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
