/* SPDX-License-Identifier: Apache-2.0 */
/* Which methods are generated, and what is said of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/campaign/symbols.h"
#include "roxi/rank/generated.h"
#include "roxi/rank/words.h"
#include "schema/base/text_memory.h"

static const struct row {
    const char *class_name, *method;
    bool generated;
    const char *full, *simple;
} rows[] = {
    {"a.b.C", "run", false, "a.b.C.run", "C.run"},
    {"a.b.C", "", false, "a.b.C", "C"}, /* methods are not compared */
    {"a.b.C$D", "<init>", false, "a.b.C$D.<init>", "C$D.<init>"},
    {"C", "lambda", false, "C.lambda", "C.lambda"},
    {"a.C", "getAccess$1", false, "a.C.getAccess$1", "C.getAccess$1"},
    {"a.Order$ProxyFactory", "make", false, "a.Order$ProxyFactory.make", "Order$ProxyFactory.make"},
    {"a.b.C$$Lambda", "apply", true, "a lambda of a.b.C", "a lambda of C"},
    {"a.b.C$D$$Lambda", "", true, "a lambda of a.b.C$D", "a lambda of C$D"},
    {"a.b.C", "lambda$hold$0", true, "a lambda of a.b.C.hold", "a lambda of C.hold"},
    {"a.b.C", "lambda$new$12", true, "a lambda of a.b.C.<init>", "a lambda of C.<init>"},
    {"a.b.C", "lambda$static$1", true, "a lambda of a.b.C.<clinit>", "a lambda of C.<clinit>"},
    {"a.b.C", "lambda$null$3", true, "a lambda of a.b.C", "a lambda of C"}, /* JDK 8: nested */
    {"a.b.C", "lambda$", true, "a lambda of a.b.C", "a lambda of C"},
    {"a.b.C", "lambda$ser$1f2e$1", true, "a lambda of a.b.C.ser", "a lambda of C.ser"},
    {"a.b.CKt", "main$lambda$2", true, "a lambda of a.b.CKt.main", "a lambda of CKt.main"},
    {"a.b.CKt", "main$lambda-2", true, "a lambda of a.b.CKt.main", "a lambda of CKt.main"},
    {"a.b.C$", "$anonfun$main$1", true, "a lambda of a.b.C$.main", "a lambda of C$.main"},
    {"a.b.C$$anonfun$main$1", "apply", true, "a lambda of a.b.C", "a lambda of C"},
    {"a.b.C", "access$200", true, "an accessor of a.b.C", "an accessor of C"},
    {"a.b.$Proxy", "find", true, "a proxy of find", "a proxy of find"},
    {"$Proxy", "", true, "a proxy", "a proxy"},
    {"a.C$$EnhancerBySpringCGLIB", "find", true, "a proxy of a.C.find", "a proxy of C.find"},
    {"a.C$$SpringCGLIB", "find", true, "a proxy of a.C.find", "a proxy of C.find"},
    {"a.C_$$_jvst", "find", true, "a proxy of a.C.find", "a proxy of C.find"},
    {"a.C$HibernateProxy", "", true, "a proxy of a.C", "a proxy of C"},
    {"a.C\n", "lambda$\033$0", true, "a lambda of a.C\\x0A.\\x1B", "a lambda of C\\x0A.\\x1B"},
};

static void assert_printed(struct ix_text *t, const char *want)
{
    char *text = ix_text_close(t);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
}

static void test_methods(void **state)
{
    struct ix_text t;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        assert_int_equal(roxi_is_generated(r->class_name, r->method), r->generated);
        assert_int_equal(ix_text_open(&t), 0);
        roxi_print_method(t.out, r->class_name, r->method, false);
        assert_printed(&t, r->full);
        assert_int_equal(ix_text_open(&t), 0);
        roxi_print_method(t.out, r->class_name, r->method, true);
        assert_printed(&t, r->simple);
    }
}

/* A class that only calls a lambda is not told beside it. */
static void test_calls(void **state)
{
    static const struct {
        const char *class_name, *method, *called_class, *called, *want;
    } calls[] = {
        {"a.B", "c", NULL, NULL, "B.c"},
        {"a.B", "c", "d.E", "f", "B.c calling E.f"},
        {"a.B$$Lambda", "run", "a.B", "lambda$c$0", "a lambda of B.c"},
        {"a.B$$Lambda", "run", "a.E", "lambda$c$0", "a lambda of B calling a lambda of E.c"},
        {"a.B$$Lambda", "run", "a.B", "c", "a lambda of B calling B.c"},
        {"a.B", "lambda$c$0", "d.E", "f", "a lambda of B.c calling E.f"},
        {"a.B", "c", "d.E$$Lambda", "run", "B.c calling a lambda of E"},
    };
    struct roxi_symbols *s = roxi_symbols_new();
    (void)state;
    assert_non_null(s);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct ix_text t;
        const char *const names[] = {calls[i].class_name, calls[i].method, calls[i].called_class,
                                     calls[i].called};
        uint32_t n[4];
        for (size_t k = 0; k < 4; k++)
            n[k] = names[k] ? roxi_symbols_string(s, names[k], strlen(names[k])) : ROXI_NONE;
        assert_int_equal(ix_text_open(&t), 0);
        roxi_print_call(t.out, s, (struct roxi_call){n[0], n[1], n[2], n[3]}, true);
        assert_printed(&t, calls[i].want);
    }
    roxi_symbols_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods),
                                       cmocka_unit_test(test_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
