/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/legacy/known.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "schema/base/grow.h"

void text_known_free(struct text_known *k)
{
    text_map_free(&k->thread_lines);
    text_map_free(&k->thread_contents);
    text_map_free(&k->stack_lines);
    text_map_free(&k->stack_contents);
    free(k->threads);
    free(k->stacks);
    free(k->frames);
    ix_out_free(&k->text);
    *k = (struct text_known){0};
}

struct text_digest text_digest_of(struct ix_span lines)
{
    const XXH128_hash_t hash = XXH3_128bits(lines.text, lines.len);
    return (struct text_digest){hash.low64, hash.high64};
}

uint32_t text_known_find(const struct text_map *lines, struct text_digest digest)
{
    const struct text_slot *slot = text_map_get(lines, digest.low, digest.high);
    return slot ? slot->number : 0;
}

int text_known_note(struct text_map *lines, struct text_digest digest, uint32_t number)
{
    struct text_slot *slot = text_map_put(lines, digest.low, digest.high);
    if (!slot)
        return -1;
    slot->number = number;
    return 0;
}

/* The content's slot, with number 0 if it is new; NULL: out of memory. */
static struct text_slot *content(struct text_map *contents, const void *bytes, size_t size)
{
    const struct text_digest digest = text_digest_of((struct ix_span){bytes, size});
    return text_map_put(contents, digest.low, digest.high);
}

uint32_t text_known_thread(struct text_known *k, struct text_who who)
{
    const size_t end = k->text.len;
    struct text_who *threads =
        ix_grow(k->threads, &k->thread_cap, k->thread_count + 1, sizeof *threads);
    if (threads)
        k->threads = threads;
    ix_put_u64(&k->text, who.id);
    ix_put_u64(&k->text, who.start);
    struct text_slot *slot = NULL;
    if (threads && !k->text.failed && k->thread_count < UINT32_MAX)
        slot = content(&k->thread_contents, k->text.data + who.name, k->text.len - who.name);
    if (!slot)
        return 0;
    k->text.len = slot->number ? who.name : end;
    if (!slot->number) {
        threads[k->thread_count] = who;
        slot->number = (uint32_t)++k->thread_count;
    }
    return slot->number;
}

uint32_t text_known_stack(struct text_known *k, size_t count)
{
    const size_t first = k->frame_count - count;
    struct text_stack *stacks =
        ix_grow(k->stacks, &k->stack_cap, k->stack_count + 1, sizeof *stacks);
    if (stacks)
        k->stacks = stacks;
    struct text_slot *slot = NULL;
    if (stacks && k->stack_count < UINT32_MAX)
        slot = content(&k->stack_contents, k->frames + first, count * sizeof *k->frames);
    if (!slot)
        return 0;
    if (slot->number) {
        k->frame_count = first;
    } else {
        stacks[k->stack_count] = (struct text_stack){first, count};
        slot->number = (uint32_t)++k->stack_count;
    }
    return slot->number;
}
