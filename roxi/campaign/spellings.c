/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/spellings.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

void roxi_spellings_free(struct roxi_spellings *s)
{
    ix_intern_free(&s->texts);
    ix_intern_free(&s->folded);
    free(s->counts);
    free(s->most);
    ix_out_free(&s->text);
    *s = (struct roxi_spellings){0};
}

static const struct ix_out *fold(struct ix_out *out, struct ix_span name)
{
    ix_out_clear(out);
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.text[i];
        ix_put_u8(out, (uint8_t)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
    return out;
}

static struct ix_span text_at(const struct ix_intern *texts, uint32_t number)
{
    const size_t begin = number ? texts->ends[number - 1] : 0;
    return (struct ix_span){(const char *)texts->keys.data + begin, texts->ends[number] - begin};
}

/* Both have the same length, as they differ in case only. */
static bool is_before(const struct roxi_spellings *s, uint32_t a, uint32_t b)
{
    if (s->counts[a] != s->counts[b])
        return s->counts[a] > s->counts[b];
    const struct ix_span text = text_at(&s->texts, a);
    return memcmp(text.text, text_at(&s->texts, b).text, text.len) < 0;
}

int roxi_spellings_add(struct roxi_spellings *s, struct ix_span name, uint64_t times)
{
    bool new_text, new_folded;
    const struct ix_out *lower = fold(&s->text, name);
    const uint32_t text = ix_intern(&s->texts, name.text, name.len, &new_text);
    const uint32_t folded = lower->failed
                                ? IX_INTERN_FAILED
                                : ix_intern(&s->folded, lower->data, lower->len, &new_folded);
    if (text == IX_INTERN_FAILED || folded == IX_INTERN_FAILED)
        return -1;
    uint64_t *counts = ix_grow(s->counts, &s->count_cap, (size_t)text + 1, sizeof *counts);
    s->counts = counts ? counts : s->counts;
    uint32_t *most = ix_grow(s->most, &s->most_cap, (size_t)folded + 1, sizeof *most);
    s->most = most ? most : s->most;
    if (!counts || !most)
        return -1;
    counts[text] = times + (new_text ? 0 : counts[text]);
    if (new_folded || is_before(s, text, most[folded]))
        most[folded] = text;
    return 0;
}

struct ix_span roxi_spellings_find(const struct roxi_spellings *s, struct ix_span name,
                                   struct ix_out *scratch)
{
    const struct ix_out *lower = fold(scratch, name);
    const uint32_t folded =
        lower->failed ? IX_INTERN_FAILED : ix_intern_find(&s->folded, lower->data, lower->len);
    return folded == IX_INTERN_FAILED ? name : text_at(&s->texts, s->most[folded]);
}
