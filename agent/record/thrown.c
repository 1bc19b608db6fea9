/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/thrown.h"

#include <stdlib.h>

#define SECOND 1000000000
#define INTERVAL (SECOND / IXA_THROWN_RATE)

void ixa_thrown_start(struct ixa_thrown *t)
{
    pthread_mutex_lock(&t->lock);
    t->on = true;
    pthread_mutex_unlock(&t->lock);
}

/* A token bucket stored as one time (generic cell rate algorithm, ITU-T I.371): each token takes
 * INTERVAL to be refilled, and the bucket is empty if the time is too far ahead. */
bool ixa_thrown_admit(struct ixa_thrown *t, int64_t now_ns)
{
    int64_t due = atomic_load_explicit(&t->due_ns, memory_order_relaxed), next;
    do {
        next = (due > now_ns ? due : now_ns) + INTERVAL;
        if (next - now_ns > (int64_t)IXA_THROWN_BURST * INTERVAL) {
            atomic_fetch_add_explicit(&t->dropped, 1, memory_order_relaxed);
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&t->due_ns, &due, next, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

/* FNV-1a. */
static uint64_t hash_of(const struct ixa_throw *what)
{
    const uint64_t parts[] = {what->thread, what->method, (uint64_t)what->location, what->class_id};
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = (hash ^ parts[i]) * 0x100000001b3u;
    return hash;
}

static bool same(const struct ixa_throw *a, const struct ixa_throw *b)
{
    return a->thread == b->thread && a->method == b->method && a->location == b->location &&
           a->class_id == b->class_id;
}

bool ixa_thrown_again(struct ixa_thrown *t, const struct ixa_throw *what)
{
    bool found = false;
    pthread_mutex_lock(&t->lock);
    for (uint32_t at = ix_idmap_get(&t->by_hash, hash_of(what)); at && !found;
         at = t->list[at - 1].next)
        if (same(&t->list[at - 1].what, what)) {
            t->list[at - 1].count++;
            found = true;
        }
    pthread_mutex_unlock(&t->lock);
    return found;
}

static bool has_room(struct ixa_thrown *t)
{
    if (t->count < t->capacity)
        return true;
    const uint32_t capacity = t->capacity ? t->capacity * 2 : 64;
    struct ixa_thrown_at *list =
        capacity <= IXA_THROWN_MAX ? realloc(t->list, capacity * sizeof *list) : NULL;
    if (!list)
        return false;
    t->list = list;
    t->capacity = capacity;
    return true;
}

bool ixa_thrown_add(struct ixa_thrown *t, const struct ixa_throw *what, void *declaring,
                    void *class)
{
    const uint64_t hash = hash_of(what);
    pthread_mutex_lock(&t->lock);
    const uint32_t next = ix_idmap_get(&t->by_hash, hash);
    const bool added = t->on && has_room(t) && ix_idmap_put(&t->by_hash, hash, t->count + 1) == 0;
    if (added)
        t->list[t->count++] = (struct ixa_thrown_at){
            .what = *what, .declaring = declaring, .class = class, .count = 1, .next = next};
    pthread_mutex_unlock(&t->lock);
    if (!added)
        atomic_fetch_add_explicit(&t->dropped, 1, memory_order_relaxed);
    return added;
}

static struct ixa_thrown_list hand_out(struct ixa_thrown *t)
{
    const struct ixa_thrown_list out = {
        .list = t->list,
        .count = t->count,
        .dropped = atomic_exchange_explicit(&t->dropped, 0, memory_order_relaxed),
    };
    t->list = NULL;
    t->count = t->capacity = 0;
    if (out.count)
        ix_idmap_clear(&t->by_hash);
    return out;
}

struct ixa_thrown_list ixa_thrown_take(struct ixa_thrown *t)
{
    pthread_mutex_lock(&t->lock);
    const struct ixa_thrown_list out = hand_out(t);
    pthread_mutex_unlock(&t->lock);
    return out;
}

struct ixa_thrown_list ixa_thrown_stop(struct ixa_thrown *t)
{
    pthread_mutex_lock(&t->lock);
    const struct ixa_thrown_list out = hand_out(t);
    ix_idmap_free(&t->by_hash);
    t->on = false;
    pthread_mutex_unlock(&t->lock);
    return out;
}

static int by_all(const void *a, const void *b)
{
    const struct ix_exception *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->class_number != y->class_number)
        return x->class_number < y->class_number ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

size_t ixa_thrown_merge(struct ix_exception *list, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(list, count, sizeof *list, by_all);
    for (size_t i = 0; i < count; i++) {
        if (kept && by_all(&list[kept - 1], &list[i]) == 0)
            list[kept - 1].count += list[i].count;
        else
            list[kept++] = list[i];
    }
    return kept;
}
