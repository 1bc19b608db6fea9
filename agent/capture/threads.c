/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/capture/threads.h"

#include <stdlib.h>
#include <string.h>

#include "agent/base/boot.h"
#include "agent/base/utf8.h"

/* A name can change (Thread.setName), and reading it costs two references and two strings. */
#define NAME_EVERY 64

/* This many virtual threads that are not in a snapshot are remembered, or as many as are in it. */
#define ABSENT_MAX 4096

struct ixa_thread {
    uint64_t key;
    uint64_t start;
    uint32_t number;
    uint32_t snapshot; /* the last one it was in */
    bool is_virtual;
    bool left; /* behind, by an earlier test */
};

jfieldID ixa_threads_id_field(jvmtiEnv *ti, JNIEnv *jni)
{
    jclass thread = ixa_boot_thread(ti, jni);
    jfieldID tid = thread ? (*jni)->GetFieldID(jni, thread, "tid", "J") : NULL;
    if (!tid)
        (*jni)->ExceptionClear(jni);
    if (thread)
        (*jni)->DeleteLocalRef(jni, thread);
    return tid;
}

static int by_id(const void *a, const void *b)
{
    const jlong x = *(const jlong *)a, y = *(const jlong *)b;
    return (x > y) - (x < y);
}

void ixa_threads_running(struct ixa_starts *starts, jvmtiEnv *ti, JNIEnv *jni, jfieldID id)
{
    jthread *threads;
    jint count;
    if ((*ti)->GetAllThreads(ti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    if ((*jni)->EnsureLocalCapacity(jni, count + 16) != 0)
        (*jni)->ExceptionClear(jni);
    jlong *ids = calloc((size_t)count + 1, sizeof *ids);
    for (jint i = 0; i < count; i++) {
        if (ids)
            ids[i] = (*jni)->GetLongField(jni, threads[i], id);
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    if (ids) {
        qsort(ids, (size_t)count, sizeof *ids, by_id);
        for (jint i = 0; i < count; i++)
            ixa_starts_add(starts, (uint64_t)ids[i], 0);
    }
    free(ids);
    (*ti)->Deallocate(ti, (unsigned char *)threads);
}

void ixa_threads_init(struct ixa_threads *t, jvmtiEnv *ti, JNIEnv *jni, jthread self, jfieldID id,
                      struct ixa_starts *starts, uint64_t test, struct ix_log_writer *log)
{
    *t = (struct ixa_threads){.ti = ti, .starts = starts, .test = test, .log = log, .tid = id};
    t->self = (uint64_t)(*jni)->GetLongField(jni, self, id);
    ixa_starts_add(starts, t->self, 0);
    t->shown = 1; /* its own start is counted, and it must not count as missed */
}

void ixa_threads_free(struct ixa_threads *t)
{
    free(t->list);
    ix_idmap_free(&t->by_key);
    ix_out_free(&t->name);
    ix_out_free(&t->group);
    ix_out_free(&t->parent);
}

void ixa_threads_forget(struct ixa_threads *t)
{
    for (size_t i = 0; i < t->count; i++)
        t->list[i].number = 0;
    t->numbered = 0;
}

size_t ixa_threads_memory(const struct ixa_threads *t)
{
    return t->capacity * sizeof *t->list + ix_idmap_memory(&t->by_key) + t->name.cap +
           t->group.cap + t->parent.cap;
}

uint64_t ixa_threads_key(const struct ixa_threads *t, JNIEnv *jni, jthread thread)
{
    return (uint64_t)(*jni)->GetLongField(jni, thread, t->tid);
}

void ixa_threads_begin(struct ixa_threads *t)
{
    t->snapshot++;
    t->met = 0;
    t->shown += t->shown_later;
    t->shown_later = 0;
    t->starts_before = atomic_load_explicit(&t->starts->count, memory_order_relaxed);
}

/* The logical start of a platform thread that has not been in a snapshot. Its ThreadStart may not
 * have arrived yet. */
static uint64_t start_of(struct ixa_threads *t, uint64_t key)
{
    const uint64_t start = ixa_starts_add(t->starts, key, 0);
    if (start <= t->starts_before)
        t->shown++;
    else
        t->shown_later++;
    return start;
}

/* The thread's entry in the list, existing or new. NULL when out of memory. */
static struct ixa_thread *place_of(struct ixa_threads *t, uint64_t key, bool is_virtual)
{
    uint32_t place = ix_idmap_get(&t->by_key, key);
    if (place)
        return &t->list[place - 1];
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? t->capacity * 2 : 64;
        struct ixa_thread *list = realloc(t->list, capacity * sizeof *list);
        if (!list)
            return NULL;
        t->list = list;
        t->capacity = capacity;
    }
    if (ix_idmap_put(&t->by_key, key, (uint32_t)t->count + 1) != 0)
        return NULL;
    t->list[t->count] = (struct ixa_thread){
        .key = key, .start = is_virtual ? key : start_of(t, key), .is_virtual = is_virtual};
    return &t->list[t->count++];
}

static const char *text_of(struct ix_out *out, const char *modified_utf8)
{
    ix_out_clear(out);
    if (modified_utf8)
        ixa_put_utf8(out, modified_utf8, strlen(modified_utf8));
    ix_put_u8(out, 0);
    return out->failed ? "" : (const char *)out->data;
}

static void deallocate(jvmtiEnv *ti, char *text)
{
    if (text)
        (*ti)->Deallocate(ti, (unsigned char *)text);
}

/* Reads a group's name into `out`; returns its parent, a local reference, or NULL. */
static jthreadGroup read_group(struct ixa_threads *t, jthreadGroup group, struct ix_out *out,
                               const char **name)
{
    jvmtiThreadGroupInfo info = {0};
    *name = "";
    if (!group || (*t->ti)->GetThreadGroupInfo(t->ti, group, &info) != JVMTI_ERROR_NONE)
        return NULL;
    *name = text_of(out, info.name);
    deallocate(t->ti, info.name);
    return info.parent;
}

/* Reads a thread's properties and defines it in the log. Writes nothing if nothing has changed. */
static int define(struct ixa_threads *t, JNIEnv *jni, jthread thread, const struct ixa_thread *at)
{
    jvmtiThreadInfo info = {0};
    struct ix_thread entry = {
        .number = at->number,
        .start = at->start,
        .id = at->key,
        .name = "",
        .group = "",
        .parent = "",
        .priority = IX_PRIORITY_UNKNOWN,
        .flags = IX_THREAD_DAEMON_UNKNOWN | (at->is_virtual ? IX_THREAD_VIRTUAL : 0) |
                 (at->left ? IX_THREAD_LEFT : 0),
    };
    if ((*t->ti)->GetThreadInfo(t->ti, thread, &info) == JVMTI_ERROR_NONE) {
        entry.name = text_of(&t->name, info.name);
        entry.priority = info.priority;
        entry.flags = (info.is_daemon ? IX_THREAD_DAEMON : 0) |
                      (entry.flags & (IX_THREAD_VIRTUAL | IX_THREAD_LEFT));
        jthreadGroup parent = read_group(t, info.thread_group, &t->group, &entry.group);
        jthreadGroup above = read_group(t, parent, &t->parent, &entry.parent);
        deallocate(t->ti, info.name);
        (*jni)->DeleteLocalRef(jni, above);
        (*jni)->DeleteLocalRef(jni, parent);
        (*jni)->DeleteLocalRef(jni, info.thread_group);
        (*jni)->DeleteLocalRef(jni, info.context_class_loader);
    }
    if (at->is_virtual && !*entry.group) { /* it has ended in the meantime; all virtual threads
                                            * are in this group */
        entry.group = "VirtualThreads";
        entry.parent = "system";
    }
    return ix_log_thread(t->log, &entry);
}

/* Whether an earlier test has left the thread behind; stack as of ixa_threads_number. */
static bool is_left(struct ixa_threads *t, const struct ixa_thread *at, uint64_t stack)
{
    if (!t->test || at->is_virtual)
        return false;
    return stack ? ixa_starts_left(t->starts, at->key, t->test, stack) : at->left;
}

uint32_t ixa_threads_number(struct ixa_threads *t, JNIEnv *jni, jthread thread, bool is_virtual,
                            uint64_t stack)
{
    const uint64_t key = ixa_threads_key(t, jni, thread);
    if (key == t->self)
        return 0;
    struct ixa_thread *at = place_of(t, key, is_virtual);
    if (!at)
        return 0;
    at->snapshot = t->snapshot;
    t->met++;
    const bool left = is_left(t, at, stack);
    const bool is_new = !at->number || left != at->left;
    at->left = left;
    if (!at->number)
        at->number = ++t->numbered;
    if (is_new || (t->snapshot + at->number) % NAME_EVERY == 0)
        define(t, jni, thread, at);
    return at->number;
}

uint32_t ixa_threads_find(const struct ixa_threads *t, uint64_t key)
{
    const uint32_t place = ix_idmap_get(&t->by_key, key);
    return place ? t->list[place - 1].number : 0;
}

/* Removes the threads that were not in this snapshot from the list; virtual ones only when there
 * are too many of them. */
static void forget_gone(struct ixa_threads *t)
{
    const bool absent_stay = t->count - t->met <= t->met + ABSENT_MAX;
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].snapshot == t->snapshot || (t->list[i].is_virtual && absent_stay))
            t->list[kept++] = t->list[i];
    if (kept == t->count)
        return;
    t->count = kept;
    ix_idmap_clear(&t->by_key);
    for (size_t i = 0; i < kept; i++)
        ix_idmap_put(&t->by_key, t->list[i].key, (uint32_t)i + 1); /* has had room for more */
}

uint64_t ixa_threads_end(struct ixa_threads *t)
{
    forget_gone(t);
    ixa_starts_sweep(t->starts);
    int64_t missed = (int64_t)t->starts_before - t->shown - t->missed_told;
    if (missed < 0)
        missed = 0; /* made up for by a later snapshot */
    t->missed_told += missed;
    return (uint64_t)missed;
}
