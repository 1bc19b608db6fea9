/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/text_facts.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_number.h"
#include "roxi/import/text_heads.h"
#include "schema/base/grow.h"
#include "schema/base/idmap.h"
#include "schema/tracelog/intern.h"

struct meaning {
    uint32_t descriptor; /* in `texts` */
    int32_t line;
};

struct dump_text_facts {
    struct ix_intern texts;   /* descriptors and groups */
    struct ix_intern places;  /* keys: struct place_key */
    struct ix_intern names;   /* of places */
    struct meaning *meanings; /* owned; by place */
    size_t meaning_cap;
    struct ix_idmap groups;    /* by thread's id: in `texts`, + 1 */
    struct ix_intern variants; /* keys: struct variant_key */
    uint32_t *numbers;         /* owned; by variant */
    size_t number_cap;
};

struct place_key {
    uint32_t name, number;
};

struct variant_key {
    uint64_t thread, depth;
};

struct dump_text_facts *dump_text_facts_new(void)
{
    struct dump_text_facts *facts = calloc(1, sizeof *facts);
    if (facts) {
        facts->places.key_size = sizeof(struct place_key);
        facts->variants.key_size = sizeof(struct variant_key);
    }
    return facts;
}

void dump_text_facts_free(struct dump_text_facts *facts)
{
    if (!facts)
        return;
    ix_intern_free(&facts->texts);
    ix_intern_free(&facts->places);
    ix_intern_free(&facts->names);
    ix_intern_free(&facts->variants);
    ix_idmap_free(&facts->groups);
    free(facts->meanings);
    free(facts->numbers);
    free(facts);
}

/* The text up to the next TAB, or to the end. */
static struct ix_span field(struct ix_span *rest)
{
    const char *tab = rest->len ? memchr(rest->text, '\t', rest->len) : NULL;
    const struct ix_span found = {rest->text, tab ? (size_t)(tab - rest->text) : rest->len};
    const size_t used = found.len + (tab != NULL);
    rest->text += used;
    rest->len -= used;
    return found;
}

/* The words of a kind of line; false: the line is of another. */
static bool take_word(struct ix_span *line, const char *word)
{
    const size_t len = strlen(word);
    if (!dump_text_begins(*line, word) || line->len == len || line->text[len] != '\t')
        return false;
    line->text += len + 1;
    line->len -= len + 1;
    return true;
}

/* "#12" */
static bool take_id(struct ix_span *rest, uint64_t *id)
{
    const struct ix_span text = field(rest);
    return text.len && *text.text == '#' &&
           text_decimal((struct ix_span){text.text + 1, text.len - 1}, UINT64_MAX, id);
}

static int take_frame(struct dump_text_facts *f, struct ix_span rest)
{
    bool added;
    uint64_t number;
    int64_t line;
    const struct ix_span place = field(&rest);
    if (!text_decimal(field(&rest), UINT32_MAX, &number))
        return 0;
    const struct ix_span descriptor = field(&rest);
    if (!text_signed(field(&rest), IX_LINE_NATIVE, &line) || line > INT32_MAX)
        return 0;
    const struct place_key key = {ix_intern(&f->names, place.text, place.len, &added),
                                  (uint32_t)number};
    const uint32_t at = key.name == IX_INTERN_FAILED
                            ? IX_INTERN_FAILED
                            : ix_intern(&f->places, &key, sizeof key, &added);
    const uint32_t text = ix_intern(&f->texts, descriptor.text, descriptor.len, &added);
    if (at == IX_INTERN_FAILED || text == IX_INTERN_FAILED)
        return -1;
    struct meaning *meanings =
        ix_grow(f->meanings, &f->meaning_cap, (size_t)at + 1, sizeof *meanings);
    if (!meanings)
        return -1;
    f->meanings = meanings;
    meanings[at] = (struct meaning){text, (int32_t)line};
    return 0;
}

static int take_variant(struct dump_text_facts *f, struct ix_span rest)
{
    bool added;
    struct variant_key key;
    uint64_t number;
    if (!take_id(&rest, &key.thread) || !text_decimal(field(&rest), UINT32_MAX, &key.depth) ||
        !text_decimal(field(&rest), UINT32_MAX, &number))
        return 0;
    const uint32_t at = ix_intern(&f->variants, &key, sizeof key, &added);
    if (at == IX_INTERN_FAILED)
        return -1;
    uint32_t *numbers = ix_grow(f->numbers, &f->number_cap, (size_t)at + 1, sizeof *numbers);
    if (!numbers)
        return -1;
    f->numbers = numbers;
    numbers[at] = (uint32_t)number;
    return 0;
}

static int take_thread(struct dump_text_facts *f, struct ix_span rest)
{
    bool added;
    uint64_t id;
    if (!take_id(&rest, &id))
        return 0;
    const struct ix_span group = field(&rest);
    const uint32_t text = ix_intern(&f->texts, group.text, group.len, &added);
    return text == IX_INTERN_FAILED ? -1 : ix_idmap_put(&f->groups, id, text + 1);
}

int dump_text_facts_take(struct dump_text_facts *facts, struct ix_span line, struct ix_error *err)
{
    static const struct {
        const char *word;
        int (*take)(struct dump_text_facts *f, struct ix_span rest);
    } kinds[] = {{"frame", take_frame}, {"thread", take_thread}, {"variant", take_variant}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (take_word(&line, kinds[i].word))
            return kinds[i].take(facts, line) == 0 ? 0 : ix_fail(err, "out of memory");
    return 0;
}

void dump_text_facts_begin(struct dump_text_facts *facts)
{
    ix_intern_free(&facts->variants);
    facts->variants.key_size = sizeof(struct variant_key);
}

static struct ix_span text_at(const struct ix_intern *texts, uint32_t number)
{
    const size_t from = number ? texts->ends[number - 1] : 0;
    return (struct ix_span){(const char *)texts->keys.data + from, texts->ends[number] - from};
}

static uint32_t variant_of(const struct dump_text_facts *f, uint64_t thread, uint32_t depth)
{
    const struct variant_key key = {thread, depth};
    const uint32_t at = ix_intern_find(&f->variants, &key, sizeof key);
    return at == IX_INTERN_FAILED ? 0 : f->numbers[at];
}

void dump_text_facts_frame(const struct dump_text_facts *facts, uint64_t thread, uint32_t depth,
                           struct ix_span text, struct dump_frame *frame)
{
    const struct place_key key = {ix_intern_find(&facts->names, text.text, text.len),
                                  variant_of(facts, thread, depth)};
    const uint32_t at = key.name == IX_INTERN_FAILED
                            ? IX_INTERN_FAILED
                            : ix_intern_find(&facts->places, &key, sizeof key);
    if (at == IX_INTERN_FAILED)
        return;
    frame->descriptor = text_at(&facts->texts, facts->meanings[at].descriptor);
    frame->line = facts->meanings[at].line;
}

void dump_text_facts_thread(const struct dump_text_facts *facts, struct dump_thread *thread)
{
    const uint32_t text = ix_idmap_get(&facts->groups, thread->id);
    if (text)
        thread->group = text_at(&facts->texts, text - 1);
}
