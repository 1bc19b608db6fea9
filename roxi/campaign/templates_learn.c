/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "roxi/campaign/templates.h"
#include "roxi/campaign/templates_table.h"
#include "schema/base/grow.h"

/* Kinds that differ only in pieces that are '*', and what is left of their numbers. */
struct merged {
    struct ix_intern texts;
    struct left {
        uint32_t value;
        bool kept;
    } * numbers;   /* owned; of all texts, one after the other */
    size_t *begin; /* owned; by text: its first in `numbers` */
    size_t number_count, number_cap, begin_cap;
};

static void free_merged(struct merged *m)
{
    ix_intern_free(&m->texts);
    free(m->numbers);
    free(m->begin);
}

static void decide(struct roxi_templates *t, struct kind *kind)
{
    for (uint32_t i = 0; i < kind->number_count; i++)
        kind->numbers[i].kept = !t->full && stays(&kind->numbers[i]);
    for (uint32_t i = 0; i < kind->piece_count && !t->full; i++) {
        const struct key *key =
            kind->pieces[i].key == NONE ? NULL : &t->key_list[kind->pieces[i].key];
        if (key && key->since != NEVER && kind->runs < key->runs)
            kind->varying |= (uint16_t)(1u << i);
    }
}

/* Walks through the text of a shape. */
struct walk {
    const uint8_t *at, *end;
    uint32_t piece, number; /* of the byte at `at`; if it is none: of the next one */
    bool inside;            /* a piece */
};

static struct walk walk_of(const struct roxi_templates *t, uint32_t shape)
{
    const uint8_t *all = t->shapes.keys.data;
    return (struct walk){.at = shape ? all + t->shapes.ends[shape - 1] : all,
                         .end = all + t->shapes.ends[shape]};
}

static bool in_shape_piece(uint8_t c)
{
    return c == ROXI_SHAPE_NUMBER || c == ROXI_SHAPE_ANY || roxi_in_piece((char)c);
}

/* The next byte and where it is; false at the end. */
static bool step(struct walk *w, uint8_t *byte, struct walk *here)
{
    if (w->at == w->end)
        return false;
    *byte = *w->at++;
    const bool inside = in_shape_piece(*byte);
    w->piece += w->inside && !inside;
    w->inside = inside;
    *here = *w;
    w->number += *byte == ROXI_SHAPE_NUMBER;
    return true;
}

/* The text of a shape with its varying pieces as ROXI_SHAPE_ANY. */
static int put_merged(struct roxi_templates *t, uint32_t shape)
{
    struct walk w = walk_of(t, shape), here;
    uint32_t done = NONE; /* the last piece that has been put */
    uint8_t byte;
    ix_out_clear(&t->text);
    while (step(&w, &byte, &here)) {
        const bool gone = here.inside && is_varying(&t->kinds[shape], here.piece);
        if (!gone)
            ix_put_u8(&t->text, byte);
        else if (done != here.piece)
            ix_put_u8(&t->text, ROXI_SHAPE_ANY);
        if (gone)
            done = here.piece;
    }
    return t->text.failed ? -1 : 0;
}

/* The numbers of the shape that are left when its varying pieces are '*', one after the other; NULL
 * at the end. */
static struct number *next_left(struct roxi_templates *t, uint32_t shape, struct walk *w)
{
    struct walk here;
    uint8_t byte;
    while (step(w, &byte, &here))
        if (byte == ROXI_SHAPE_NUMBER && !is_varying(&t->kinds[shape], here.piece))
            return &t->kinds[shape].numbers[here.number];
    return NULL;
}

static int begin_text(struct roxi_templates *t, struct merged *m, uint32_t shape, uint32_t text)
{
    struct walk w = walk_of(t, shape);
    const struct number *n;
    size_t *begin = ix_grow(m->begin, &m->begin_cap, (size_t)text + 1, sizeof *begin);
    if (!begin)
        return -1;
    m->begin = begin;
    begin[text] = m->number_count;
    while ((n = next_left(t, shape, &w))) {
        struct left *numbers =
            ix_grow(m->numbers, &m->number_cap, m->number_count + 1, sizeof *numbers);
        if (!numbers)
            return -1;
        m->numbers = numbers;
        numbers[m->number_count++] = (struct left){n->values[0], n->kept && n->count == 1};
    }
    return 0;
}

static int merge(struct roxi_templates *t, struct merged *m, uint32_t shape)
{
    bool added;
    if (put_merged(t, shape) != 0)
        return -1;
    const uint32_t text = ix_intern(&m->texts, t->text.data, t->text.len, &added);
    if (text == IX_INTERN_FAILED)
        return -1;
    if (added)
        return begin_text(t, m, shape, text);
    struct walk w = walk_of(t, shape);
    const struct number *n;
    for (size_t i = m->begin[text]; (n = next_left(t, shape, &w)); i++) {
        struct left *left = &m->numbers[i];
        left->kept = left->kept && n->kept && n->count == 1 && n->values[0] == left->value;
    }
    return 0;
}

static int take_merged(struct roxi_templates *t, const struct merged *m, uint32_t shape)
{
    if (put_merged(t, shape) != 0)
        return -1;
    const uint32_t text = ix_intern_find(&m->texts, t->text.data, t->text.len);
    struct walk w = walk_of(t, shape);
    struct number *n;
    if (text == IX_INTERN_FAILED)
        return 0;
    for (size_t i = m->begin[text]; (n = next_left(t, shape, &w)); i++)
        n->kept = m->numbers[i].kept;
    return 0;
}

/* A shape without varying pieces takes part if its text is what others become. */
static int merge_all(struct roxi_templates *t, struct merged *m)
{
    const uint32_t count = (uint32_t)t->kind_count;
    int result = 0;
    for (uint32_t i = 0; i < count && result == 0; i++)
        if (t->kinds[i].varying)
            result = merge(t, m, i);
    if (!m->texts.count)
        return result;
    for (uint32_t i = 0; i < count && result == 0; i++) {
        const struct walk w = walk_of(t, i);
        const size_t len = (size_t)(w.end - w.at);
        if (!t->kinds[i].varying && ix_intern_find(&m->texts, w.at, len) != IX_INTERN_FAILED)
            result = merge(t, m, i);
    }
    for (uint32_t i = 0; i < count && result == 0; i++)
        result = take_merged(t, m, i);
    return result;
}

int roxi_templates_learn(struct roxi_templates *t)
{
    struct merged m = {0};
    for (size_t i = 0; i < t->kind_count; i++)
        decide(t, &t->kinds[i]);
    const int result = roxi_nodes_decide(t->nodes) == 0 ? merge_all(t, &m) : -1;
    free_merged(&m);
    return result;
}
