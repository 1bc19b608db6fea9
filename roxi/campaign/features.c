/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/features.h"

#include <stdlib.h>
#include <string.h>

#include "schema/tracelog/thread_state.h"

const char *roxi_feature_name(enum roxi_feature feature)
{
    static const char *const names[ROXI_FEATURES] = {
        [ROXI_STACKS] = "stacks",   [ROXI_PACKETS] = "packets", [ROXI_ENDS] = "ends",
        [ROXI_THREADS] = "threads", [ROXI_STATES] = "states",   [ROXI_STAYS] = "stays",
        [ROXI_MOVES] = "moves",     [ROXI_EARLY] = "early",
    };
    return names[feature];
}

int roxi_features_parse(const char *list, unsigned *features, struct ix_error *err)
{
    *features = 0;
    for (const char *word = list;; word++) {
        const size_t len = strcspn(word, ",");
        enum roxi_feature a = ROXI_STACKS;
        while (a < ROXI_FEATURES && (strlen(roxi_feature_name(a)) != len ||
                                     strncmp(word, roxi_feature_name(a), len) != 0))
            a++;
        if (a == ROXI_FEATURES)
            return ix_fail(
                err,
                "'%.*s' is none of stacks, packets, ends, early, threads, states, stays, "
                "moves",
                (int)len, word);
        *features |= 1u << a;
        word += len;
        if (!*word)
            return 0;
    }
}

bool roxi_feature_of_role(enum roxi_feature feature)
{
    return feature == ROXI_PACKETS || feature == ROXI_ENDS || feature == ROXI_EARLY;
}

static const struct {
    const char *catalogue, *words;
} ends[] = {
    [ROXI_ORDERLY] = {"orderly", "ended orderly"},
    [ROXI_VANISHED] = {"vanished", "vanished"},
    [ROXI_SILENT] = {"silent", "fell silent"},
    [ROXI_LOG_FAILED] = {"log-failed", "could not write its log"},
    [ROXI_SERVER_STOPPED] = {"server-stopped", "outlived the server"},
    [ROXI_RUNNING] = {"running", "still runs"},
    [ROXI_IMPORTED] = {"imported", "was imported"},
    [ROXI_TORN] = {"", "has a torn log"},
    [ROXI_UNREADABLE] = {"", "has no log that can be read"},
    [ROXI_TOO_SHORT] = {"", "ended before any packet"},
};

enum roxi_vm_end roxi_vm_end_of(const char *ended)
{
    for (enum roxi_vm_end e = ROXI_ORDERLY; e <= ROXI_IMPORTED; e++)
        if (strcmp(ended, ends[e].catalogue) == 0)
            return e;
    return ROXI_RUNNING;
}

const char *roxi_vm_end_words(enum roxi_vm_end end)
{
    return ends[end].words;
}

const char *roxi_state_words(enum roxi_state state)
{
    static const char *const words[] = {
        [ROXI_STATE_RUNNABLE] = "running",
        [ROXI_STATE_NATIVE] = "in native code",
        [ROXI_STATE_BLOCKED] = "blocked",
        [ROXI_STATE_WAITING] = "waiting",
        [ROXI_STATE_TIMED] = "waiting for a time",
        [ROXI_STATE_PARKED] = "parked",
        [ROXI_STATE_PARKED_TIMED] = "parked for a time",
        [ROXI_STATE_SLEEPING] = "asleep",
        [ROXI_STATE_OTHER] = "in another state",
    };
    return words[state];
}

enum roxi_state roxi_state_of(uint32_t bits)
{
    if (bits & IX_THREAD_TERMINATED)
        return ROXI_STATE_OTHER;
    if (bits & IX_THREAD_BLOCKED)
        return ROXI_STATE_BLOCKED;
    if (bits & IX_THREAD_RUNNABLE)
        return bits & IX_THREAD_IN_NATIVE ? ROXI_STATE_NATIVE : ROXI_STATE_RUNNABLE;
    if (bits & IX_THREAD_SLEEPING)
        return ROXI_STATE_SLEEPING;
    const bool timed = bits & IX_THREAD_WITH_TIMEOUT;
    if (bits & IX_THREAD_PARKED)
        return timed ? ROXI_STATE_PARKED_TIMED : ROXI_STATE_PARKED;
    if (bits & (IX_THREAD_WAITING | IX_THREAD_OBJECT_WAIT | IX_THREAD_WITH_TIMEOUT))
        return timed ? ROXI_STATE_TIMED : ROXI_STATE_WAITING;
    return ROXI_STATE_OTHER;
}

static int by_key(const void *a, const void *b)
{
    const struct roxi_feature_item *x = a, *y = b;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

uint64_t roxi_features_length(const struct roxi_feature_item *items, size_t count)
{
    uint64_t length = 0;
    for (size_t i = 0; i < count; i++)
        if (items[i].feature == ROXI_PACKETS && items[i].a == ROXI_ANSWERED &&
            items[i].count > length)
            length = items[i].count;
    return length;
}

uint64_t roxi_features_packets(const struct roxi_feature_item *items, size_t count, uint32_t role)
{
    for (size_t i = 0; i < count && items[i].feature == ROXI_PACKETS; i++)
        if (items[i].place == role && items[i].a == ROXI_COUNTED)
            return items[i].count;
    return 0;
}

bool roxi_features_unknown(const struct roxi_feature_item *items, size_t count, uint32_t role)
{
    bool unknown = false;
    for (size_t i = 0; i < count && items[i].feature <= ROXI_ENDS; i++) {
        if (items[i].place != role)
            continue;
        if (items[i].feature == ROXI_PACKETS || items[i].a != ROXI_TOO_SHORT)
            return false;
        unknown = true;
    }
    return unknown;
}

size_t roxi_features_merge(struct roxi_feature_item *items, size_t count)
{
    size_t n = 0;
    if (count)
        qsort(items, count, sizeof *items, by_key);
    for (size_t i = 0; i < count; i++) {
        if (n && by_key(&items[n - 1], &items[i]) == 0)
            items[n - 1].count += items[i].count;
        else
            items[n++] = items[i];
    }
    return n;
}
