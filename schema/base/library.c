/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/library.h"

#include <stddef.h>
#include <string.h>

/* What runs tests, and checks their results. */
static const char *const of_tests[] = {
    "junit.",
    "org.apache.maven.surefire.",
    "org.assertj.",
    "org.gradle.",
    "org.hamcrest.",
    "org.junit.",
    "org.opentest4j.",
    "org.testng.",
    "worker.org.gradle.",
};

static const char *const mains_of_builds[] = {
    "org.apache.tools.ant.launch.Launcher",
    "org.codehaus.classworlds.Launcher",
    "org.codehaus.plexus.classworlds.launcher.Launcher",
    "org.gradle.launcher.GradleMain",
    "org.gradle.launcher.daemon.bootstrap.GradleDaemon",
    "org.gradle.wrapper.GradleWrapperMain",
    "org.mvndaemon.mvnd.daemon.",
    "xsbt.boot.Boot",
};

/* What builds run in their own JVM, but for the Java platform. */
static const char *const of_builds[] = {
    "com.google.common.",
    "com.google.inject.",
    "com.sun.",
    "com.thoughtworks.",
    "groovy.",
    "hudson.maven.",
    "javax.",
    "kotlin.",
    "net.rubygrapefruit.",
    "org.apache.commons.",
    "org.apache.groovy.",
    "org.apache.http.",
    "org.apache.ivy.",
    "org.apache.maven.",
    "org.apache.tools.",
    "org.apache.xbean.",
    "org.codehaus.",
    "org.eclipse.aether.",
    "org.eclipse.sisu.",
    "org.fusesource.",
    "org.gradle.",
    "org.iq80.",
    "org.jetbrains.kotlin.",
    "org.mvndaemon.",
    "org.objectweb.",
    "org.slf4j.",
    "org.sonatype.",
    "org.xerial.",
    "sbt.",
    "scala.",
    "xsbt.",
    "xsbti.",
};

/* Of which most Java programs use some. */
static const struct library {
    const char *package;
    bool many; /* one for each next part of the name, such as org.apache.kafka */
} packages[] = {
    {"akka.", false},
    {"ch.qos.logback.", false},
    {"com.fasterxml.", false},
    {"com.google.", true},
    {"com.mysql.", false},
    {"com.rabbitmq.", false},
    {"com.zaxxer.hikari.", false},
    {"groovy.", false},
    {"io.grpc.", false},
    {"io.micrometer.", false},
    {"io.netty.", false},
    {"io.undertow.", false},
    {"io.vertx.", false},
    {"jakarta.", true},
    {"kotlin.", false},
    {"kotlinx.", false},
    {"net.bytebuddy.", false},
    {"okhttp3.", false},
    {"org.apache.", true},
    {"org.eclipse.", true},
    {"org.glassfish.", true},
    {"org.h2.", false},
    {"org.hibernate.", false},
    {"org.hsqldb.", false},
    {"org.jacoco.", false},
    {"org.jboss.", true},
    {"org.jgroups.", false},
    {"org.mockito.", false},
    {"org.objectweb.", false},
    {"org.postgresql.", false},
    {"org.slf4j.", false},
    {"org.springframework.", false},
    {"org.testcontainers.", false},
    {"reactor.", false},
    {"rx.", false},
    {"scala.", false},
};

/* Of a name with dots or slashes. */
static char letter(const char *at)
{
    return *at == '/' ? '.' : *at;
}

static bool begins_with(const char *class_name, const char *package)
{
    for (; *package; class_name++, package++)
        if (letter(class_name) != *package)
            return false;
    return true;
}

static bool is_listed(const char *class_name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (begins_with(class_name, list[i]))
            return true;
    return false;
}

bool ix_is_of_tests(const char *class_name)
{
    return is_listed(class_name, of_tests, sizeof of_tests / sizeof *of_tests);
}

/* NULL: of none that most programs use. */
static const struct library *library_of(const char *class_name)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (begins_with(class_name, packages[i].package))
            return &packages[i];
    return NULL;
}

bool ix_is_of_library(const char *class_name)
{
    return library_of(class_name) || ix_is_of_tests(class_name);
}

/* Do both begin with the same part, up to a dot? */
static bool same_part(const char *a, const char *b)
{
    while (*a && letter(a) == letter(b) && letter(a) != '.') {
        a++;
        b++;
    }
    return letter(a) == '.' && letter(b) == '.';
}

bool ix_is_same_library(const char *class_name, const char *other)
{
    const struct library *l = library_of(class_name);
    if (!l || library_of(other) != l)
        return false;
    const size_t len = strlen(l->package);
    return !l->many || same_part(class_name + len, other + len);
}

bool ix_is_main_of_build(const char *class_name)
{
    return is_listed(class_name, mains_of_builds, sizeof mains_of_builds / sizeof *mains_of_builds);
}

bool ix_is_of_build(const char *class_name)
{
    return is_listed(class_name, of_builds, sizeof of_builds / sizeof *of_builds);
}
