/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a class's initializer may make objects of it, and which methods get no probes then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "agent/coverage/initializer.h"
#include "tests/support/class_maker.h"

/* The constants that a/Own has besides: <clinit>, <init>, a NameAndType, another class, and a
 * method of it. */
enum {
    CLINIT = CONSTANTS,
    INIT,
    NAME_AND_TYPE,
    OTHER_NAME,
    OTHER_CLASS,
    OTHER_METHOD,
    OTHER_INTERFACE_METHOD,
    OWN_METHOD,
    END
};
enum { UTF8 = 1, CLASS = 7, METHOD_REF = 10, INTERFACE_METHOD_REF = 11, NAMES = 12 };

static struct ix_out constants;

static void put_text(const char *text)
{
    PUT(&constants, UTF8, 0, (uint8_t)strlen(text));
    ix_put_bytes(&constants, text, strlen(text));
}

static void begin_constants(const char *other)
{
    ix_out_clear(&constants);
    put_text("<clinit>");
    put_text("<init>");
    PUT(&constants, NAMES, 0, METHOD, 0, DESCRIPTOR);
    put_text(other);
    PUT(&constants, CLASS, 0, OTHER_NAME);
    PUT(&constants, METHOD_REF, 0, OTHER_CLASS, 0, NAME_AND_TYPE);
    PUT(&constants, INTERFACE_METHOD_REF, 0, OTHER_CLASS, 0, NAME_AND_TYPE);
    PUT(&constants, METHOD_REF, 0, THIS, 0, NAME_AND_TYPE);
}

/* Makes a/Own with these two methods, of which the first has `content`; the other may have none. */
static void make_own(uint16_t first, uint16_t first_access, uint16_t second,
                     const struct ix_out *code)
{
    make(&(struct made_class){
        .name = "a/Own",
        .constants = &constants,
        .constant_count = END - CONSTANTS,
        .methods = {{first_access, first, 1, &content},
                    {.access = 8, .name = second, .codes = 1, .content = code}}});
}

/* Of `made`. */
static bool makes_objects(void)
{
    struct ixa_class_file c;
    assert_int_equal(ixa_class_file_read(made.data, made.len, &c), IXA_CLASS_READ);
    const bool makes = ixa_initializer_makes_objects(&c);
    ixa_class_file_free(&c);
    return makes;
}

static void test_instructions(void **state)
{
    enum { NEW = 0xbb, INVOKESTATIC = 0xb8, INVOKEVIRTUAL = 0xb6, GETSTATIC = 0xb2, JSR = 0xa8 };
    static const struct {
        const char *other;
        uint8_t opcode, constant;
        bool makes;
    } rows[] = {
        {"b/B", NEW, THIS, true},
        {"b/B", NEW, OTHER_CLASS, false},
        {"a/Own$Nested", NEW, OTHER_CLASS, true},
        {"a/Own$1", NEW, OTHER_CLASS, true},
        {"a/Own", NEW, OTHER_CLASS, true}, /* as another constant */
        {"a/Owner", NEW, OTHER_CLASS, false},
        {"a/Ow", NEW, OTHER_CLASS, false},
        {"b/a/Own", NEW, OTHER_CLASS, false},
        {"b/B", INVOKESTATIC, OWN_METHOD, true},
        {"b/B", INVOKESTATIC, OTHER_METHOD, false},
        {"b/B", INVOKESTATIC, OTHER_INTERFACE_METHOD, false},
        {"a/Own", INVOKESTATIC, OTHER_METHOD, true},
        {"a/Own", INVOKESTATIC, OTHER_INTERFACE_METHOD, true},
        {"a/Own$Nested", INVOKESTATIC, OTHER_METHOD, false},
        {"a/Owner", INVOKESTATIC, OTHER_METHOD, false},
        {"b/B", INVOKEVIRTUAL, OWN_METHOD, false}, /* there must be an object already */
        {"a/Own", GETSTATIC, OWN_METHOD, false},
        {"b/B", JSR, 0, true}, /* not understood */
        /* Constants that are none of these. */
        {"b/B", NEW, CLINIT, false},
        {"b/B", NEW, END, false},
        {"b/B", INVOKESTATIC, THIS, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_constants(rows[i].other);
        CONTENT(0, 0x00, rows[i].opcode, 0, rows[i].constant, 0xb1);
        put_end();
        make_own(CLINIT, 8, 0, NULL);
        if (makes_objects() != rows[i].makes)
            fail_msg("row %zu", i);
        make_own(METHOD, 8, 0, NULL); /* not in the initializer */
        assert_false(makes_objects());
    }
}

static void test_not_understood(void **state)
{
    static const uint8_t codes[][2] = {{0xa8, 0}, {0xca, 0}, {0xb1, 0x10}, {0xb1, 0xbb}};
    (void)state;
    begin_constants("b/B");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        begin_content(codes[i], 2, 0);
        put_end();
        make_own(CLINIT, 8, 0, NULL);
        assert_true(makes_objects());
    }
    ix_out_clear(&content); /* shorter than it says */
    PUT(&content, 0, 1, 0, 2, 0, 0, 0, 9, 0xb1);
    make_own(CLINIT, 8, 0, NULL);
    assert_true(makes_objects());
    ix_out_clear(&content);
    PUT(&content, 0, 1);
    make_own(CLINIT, 8, 0, NULL);
    assert_true(makes_objects());
}

/* Then objects' methods get no probes; constructors, static methods and the initializer do. */
static void test_which_methods(void **state)
{
    static const struct {
        uint16_t name, access;
        bool probed;
    } rows[] = {{METHOD, 0, false},
                {METHOD, 8, true},
                {INIT, 0, true},
                {LAMBDA, 0x1000, false},
                {LAMBDA, 0x1008, true}};
    struct ix_out makes = {0};
    (void)state;
    begin_constants("b/B");
    PUT(&makes, 0, 2, 0, 2, 0, 0, 0, 5, 0xbb, 0, THIS, 0x57, 0xb1, 0, 0, 0, 0);
    CONTENT(0, 0xb1);
    put_end();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_own(rows[i].name, rows[i].access, CLINIT, &makes);
        assert_int_equal(insert(100), IXA_PROBED);
        assert_int_equal(probed.method_count, rows[i].probed ? 2 : 1);
        assert_string_equal(probed.methods[probed.method_count - 1].name, "<clinit>");
    }
    makes.data[8] = 0xbd; /* anewarray: no object */
    make_own(METHOD, 0, CLINIT, &makes);
    assert_int_equal(insert(100), IXA_PROBED);
    assert_int_equal(probed.method_count, 2);
    ix_out_free(&makes);
}

static int end(void **state)
{
    ix_out_free(&constants);
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_not_understood),
        cmocka_unit_test(test_which_methods),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
