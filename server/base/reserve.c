/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/reserve.h"

#include <event2/event.h>
#include <malloc.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct {
    alignas(max_align_t) char bytes[IXOR_RESERVE_PIECES][IXOR_RESERVE_PIECE];
    bool taken[IXOR_RESERVE_PIECES];
    size_t count; /* of those taken */
} reserve;

static bool is_ours(const void *p)
{
    const uintptr_t at = (uintptr_t)p, begin = (uintptr_t)reserve.bytes;
    return at >= begin && at < begin + sizeof reserve.bytes;
}

static void *take(size_t size)
{
    if (size > IXOR_RESERVE_PIECE)
        return NULL;
    for (size_t i = 0; i < IXOR_RESERVE_PIECES; i++) {
        if (reserve.taken[i])
            continue;
        reserve.taken[i] = true;
        reserve.count++;
        return reserve.bytes[i];
    }
    return NULL;
}

static void *get(size_t size)
{
    void *p = malloc(size);
    return p ? p : take(size);
}

static void give_back(void *p)
{
    if (!is_ours(p)) {
        free(p);
        return;
    }
    reserve.taken[((uintptr_t)p - (uintptr_t)reserve.bytes) / IXOR_RESERVE_PIECE] = false;
    reserve.count--;
}

static void *resize(void *old, size_t size)
{
    void *p = old && is_ours(old) ? malloc(size) : realloc(old, size);
    if (p && !(old && is_ours(old)))
        return p;
    if (!p)
        p = take(size);
    if (!p || !old)
        return p;
    const size_t before = is_ours(old) ? IXOR_RESERVE_PIECE : malloc_usable_size(old);
    memcpy(p, old, before < size ? before : size);
    give_back(old);
    return p;
}

void ixor_reserve_use(void)
{
    event_set_mem_functions(get, resize, give_back);
}

bool ixor_reserve_is_short(void)
{
    if (reserve.count <= IXOR_RESERVE_PIECES / 2)
        return false;
    void *probe = malloc(sizeof reserve.bytes);
    free(probe);
    return !probe;
}
