/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/waits.h"

/* The low bits of `who`. */
enum { SET = 0, HELD = 1, LEFT = 2, ENTERING = 3 };

static struct ixa_wait *place_of(struct ixa_waits *w, uint64_t key)
{
    return &w->places[key % IXA_WAITS];
}

static bool change(struct ixa_wait *p, uint64_t from, uint64_t to)
{
    return atomic_compare_exchange_strong(&p->who, &from, to);
}

bool ixa_waits_enter(struct ixa_waits *w, uint64_t key, void *ref)
{
    struct ixa_wait *p = place_of(w, key);
    if (!atomic_load(&w->on) || !change(p, 0, key << 2 | ENTERING))
        return false;
    p->ref = ref;
    atomic_store(&p->who, key << 2 | SET);
    /* Either this sees that it was stopped, or ixa_waits_clear sees the slot. */
    return atomic_load(&w->on) || !change(p, key << 2 | SET, 0);
}

void *ixa_waits_leave(struct ixa_waits *w, uint64_t key)
{
    struct ixa_wait *p = place_of(w, key);
    for (;;) {
        const uint64_t who = atomic_load(&p->who);
        if (who == (key << 2 | SET)) {
            void *ref = p->ref;
            if (change(p, who, 0))
                return ref;
        } else if (who != (key << 2 | HELD) || change(p, who, key << 2 | LEFT)) {
            return NULL;
        }
    }
}

void *ixa_waits_hold(struct ixa_waits *w, uint64_t key)
{
    struct ixa_wait *p = place_of(w, key);
    return change(p, key << 2 | SET, key << 2 | HELD) ? p->ref : NULL;
}

void *ixa_waits_release(struct ixa_waits *w, uint64_t key)
{
    struct ixa_wait *p = place_of(w, key);
    if (change(p, key << 2 | HELD, key << 2 | SET))
        return NULL;
    void *ref = p->ref;
    atomic_store(&p->who, 0);
    return ref;
}

void ixa_waits_start(struct ixa_waits *w)
{
    atomic_store(&w->on, true);
}

void ixa_waits_stop(struct ixa_waits *w)
{
    atomic_store(&w->on, false);
}

void *ixa_waits_clear(struct ixa_waits *w, size_t place)
{
    struct ixa_wait *p = &w->places[place];
    const uint64_t who = atomic_load(&p->who);
    /* Mark it as held before reading: the thread could leave and return with another reference. */
    if (!who || (who & 3) != SET || !change(p, who, who | HELD))
        return NULL;
    void *ref = p->ref;
    atomic_store(&p->who, 0);
    return ref;
}
