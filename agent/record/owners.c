/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/owners.h"

#include <stddef.h>

#include "agent/base/clock.h"

#define SLEEP_NS 2000000 /* for asking the kernel before the stop */
#define UNUSED_MAX 16

void ixa_owners_start(struct ixa_owners *o, struct ixa_starts *starts)
{
    o->starts = starts;
    for (size_t i = 0; i < IXA_OWNERS; i++)
        o->list[i] = (struct ixa_owner){.watch = IXA_WATCH_NONE};
    ixa_schedule_init(&o->schedule, IXA_SHARE_FACT);
}

static void drop(struct ixa_owners *o, struct ixa_owner *owner)
{
    ixa_watch_close(&o->schedule, &owner->watch);
    *owner = (struct ixa_owner){.watch = IXA_WATCH_NONE};
}

void ixa_owners_stop(struct ixa_owners *o)
{
    for (size_t i = 0; i < IXA_OWNERS; i++)
        drop(o, &o->list[i]);
    ixa_schedule_free(&o->schedule);
}

/* Reads the count before asking whether it sleeps: see schedule.h. */
void ixa_owners_begin(struct ixa_owners *o)
{
    const int64_t end = ixa_mono_ns() + SLEEP_NS;
    for (size_t i = 0; i < IXA_OWNERS; i++) {
        struct ixa_owner *owner = &o->list[i];
        if (!owner->key)
            continue;
        owner->count = ixa_watch_count(&owner->watch);
        if (ixa_mono_ns() > end || !ixa_watch_asleep(&owner->watch))
            owner->count = 0;
        if (++owner->unused > UNUSED_MAX)
            drop(o, owner);
    }
}

/* Its place; that of key 0 is a free one. IXA_OWNERS: there is none. */
static size_t place_of(const struct ixa_owners *o, uint64_t key)
{
    size_t i = 0;
    while (i < IXA_OWNERS && o->list[i].key != key)
        i++;
    return i;
}

bool ixa_owners_has(const struct ixa_owners *o, uint64_t key)
{
    return place_of(o, key) < IXA_OWNERS;
}

bool ixa_owners_slept(const struct ixa_owners *o, uint64_t key)
{
    const size_t place = place_of(o, key);
    return place < IXA_OWNERS && o->list[place].count &&
           ixa_watch_count(&o->list[place].watch) == o->list[place].count;
}

void ixa_owners_add(struct ixa_owners *o, uint64_t key, bool known)
{
    struct ixa_start start;
    const size_t place = ixa_owners_has(o, key) ? IXA_OWNERS : place_of(o, 0);
    if (place == IXA_OWNERS)
        return;
    struct ixa_owner *owner = &o->list[place];
    if (known || (ixa_starts_find(o->starts, key, &start) &&
                  ixa_watch_open(&o->schedule, &owner->watch, (pid_t)start.os_id)))
        owner->key = key;
}

void ixa_owners_needed(struct ixa_owners *o, uint64_t key)
{
    const size_t place = place_of(o, key);
    if (place < IXA_OWNERS)
        o->list[place].unused = 0;
}
