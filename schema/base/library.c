/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/library.h"

#include <stddef.h>

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
static const char *const packages[] = {
    "akka.",
    "ch.qos.logback.",
    "com.fasterxml.",
    "com.google.",
    "com.mysql.",
    "com.rabbitmq.",
    "com.zaxxer.hikari.",
    "groovy.",
    "io.grpc.",
    "io.micrometer.",
    "io.netty.",
    "io.undertow.",
    "io.vertx.",
    "jakarta.",
    "kotlin.",
    "kotlinx.",
    "net.bytebuddy.",
    "okhttp3.",
    "org.apache.",
    "org.eclipse.",
    "org.glassfish.",
    "org.h2.",
    "org.hibernate.",
    "org.hsqldb.",
    "org.jacoco.",
    "org.jboss.",
    "org.jgroups.",
    "org.mockito.",
    "org.objectweb.",
    "org.postgresql.",
    "org.slf4j.",
    "org.springframework.",
    "org.testcontainers.",
    "reactor.",
    "rx.",
    "scala.",
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

bool ix_is_of_library(const char *class_name)
{
    return is_listed(class_name, packages, sizeof packages / sizeof *packages) ||
           ix_is_of_tests(class_name);
}

bool ix_is_same_library(const char *class_name, const char *other)
{
    enum { PARTS = 3 };
    unsigned parts = 0;
    for (; parts < PARTS && *class_name && letter(class_name) == letter(other);
         class_name++, other++)
        parts += letter(class_name) == '.';
    return parts == PARTS;
}

bool ix_is_main_of_build(const char *class_name)
{
    return is_listed(class_name, mains_of_builds, sizeof mains_of_builds / sizeof *mains_of_builds);
}

bool ix_is_of_build(const char *class_name)
{
    return is_listed(class_name, of_builds, sizeof of_builds / sizeof *of_builds);
}
