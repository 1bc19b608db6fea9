/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/invocations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/boot.h"
#include "agent/base/jvm.h"
#include "agent/record/weak.h"
#include "schema/base/grow.h"

#define NATIVE_OR_ABSTRACT 0x0500 /* of a method's modifiers */

/* ---- classes that were prepared ---- */

/* Not the platform's: those of its own loaders are left out here, the rest by their names. */
static bool has_loader(jvmtiEnv *ti, JNIEnv *jni, jclass class)
{
    jobject loader = NULL;
    if ((*ti)->GetClassLoader(ti, class, &loader) != JVMTI_ERROR_NONE || !loader)
        return false;
    (*jni)->DeleteLocalRef(jni, loader);
    return true;
}

/* Takes over the reference if there is room. */
static bool keep(struct ixa_invocations *x, jweak weak)
{
    pthread_mutex_lock(&x->lock);
    const bool room = x->fresh && x->fresh_count < IXA_INVOCATIONS_FRESH;
    if (room)
        x->fresh[x->fresh_count++] = weak;
    else
        x->missed++;
    pthread_mutex_unlock(&x->lock);
    return room;
}

void ixa_invocations_on_prepare(struct ixa_invocations *x, jvmtiEnv *ti, JNIEnv *jni, jclass class)
{
    if (!atomic_load(&x->on) || !has_loader(ti, jni, class))
        return;
    jweak weak = ixa_weak(jni, (*jni)->NewLocalRef(jni, class));
    if (weak && !keep(x, weak))
        ixa_weak_drop(jni, weak);
}

/* Takes the first ones; returns how many. The caller owns them. */
static size_t take_fresh(struct ixa_invocations *x, jweak taken[IXA_INVOCATIONS_ADOPTS])
{
    pthread_mutex_lock(&x->lock);
    const size_t count =
        x->fresh_count < IXA_INVOCATIONS_ADOPTS ? x->fresh_count : IXA_INVOCATIONS_ADOPTS;
    if (count) {
        memcpy(taken, x->fresh, count * sizeof *taken);
        x->fresh_count -= count;
        memmove(x->fresh, x->fresh + count, x->fresh_count * sizeof *taken);
    }
    x->left_out += x->missed;
    x->missed = 0;
    pthread_mutex_unlock(&x->lock);
    return count;
}

/* ---- their methods ---- */

static bool is_of_application(jvmtiEnv *ti, jclass class)
{
    static const char *const platform[] = {"Ljava/", "Ljavax/", "Ljdk/", "Lsun/", "Lcom/sun/"};
    char *signature = NULL;
    bool is = (*ti)->GetClassSignature(ti, class, &signature, NULL) == JVMTI_ERROR_NONE &&
              signature && *signature == 'L' && !strchr(signature, '.'); /* hidden ones have one */
    for (size_t i = 0; is && i < sizeof platform / sizeof *platform; i++)
        is = strncmp(signature, platform[i], strlen(platform[i])) != 0;
    ixa_deallocate(ti, signature);
    return is;
}

static bool has_code(jvmtiEnv *ti, jmethodID id)
{
    jint modifiers = 0;
    return (*ti)->GetMethodModifiers(ti, id, &modifiers) == JVMTI_ERROR_NONE &&
           !(modifiers & NATIVE_OR_ABSTRACT);
}

static void add_methods(struct ixa_invocations *x, jvmtiEnv *ti, const jmethodID *ids, jint count)
{
    uint32_t added = 0;
    for (jint i = 0; i < count && added < IXA_INVOCATIONS_OF_CLASS; i++) {
        if (x->count == IXA_INVOCATIONS_METHODS || !has_code(ti, ids[i]))
            continue;
        const struct ixa_counted counted = {.id = ids[i], .class = (uint32_t)x->class_count};
        if (ix_append(x->methods, x->count, x->cap, counted) != 0)
            return;
        added++;
    }
}

/* Is the class whose methods begin there in the table already? It may be found and told of. */
static bool is_known(const struct ixa_invocations *x, size_t first)
{
    return ix_idmap_get(&x->first, (uintptr_t)x->methods[first].id) != 0;
}

/* Takes over the reference. */
static void add_class(struct ixa_invocations *x, jvmtiEnv *ti, JNIEnv *jni, jclass class,
                      jweak weak)
{
    jmethodID *ids = NULL;
    jint count = 0;
    const size_t before = x->count;
    if (x->count == IXA_INVOCATIONS_METHODS || x->lost >= IXA_INVOCATIONS_LOST)
        x->left_out++;
    else if ((*ti)->GetClassMethods(ti, class, &count, &ids) == JVMTI_ERROR_NONE)
        add_methods(x, ti, ids, count);
    ixa_deallocate(ti, ids);
    if (x->count > before && !is_known(x, before) &&
        ix_idmap_put(&x->first, (uintptr_t)x->methods[before].id, 1) == 0 &&
        ix_append(x->classes, x->class_count, x->class_cap, weak) == 0)
        return;
    x->count = before;
    ixa_weak_drop(jni, weak);
}

static void adopt(struct ixa_invocations *x, jvmtiEnv *ti, JNIEnv *jni)
{
    jweak taken[IXA_INVOCATIONS_ADOPTS];
    const size_t count = take_fresh(x, taken);
    for (size_t i = 0; i < count; i++) {
        jclass class = (*jni)->NewLocalRef(jni, taken[i]);
        if (class && is_of_application(ti, class))
            add_class(x, ti, jni, class, taken[i]);
        else
            ixa_weak_drop(jni, taken[i]);
        if (class)
            (*jni)->DeleteLocalRef(jni, class);
    }
}

/* ---- on and off ---- */

static void find_prepared(struct ixa_invocations *x, jvmtiEnv *ti, JNIEnv *jni)
{
    jclass *classes = NULL;
    jint count = 0, status = 0;
    if ((*ti)->GetLoadedClasses(ti, &count, &classes) != JVMTI_ERROR_NONE)
        return;
    ixa_reserve_references(jni, count);
    for (jint i = 0; i < count; i++) {
        if ((*ti)->GetClassStatus(ti, classes[i], &status) == JVMTI_ERROR_NONE &&
            status & JVMTI_CLASS_STATUS_PREPARED)
            ixa_invocations_on_prepare(x, ti, jni, classes[i]);
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    ixa_deallocate(ti, classes);
}

/* Is the first of these methods that has code where the counters should be? */
static bool is_there(const struct ixa_counters *c, jvmtiEnv *ti, const jmethodID *ids, jint count)
{
    jint parameters, locals, i = 0;
    while (i < count && !has_code(ti, ids[i]))
        i++;
    return i < count && (*ti)->GetArgumentsSize(ti, ids[i], &parameters) == JVMTI_ERROR_NONE &&
           (*ti)->GetMaxLocals(ti, ids[i], &locals) == JVMTI_ERROR_NONE &&
           ixa_counters_check(c, ids[i], parameters, locals);
}

/* Asked of a class that every JVM has. */
static bool can_count(struct ixa_counters *c, jvmtiEnv *ti, JNIEnv *jni)
{
    jmethodID *ids = NULL;
    jint count = 0;
    jclass class = ixa_counters_find(c) ? ixa_boot_thread(ti, jni) : NULL;
    if (!class)
        return false;
    const bool can = (*ti)->GetClassMethods(ti, class, &count, &ids) == JVMTI_ERROR_NONE &&
                     is_there(c, ti, ids, count);
    ixa_deallocate(ti, ids);
    (*jni)->DeleteLocalRef(jni, class);
    return can;
}

int ixa_invocations_start(struct ixa_invocations *x, jvmtiEnv *ti, JNIEnv *jni)
{
    if (!can_count(&x->counters, ti, jni))
        return -1;
    jweak *fresh = calloc(IXA_INVOCATIONS_FRESH, sizeof(jweak));
    if (!fresh)
        return -1;
    pthread_mutex_lock(&x->lock);
    x->fresh = fresh;
    x->fresh_count = 0;
    x->missed = 0;
    pthread_mutex_unlock(&x->lock);
    x->left_out = x->told = 0;
    atomic_store(&x->on, true);
    find_prepared(x, ti, jni);
    return 0;
}

void ixa_invocations_stop(struct ixa_invocations *x, JNIEnv *jni)
{
    atomic_store(&x->on, false);
    pthread_mutex_lock(&x->lock);
    jweak *fresh = x->fresh;
    const size_t count = x->fresh_count;
    x->fresh = NULL;
    x->fresh_count = 0;
    pthread_mutex_unlock(&x->lock);
    for (size_t i = 0; jni && i < count; i++)
        ixa_weak_drop(jni, fresh[i]);
    for (size_t i = 0; jni && i < x->class_count; i++)
        ixa_weak_drop(jni, x->classes[i]);
    free(fresh);
    free(x->classes);
    free(x->methods);
    ix_idmap_free(&x->first);
    x->classes = NULL;
    x->methods = NULL;
    x->class_count = x->class_cap = x->unloaded = x->count = x->cap = x->next = 0;
}

void ixa_invocations_forget(struct ixa_invocations *x)
{
    for (size_t i = 0; i < x->count; i++)
        x->methods[i].log = 0;
}

/* ---- looks ---- */

/* Classes that were unloaded, and their methods. */
static void sweep(struct ixa_invocations *x)
{
    size_t kept = 0, classes = 0;
    ix_idmap_clear(&x->first);
    for (size_t i = 0; i < x->count;) {
        const uint32_t class = x->methods[i].class;
        jweak weak = x->classes[class];
        if (weak)
            ix_idmap_put(&x->first, (uintptr_t)x->methods[i].id, 1); /* has had room for more */
        for (; i < x->count && x->methods[i].class == class; i++) {
            if (!weak)
                continue;
            x->methods[kept] = x->methods[i];
            x->methods[kept++].class = (uint32_t)classes;
        }
        if (weak)
            x->classes[classes++] = weak;
    }
    x->lost += (uint32_t)(x->count - kept);
    x->count = kept;
    x->class_count = classes;
    x->unloaded = 0;
}

/* Methods of classes that are alive, and held meanwhile. */
struct batch {
    uint32_t places[IXA_COUNTERS_BATCH];
    jclass held[IXA_COUNTERS_BATCH]; /* the method's class */
    jmethodID ids[IXA_COUNTERS_BATCH];
    struct ixa_count counts[IXA_COUNTERS_BATCH];
    size_t count;
};

static jclass hold(struct ixa_invocations *x, JNIEnv *jni, uint32_t class)
{
    jclass held = x->classes[class] ? (*jni)->NewLocalRef(jni, x->classes[class]) : NULL;
    if (!held && x->classes[class]) {
        ixa_weak_drop(jni, x->classes[class]);
        x->classes[class] = NULL;
        x->unloaded++;
    }
    return held;
}

static void gather(struct ixa_invocations *x, JNIEnv *jni, size_t looks, struct batch *b)
{
    jclass held = NULL;
    b->count = 0;
    for (size_t i = 0; i < looks && x->next < x->count; i++, x->next++) {
        const struct ixa_counted *m = &x->methods[x->next];
        if (!i || m->class != m[-1].class)
            held = hold(x, jni, m->class);
        if (!held)
            continue;
        b->places[b->count] = (uint32_t)x->next;
        b->ids[b->count] = m->id;
        b->held[b->count++] = held;
    }
}

static void release(JNIEnv *jni, const struct batch *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (!i || b->held[i] != b->held[i - 1])
            (*jni)->DeleteLocalRef(jni, b->held[i]);
}

/* *names_left: how many methods may still be written for the first time; the others' turn comes. */
static int write_one(struct ixa_counted *m, JNIEnv *jni, struct ixa_names *names, jclass class,
                     const struct ixa_count *now, uint32_t *names_left, struct ix_log_writer *log)
{
    if (!now->known || (now->calls == m->calls && now->at_least <= m->at_least))
        return 0;
    if (now->calls < m->calls) { /* the class was redefined */
        m->calls = now->calls;
        return 0;
    }
    if (!m->log) {
        if (!*names_left || ixa_names_method(names, jni, class, m->id, &m->log) != 0)
            return *names_left ? -1 : 0;
        --*names_left;
    }
    const struct ix_invocations invocations = {
        .method = m->log, .count = now->calls - m->calls, .at_least = now->at_least};
    m->calls = now->calls;
    m->at_least |= now->at_least;
    return m->log ? ix_log_invocations(log, &invocations) : 0;
}

static int look(struct ixa_invocations *x, JNIEnv *jni, struct ixa_names *names, size_t looks,
                uint32_t *names_left, struct ix_log_writer *log)
{
    struct batch b;
    int status = 0;
    gather(x, jni, looks, &b);
    ixa_counters_read(&x->counters, b.ids, b.count, b.counts);
    for (size_t i = 0; i < b.count && status == 0; i++)
        status = write_one(&x->methods[b.places[i]], jni, names, b.held[i], &b.counts[i],
                           names_left, log);
    release(jni, &b);
    return status;
}

static int tell_left_out(struct ixa_invocations *x, struct ix_log_writer *log)
{
    char text[64];
    if (x->left_out < x->told * 2 || !x->left_out)
        return 0;
    x->told = x->left_out;
    snprintf(text, sizeof text, "in %" PRIu64 " classes or more", x->left_out);
    return ix_log_meta(log, "invocations-left-out", text);
}

static size_t looks_a_packet(const struct ixa_invocations *x)
{
    const size_t looks = x->count / IXA_INVOCATIONS_ROUND;
    return looks < IXA_INVOCATIONS_LOOKS_MIN ? IXA_INVOCATIONS_LOOKS_MIN
           : looks < IXA_COUNTERS_BATCH      ? looks
                                             : IXA_COUNTERS_BATCH;
}

static void begin_round(struct ixa_invocations *x)
{
    if (x->unloaded)
        sweep(x);
    x->next = 0;
}

static int look_at_all(struct ixa_invocations *x, JNIEnv *jni, struct ixa_names *names,
                       struct ix_log_writer *log)
{
    uint32_t names_left = UINT32_MAX;
    int status = 0;
    begin_round(x);
    while (x->next < x->count && status == 0)
        status = look(x, jni, names, IXA_COUNTERS_BATCH, &names_left, log);
    return status;
}

int ixa_invocations_write(struct ixa_invocations *x, jvmtiEnv *ti, JNIEnv *jni,
                          struct ixa_names *names, struct ix_log_writer *log, bool last)
{
    uint32_t names_left = IXA_INVOCATIONS_NAMES;
    adopt(x, ti, jni);
    ixa_reserve_references(jni, IXA_COUNTERS_BATCH);
    if (tell_left_out(x, log) != 0)
        return -1;
    if (last)
        return look_at_all(x, jni, names, log);
    if (x->next >= x->count)
        begin_round(x);
    return look(x, jni, names, looks_a_packet(x), &names_left, log);
}
