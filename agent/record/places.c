/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/places.h"

#include <stddef.h>

/* Of the slots of a table so many are used, so that a free one is near. */
static bool has_room(_Atomic uint32_t *count, uint32_t slots)
{
    return atomic_load(count) < slots / 4 * 3;
}

/* The slot of a class; -1: there are too many classes. */
static ptrdiff_t slot_of(struct ixa_places *p, uint32_t id)
{
    for (uint32_t i = id;; i++) {
        const uint32_t slot = i % IXA_PLACES_CLASSES;
        uint32_t held = atomic_load(&p->classes[slot].id);
        if (!held && has_room(&p->class_count, IXA_PLACES_CLASSES) &&
            atomic_compare_exchange_strong(&p->classes[slot].id, &held, id)) {
            atomic_fetch_add(&p->class_count, 1);
            return slot;
        }
        if (held == id)
            return slot;
        if (!held)
            return -1;
    }
}

enum ixa_look ixa_places_look(struct ixa_places *p, uint32_t class_id)
{
    const ptrdiff_t slot = class_id ? slot_of(p, class_id) : -1;
    if (slot < 0 || atomic_load(&p->classes[slot].places) >= IXA_PLACES_OF_CLASS)
        return IXA_NO_LOOK;
    if (atomic_load(&p->looks) >= IXA_PLACES_LOOKS ||
        atomic_load(&p->classes[slot].looks) >= IXA_PLACES_CLASS_LOOKS)
        return IXA_LOOK_LATER;
    atomic_fetch_add(&p->looks, 1);
    atomic_fetch_add(&p->classes[slot].looks, 1);
    return IXA_LOOK;
}

/* Spreads what differs in few bits (Steele, Lea and Flood 2014, splitmix). */
static uint64_t spread(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* 1: it was added; 0: it was there, or there is no room. */
static int put(struct ixa_places *p, uint64_t key)
{
    for (uint64_t i = key;; i++) {
        _Atomic uint64_t *slot = &p->seen[i % IXA_PLACES_SLOTS];
        uint64_t held = atomic_load(slot);
        if (!held && has_room(&p->seen_count, IXA_PLACES_SLOTS) &&
            atomic_compare_exchange_strong(slot, &held, key)) {
            atomic_fetch_add(&p->seen_count, 1);
            return 1;
        }
        if (held == key || !held)
            return 0;
    }
}

bool ixa_places_add(struct ixa_places *p, uint32_t class_id, uint64_t place)
{
    const uint64_t key = spread(place ^ spread(class_id));
    if (!put(p, key ? key : 1))
        return false;
    const ptrdiff_t slot = slot_of(p, class_id);
    if (slot >= 0)
        atomic_fetch_add(&p->classes[slot].places, 1);
    return true;
}

void ixa_places_rest(struct ixa_places *p)
{
    for (size_t i = 0; i < IXA_PLACES_CLASSES; i++)
        atomic_store(&p->classes[i].looks, 0);
    atomic_store(&p->looks, 0);
}

void ixa_places_clear(struct ixa_places *p)
{
    for (size_t i = 0; i < IXA_PLACES_SLOTS; i++)
        atomic_store(&p->seen[i], 0);
    for (size_t i = 0; i < IXA_PLACES_CLASSES; i++) {
        atomic_store(&p->classes[i].id, 0);
        atomic_store(&p->classes[i].places, 0);
    }
    atomic_store(&p->class_count, 0);
    atomic_store(&p->seen_count, 0);
    ixa_places_rest(p);
}
