/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/capture/starts.h"

#include <stdlib.h>

#define ENDED_MAX 1024

static void sweep(struct ixa_starts *s)
{
    size_t kept = 0;
    if (!s->ended)
        return;
    s->ended = 0;
    for (size_t i = 0; i < s->used; i++) {
        struct ixa_start at = s->list[i];
        if (at.ended > 1)
            continue;
        if (at.ended) {
            at.ended++;
            s->ended++;
        }
        s->list[kept++] = at;
    }
    s->used = kept;
    ix_idmap_clear(&s->by_key);
    for (size_t i = 0; i < kept; i++)
        ix_idmap_put(&s->by_key, s->list[i].key, (uint32_t)i + 1); /* has had room for more */
}

static bool has_room(struct ixa_starts *s)
{
    if (s->used < s->capacity)
        return true;
    const size_t capacity = s->capacity ? s->capacity * 2 : 64;
    struct ixa_start *list = realloc(s->list, capacity * sizeof *list);
    if (!list)
        return false;
    s->list = list;
    s->capacity = capacity;
    return true;
}

static uint64_t enter(struct ixa_starts *s, uint64_t key, uint32_t os_id)
{
    const uint64_t number = atomic_fetch_add(&s->count, 1) + 1;
    if (s->ended > ENDED_MAX && s->ended > s->used / 2)
        sweep(s);
    if (has_room(s) && ix_idmap_put(&s->by_key, key, (uint32_t)s->used + 1) == 0)
        s->list[s->used++] =
            (struct ixa_start){.key = key, .number = number, .os_id = os_id, .test = s->test};
    return number;
}

uint64_t ixa_starts_add(struct ixa_starts *s, uint64_t key, uint32_t os_id)
{
    uint64_t number = 0;
    pthread_mutex_lock(&s->lock);
    const uint32_t place = ix_idmap_get(&s->by_key, key);
    if (place) {
        number = s->list[place - 1].number;
        if (os_id)
            s->list[place - 1].os_id = os_id;
    } else if (!s->off) {
        number = enter(s, key, os_id);
    }
    pthread_mutex_unlock(&s->lock);
    return number;
}

void ixa_starts_end(struct ixa_starts *s, uint64_t key)
{
    pthread_mutex_lock(&s->lock);
    const uint32_t place = ix_idmap_get(&s->by_key, key);
    if (place && !s->list[place - 1].ended) {
        s->list[place - 1].ended = 1;
        s->ended++;
    }
    pthread_mutex_unlock(&s->lock);
}

bool ixa_starts_find(struct ixa_starts *s, uint64_t key, struct ixa_start *out)
{
    pthread_mutex_lock(&s->lock);
    const uint32_t place = ix_idmap_get(&s->by_key, key);
    if (place)
        *out = s->list[place - 1];
    pthread_mutex_unlock(&s->lock);
    return place != 0;
}

void ixa_starts_test(struct ixa_starts *s, uint64_t test)
{
    pthread_mutex_lock(&s->lock);
    s->test = test;
    pthread_mutex_unlock(&s->lock);
}

bool ixa_starts_left(struct ixa_starts *s, uint64_t key, uint64_t test, uint64_t stack)
{
    bool left = false;
    pthread_mutex_lock(&s->lock);
    const uint32_t place = ix_idmap_get(&s->by_key, key);
    struct ixa_start *at = place ? &s->list[place - 1] : NULL;
    if (at && at->test && at->test != test) {
        if (!at->rest)
            at->rest = stack;
        left = at->rest == stack;
        if (!left)
            at->test = 0;
    }
    pthread_mutex_unlock(&s->lock);
    return left;
}

size_t ixa_starts_next(struct ixa_starts *s, size_t *next, struct ixa_start *out, size_t most)
{
    size_t count = 0;
    pthread_mutex_lock(&s->lock);
    for (size_t seen = 0; seen < s->used && count < most; seen++) {
        if (*next >= s->used)
            *next = 0;
        const struct ixa_start *at = &s->list[(*next)++];
        if (!at->ended && at->os_id)
            out[count++] = *at;
    }
    pthread_mutex_unlock(&s->lock);
    return count;
}

void ixa_starts_sweep(struct ixa_starts *s)
{
    pthread_mutex_lock(&s->lock);
    sweep(s);
    pthread_mutex_unlock(&s->lock);
}

void ixa_starts_reset(struct ixa_starts *s, bool off)
{
    pthread_mutex_lock(&s->lock);
    free(s->list);
    s->list = NULL;
    s->used = s->capacity = s->ended = 0;
    ix_idmap_free(&s->by_key);
    atomic_store(&s->count, 0);
    s->off = off;
    pthread_mutex_unlock(&s->lock);
}
