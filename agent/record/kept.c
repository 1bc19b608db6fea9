/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/kept.h"

static struct ixa_kept_thread *place_of(struct ixa_kept *k, uint64_t key)
{
    return &k->places[key % IXA_KEPT];
}

static void forget(JNIEnv *jni, struct ixa_kept_thread *t)
{
    for (uint32_t i = 0; jni && i < t->count; i++)
        (*jni)->DeleteWeakGlobalRef(jni, t->relations[i].object);
    *t = (struct ixa_kept_thread){0};
}

void ixa_kept_begin(struct ixa_kept *k)
{
    k->packet++;
}

void ixa_kept_end(struct ixa_kept *k, JNIEnv *jni)
{
    for (size_t i = 0; i < IXA_KEPT; i++)
        if (k->places[i].key && k->places[i].packet != k->packet)
            forget(jni, &k->places[i]);
}

void ixa_kept_clear(struct ixa_kept *k, JNIEnv *jni)
{
    for (size_t i = 0; i < IXA_KEPT; i++)
        forget(jni, &k->places[i]);
}

void ixa_kept_put(struct ixa_kept *k, JNIEnv *jni, uint64_t key, jint state, bool all)
{
    struct ixa_kept_thread *t = place_of(k, key);
    forget(jni, t);
    *t = (struct ixa_kept_thread){.key = key, .packet = k->packet, .state = state, .all = all};
}

void ixa_kept_add(struct ixa_kept *k, JNIEnv *jni, uint64_t key, jobject object,
                  enum ix_lock_kind kind, jint depth)
{
    struct ixa_kept_thread *t = place_of(k, key);
    if (t->key != key)
        return; /* forgotten */
    jweak weak = t->count < IXA_KEPT_RELATIONS ? (*jni)->NewWeakGlobalRef(jni, object) : NULL;
    if (weak) {
        t->relations[t->count++] = (struct ixa_kept_relation){weak, kind, depth};
        return;
    }
    (*jni)->ExceptionClear(jni);
    forget(jni, t);
}

struct ixa_kept_thread *ixa_kept_find(struct ixa_kept *k, uint64_t key)
{
    struct ixa_kept_thread *t = place_of(k, key);
    return t->key == key && t->packet == k->packet - 1 ? t : NULL;
}

bool ixa_kept_still(struct ixa_kept *k, JNIEnv *jni, struct ixa_kept_thread *thread,
                    jobject objects[IXA_KEPT_RELATIONS])
{
    for (uint32_t i = 0; i < thread->count; i++) {
        objects[i] = (*jni)->NewLocalRef(jni, thread->relations[i].object);
        if (objects[i])
            continue;
        while (i > 0)
            (*jni)->DeleteLocalRef(jni, objects[--i]);
        return false;
    }
    thread->packet = k->packet;
    return true;
}
