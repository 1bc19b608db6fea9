/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/coverage/code.h"

#include <stdlib.h>

#include "agent/coverage/big_endian.h"
#include "agent/coverage/stack_map.h"
#include "schema/base/grow.h"

enum { ICONST_1 = 0x04, PUTSTATIC = 0xb3, STACK_MAX = 65535, HANDLER_LENGTH = 8 };

struct code {
    uint16_t max_stack, max_locals, handler_count, attribute_count;
    struct ix_in bytes, handlers, attributes;
};

/* The parts of the attribute; false if they do not fill it. */
static bool read_code(const struct ixa_class_file *class, struct ix_in *in, struct code *code)
{
    code->max_stack = ixa_get_u2(in);
    code->max_locals = ixa_get_u2(in);
    code->bytes = ixa_get_range(in, ixa_get_u4(in));
    code->handler_count = ixa_get_u2(in);
    code->handlers = ixa_get_range(in, code->handler_count * (size_t)HANDLER_LENGTH);
    code->attribute_count = ixa_get_u2(in);
    code->attributes = *in;
    for (unsigned i = 0; i < code->attribute_count && !in->failed; i++)
        ixa_get_attribute(class, in);
    const size_t length = ix_in_left(&code->bytes);
    return !in->failed && ix_in_left(in) == 0 && length > 0 && length <= IXA_CODE_MAX;
}

/* Each handler has the pc where its range begins, where that ends, its own, and a class. */
static bool find_handlers(struct ixa_layout *l, struct ix_in handlers)
{
    while (ix_in_left(&handlers) > 0) {
        ix_get_bytes(&handlers, 4);
        if (!ixa_layout_leader(l, ixa_get_u2(&handlers)))
            return false;
        ix_get_bytes(&handlers, 2);
    }
    return true;
}

/* ---- what follows the code; all return false if something is not understood ---- */

static bool move_pc(const struct ixa_layout *l, struct ix_in *in, struct ix_out *out)
{
    const struct ixa_place *place = ixa_layout_at(l, ixa_get_u2(in));
    if (!place || in->failed)
        return false;
    ixa_put_u2(out, place->to);
    return true;
}

static void copy(size_t length, struct ix_in *in, struct ix_out *out)
{
    const uint8_t *at = ix_get_bytes(in, length);
    if (at)
        ix_put_bytes(out, at, length);
}

static bool move_handlers(const struct ixa_layout *l, struct ix_in in, struct ix_out *out)
{
    while (ix_in_left(&in) > 0) {
        for (unsigned pcs = 0; pcs < 3; pcs++)
            if (!move_pc(l, &in, out))
                return false;
        copy(2, &in, out);
    }
    return true;
}

/* Pairs of a pc and a line, which is noted. */
static bool move_lines(const struct ixa_layout *l, struct ix_in *in, struct ix_out *out)
{
    const uint16_t count = ixa_get_u2(in);
    ixa_put_u2(out, count);
    for (unsigned i = 0; i < count; i++) {
        struct ix_in pair = *in;
        struct ixa_place *place = ixa_layout_at(l, ixa_get_u2(&pair));
        const uint16_t line = ixa_get_u2(&pair);
        if (!move_pc(l, in, out))
            return false;
        copy(2, in, out);
        place->line = line;
    }
    return !in->failed;
}

/* Variables: the pc from which on each exists, for how many bytes, and six bytes more. */
static bool move_variables(const struct ixa_layout *l, struct ix_in *in, struct ix_out *out)
{
    const uint16_t count = ixa_get_u2(in);
    ixa_put_u2(out, count);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t from = ixa_get_u2(in), length = ixa_get_u2(in);
        const struct ixa_place *start = ixa_layout_at(l, from),
                               *end = ixa_layout_at(l, from + length);
        if (in->failed || !start || !end)
            return false;
        ixa_put_u2(out, start->to);
        ixa_put_u2(out, end->to - start->to);
        copy(6, in, out);
    }
    return !in->failed;
}

/* How an attribute is moved; NULL: it is left out. */
static const struct {
    const char *name;
    bool (*move)(const struct ixa_layout *l, struct ix_in *in, struct ix_out *out);
} attributes[] = {
    {"LineNumberTable", move_lines},
    {"LocalVariableTable", move_variables},
    {"LocalVariableTypeTable", move_variables},
    {"StackMapTable", ixa_stack_map_move},
    {"RuntimeVisibleTypeAnnotations", NULL},
    {"RuntimeInvisibleTypeAnnotations", NULL},
};

/* Adds to *kept unless it is left out. */
static bool move_attribute(const struct ixa_layout *l, const struct ixa_attribute *a,
                           struct ix_out *out, unsigned *kept)
{
    enum { NAME = 2, HEAD = NAME + 4 };
    struct ix_in in = a->content;
    size_t i = 0;
    while (i < sizeof attributes / sizeof *attributes && !ixa_span_is(a->name, attributes[i].name))
        i++;
    if (i == sizeof attributes / sizeof *attributes)
        return false;
    if (!attributes[i].move)
        return true;
    ix_put_bytes(out, a->all.at, HEAD);
    const size_t start = out->len;
    if (!attributes[i].move(l, &in, out) || ix_in_left(&in) != 0)
        return false;
    if (!out->failed)
        ixa_u4_to(out->data + start - HEAD + NAME, (uint32_t)(out->len - start));
    ++*kept;
    return true;
}

static bool move_attributes(struct ixa_coder *c, const struct code *code, struct ix_out *out)
{
    struct ix_in in = code->attributes;
    const size_t count_at = out->len;
    unsigned kept = 0;
    ixa_put_u2(out, 0);
    for (unsigned i = 0; i < code->attribute_count; i++) {
        const struct ixa_attribute a = ixa_get_attribute(c->class, &in);
        if (!move_attribute(&c->layout, &a, out, &kept))
            return false;
    }
    if (!out->failed)
        ixa_u2_to(out->data + count_at, kept);
    return true;
}

/* ---- the code ---- */

/* False: a jump is too far. */
static bool put_instruction(const struct ixa_layout *l, const struct ixa_instruction *i,
                            struct ix_out *out)
{
    const uint32_t pc = ixa_layout_own(&l->places[i->pc]);
    const size_t at = out->len;
    ix_put_bytes(out, i->at, i->length);
    for (uint32_t t = 0; !out->failed && t < i->target_count; t++) {
        const struct ixa_place *target = &l->places[ixa_instruction_target(i, t)];
        if (!ixa_instruction_aim(i, out->data + at, t, (int32_t)target->to - (int32_t)pc))
            return false;
    }
    return true;
}

static bool put_code(const struct ixa_layout *l, uint32_t field, uint32_t step, struct ix_out *out)
{
    struct ixa_instruction i;
    for (uint32_t pc = 0; pc < l->length; pc += i.length) {
        if (l->places[pc].is_leader) {
            ix_put_u8(out, ICONST_1);
            ix_put_u8(out, PUTSTATIC);
            ixa_put_u2(out, field);
            field += step;
        }
        i = ixa_layout_instruction(l, pc);
        if (!put_instruction(l, &i, out))
            return false;
    }
    return true;
}

/* The lines on which blocks begin, once the table of lines has been read. */
static int list_lines(struct ixa_coder *c)
{
    const struct ixa_layout *l = &c->layout;
    uint16_t line = 0;
    c->line_count = 0;
    for (uint32_t pc = 0; pc < l->length; pc++) {
        if (l->places[pc].line)
            line = l->places[pc].line;
        if (l->places[pc].is_leader && ix_append(c->lines, c->line_count, c->capacity, line) != 0)
            return -1;
    }
    return 0;
}

enum ixa_code_result ixa_code_probe(struct ixa_coder *c, struct ix_in in, uint32_t field,
                                    uint32_t step, struct ix_out *out)
{
    struct code code;
    struct ixa_layout *l = &c->layout;
    if (!read_code(c->class, &in, &code))
        return IXA_CODE_DAMAGED;
    if (!ixa_layout_begin(l, code.bytes.at, (uint32_t)ix_in_left(&code.bytes)))
        return l->places ? IXA_CODE_KEPT : IXA_CODE_NO_MEMORY;
    if (code.max_stack == STACK_MAX || !find_handlers(l, code.handlers) || !ixa_layout_end(l))
        return IXA_CODE_KEPT;
    ixa_put_u2(out, code.max_stack + 1u);
    ixa_put_u2(out, code.max_locals);
    ixa_put_u4(out, l->places[l->length].to);
    if (!put_code(l, field, step, out))
        return IXA_CODE_KEPT;
    ixa_put_u2(out, code.handler_count);
    if (!move_handlers(l, code.handlers, out) || !move_attributes(c, &code, out))
        return IXA_CODE_KEPT;
    return out->failed || list_lines(c) != 0 ? IXA_CODE_NO_MEMORY : IXA_CODE_PROBED;
}

void ixa_coder_free(struct ixa_coder *c)
{
    ixa_layout_free(&c->layout);
    free(c->lines);
    *c = (struct ixa_coder){.class = c->class};
}
