/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/monitors.h"

#include "agent/base/boot.h"

/* The object's number; takes over the reference. 0 when there are too many. */
static uint32_t number_of(struct ixa_monitors *m, JNIEnv *jni, jobject object)
{
    for (uint32_t i = 0; i < m->object_count; i++)
        if ((*jni)->IsSameObject(jni, m->objects[i], object)) {
            (*jni)->DeleteLocalRef(jni, object);
            return i + 1;
        }
    if (m->object_count == IXA_MONITORS) {
        (*jni)->DeleteLocalRef(jni, object);
        return 0;
    }
    m->owned[m->object_count] = false;
    m->objects[m->object_count++] = object;
    return m->object_count;
}

void ixa_monitors_add(struct ixa_monitors *m, JNIEnv *jni, jobject object,
                      const struct ixa_found *found)
{
    const uint32_t number = number_of(m, jni, object);
    if (number && found->kind == IX_LOCK_OWNS)
        m->owned[number - 1] = true;
    if (!number || m->found_count == IXA_FOUND) {
        m->full = true;
        return;
    }
    m->found[m->found_count] = *found;
    m->found[m->found_count++].object = number;
}

static bool owner_wanted(const struct ixa_monitors *m, const struct ixa_found *f)
{
    return f->kind == IX_LOCK_ENTERS && f->lasts && !m->owned[f->object - 1];
}

bool ixa_monitors_owner_missing(const struct ixa_monitors *m)
{
    for (size_t i = 0; i < m->found_count; i++)
        if (owner_wanted(m, &m->found[i]))
            return true;
    return false;
}

bool ixa_monitors_owner_missing_of(const struct ixa_monitors *m, JNIEnv *jni, jobject object)
{
    for (size_t i = 0; i < m->found_count; i++)
        if (owner_wanted(m, &m->found[i]) &&
            (*jni)->IsSameObject(jni, m->objects[m->found[i].object - 1], object))
            return true;
    return false;
}

void ixa_monitors_clear(struct ixa_monitors *m, JNIEnv *jni)
{
    for (uint32_t i = 0; jni && i < m->object_count; i++)
        (*jni)->DeleteLocalRef(jni, m->objects[i]);
    m->object_count = 0;
    m->found_count = 0;
    m->full = false;
}

/* A thread waits on an object that is itself a thread's, as in Thread.join. */
static int write_join(jvmtiEnv *ti, JNIEnv *jni, uint32_t thread, jobject object,
                      const struct ixa_threads *threads, struct ix_log_writer *log)
{
    jclass class = ixa_boot_thread(ti, jni);
    const bool is_thread = class && (*jni)->IsInstanceOf(jni, object, class);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    const uint32_t joined =
        is_thread ? ixa_threads_find(threads, ixa_threads_key(threads, jni, object)) : 0;
    return joined ? ix_log_join(log, &(struct ix_join){thread, joined}) : 0;
}

int ixa_monitors_write(struct ixa_monitors *m, jvmtiEnv *ti, JNIEnv *jni, struct ixa_names *names,
                       const struct ixa_threads *threads, struct ix_log_writer *log)
{
    uint32_t classes[IXA_MONITORS] = {0};
    int status = 0;
    for (size_t i = 0; i < m->found_count && status == 0; i++) {
        const struct ixa_found *f = &m->found[i];
        const uint32_t thread = ixa_threads_find(threads, f->key);
        uint32_t *number = &classes[f->object - 1];
        if (!thread)
            continue; /* not in the snapshot */
        if (!*number) {
            jclass class = (*jni)->GetObjectClass(jni, m->objects[f->object - 1]);
            *number = ixa_names_class(names, jni, class);
            (*jni)->DeleteLocalRef(jni, class);
        }
        status = ix_log_lock(log, &(struct ix_lock){.thread = thread,
                                                    .kind = f->kind,
                                                    .object = f->object,
                                                    .class_number = *number,
                                                    .depth = f->depth});
        if (status == 0 && f->kind == IX_LOCK_WAITS)
            status = write_join(ti, jni, thread, m->objects[f->object - 1], threads, log);
    }
    return status;
}
