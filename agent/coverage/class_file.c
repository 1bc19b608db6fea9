/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/coverage/class_file.h"

#include <stdlib.h>
#include <string.h>

#include "agent/coverage/big_endian.h"

enum { UTF8 = 1, LONG = 5, DOUBLE = 6, CLASS = 7, METHOD = 10, INTERFACE_METHOD = 11 };

/* Bytes behind a constant's tag; 0: there is no such constant. Of a Utf8, those before the text. */
static const uint8_t constant_lengths[] = {
    [UTF8] = 2, [3] = 4,  [4] = 4,  [LONG] = 8, [DOUBLE] = 8, [CLASS] = 2,
    [8] = 2,    [9] = 4,  [10] = 4, [11] = 4,   [12] = 4,     [15] = 3,
    [16] = 2,   [17] = 4, [18] = 4, [19] = 2,   [20] = 2,
};

/* How many numbers a constant takes; 0: it is damaged. */
static unsigned skip_constant(struct ix_in *in)
{
    const uint8_t tag = ix_get_u8(in);
    const size_t length = tag < sizeof constant_lengths ? constant_lengths[tag] : 0;
    const uint8_t *at = ix_get_bytes(in, length);
    if (at && tag == UTF8)
        ix_get_bytes(in, ixa_u2_at(at));
    if (!length || in->failed)
        return 0;
    return tag == LONG || tag == DOUBLE ? 2 : 1;
}

static bool read_constants(struct ixa_class_file *c, struct ix_in *in)
{
    for (unsigned i = 1, taken; i < c->constant_count; i += taken) {
        c->constants[i] = (uint32_t)(in->at - c->bytes);
        taken = skip_constant(in);
        if (!taken || i + taken > c->constant_count)
            return false;
    }
    return true;
}

static bool is_constant(const struct ixa_class_file *c, uint16_t number, uint8_t tag)
{
    return number < c->constant_count && c->constants[number] &&
           c->bytes[c->constants[number]] == tag;
}

/* The text of a Utf8; another constant is a failure. */
static struct ix_span get_text(const struct ixa_class_file *c, struct ix_in *in)
{
    const uint16_t number = ixa_get_u2(in);
    if (in->failed || !is_constant(c, number, UTF8)) {
        in->failed = true;
        return (struct ix_span){0};
    }
    const uint8_t *at = c->bytes + c->constants[number] + 1;
    return (struct ix_span){(const char *)at + 2, ixa_u2_at(at)};
}

struct ixa_attribute ixa_get_attribute(const struct ixa_class_file *c, struct ix_in *in)
{
    const uint8_t *start = in->at;
    struct ixa_attribute a = {.name = get_text(c, in)};
    a.content = ixa_get_range(in, ixa_get_u4(in));
    a.all = ix_in_of(start, (size_t)(in->at - start));
    if (in->failed)
        a = (struct ixa_attribute){0};
    return a;
}

static struct ix_in get_attributes(const struct ixa_class_file *c, struct ix_in *in, uint16_t count)
{
    const uint8_t *start = in->at;
    for (unsigned i = 0; i < count && !in->failed; i++)
        ixa_get_attribute(c, in);
    return ix_in_of(start, (size_t)(in->at - start));
}

struct ixa_member ixa_get_member(const struct ixa_class_file *c, struct ix_in *in)
{
    struct ixa_member m = {0};
    const uint8_t *start = in->at;
    m.access = ixa_get_u2(in);
    m.name = get_text(c, in);
    m.descriptor = get_text(c, in);
    m.attribute_count = ixa_get_u2(in);
    m.attributes = get_attributes(c, in, m.attribute_count);
    m.all = ix_in_of(start, (size_t)(in->at - start));
    if (in->failed)
        m = (struct ixa_member){0};
    return m;
}

/* Reads a count and so many members; returns the place of the first one. */
static size_t skip_members(const struct ixa_class_file *c, struct ix_in *in, uint16_t *count)
{
    *count = ixa_get_u2(in);
    const size_t start = (size_t)(in->at - c->bytes);
    for (unsigned i = 0; i < *count && !in->failed; i++)
        ixa_get_member(c, in);
    return start;
}

/* All that is behind the constants. */
static bool read_parts(struct ixa_class_file *c, struct ix_in *in)
{
    c->after_constants = (size_t)(in->at - c->bytes);
    c->access = ixa_get_u2(in);
    c->this_class = ixa_get_u2(in);
    ix_get_bytes(in, 2);                          /* the superclass */
    ix_get_bytes(in, 2 * (size_t)ixa_get_u2(in)); /* interfaces */
    c->fields = skip_members(c, in, &c->field_count);
    c->after_fields = (size_t)(in->at - c->bytes);
    c->methods = skip_members(c, in, &c->method_count);
    c->after_methods = (size_t)(in->at - c->bytes);
    get_attributes(c, in, ixa_get_u2(in));
    return !in->failed && ix_in_left(in) == 0 && is_constant(c, c->this_class, CLASS);
}

enum ixa_class_result ixa_class_file_read(const uint8_t *bytes, size_t length,
                                          struct ixa_class_file *c)
{
    struct ix_in in = ix_in_of(bytes, length);
    *c = (struct ixa_class_file){.bytes = bytes, .length = length};
    if (length > INT32_MAX || ixa_get_u4(&in) != 0xcafebabe)
        return IXA_CLASS_DAMAGED;
    ix_get_bytes(&in, 2); /* the minor version */
    c->version = ixa_get_u2(&in);
    c->constant_count = ixa_get_u2(&in);
    if (in.failed || !c->constant_count)
        return IXA_CLASS_DAMAGED;
    c->constants = calloc(c->constant_count, sizeof *c->constants);
    if (!c->constants)
        return IXA_CLASS_NO_MEMORY;
    if (read_constants(c, &in) && read_parts(c, &in))
        return IXA_CLASS_READ;
    ixa_class_file_free(c);
    return IXA_CLASS_DAMAGED;
}

void ixa_class_file_free(struct ixa_class_file *c)
{
    free(c->constants);
    *c = (struct ixa_class_file){0};
}

struct ix_in ixa_class_file_fields(const struct ixa_class_file *c)
{
    return ix_in_of(c->bytes + c->fields, c->after_fields - c->fields);
}

struct ix_in ixa_class_file_methods(const struct ixa_class_file *c)
{
    return ix_in_of(c->bytes + c->methods, c->after_methods - c->methods);
}

struct ix_span ixa_class_name(const struct ixa_class_file *c, uint16_t constant)
{
    if (!is_constant(c, constant, CLASS))
        return (struct ix_span){0};
    struct ix_in in = ix_in_of(c->bytes + c->constants[constant] + 1, 2);
    return get_text(c, &in);
}

struct ix_span ixa_owner_name(const struct ixa_class_file *c, uint16_t constant)
{
    if (!is_constant(c, constant, METHOD) && !is_constant(c, constant, INTERFACE_METHOD))
        return (struct ix_span){0};
    return ixa_class_name(c, ixa_u2_at(c->bytes + c->constants[constant] + 1));
}

bool ixa_span_begins(struct ix_span span, const char *text)
{
    const size_t length = strlen(text);
    return span.len >= length && memcmp(span.text, text, length) == 0;
}

bool ixa_span_is(struct ix_span span, const char *text)
{
    return span.len == strlen(text) && ixa_span_begins(span, text);
}
