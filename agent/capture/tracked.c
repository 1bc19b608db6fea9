/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/capture/tracked.h"

#include <stdbool.h>
#include <stdlib.h>

/* Slots tried from a key's own slot on; at half load the chance to find none free is negligible. */
#define PROBES 64

/* A slot's word is key << 2 plus these flags. 0: free. */
#define BUSY 1u  /* in use by the thread itself or by the agent's thread */
#define ENDED 2u /* with BUSY: the thread has ended, the agent's thread clears the slot */

struct ixa_tracked_place {
    _Atomic uint64_t word;
    jweak ref; /* belongs to the thread that set BUSY */
};

int ixa_tracked_init(struct ixa_tracked *t, uint32_t limit)
{
    size_t capacity = PROBES;
    while (capacity < 2 * (size_t)limit)
        capacity *= 2;
    *t = (struct ixa_tracked){.places = calloc(capacity, sizeof *t->places)};
    if (!t->places)
        return -1;
    t->capacity = capacity;
    t->limit = limit;
    return 0;
}

void ixa_tracked_free(struct ixa_tracked *t)
{
    free(t->places);
    *t = (struct ixa_tracked){0};
}

static struct ixa_tracked_place *probe(const struct ixa_tracked *t, uint64_t key, size_t i)
{
    const uint64_t hash = key * 0x9e3779b97f4a7c15u;
    return &t->places[((size_t)(hash >> 24) + i) & (t->capacity - 1)];
}

static void clear_place(struct ixa_tracked *t, JNIEnv *jni, struct ixa_tracked_place *place)
{
    if (place->ref)
        (*jni)->DeleteWeakGlobalRef(jni, place->ref);
    place->ref = NULL;
    atomic_store(&place->word, 0);
    atomic_fetch_sub(&t->used, 1);
}

/* Takes a free slot, now busy with the key; NULL if there is none. */
static struct ixa_tracked_place *claim(struct ixa_tracked *t, uint64_t key)
{
    for (size_t i = 0; i < PROBES; i++) {
        struct ixa_tracked_place *place = probe(t, key, i);
        uint64_t free_word = 0;
        if (atomic_compare_exchange_strong(&place->word, &free_word, key << 2 | BUSY))
            return place;
    }
    return NULL;
}

void ixa_tracked_start(struct ixa_tracked *t, JNIEnv *jni, jobject thread, uint64_t key)
{
    atomic_fetch_add(&t->started, 1);
    if (!t->capacity)
        return;
    struct ixa_tracked_place *place =
        atomic_fetch_add(&t->used, 1) < t->limit ? claim(t, key) : NULL;
    if (!place) {
        atomic_fetch_sub(&t->used, 1);
        return;
    }
    place->ref = (*jni)->NewWeakGlobalRef(jni, thread);
    if (place->ref) {
        atomic_store(&place->word, key << 2);
        return;
    }
    (*jni)->ExceptionClear(jni);
    clear_place(t, jni, place);
}

void ixa_tracked_end(struct ixa_tracked *t, JNIEnv *jni, uint64_t key)
{
    atomic_fetch_add(&t->ended, 1);
    for (size_t i = 0; i < PROBES && t->capacity; i++) {
        struct ixa_tracked_place *place = probe(t, key, i);
        uint64_t word = atomic_load(&place->word);
        if (word >> 2 != key)
            continue;
        /* Besides us only the agent's thread changes it, from plain to busy and back, and
         * ixa_tracked_clear. */
        while (word >> 2 == key && !atomic_compare_exchange_weak(
                                       &place->word, &word, word | (word & BUSY ? ENDED : BUSY)))
            ;
        if (word >> 2 != key)
            return;
        if (!(word & BUSY))
            clear_place(t, jni, place);
        return;
    }
}

/* Claims the slot for the agent's thread. */
static bool seize(struct ixa_tracked_place *place, uint64_t *word)
{
    *word = atomic_load(&place->word);
    return *word && !(*word & BUSY) &&
           atomic_compare_exchange_strong(&place->word, word, *word | BUSY);
}

/* Releases the slot. False if its thread has ended meanwhile: the slot is then cleared. */
static bool give_back(struct ixa_tracked *t, JNIEnv *jni, struct ixa_tracked_place *place,
                      uint64_t word)
{
    uint64_t busy = word | BUSY;
    if (atomic_compare_exchange_strong(&place->word, &busy, word))
        return true;
    clear_place(t, jni, place);
    return false;
}

static jobject take(struct ixa_tracked *t, JNIEnv *jni, struct ixa_tracked_place *place)
{
    uint64_t word;
    if (!seize(place, &word))
        return NULL;
    jobject thread = (*jni)->NewLocalRef(jni, place->ref);
    if (!thread && (*jni)->IsSameObject(jni, place->ref, NULL)) {
        atomic_fetch_add(&t->collected, 1);
        clear_place(t, jni, place);
        return NULL;
    }
    if (give_back(t, jni, place, word) || !thread)
        return thread;
    (*jni)->DeleteLocalRef(jni, thread);
    return NULL;
}

size_t ixa_tracked_list(struct ixa_tracked *t, JNIEnv *jni, jobject *threads, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < t->capacity && count < room; i++) {
        jobject thread = take(t, jni, &t->places[i]);
        if (thread)
            threads[count++] = thread;
    }
    return count;
}

uint64_t ixa_tracked_living(const struct ixa_tracked *t)
{
    const uint64_t gone = atomic_load(&t->ended) + atomic_load(&t->collected);
    const uint64_t started = atomic_load(&t->started);
    return started > gone ? started - gone : 0;
}

void ixa_tracked_clear(struct ixa_tracked *t, JNIEnv *jni)
{
    uint64_t word;
    for (size_t i = 0; i < t->capacity; i++)
        if (seize(&t->places[i], &word))
            clear_place(t, jni, &t->places[i]);
}
