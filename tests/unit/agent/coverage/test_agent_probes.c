/* SPDX-License-Identifier: Apache-2.0 */
/* Probes in classes: which methods and classes get them, what is added, damage, and memory that
 * runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/coverage/class_file.h"
#include "tests/support/class_maker.h"
#include "tests/support/rounds.h"

static void kinds_of_methods(void **state)
{
    static const struct {
        uint16_t access, name;
        bool probed;
    } kinds[] = {
        {0x0000, 0, true},  {0x0009, 0, true},      {0x1000, 0, false},     {0x1040, 0, false},
        {0x0040, 0, false}, {0x1008, LAMBDA, true}, {0x0008, LAMBDA, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        CONTENT(0, 0xb1);
        put_end();
        make(&(struct made_class){.methods = {{.access = kinds[i].access,
                                               .name = kinds[i].name,
                                               .codes = 1,
                                               .content = &content}}});
        assert_int_equal(insert(10), kinds[i].probed ? IXA_PROBED : IXA_LEFT_ALONE);
    }
    make(&(struct made_class){.methods = {{.codes = 0, .content = &content}}});
    assert_int_equal(insert(10), IXA_LEFT_ALONE);
    make(&(struct made_class){.methods = {{.codes = 2, .content = &content}}});
    assert_int_equal(insert(10), IXA_LEFT_ALONE);
}

/* ---- classes ---- */

static enum ixa_probing insert_class(struct made_class c, uint32_t max_blocks)
{
    CONTENT(0, 0xa7, 0, 3, 0xb1);
    put_end();
    c.methods[0] = c.methods[1] = (struct made_method){.codes = 1, .content = &content};
    make(&c);
    return insert(max_blocks);
}

static void kinds_of_classes(void **state)
{
    (void)state;
    assert_int_equal(insert_class((struct made_class){.version = 50}, 4), IXA_PROBED);
    assert_int_equal(insert_class((struct made_class){.version = 49}, 4), IXA_LEFT_ALONE);
    assert_int_equal(insert_class((struct made_class){.access = 0x0200}, 4), IXA_LEFT_ALONE);
    assert_int_equal(insert_class((struct made_class){.access = 0x8000}, 4), IXA_LEFT_ALONE);
    assert_int_equal(insert_class((struct made_class){.field = PROBE_FIELD}, 4), IXA_LEFT_ALONE);
    assert_int_equal(insert_class((struct made_class){0}, 3), IXA_LEFT_ALONE);
    assert_int_equal(insert_class((struct made_class){0}, 0), IXA_LEFT_ALONE);
}

/* Constants and fields that just fit: one, and three of each block; one of each. */
static void full_classes(void **state)
{
    const unsigned constants = 65535 - CONSTANTS - 1 - 3 * 4, fields = 65535 - 1 - 4;
    (void)state;
    assert_int_equal(insert_class((struct made_class){.more_constants = constants}, 9), IXA_PROBED);
    assert_int_equal(insert_class((struct made_class){.more_constants = constants + 1}, 9),
                     IXA_LEFT_ALONE);
    assert_int_equal(insert_class((struct made_class){.more_constants = 65535 - CONSTANTS}, 9),
                     IXA_LEFT_ALONE);
    assert_int_equal(insert_class((struct made_class){.fields = fields}, 9), IXA_PROBED);
    assert_int_equal(insert_class((struct made_class){.fields = fields + 1}, 9), IXA_LEFT_ALONE);
}

/* The fields of `bytes` behind the one that was there. */
static void check_fields(const struct ixa_probed *p, unsigned count)
{
    struct ixa_class_file c;
    assert_int_equal(ixa_class_file_read(p->bytes, p->length, &c), IXA_CLASS_READ);
    struct ix_in in = ixa_class_file_fields(&c);
    assert_int_equal(c.field_count, count + 1);
    assert_true(ixa_span_is(ixa_get_member(&c, &in).name, "f"));
    for (unsigned i = 0; i < count; i++) {
        char name[16];
        const struct ixa_member m = ixa_get_member(&c, &in);
        snprintf(name, sizeof name, "$ixor%u", i);
        assert_true(ixa_span_is(m.name, name));
        assert_true(ixa_span_is(m.descriptor, "Z"));
        assert_int_equal(m.access, 0x108a);
        assert_int_equal(m.attribute_count, 0);
    }
    ixa_class_file_free(&c);
}

static void two_methods(void **state)
{
    (void)state;
    assert_int_equal(insert_class((struct made_class){0}, 4), IXA_PROBED);
    assert_int_equal(probed.block_count, 4);
    assert_int_equal(probed.method_count, 2);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(probed.blocks[i].method, i / 2);
    check_fields(&probed, 4);
    const struct ix_in code = code_of(probed.bytes, probed.length, 1);
    const uint8_t want[] = {PROBE(2), 0xa7, 0, 3, PROBE(3), 0xb1};
    assert_memory_equal(code.at + 8, want, sizeof want);
    /* With probes it gets no more. */
    struct ixa_probed again;
    assert_int_equal(ixa_probes_insert(probed.bytes, probed.length, 100, &again), IXA_LEFT_ALONE);
    assert_int_equal(ixa_probes_only_fields(probed.bytes, probed.length, 1, &again),
                     IXA_LEFT_ALONE);
    assert_null(again.bytes);
}

static void only_fields(void **state)
{
    struct ixa_probed p;
    (void)state;
    insert_class((struct made_class){.version = 49}, 0);
    assert_int_equal(ixa_probes_only_fields(made.data, made.len, 20, &p), IXA_PROBED);
    assert_int_equal(p.block_count, 0);
    check_fields(&p, 20);
    const struct ix_in code = code_of(p.bytes, p.length, 1);
    assert_memory_equal(code.at, content.data, content.len);
    ixa_probed_free(&p);
    assert_int_equal(ixa_probes_only_fields(made.data, made.len, 0, &p), IXA_LEFT_ALONE);
    assert_int_equal(ixa_probes_only_fields(made.data, made.len, 65534, &p), IXA_LEFT_ALONE);
    assert_int_equal(ixa_probes_only_fields(made.data, made.len, UINT32_MAX, &p), IXA_LEFT_ALONE);
    insert_class((struct made_class){.access = 0x0200}, 0);
    assert_int_equal(ixa_probes_only_fields(made.data, made.len, 1, &p), IXA_LEFT_ALONE);
}

/* ---- damage ---- */

/* A class with all of the tables. */
static void make_full(void)
{
    CONTENT(1, 0x00, 0xb1, 0x4c, 0xb1); /* 0 nop; return; 2 astore_1; return */
    PUT(&content, 0, 0, 0, 2, 0, 2, 0, 0);
    PUT(&content, 0, 5, 0, VARIABLES, 0, 0, 0, 12, 0, 1, 0, 0, 0, 4, 0, METHOD, 0, DESCRIPTOR, 0,
        0);
    PUT(&content, 0, TYPES, 0, 0, 0, 12, 0, 1, 0, 1, 0, 1, 0, METHOD, 0, DESCRIPTOR, 0, 0);
    PUT(&content, 0, STACK_MAP, 0, 0, 0, 6, 0, 1, 66, 7, 0, THIS);
    PUT(&content, 0, LINES, 0, 0, 0, 6, 0, 1, 0, 0, 0, 5);
    PUT(&content, 0, ANNOTATIONS, 0, 0, 0, 1, 0);
    make(&(struct made_class){.methods = {{.codes = 1, .content = &content}}});
    assert_int_equal(insert(100), IXA_PROBED);
}

/* In memory of its own, whose end a sanitizer watches. */
static enum ixa_probing insert_copy(const uint8_t *bytes, size_t length)
{
    struct ixa_probed p;
    uint8_t *copy = malloc(length + !length);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    const enum ixa_probing result = ixa_probes_insert(copy, length, 100, &p);
    ixa_probed_free(&p);
    free(copy);
    return result;
}

static void cut(void **state)
{
    (void)state;
    make_full();
    for (size_t i = 0; i < made.len; i++)
        assert_int_equal(insert_copy(made.data, i), IXA_LEFT_ALONE);
    ix_put_u8(&made, 0);
    assert_int_equal(insert_copy(made.data, made.len), IXA_LEFT_ALONE);
}

static void damaged(void **state)
{
    (void)state;
    make_full();
    for (size_t i = 0; i < made.len; i++) {
        const uint8_t was = made.data[i];
        for (unsigned v = 0; v < 256; v += INSTRUMENTED ? 7 : 1) {
            made.data[i] = (uint8_t)v;
            insert_copy(made.data, made.len);
        }
        made.data[i] = was;
    }
    assert_int_equal(insert_copy(made.data, made.len), IXA_PROBED);
}

/* ---- memory ---- */

#if !INSTRUMENTED           /* sanitizers have an allocator of their own */
static size_t calls, fails; /* allocations; the one that fails, from 1, with all later ones */
static long held;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *p);

/* Libraries call these, too. */
#pragma GCC visibility push(default)
void *malloc(size_t size)
{
    if (++calls >= fails && fails)
        return NULL;
    held++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (++calls >= fails && fails)
        return NULL;
    held++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    if (++calls >= fails && fails)
        return NULL;
    held += !old;
    return __libc_realloc(old, size);
}

void free(void *p)
{
    held -= p != NULL;
    __libc_free(p);
}
#pragma GCC visibility pop

static void memory_runs_out(void **state)
{
    enum ixa_probing result = IXA_PROBES_NO_MEMORY;
    size_t tries = 0;
    (void)state;
    make_full();
    const long before = held;
    while (result == IXA_PROBES_NO_MEMORY) {
        struct ixa_probed p;
        calls = 0;
        fails = ++tries;
        result = ixa_probes_insert(made.data, made.len, 100, &p);
        fails = 0;
        if (result != IXA_PROBED)
            assert_null(p.bytes);
        ixa_probed_free(&p);
        assert_int_equal(held, before);
    }
    assert_int_equal(result, IXA_PROBED);
    assert_true(tries > 8);
}
#else
static void memory_runs_out(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_methods), cmocka_unit_test(kinds_of_classes),
        cmocka_unit_test(full_classes),     cmocka_unit_test(two_methods),
        cmocka_unit_test(only_fields),      cmocka_unit_test(cut),
        cmocka_unit_test(damaged),          cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
