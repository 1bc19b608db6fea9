/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/standing.h"

static struct ixa_stand *place_of(struct ixa_standing *s, uint64_t key)
{
    return &s->places[key % IXA_STANDING];
}

void ixa_standing_begin(struct ixa_standing *s)
{
    s->packet++;
}

const struct ixa_stand *ixa_standing_see(struct ixa_standing *s, uint64_t key, uint32_t count,
                                         bool waits, bool unchanged)
{
    struct ixa_stand *stand = place_of(s, key);
    const bool same = stand->key == key && stand->count == count && stand->waits == waits &&
                      s->packet - stand->last <= 1;
    if (!same)
        *stand = (struct ixa_stand){.key = key, .count = count, .waits = waits, .first = s->packet};
    stand->owns_nothing = stand->owns_nothing && (waits || unchanged);
    stand->last = s->packet;
    return stand;
}

void ixa_standing_owns_nothing(struct ixa_standing *s, uint64_t key, uint32_t count)
{
    struct ixa_stand *stand = place_of(s, key);
    if (stand->key == key && stand->count == count)
        stand->owns_nothing = true;
}
