/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/templates.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/templates_table.h"
#include "schema/base/grow.h"

enum {
    PORT_MIN = 1024, /* ports that a program chooses */
    PORT_MAX = 65535,
    PIECES_MAX = 16, /* names of more pieces keep their words */
    WORD_MIN = 3,    /* letters of a word that says what names have in common */
    VALUES_MIN = 8,  /* of a varying word, */
    RATIO_MIN = 4    /* and in relation to those of one run */
};

struct roxi_templates *roxi_templates_new(void)
{
    struct roxi_templates *t = calloc(1, sizeof *t);
    if (!t || !(t->nodes = roxi_nodes_new())) {
        free(t);
        return NULL;
    }
    t->run = 1;
    return t;
}

void roxi_templates_free(struct roxi_templates *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->kind_count; i++) {
        free(t->kinds[i].numbers);
        free(t->kinds[i].pieces);
    }
    roxi_nodes_free(t->nodes);
    ix_intern_free(&t->shapes);
    ix_intern_free(&t->keys);
    free(t->kinds);
    free(t->key_list);
    free(t->present);
    ix_out_free(&t->text);
    free(t);
}

bool roxi_templates_full(const struct roxi_templates *t)
{
    return t->full;
}

uint64_t roxi_templates_steps(const struct roxi_templates *t)
{
    return t->steps;
}

/* ---- pieces ---- */

/* True if a word apart from the piece says what the names have in common. */
static bool has_other_word(const struct roxi_shape *s, uint32_t piece)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->tokens[i].kind == ROXI_TOKEN_WORD && s->tokens[i].piece != piece &&
            s->tokens[i].len >= WORD_MIN)
            return true;
    return false;
}

/* 2 if there is a digit in the piece: words hardly ever have one, random identifiers do. */
static uint8_t weight_of(const char *name, const struct roxi_shape *s, uint32_t piece)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct roxi_token token = s->tokens[i];
        if (token.kind == ROXI_TOKEN_BETWEEN || token.piece != piece)
            continue;
        for (size_t k = 0; k < token.len; k++)
            if (name[token.at + k] >= '0' && name[token.at + k] <= '9')
                return 2;
    }
    return 1;
}

/* ---- adding ---- */

static uint32_t find_key(struct roxi_templates *t)
{
    bool added;
    const uint32_t key = ix_intern(&t->keys, t->text.data, t->text.len, &added);
    t->steps++;
    if (key == IX_INTERN_FAILED || !added)
        return key;
    struct key *list = ix_grow(t->key_list, &t->key_cap, (size_t)key + 1, sizeof *list);
    if (!list)
        return IX_INTERN_FAILED;
    t->key_list = list;
    list[key] = (struct key){.since = NEVER};
    return key;
}

static int make_pieces(struct roxi_templates *t, struct kind *kind, const char *name)
{
    const struct roxi_shape *s = &t->shape;
    if (s->cut || s->pieces > PIECES_MAX)
        return 0;
    kind->pieces = calloc(s->pieces + 1, sizeof *kind->pieces);
    if (!kind->pieces)
        return -1;
    for (uint32_t i = 0; i < s->pieces; i++) {
        struct piece *p = &kind->pieces[i];
        *p = (struct piece){.key = NONE, .class = CLASSES, .weight = weight_of(name, s, i)};
        if (!has_other_word(s, i))
            continue;
        if (roxi_shape_text(&t->text, name, s, i) != 0 ||
            (p->key = find_key(t)) == IX_INTERN_FAILED)
            return -1;
    }
    kind->piece_count = (uint32_t)s->pieces;
    return 0;
}

static int make_kind(struct roxi_templates *t, uint32_t number, const char *name)
{
    struct kind *kinds = ix_grow(t->kinds, &t->kind_cap, (size_t)number + 1, sizeof *kinds);
    if (!kinds)
        return -1;
    t->kinds = kinds;
    struct kind *kind = &kinds[number];
    *kind = (struct kind){.number_count = (uint32_t)t->shape.numbers};
    t->kind_count = (size_t)number + 1;
    kind->numbers = calloc(t->shape.numbers + 1, sizeof *kind->numbers);
    if (!kind->numbers)
        return -1;
    for (uint32_t i = 0; i < kind->number_count; i++)
        kind->numbers[i].since = NEVER;
    return make_pieces(t, kind, name);
}

static uint32_t number_value(const char *name, struct roxi_token token)
{
    uint32_t value = 0; /* of 5 digits at most (shape.c) */
    for (size_t i = 0; i < token.len; i++)
        value = value * 10 + (uint32_t)(name[token.at + i] - '0');
    return (uint32_t)token.len << 20 | value; /* 07 is not 7 */
}

static void see_number(struct number *n, const char *name, struct roxi_token token)
{
    const uint32_t value = number_value(name, token), plain = value & 0xfffff;
    uint8_t i = 0;
    while (i < n->count && i < NUMBERS && n->values[i] != value)
        i++;
    if (i < NUMBERS) {
        n->values[i] = value;
        n->present |= (uint8_t)(1u << i);
    }
    if (i >= n->count)
        n->count = i + 1;
    if (plain < PORT_MIN || plain > PORT_MAX)
        n->other_than_ports = true;
}

static void see_numbers(struct roxi_templates *t, struct kind *kind, const char *name)
{
    const struct roxi_shape *s = &t->shape;
    for (size_t i = 0, k = 0; i < s->count; i++)
        if (s->tokens[i].kind == ROXI_TOKEN_NUMBER)
            see_number(&kind->numbers[k++], name, s->tokens[i]);
}

static int see_kind(struct roxi_templates *t, uint32_t number)
{
    struct kind *kind = &t->kinds[number];
    if (kind->run_stamp == t->run)
        return 0;
    uint32_t *present = ix_grow(t->present, &t->present_cap, t->present_count + 1, sizeof *present);
    if (!present)
        return -1;
    t->present = present;
    present[t->present_count++] = number;
    kind->run_stamp = t->run;
    kind->runs++;
    return 0;
}

int roxi_templates_add(struct roxi_templates *t, const char *name, const char *group)
{
    bool added;
    if (t->full)
        return 0;
    roxi_shape_of(name, &t->shape);
    if (roxi_shape_text(&t->text, name, &t->shape, ROXI_NO_PIECE) != 0)
        return -1;
    const uint32_t number = ix_intern(&t->shapes, t->text.data, t->text.len, &added);
    t->steps++;
    if (number == IX_INTERN_FAILED || (added && make_kind(t, number, name) != 0) ||
        see_kind(t, number) != 0)
        return -1;
    see_numbers(t, &t->kinds[number], name);
    t->full = t->shapes.count > ROXI_TEMPLATES_SHAPES;
    return roxi_nodes_add(t->nodes, name, &t->shape, group);
}

int roxi_templates_end_vm(struct roxi_templates *t)
{
    return roxi_nodes_end_vm(t->nodes);
}

/* ---- the end of a run ---- */

static void end_numbers(struct kind *kind, uint32_t run)
{
    for (uint32_t i = 0; i < kind->number_count; i++) {
        struct number *n = &kind->numbers[i];
        if (kind->runs == 1)
            n->first = n->present;
        n->unequal = n->unequal || n->present != n->first;
        n->present = 0;
        if (n->since == NEVER && !stays(n))
            n->since = run;
    }
}

static void count_values(struct roxi_templates *t, const struct kind *kind)
{
    for (uint32_t i = 0; i < kind->piece_count; i++) {
        if (kind->pieces[i].key == NONE)
            continue;
        struct key *key = &t->key_list[kind->pieces[i].key];
        if (key->run_stamp != t->run) {
            key->run_stamp = t->run;
            key->runs++;
            key->values = 0;
        }
        key->values++;
        t->steps++;
    }
}

static bool varies(const struct key *key)
{
    uint32_t seen = 0;
    for (unsigned c = 0; c < CLASSES; c++) {
        seen += key->seen[c];
        if (seen >= VALUES_MIN && seen >= (uint32_t)RATIO_MIN << c)
            return true;
    }
    return false;
}

static uint8_t class_of(uint32_t values)
{
    uint8_t class = 0;
    while (class < CLASSES && values > 1u << class)
        class ++;
    return class;
}

static void classify(struct roxi_templates *t, struct kind *kind, uint32_t run)
{
    for (uint32_t i = 0; i < kind->piece_count; i++) {
        struct piece *p = &kind->pieces[i];
        if (p->key == NONE)
            continue;
        struct key *key = &t->key_list[p->key];
        const uint8_t class = class_of(key->values);
        if (class >= p->class)
            continue;
        if (p->class < CLASSES)
            key->seen[p->class] -= p->weight;
        key->seen[class] += p->weight;
        p->class = class;
        if (key->since == NEVER && varies(key))
            key->since = run;
    }
}

int roxi_templates_end_run(struct roxi_templates *t, uint32_t run)
{
    for (size_t i = 0; i < t->present_count; i++) {
        end_numbers(&t->kinds[t->present[i]], run);
        count_values(t, &t->kinds[t->present[i]]);
    }
    for (size_t i = 0; i < t->present_count; i++)
        classify(t, &t->kinds[t->present[i]], run);
    t->present_count = 0;
    roxi_nodes_end_run(t->nodes);
    if (t->run == UINT32_MAX)
        return -1;
    t->run++;
    return 0;
}
