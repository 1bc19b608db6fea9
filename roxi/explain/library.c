/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/library.h"

#include <string.h>

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
    "org.jboss.",
    "org.jgroups.",
    "org.junit.",
    "org.mockito.",
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

static bool is_listed(const char *class_name)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (strncmp(class_name, packages[i], strlen(packages[i])) == 0)
            return true;
    return false;
}

/* The class whose method the thread began with. */
static const char *first_class(const struct roxi_symbols *s, uint32_t stack)
{
    uint32_t first = stack;
    while (stack) {
        first = stack;
        stack = roxi_symbols_stack_at(s, stack).parent;
    }
    return first ? roxi_symbols_text(s, roxi_symbols_top(s, first).class_name) : "";
}

/* Does a thread "main" of the role begin in a listed package? */
static bool runs_library(const struct roxi_finder *f, uint32_t role)
{
    const struct roxi_symbols *s = f->profiles->symbols;
    for (size_t i = 0; i < f->run->count; i++) {
        const struct roxi_place place = roxi_profiles_place(f->profiles, f->run->items[i].group);
        if (place.role == role && strcmp(roxi_symbols_text(s, place.template), "main") == 0 &&
            is_listed(first_class(s, f->run->items[i].stack)))
            return true;
    }
    return false;
}

bool roxi_library_has(const struct roxi_finder *f, uint32_t role, uint32_t class_name)
{
    return is_listed(roxi_symbols_text(f->profiles->symbols, class_name)) && !runs_library(f, role);
}
