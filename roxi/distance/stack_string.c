/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/distance/stack_string.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/tracelog/tracelog.h"

struct parser {
    struct roxi_symbols *symbols;
    const char *text, *at;
    struct ix_out name; /* the name being read, unescaped */
    struct ix_error *err;
};

static int complain(struct parser *p, const char *what)
{
    return ix_fail(p->err, "column %zu: %s", (size_t)(p->at - p->text) + 1, what);
}

static int intern(struct parser *p, const void *bytes, size_t len, uint32_t *string)
{
    if (p->name.failed)
        return ix_fail(p->err, "out of memory");
    *string = roxi_symbols_string(p->symbols, len ? bytes : "", len);
    return *string == ROXI_NONE ? ix_fail(p->err, "out of memory") : 0;
}

#define NAME_ESCAPES "\\;(.nr"
#define DESCRIPTOR_ESCAPES "\\nr"

/* Appends one character, unescaped, to p->name. */
static int take_char(struct parser *p, const char *escapes)
{
    char c = *p->at;
    if (c == '\\') {
        c = p->at[1];
        if (!c || !strchr(escapes, c))
            return complain(p, "'\\' comes before one of \\ n r, in names also ; ( .");
        p->at++;
        c = c == 'n' ? '\n' : c == 'r' ? '\r' : c;
    }
    ix_put_bytes(&p->name, &c, 1);
    p->at++;
    return 0;
}

/* JVMS 4.3.2 FieldDescriptor, or V for a return type. */
static int take_type(struct parser *p, bool result)
{
    size_t dimensions = 0;
    for (; *p->at == '['; dimensions++)
        if (take_char(p, DESCRIPTOR_ESCAPES) != 0)
            return -1;
    if (dimensions > 255)
        return complain(p, "an array has at most 255 dimensions");
    if (*p->at && strchr(result && !dimensions ? "BCDFIJSZV" : "BCDFIJSZ", *p->at))
        return take_char(p, DESCRIPTOR_ESCAPES);
    if (*p->at != 'L')
        return complain(p, *p->at ? "no type of a descriptor begins like this"
                                  : "the descriptor ends too early");
    if (p->at[1] == ';')
        return complain(p, "a class name is missing after 'L'");
    while (*p->at != ';') {
        if (!*p->at)
            return complain(p, "the ';' after a class name in the descriptor is missing");
        if (take_char(p, DESCRIPTOR_ESCAPES) != 0)
            return -1;
    }
    return take_char(p, DESCRIPTOR_ESCAPES);
}

static int take_descriptor(struct parser *p, uint32_t *descriptor)
{
    ix_out_clear(&p->name);
    if (take_char(p, DESCRIPTOR_ESCAPES) != 0)
        return -1;
    while (*p->at != ')')
        if (take_type(p, false) != 0)
            return -1;
    if (take_char(p, DESCRIPTOR_ESCAPES) != 0 || take_type(p, true) != 0)
        return -1;
    return intern(p, p->name.data, p->name.len, descriptor);
}

static int take_line(struct parser *p, int32_t *line)
{
    const char *start = p->at++;
    bool negative = *p->at == '-';
    if (negative)
        p->at++;
    if (*p->at < '0' || *p->at > '9')
        return complain(p, "a line number is missing after ':'");
    int64_t value = 0;
    for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
        value = value * 10 + (*p->at - '0');
        if (value > INT32_MAX) {
            p->at = start;
            return complain(p, "the line number is too large");
        }
    }
    *line = (int32_t)(negative ? -value : value);
    return 0;
}

/* Class and method up to '(', or a class alone up to ';'. *dot: position in p->name of the last
 * '.' without '\' before it. */
static int take_names(struct parser *p, size_t *dot)
{
    *dot = SIZE_MAX;
    ix_out_clear(&p->name);
    while (*p->at && *p->at != ';' && *p->at != '(') {
        if (*p->at == '.')
            *dot = p->name.len;
        if (take_char(p, NAME_ESCAPES) != 0)
            return -1;
    }
    return 0;
}

static int take_frame(struct parser *p, struct roxi_frame *frame)
{
    size_t dot;
    *frame = (struct roxi_frame){.line = IX_LINE_UNKNOWN};
    if (*p->at == ';' || !*p->at)
        return complain(p, "a frame is missing");
    if (take_names(p, &dot) != 0)
        return -1;
    if (*p->at != '(')
        return intern(p, p->name.data, p->name.len, &frame->class_name);
    if (dot == SIZE_MAX)
        return complain(p, "Class.method is missing before '('");
    const uint8_t *name = p->name.data;
    if (intern(p, name, dot, &frame->class_name) != 0 ||
        intern(p, name + dot + 1, p->name.len - dot - 1, &frame->method) != 0 ||
        take_descriptor(p, &frame->descriptor) != 0)
        return -1;
    return *p->at == ':' ? take_line(p, &frame->line) : 0;
}

static int take_stack(struct parser *p, uint32_t *stack)
{
    *stack = 0;
    if (!*p->at)
        return 0;
    for (;;) {
        struct roxi_frame frame;
        if (take_frame(p, &frame) != 0)
            return -1;
        uint32_t number = roxi_symbols_frame(p->symbols, frame);
        if (number != ROXI_NONE)
            number = *stack = roxi_symbols_stack(p->symbols, *stack, number);
        if (number == ROXI_NONE)
            return ix_fail(p->err, "out of memory");
        if (!*p->at)
            return 0;
        if (*p->at != ';')
            return complain(p, "';' or the end is expected after a frame");
        p->at++;
    }
}

int roxi_stack_parse(struct roxi_symbols *s, const char *text, uint32_t *stack,
                     struct ix_error *err)
{
    struct parser p = {.symbols = s, .text = text, .at = text, .err = err};
    int result = take_stack(&p, stack);
    ix_out_free(&p.name);
    return result;
}

static void put_escaped(struct ix_out *out, const char *text, const char *protect)
{
    for (; *text; text++) {
        char escaped[2] = {'\\', *text == '\n' ? 'n' : *text == '\r' ? 'r' : *text};
        if (strchr(protect, *text))
            ix_put_bytes(out, escaped, 2);
        else
            ix_put_bytes(out, text, 1);
    }
}

void roxi_frame_print(struct ix_out *out, const struct roxi_symbols *s, uint32_t frame)
{
    struct roxi_frame f = roxi_symbols_frame_at(s, frame);
    put_escaped(out, roxi_symbols_text(s, f.class_name), "\\;(\n\r");
    if (!f.method && !f.descriptor && f.line == IX_LINE_UNKNOWN)
        return;
    ix_put_bytes(out, ".", 1);
    put_escaped(out, roxi_symbols_text(s, f.method), "\\;(.\n\r");
    put_escaped(out, roxi_symbols_text(s, f.descriptor), "\\\n\r");
    if (f.line == IX_LINE_UNKNOWN)
        return;
    char line[16];
    int len = snprintf(line, sizeof line, ":%d", (int)f.line);
    ix_put_bytes(out, line, (size_t)len);
}

void roxi_stack_print(struct ix_out *out, const struct roxi_symbols *s, uint32_t stack)
{
    uint32_t depth = roxi_symbols_stack_at(s, stack).depth;
    uint32_t *frames = reallocarray(NULL, depth + 1u, sizeof *frames);
    if (!frames) {
        out->failed = true;
        return;
    }
    roxi_symbols_unfold(s, stack, frames);
    for (uint32_t i = 0; i < depth; i++) {
        if (i)
            ix_put_bytes(out, ";", 1);
        roxi_frame_print(out, s, frames[i]);
    }
    free(frames);
}
