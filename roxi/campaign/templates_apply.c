/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/templates.h"

#include <string.h>

#include "roxi/campaign/templates_table.h"

/* NULL: not known, so that all numbers are '*'. */
static const struct kind *find_kind(const struct roxi_templates *t, const char *name,
                                    struct roxi_shape *s, struct ix_out *scratch)
{
    roxi_shape_of(name, s);
    ix_out_clear(scratch);
    if (t->full || roxi_shape_text(scratch, name, s, ROXI_NO_PIECE) != 0)
        return NULL;
    const uint32_t number = ix_intern_find(&t->shapes, scratch->data, scratch->len);
    return number == IX_INTERN_FAILED ? NULL : &t->kinds[number];
}

static void put_template(struct ix_out *out, const char *name, const struct roxi_shape *s,
                         const struct kind *kind, uint32_t node)
{
    uint32_t number = 0, done = NONE;
    for (size_t i = 0; i < s->count; i++) {
        const struct roxi_token token = s->tokens[i];
        const bool piece = token.kind != ROXI_TOKEN_BETWEEN;
        const bool is_number = token.kind == ROXI_TOKEN_NUMBER;
        const bool gone = piece && (token.piece == node || (kind && is_varying(kind, token.piece)));
        const bool kept = is_number && kind && kind->numbers[number].kept;
        number += is_number;
        if (gone && done == token.piece)
            continue;
        if (gone)
            done = token.piece;
        if (gone || token.kind == ROXI_TOKEN_ANY || (is_number && !kept))
            ix_put_u8(out, '*');
        else
            ix_put_bytes(out, name + token.at, token.len);
    }
    ix_put_u8(out, 0);
}

int roxi_templates_apply(const struct roxi_templates *t, const char *name, const char *group,
                         struct ix_out *out, struct ix_span *node)
{
    struct roxi_shape s;
    const struct kind *kind = find_kind(t, name, &s, out);
    *node = (struct ix_span){name, 0};
    const uint32_t piece =
        out->failed ? ROXI_NO_PIECE : roxi_nodes_find(t->nodes, name, &s, out, node);
    if (out->failed)
        return -1;
    if (piece == ROXI_NO_PIECE)
        roxi_nodes_find_group(t->nodes, name, &s, group, out, node);
    if (out->failed)
        return -1;
    ix_out_clear(out);
    put_template(out, name, &s, kind, piece);
    return out->failed ? -1 : 0;
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return b != NEVER && (a == NEVER || b > a) ? b : a;
}

uint32_t roxi_templates_since(const struct roxi_templates *t, const char *name)
{
    struct roxi_shape s;
    struct ix_out scratch = {0};
    const struct kind *kind = find_kind(t, name, &s, &scratch);
    uint32_t since = NEVER;
    for (uint32_t i = 0; kind && i < kind->number_count; i++)
        if (!kind->numbers[i].kept)
            since = later(since, kind->numbers[i].since);
    for (uint32_t i = 0; kind && i < kind->piece_count; i++)
        if (is_varying(kind, i))
            since = later(since, t->key_list[kind->pieces[i].key].since);
    ix_out_free(&scratch);
    return since;
}
