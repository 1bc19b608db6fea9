/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/class_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>

#include "agent/coverage/class_file.h"

static const char *const texts[CONSTANTS] = {"",
                                             "C",
                                             [METHOD] = "m",
                                             "()V",
                                             "Code",
                                             "LineNumberTable",
                                             "LocalVariableTable",
                                             "LocalVariableTypeTable",
                                             "StackMapTable",
                                             "RuntimeVisibleTypeAnnotations",
                                             "Other",
                                             "lambda$m$0",
                                             "f",
                                             [PROBE_FIELD] = "$ixor7"};

struct ix_out content, made;
struct ixa_probed probed;

void begin_content(const uint8_t *code, size_t length, uint8_t handlers)
{
    ix_out_clear(&content);
    PUT(&content, 0, 1, 0, 2);
    ixa_put_u4(&content, (uint32_t)length);
    ix_put_bytes(&content, code, length);
    ixa_put_u2(&content, handlers);
}

static void put_text(struct ix_out *out, const char *text)
{
    ix_put_u8(out, 1);
    ixa_put_u2(out, (uint32_t)strlen(text));
    ix_put_bytes(out, text, strlen(text));
}

static void put_constants(struct ix_out *out, const struct made_class *c)
{
    ixa_put_u2(out, CONSTANTS + c->more_constants + c->constant_count);
    put_text(out, c->name ? c->name : texts[1]);
    for (uint8_t i = THIS; i < CONSTANTS; i++) {
        if (i == THIS)
            PUT(out, 7, 0, 1);
        else if (i == A_LONG)
            PUT(out, 5, 1, 2, 3, 4, 5, 6, 7, 8);
        else if (i != A_LONG + 1)
            put_text(out, texts[i]);
    }
    if (c->constants)
        ix_put_bytes(out, c->constants->data, c->constants->len);
    for (unsigned i = 0; i < c->more_constants; i++)
        PUT(out, 3, 0, 0, 0, 0);
}

static void put_method(struct ix_out *out, const struct made_method *m)
{
    ixa_put_u2(out, m->access);
    ixa_put_u2(out, m->name ? m->name : METHOD);
    PUT(out, 0, DESCRIPTOR, 0, (uint8_t)(m->codes + 1));
    PUT(out, 0, OTHER, 0, 0, 0, 1, 0x55);
    for (unsigned i = 0; i < m->codes; i++) {
        ixa_put_u2(out, CODE);
        ixa_put_u4(out, (uint32_t)m->content->len);
        ix_put_bytes(out, m->content->data, m->content->len);
    }
}

void make(const struct made_class *c)
{
    struct ix_out *out = &made;
    const unsigned methods = c->methods[1].content ? 2 : 1;
    ix_out_clear(out);
    PUT(out, 0xca, 0xfe, 0xba, 0xbe, 0, 0);
    ixa_put_u2(out, c->version ? c->version : 61);
    put_constants(out, c);
    ixa_put_u2(out, c->access);
    PUT(out, 0, THIS, 0, 0, 0, 1, 0, THIS); /* no superclass, one interface */
    ixa_put_u2(out, c->fields + 1);
    for (unsigned i = 0; i <= c->fields; i++) {
        PUT(out, 0, 8);
        ixa_put_u2(out, c->field ? c->field : FIELD);
        PUT(out, 0, DESCRIPTOR, 0, 0);
    }
    ixa_put_u2(out, methods);
    for (unsigned i = 0; i < methods; i++)
        put_method(out, &c->methods[i]);
    PUT(out, 0, 1, 0, OTHER, 0, 0, 0, 2, 0x66, 0x77);
}

struct ix_in code_of(const uint8_t *bytes, size_t length, unsigned method)
{
    struct ixa_class_file c;
    struct ixa_member m = {0};
    struct ix_in found = {0};
    assert_int_equal(ixa_class_file_read(bytes, length, &c), IXA_CLASS_READ);
    struct ix_in in = ixa_class_file_methods(&c);
    for (unsigned i = 0; i <= method; i++)
        m = ixa_get_member(&c, &in);
    for (unsigned i = 0; i < m.attribute_count; i++) {
        const struct ixa_attribute a = ixa_get_attribute(&c, &m.attributes);
        if (ixa_span_is(a.name, "Code"))
            found = a.content;
    }
    ixa_class_file_free(&c);
    return found;
}

enum ixa_probing insert(uint32_t max_blocks)
{
    ixa_probed_free(&probed);
    return ixa_probes_insert(made.data, made.len, max_blocks, &probed);
}

enum ixa_probing insert_content(void)
{
    make(&(struct made_class){.methods = {{.codes = 1, .content = &content}}});
    return insert(1000);
}

void expect(const uint8_t *want, size_t length)
{
    assert_int_equal(insert_content(), IXA_PROBED);
    const struct ix_in got = code_of(probed.bytes, probed.length, 0);
    for (size_t i = 0; i < length && i < ix_in_left(&got); i++)
        if (got.at[i] != want[i])
            fail_msg("byte %zu: 0x%02x instead of 0x%02x", i, got.at[i], want[i]);
    assert_int_equal(ix_in_left(&got), length);
}

void expect_kept(void)
{
    struct ix_out plain = {0};
    PUT(&plain, 0, 0, 0, 0, 0, 0, 0, 1, 0xb1, 0, 0, 0, 0);
    make(&(struct made_class){
        .methods = {{.codes = 1, .content = &plain}, {.codes = 1, .content = &content}}});
    assert_int_equal(insert(100000), IXA_PROBED);
    const struct ix_in got = code_of(probed.bytes, probed.length, 1);
    assert_int_equal(ix_in_left(&got), content.len);
    assert_memory_equal(got.at, content.data, content.len);
    assert_int_equal(probed.block_count, 1);
    assert_int_equal(probed.method_count, 1);
    ix_out_free(&plain);
}

int tear_down(void **state)
{
    (void)state;
    ixa_probed_free(&probed);
    ix_out_free(&content);
    ix_out_free(&made);
    return 0;
}

void put_end(void)
{
    PUT(&content, 0, 0);
}
