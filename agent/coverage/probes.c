/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/coverage/probes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/coverage/big_endian.h"
#include "agent/coverage/class_file.h"
#include "agent/coverage/code.h"
#include "agent/coverage/initializer.h"
#include "schema/base/grow.h"

enum {
    FIRST_VERSION = 50, /* the first with stack maps */
    MANY = 65535,       /* the most that two bytes count: constants, fields */
    NAME = 1, /* constants of a field: the first; with probes NameAndType and Fieldref follow it */
    FIELD_REF = 3,
};

struct work {
    struct ixa_class_file class;
    struct ixa_coder coder;
    uint32_t step;   /* constants of each field: NAME or FIELD_REF of them */
    uint32_t most;   /* blocks */
    bool made_early; /* there may be objects before the class is initialized */
    struct ix_out methods;
    struct ixa_probed made;
    size_t block_capacity, method_capacity;
};

static void copy(struct ix_out *out, struct ix_in in)
{
    ix_put_bytes(out, in.at, ix_in_left(&in));
}

/* ---- the new constants and fields ---- */

/* The first new constant is the fields' descriptor, behind which each field has its own. */
static uint32_t descriptor_constant(const struct work *w)
{
    return w->class.constant_count;
}

static uint32_t field_constant(const struct work *w, uint32_t field)
{
    return descriptor_constant(w) + 1 + field * w->step;
}

static void put_text(struct ix_out *out, const char *text)
{
    enum { UTF8 = 1 };
    ix_put_u8(out, UTF8);
    ixa_put_u2(out, (uint32_t)strlen(text));
    ix_put_bytes(out, text, strlen(text));
}

static void put_pair(struct ix_out *out, uint8_t tag, uint32_t first, uint32_t second)
{
    ix_put_u8(out, tag);
    ixa_put_u2(out, first);
    ixa_put_u2(out, second);
}

static void put_constants(const struct work *w, uint32_t fields, struct ix_out *out)
{
    enum { FIELDREF = 9, NAME_AND_TYPE = 12 };
    char name[sizeof IXA_PROBES_FIELD + 10];
    put_text(out, "Z");
    for (uint32_t i = 0; i < fields; i++) {
        const uint32_t number = field_constant(w, i);
        snprintf(name, sizeof name, IXA_PROBES_FIELD "%u", (unsigned)i);
        put_text(out, name);
        if (w->step == NAME)
            continue;
        put_pair(out, NAME_AND_TYPE, number, descriptor_constant(w));
        put_pair(out, FIELDREF, w->class.this_class, number + 1);
    }
}

static void put_fields(const struct work *w, uint32_t fields, struct ix_out *out)
{
    for (uint32_t i = 0; i < fields; i++) {
        ixa_put_u2(out, IXA_ACC_PRIVATE | IXA_ACC_STATIC | IXA_ACC_TRANSIENT | IXA_ACC_SYNTHETIC);
        ixa_put_u2(out, field_constant(w, i));
        ixa_put_u2(out, descriptor_constant(w));
        ixa_put_u2(out, 0); /* attributes */
    }
}

/* The class with its new parts between the old ones, to w->made. */
static enum ixa_probing put_class(struct work *w, uint32_t fields, struct ix_in methods)
{
    enum { COUNT_AT = 8, CONSTANTS_AT = 10 };
    const struct ixa_class_file *c = &w->class;
    const uint8_t *b = c->bytes;
    struct ix_out out = {0};
    ix_put_bytes(&out, b, COUNT_AT);
    ixa_put_u2(&out, field_constant(w, fields));
    ix_put_bytes(&out, b + CONSTANTS_AT, c->after_constants - CONSTANTS_AT);
    put_constants(w, fields, &out);
    ix_put_bytes(&out, b + c->after_constants, c->fields - 2 - c->after_constants);
    ixa_put_u2(&out, c->field_count + fields);
    ix_put_bytes(&out, b + c->fields, c->after_fields - c->fields);
    put_fields(w, fields, &out);
    ixa_put_u2(&out, c->method_count);
    copy(&out, methods);
    ix_put_bytes(&out, b + c->after_methods, c->length - c->after_methods);
    if (out.failed) {
        ix_out_free(&out);
        return IXA_PROBES_NO_MEMORY;
    }
    w->made.bytes = out.data;
    w->made.length = out.len;
    return IXA_PROBED;
}

/* ---- methods ---- */

/* The compiler's methods have no source, but what it makes of lambda expressions has. An object's
 * method, other than a constructor, may run on another thread before the class is initialized,
 * where a probe would wait. */
static bool is_wanted(const struct work *w, const struct ixa_member *m)
{
    const bool waits =
        w->made_early && !(m->access & IXA_ACC_STATIC) && !ixa_span_is(m->name, "<init>");
    return !waits && (!(m->access & (IXA_ACC_SYNTHETIC | IXA_ACC_BRIDGE)) ||
                      ixa_span_begins(m->name, "lambda$"));
}

/* How many Code attributes it has. */
static unsigned count_code(const struct work *w, const struct ixa_member *m)
{
    struct ix_in in = m->attributes;
    unsigned count = 0;
    for (unsigned i = 0; i < m->attribute_count; i++)
        count += ixa_span_is(ixa_get_attribute(&w->class, &in).name, "Code");
    return count;
}

static enum ixa_code_result put_probed(struct work *w, const struct ixa_member *m)
{
    enum { MEMBER_HEAD = 8, NAME_LENGTH = 2 };
    struct ix_in in = m->attributes;
    struct ix_out *out = &w->methods;
    ix_put_bytes(out, m->all.at, MEMBER_HEAD);
    for (unsigned i = 0; i < m->attribute_count; i++) {
        const struct ixa_attribute a = ixa_get_attribute(&w->class, &in);
        if (!ixa_span_is(a.name, "Code")) {
            copy(out, a.all);
            continue;
        }
        ix_put_bytes(out, a.all.at, NAME_LENGTH);
        ixa_put_u4(out, 0);
        const size_t start = out->len;
        const uint32_t field = field_constant(w, w->made.block_count) + FIELD_REF - NAME;
        const enum ixa_code_result result =
            ixa_code_probe(&w->coder, a.content, field, w->step, out);
        if (result != IXA_CODE_PROBED)
            return result;
        ixa_u4_to(out->data + start - 4, (uint32_t)(out->len - start));
    }
    return IXA_CODE_PROBED;
}

/* Enters a method and its blocks in what was made. */
static int note(struct work *w, const struct ixa_member *m)
{
    struct ixa_probed *p = &w->made;
    struct ixa_probed_method method = {.name = strndup(m->name.text, m->name.len),
                                       .descriptor =
                                           strndup(m->descriptor.text, m->descriptor.len)};
    if (!method.name || !method.descriptor ||
        ix_append(p->methods, p->method_count, w->method_capacity, method) != 0) {
        free(method.name);
        free(method.descriptor);
        return -1;
    }
    for (uint32_t i = 0; i < w->coder.line_count; i++) {
        const struct ixa_block block = {.method = (uint16_t)(p->method_count - 1),
                                        .line = w->coder.lines[i]};
        if (ix_append(p->blocks, p->block_count, w->block_capacity, block) != 0)
            return -1;
    }
    return 0;
}

static enum ixa_probing put_method(struct work *w, const struct ixa_member *m)
{
    const unsigned codes = is_wanted(w, m) ? count_code(w, m) : 0;
    const size_t before = w->methods.len;
    enum ixa_code_result result = codes == 0   ? IXA_CODE_KEPT
                                  : codes == 1 ? put_probed(w, m)
                                               : IXA_CODE_DAMAGED;
    if (w->methods.failed || result == IXA_CODE_NO_MEMORY)
        return IXA_PROBES_NO_MEMORY;
    if (result == IXA_CODE_DAMAGED)
        return IXA_LEFT_ALONE;
    if (result == IXA_CODE_KEPT) {
        w->methods.len = before;
        copy(&w->methods, m->all);
        return w->methods.failed ? IXA_PROBES_NO_MEMORY : IXA_PROBED;
    }
    if (w->coder.line_count > w->most - w->made.block_count)
        return IXA_LEFT_ALONE;
    return note(w, m) == 0 ? IXA_PROBED : IXA_PROBES_NO_MEMORY;
}

/* ---- the class ---- */

/* The most fields that can be added to it; 0: it is of a kind that gets none. */
static uint32_t room(const struct work *w)
{
    const struct ixa_class_file *c = &w->class;
    struct ix_in in = ixa_class_file_fields(c);
    if ((c->access & (IXA_ACC_INTERFACE | IXA_ACC_MODULE)) || c->constant_count == MANY)
        return 0;
    for (unsigned i = 0; i < c->field_count; i++)
        if (ixa_span_begins(ixa_get_member(c, &in).name, IXA_PROBES_FIELD))
            return 0;
    const uint32_t constants = (MANY - 1u - c->constant_count) / w->step,
                   fields = (uint32_t)MANY - c->field_count;
    return constants < fields ? constants : fields;
}

static enum ixa_probing put_methods(struct work *w, uint32_t max_blocks)
{
    struct ix_in in = ixa_class_file_methods(&w->class);
    const uint32_t most = room(w);
    w->made_early = ixa_initializer_makes_objects(&w->class);
    w->most = most < max_blocks ? most : max_blocks;
    if (w->class.version < FIRST_VERSION || !w->most)
        return IXA_LEFT_ALONE;
    for (unsigned i = 0; i < w->class.method_count; i++) {
        const struct ixa_member m = ixa_get_member(&w->class, &in);
        const enum ixa_probing result = put_method(w, &m);
        if (result != IXA_PROBED)
            return result;
    }
    if (w->made.block_count == 0)
        return IXA_LEFT_ALONE;
    return put_class(w, w->made.block_count, ix_in_of(w->methods.data, w->methods.len));
}

static enum ixa_probing begin(struct work *w, const uint8_t *class_file, size_t length,
                              uint32_t step)
{
    *w = (struct work){.step = step};
    w->coder.class = &w->class;
    switch (ixa_class_file_read(class_file, length, &w->class)) {
    case IXA_CLASS_READ:
        return IXA_PROBED;
    case IXA_CLASS_NO_MEMORY:
        return IXA_PROBES_NO_MEMORY;
    default:
        return IXA_LEFT_ALONE;
    }
}

static enum ixa_probing name_class(struct work *w)
{
    const struct ix_span name = ixa_class_name(&w->class, w->class.this_class);
    w->made.name = strndup(name.text ? name.text : "", name.len);
    return w->made.name ? IXA_PROBED : IXA_PROBES_NO_MEMORY;
}

static enum ixa_probing end(struct work *w, enum ixa_probing result, struct ixa_probed *out)
{
    if (result != IXA_PROBED)
        ixa_probed_free(&w->made);
    *out = w->made;
    ix_out_free(&w->methods);
    ixa_coder_free(&w->coder);
    ixa_class_file_free(&w->class);
    return result;
}

enum ixa_probing ixa_probes_insert(const uint8_t *class_file, size_t length, uint32_t max_blocks,
                                   struct ixa_probed *out)
{
    struct work w;
    enum ixa_probing result = begin(&w, class_file, length, FIELD_REF);
    if (result == IXA_PROBED)
        result = put_methods(&w, max_blocks);
    if (result == IXA_PROBED)
        result = name_class(&w);
    return end(&w, result, out);
}

enum ixa_probing ixa_probes_only_fields(const uint8_t *class_file, size_t length, uint32_t blocks,
                                        struct ixa_probed *out)
{
    struct work w;
    enum ixa_probing result = begin(&w, class_file, length, NAME);
    if (result == IXA_PROBED)
        result = blocks == 0 || blocks > room(&w)
                     ? IXA_LEFT_ALONE
                     : put_class(&w, blocks, ixa_class_file_methods(&w.class));
    return end(&w, result, out);
}

void ixa_probed_free(struct ixa_probed *p)
{
    for (uint32_t i = 0; i < p->method_count; i++) {
        free(p->methods[i].name);
        free(p->methods[i].descriptor);
    }
    free(p->methods);
    free(p->blocks);
    free(p->bytes);
    free(p->name);
    *p = (struct ixa_probed){0};
}
