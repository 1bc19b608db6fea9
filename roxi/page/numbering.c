/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/numbering.h"

#include <inttypes.h>
#include <stdlib.h>

#include "roxi/base/json.h"
#include "roxi/base/platform.h"
#include "roxi/base/text_escape.h"
#include "roxi/explain/words.h"
#include "schema/base/text_memory.h"

void roxi_numbering_free(struct roxi_numbering *n)
{
    roxi_tally_free(&n->strings);
    roxi_tally_free(&n->frames);
    roxi_tally_free(&n->stacks);
    roxi_tally_free(&n->methods);
}

static uint32_t number(struct roxi_numbering *n, struct roxi_tally *t, uint64_t key)
{
    const uint32_t at = roxi_tally_add(t, key, 0);
    n->failed = n->failed || at == ROXI_NONE;
    return at;
}

uint32_t roxi_number_string(struct roxi_numbering *n, uint32_t string)
{
    number(n, &n->strings, 0);
    return number(n, &n->strings, string);
}

/* Its callers are numbered when the list is written. */
uint32_t roxi_number_stack(struct roxi_numbering *n, uint32_t stack)
{
    number(n, &n->stacks, 0);
    return number(n, &n->stacks, stack);
}

uint32_t roxi_number_method(struct roxi_numbering *n, uint32_t class_name, uint32_t method)
{
    return number(n, &n->methods, roxi_pair(class_name, method));
}

/* ---- writing ---- */

/* As JSON what was written to `t`, with control characters shown. */
static void put_text(FILE *out, struct roxi_numbering *n, struct ix_text *t)
{
    char *text = ix_text_close(t);
    if (text)
        roxi_json_string(out, text);
    n->failed = n->failed || !text;
    free(text);
}

static void put_string(FILE *out, struct roxi_numbering *n, uint32_t string)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0) {
        n->failed = true;
        return;
    }
    text_print(t.out, roxi_symbols_text(n->profiles->symbols, string));
    put_text(out, n, &t);
}

static void put_frame(FILE *out, struct roxi_numbering *n, uint32_t frame)
{
    const struct roxi_symbols *s = n->profiles->symbols;
    const struct roxi_frame f = roxi_symbols_frame_at(s, frame);
    struct ix_text t;
    if (ix_text_open(&t) != 0) {
        n->failed = true;
        return;
    }
    roxi_print_frame(t.out, n->profiles, frame);
    putc('[', out);
    put_text(out, n, &t);
    fprintf(out, ",%d]", roxi_is_platform(roxi_symbols_text(s, f.class_name)));
}

static void write_stacks(FILE *out, struct roxi_numbering *n)
{
    fputs("\"stacks\":[0,0,0", out);
    number(n, &n->frames, 0);
    number(n, &n->stacks, 0);
    for (size_t i = 1; i < n->stacks.n && !n->failed; i++) { /* grows by the callers */
        const uint32_t stack = (uint32_t)roxi_tally_key(&n->stacks, i);
        const struct roxi_stack at = roxi_symbols_stack_at(n->profiles->symbols, stack);
        fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%d", roxi_number_stack(n, at.parent),
                number(n, &n->frames, at.frame), roxi_doing_in(n->profiles->symbols, stack));
    }
    fputs("],\n\"frames\":[", out);
    for (size_t i = 0; i < n->frames.n; i++) {
        if (i)
            fputs(",\n", out);
        put_frame(out, n, (uint32_t)roxi_tally_key(&n->frames, i));
    }
    putc(']', out);
}

static void write_methods(FILE *out, const struct roxi_numbering *n)
{
    const struct roxi_symbols *s = n->profiles->symbols;
    fputs(",\n\"methods\":[", out);
    for (size_t i = 0; i < n->methods.n; i++) {
        const uint64_t key = roxi_tally_key(&n->methods, i);
        fputs(i ? ",\n\"" : "\"", out);
        roxi_json_text(out, roxi_symbols_text(s, (uint32_t)(key >> 32)));
        if ((uint32_t)key)
            putc('.', out);
        roxi_json_text(out, roxi_symbols_text(s, (uint32_t)key));
        putc('"', out);
    }
    putc(']', out);
}

void roxi_numbering_write(FILE *out, struct roxi_numbering *n)
{
    number(n, &n->strings, 0);
    write_stacks(out, n);
    write_methods(out, n);
    fputs(",\n\"strings\":[", out);
    for (size_t i = 0; i < n->strings.n; i++) {
        if (i)
            putc(',', out);
        put_string(out, n, (uint32_t)roxi_tally_key(&n->strings, i));
    }
    putc(']', out);
}
