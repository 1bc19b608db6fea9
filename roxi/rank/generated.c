/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/generated.h"

#include <string.h>

#include "roxi/base/text_escape.h"

/* ---- names ---- */

/* What begins with the marker in a class's name is generated, for the class before it. */
static const struct row {
    const char *marker;
    enum roxi_generated kind;
} rows[] = {
    {"$$Lambda", ROXI_LAMBDA},       {"$$anonfun", ROXI_LAMBDA},    {"$$Enhancer", ROXI_PROXY},
    {"$$FastClass", ROXI_PROXY},     {"$$SpringCGLIB", ROXI_PROXY}, {"$ByteBuddy", ROXI_PROXY},
    {"$HibernateProxy", ROXI_PROXY}, {"$MockitoMock", ROXI_PROXY},  {"_$$_", ROXI_PROXY},
};

static const char *simple_name(const char *class_name)
{
    const char *dot = strrchr(class_name, '.');
    return dot && dot[1] ? dot + 1 : class_name;
}

/* True: the class is generated. The methods of a proxy have the names of those that they call. */
static bool of_class(struct roxi_generated_for *o, const char *class_name, const char *method)
{
    const char *simple = simple_name(class_name), *at = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !at; i++) {
        at = strstr(simple, rows[i].marker);
        o->kind = at ? rows[i].kind : ROXI_WRITTEN;
    }
    if (!at && strncmp(simple, "$Proxy", 6) == 0) { /* java.lang.reflect.Proxy: of any interface */
        at = class_name;
        o->kind = ROXI_PROXY;
    }
    if (!at)
        return false;
    o->class_len = at > simple ? (size_t)(at - class_name) : 0;
    if (o->kind == ROXI_PROXY && *method) {
        o->method = method;
        o->method_len = strlen(method);
    }
    return true;
}

/* The body of a lambda in "hold": lambda$hold$0 of javac, hold$lambda$0 and hold$lambda-0 of
 * Kotlin, $anonfun$hold$1 of Scala. */
static bool of_lambda(struct roxi_generated_for *o, const char *method)
{
    static const char *const before[] = {"lambda$", "$anonfun$"};
    const char *kotlin = strstr(method, "$lambda");
    for (size_t i = 0; i < sizeof before / sizeof *before && !o->method; i++)
        if (strncmp(method, before[i], strlen(before[i])) == 0) {
            o->method = method + strlen(before[i]);
            o->method_len = strcspn(o->method, "$");
        }
    if (!o->method && kotlin && kotlin > method && (kotlin[7] == '$' || kotlin[7] == '-')) {
        o->method = method;
        o->method_len = (size_t)(kotlin - method);
    }
    return o->method != NULL;
}

static bool is(const struct roxi_generated_for *o, const char *method)
{
    return o->method_len == strlen(method) && memcmp(o->method, method, o->method_len) == 0;
}

/* The names that stack traces have for constructors and initializers. */
static void name_as_java(struct roxi_generated_for *o)
{
    if (is(o, "new")) {
        o->method = "<init>";
    } else if (is(o, "static")) {
        o->method = "<clinit>";
    } else if (!o->method_len || is(o, "null")) { /* in another lambda */
        o->method = NULL;
        return;
    }
    o->method_len = *o->method == '<' ? strlen(o->method) : o->method_len;
}

struct roxi_generated_for roxi_generated_for(const char *class_name, const char *method)
{
    struct roxi_generated_for o = {.kind = ROXI_WRITTEN, .class_len = strlen(class_name)};
    if (of_class(&o, class_name, method))
        return o;
    if (of_lambda(&o, method)) {
        o.kind = ROXI_LAMBDA;
        name_as_java(&o);
    } else if (strncmp(method, "access$", 7) == 0) {
        o.kind = ROXI_ACCESSOR;
    } else if (*method) {
        o.method = method;
        o.method_len = strlen(method);
    }
    return o;
}

bool roxi_is_generated(const char *class_name, const char *method)
{
    return roxi_generated_for(class_name, method).kind != ROXI_WRITTEN;
}

/* ---- words ---- */

static void print_part(FILE *out, const char *text, size_t len)
{
    char shown[TEXT_SHOWN_SIZE];
    for (size_t i = 0; i < len;) {
        i += text_show(text + i, len - i, shown);
        fputs(shown, out);
    }
}

void roxi_print_method(FILE *out, const char *class_name, const char *method, bool simple)
{
    static const char *const words[] = {
        [ROXI_WRITTEN] = "",
        [ROXI_LAMBDA] = "a lambda",
        [ROXI_ACCESSOR] = "an accessor",
        [ROXI_PROXY] = "a proxy",
    };
    const struct roxi_generated_for o = roxi_generated_for(class_name, method);
    const size_t package = simple ? (size_t)(simple_name(class_name) - class_name) : 0;
    fputs(words[o.kind], out);
    if (o.kind != ROXI_WRITTEN && (o.class_len || o.method))
        fputs(" of ", out);
    if (o.class_len)
        print_part(out, class_name + package, o.class_len - package);
    if (o.class_len && o.method)
        putc('.', out);
    if (o.method)
        print_part(out, o.method, o.method_len);
}
