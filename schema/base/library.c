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

static bool begins_with(const char *class_name, const char *package)
{
    for (; *package; class_name++, package++)
        if (*class_name != *package && !(*class_name == '/' && *package == '.'))
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
