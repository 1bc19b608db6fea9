/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/templates.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/campaign/shape.h"
#include "schema/base/grow.h"
#include "schema/tracelog/intern.h"

#define NEVER UINT32_MAX
#define NONE UINT32_MAX

enum {
    NUMBERS = 8,     /* values of a number that are remembered */
    PORT_MIN = 1024, /* ports that a program chooses */
    PORT_MAX = 65535,
    PIECES_MAX = 16, /* names of more pieces keep their words */
    WORD_MIN = 3,    /* letters of a word that says what names have in common */
    CLASSES = 11,    /* of runs, by the log2 of their values: up to 1024 */
    VALUES_MIN = 8,  /* of a varying word, */
    RATIO_MIN = 4    /* and in relation to those of one run */
};

/* What a number of a shape was seen to be. */
struct number {
    uint32_t values[NUMBERS];
    uint32_t since;         /* the run in which it ceased to be kept */
    uint8_t count;          /* of `values`; NUMBERS + 1: there are more */
    uint8_t present, first; /* bits: values in the present run, and in its first run */
    bool unequal;           /* two runs have different values */
    bool other_than_ports;
    bool kept; /* the result */
};

/* A piece of a shape, as a value of its key. */
struct piece {
    uint32_t key;
    uint8_t class; /* the lowest class of a run that had it; CLASSES: none */
    uint8_t weight;
};

/* A shape with one piece left out. */
struct key {
    uint32_t runs, run_stamp;
    uint32_t values;        /* in the present run */
    uint32_t seen[CLASSES]; /* weights of the values, by their class */
    uint32_t since;         /* the run that made it vary */
};

struct kind {
    struct number *numbers; /* owned */
    struct piece *pieces;   /* owned; NULL: its words stay */
    uint32_t number_count, piece_count;
    uint32_t runs, run_stamp;
    uint16_t varying; /* bits: pieces that are '*' */
};

struct roxi_templates {
    struct ix_intern shapes, keys;
    struct kind *kinds; /* by shape */
    struct key *key_list;
    uint32_t *present; /* shapes of the present run */
    size_t kind_count, kind_cap, key_cap, present_count, present_cap;
    uint32_t run; /* of the present one, from 1: a stamp */
    bool full;
    uint64_t steps;
    struct roxi_shape shape; /* scratch */
    struct ix_out text;
};

struct roxi_templates *roxi_templates_new(void)
{
    struct roxi_templates *t = calloc(1, sizeof *t);
    if (t)
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

/* ---- texts ---- */

/* The text of a shape; `gap`: a piece that is left out, or NONE. */
static int put_shape(struct ix_out *out, const char *name, const struct roxi_shape *s, uint32_t gap)
{
    bool open = false;
    ix_out_clear(out);
    for (size_t i = 0; i < s->count; i++) {
        const struct roxi_token token = s->tokens[i];
        if (token.kind == ROXI_TOKEN_BETWEEN || token.piece != gap)
            roxi_shape_put(out, name, token);
        else if (!open)
            ix_put_u8(out, ROXI_SHAPE_GAP);
        open = token.kind != ROXI_TOKEN_BETWEEN && token.piece == gap;
    }
    return out->failed ? -1 : 0;
}

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
        if (put_shape(&t->text, name, s, i) != 0 || (p->key = find_key(t)) == IX_INTERN_FAILED)
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

static bool stays(const struct number *n)
{
    return n->count <= 1 || (n->count <= NUMBERS && !n->unequal && !n->other_than_ports);
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

int roxi_templates_add(struct roxi_templates *t, const char *name)
{
    bool added;
    if (t->full)
        return 0;
    roxi_shape_of(name, &t->shape);
    if (put_shape(&t->text, name, &t->shape, NONE) != 0)
        return -1;
    const uint32_t number = ix_intern(&t->shapes, t->text.data, t->text.len, &added);
    t->steps++;
    if (number == IX_INTERN_FAILED || (added && make_kind(t, number, name) != 0) ||
        see_kind(t, number) != 0)
        return -1;
    see_numbers(t, &t->kinds[number], name);
    t->full = t->shapes.count > ROXI_TEMPLATES_SHAPES;
    return 0;
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
    if (t->run == UINT32_MAX)
        return -1;
    t->run++;
    return 0;
}

/* ---- deciding ---- */

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

static bool is_varying(const struct kind *kind, uint32_t piece)
{
    return piece < kind->piece_count && kind->varying & 1u << piece;
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
    for (struct left *left = &m->numbers[m->begin[text]]; (n = next_left(t, shape, &w)); left++)
        left->kept = left->kept && n->kept && n->count == 1 && n->values[0] == left->value;
    return 0;
}

static int take_merged(struct roxi_templates *t, const struct merged *m, uint32_t shape)
{
    if (put_merged(t, shape) != 0)
        return -1;
    const uint32_t text = ix_intern_find(&m->texts, t->text.data, t->text.len);
    struct walk w = walk_of(t, shape);
    struct number *n;
    for (const struct left *left = text == IX_INTERN_FAILED ? NULL : &m->numbers[m->begin[text]];
         left && (n = next_left(t, shape, &w)); left++)
        n->kept = left->kept;
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
    const int result = merge_all(t, &m);
    free_merged(&m);
    return result;
}

/* ---- applying ---- */

/* NULL: not known, so that all numbers are '*'. */
static const struct kind *find_kind(const struct roxi_templates *t, const char *name,
                                    struct roxi_shape *s, struct ix_out *scratch)
{
    roxi_shape_of(name, s);
    if (t->full || put_shape(scratch, name, s, NONE) != 0)
        return NULL;
    const uint32_t number = ix_intern_find(&t->shapes, scratch->data, scratch->len);
    return number == IX_INTERN_FAILED ? NULL : &t->kinds[number];
}

static void put_template(struct ix_out *out, const char *name, const struct roxi_shape *s,
                         const struct kind *kind)
{
    uint32_t number = 0, done = NONE;
    for (size_t i = 0; i < s->count; i++) {
        const struct roxi_token token = s->tokens[i];
        const bool piece = token.kind != ROXI_TOKEN_BETWEEN;
        const bool is_number = token.kind == ROXI_TOKEN_NUMBER;
        const bool gone = piece && kind && is_varying(kind, token.piece);
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

int roxi_templates_apply(const struct roxi_templates *t, const char *name, struct ix_out *out)
{
    struct roxi_shape s;
    const struct kind *kind = find_kind(t, name, &s, out);
    if (out->failed)
        return -1;
    ix_out_clear(out);
    put_template(out, name, &s, kind);
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
