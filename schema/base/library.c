/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/library.h"

#include <stddef.h>

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
    "junit.",
    "kotlin.",
    "kotlinx.",
    "net.bytebuddy.",
    "okhttp3.",
    "org.apache.",
    "org.eclipse.",
    "org.glassfish.",
    "org.gradle.",
    "org.h2.",
    "org.hibernate.",
    "org.hsqldb.",
    "org.jacoco.",
    "org.jboss.",
    "org.jgroups.",
    "org.junit.",
    "org.mockito.",
    "org.objectweb.",
    "org.postgresql.",
    "org.slf4j.",
    "org.springframework.",
    "org.testcontainers.",
    "org.testng.",
    "reactor.",
    "rx.",
    "scala.",
    "worker.org.gradle.",
};

static bool begins_with(const char *class_name, const char *package)
{
    for (; *package; class_name++, package++)
        if (*class_name != *package && !(*class_name == '/' && *package == '.'))
            return false;
    return true;
}

bool ix_is_of_library(const char *class_name)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (begins_with(class_name, packages[i]))
            return true;
    return false;
}
