/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/names.h"

#include <stdlib.h>
#include <string.h>

#include "agent/base/jvm.h"
#include "agent/base/utf8.h"
#include "agent/record/classes.h"
#include "agent/record/lines.h"

/* After this many snapshots, classes that no one has asked about are checked, too. */
#define CHECK_EVERY 256
/* This many dropped classes, or methods found unloaded, may be in the tables. */
#define DROPPED_MAX 64
#define GONE_MAX 256
/* Local references announced at a time. */
#define RESERVED 256

/* Either read (klass is not 0), or seen in this snapshot and then held or found unloaded. */
struct method {
    jmethodID id;
    jclass held;       /* local reference to its class until the method is read */
    uint32_t snapshot; /* the snapshot in which it was seen */
    uint32_t klass;    /* place in `classes` */
    uint32_t log;      /* method number in the log */
    bool native;
    struct ixa_lines lines;
};

struct ixa_names {
    jvmtiEnv *ti;
    struct ix_log_writer *log;
    struct ixa_classes classes;
    struct method *methods; /* owned; some are unloaded until the next sweep */
    size_t count, capacity;
    struct ix_idmap by_id;          /* method id -> place of its newest method, from 1 */
    struct ix_idmap frames;         /* method's place and location -> frame number in the log */
    size_t line_bytes;              /* of all methods' line tables */
    size_t gone;                    /* methods found unloaded that are still in the list */
    size_t held;                    /* in this snapshot */
    uint32_t unloaded;              /* frame of a method that can no longer be read */
    struct ix_out name, descriptor; /* scratch */
};

struct ixa_names *ixa_names_new(jvmtiEnv *ti, JNIEnv *jni, struct ix_log_writer *log)
{
    struct ixa_names *n = calloc(1, sizeof *n);
    if (n) {
        n->ti = ti;
        n->log = log;
        ixa_classes_init(&n->classes, ti, jni, log);
    }
    return n;
}

void ixa_names_forget(struct ixa_names *n, JNIEnv *jni)
{
    ixa_classes_forget(&n->classes, jni);
    for (size_t i = 0; i < n->count; i++)
        ixa_lines_free(&n->methods[i].lines);
    free(n->methods);
    ix_idmap_free(&n->by_id);
    ix_idmap_free(&n->frames);
    ix_out_free(&n->name);
    ix_out_free(&n->descriptor);
    *n = (struct ixa_names){.ti = n->ti, .log = n->log, .classes = n->classes};
}

void ixa_names_free(struct ixa_names *n, JNIEnv *jni)
{
    if (!n)
        return;
    ixa_names_forget(n, jni);
    free(n);
}

size_t ixa_names_memory(const struct ixa_names *n)
{
    return ixa_classes_memory(&n->classes) + n->capacity * sizeof *n->methods + n->line_bytes +
           ix_idmap_memory(&n->by_id) + ix_idmap_memory(&n->frames) + n->name.cap +
           n->descriptor.cap;
}

/* The method's place, from 1, if what is known about it is valid in this snapshot; else 0. */
static uint32_t place_of(struct ixa_names *n, JNIEnv *jni, jmethodID id)
{
    const uint32_t at = ix_idmap_get(&n->by_id, (uintptr_t)id);
    if (!at)
        return 0;
    const struct method *m = &n->methods[at - 1];
    const bool holds = m->klass ? ixa_classes_current(&n->classes, jni, m->klass)
                                : m->snapshot == n->classes.snapshot;
    return holds ? at : 0;
}

/* The class of an unknown method, or NULL. The JVM's reference does not keep alive a class that a
 * concurrent marking is about to find unreachable (G1 reads it as a strong reference and does not
 * mark it); a reference made from a weak one does. */
static jclass class_of(struct ixa_names *n, JNIEnv *jni, jmethodID id)
{
    jclass class = NULL, kept = NULL;
    if ((*n->ti)->GetMethodDeclaringClass(n->ti, id, &class) != JVMTI_ERROR_NONE || !class)
        return NULL;
    jweak weak = (*jni)->NewWeakGlobalRef(jni, class);
    if (weak) {
        kept = (*jni)->NewLocalRef(jni, weak);
        (*jni)->DeleteWeakGlobalRef(jni, weak);
    } else {
        (*jni)->ExceptionClear(jni);
    }
    (*jni)->DeleteLocalRef(jni, class);
    return kept;
}

static int make_room(struct ixa_names *n)
{
    if (n->count < n->capacity)
        return 0;
    const size_t more = n->capacity ? n->capacity * 2 : 256;
    struct method *methods = realloc(n->methods, more * sizeof *methods);
    if (!methods)
        return -1;
    n->methods = methods;
    n->capacity = more;
    return 0;
}

/* Adds an unknown method and holds its class. Returns its place, 0 when out of memory. */
static uint32_t hold(struct ixa_names *n, JNIEnv *jni, jmethodID id)
{
    if (make_room(n) != 0 || ix_idmap_put(&n->by_id, (uintptr_t)id, (uint32_t)n->count + 1) != 0)
        return 0;
    if (n->held++ % RESERVED == 0)
        ixa_reserve_references(jni, RESERVED);
    jclass held = class_of(n, jni, id);
    n->gone += !held;
    n->methods[n->count] = (struct method){.id = id, .held = held, .snapshot = n->classes.snapshot};
    return (uint32_t)++n->count;
}

bool ixa_names_hold(struct ixa_names *n, JNIEnv *jni, const jvmtiStackInfo *infos, jint count)
{
    const size_t changed = n->classes.changed;
    n->classes.snapshot++;
    n->held = 0;
    for (jint i = 0; i < count; i++) {
        jmethodID last = NULL;
        for (jint j = 0; j < infos[i].frame_count; j++) {
            jmethodID id = infos[i].frame_buffer[j].method;
            /* When out of memory, it is tried again when the frame is asked for. */
            if (id != last && !place_of(n, jni, id))
                hold(n, jni, id);
            last = id;
        }
    }
    return n->classes.changed == changed;
}

/* Returns its number in the log. 0: *unknown if the JVM cannot tell, otherwise memory ran out or
 * the log failed. */
static uint32_t log_method(struct ixa_names *n, uint32_t class_number, jmethodID id, bool *unknown)
{
    char *name = NULL, *descriptor = NULL;
    uint32_t number = 0;
    *unknown = (*n->ti)->GetMethodName(n->ti, id, &name, &descriptor, NULL) != JVMTI_ERROR_NONE ||
               !name || !descriptor;
    if (!*unknown) {
        const char *name_text = ixa_utf8(&n->name, name, strlen(name));
        const char *descriptor_text = ixa_utf8(&n->descriptor, descriptor, strlen(descriptor));
        if (name_text && descriptor_text)
            number = ix_log_method(n->log, class_number, name_text, descriptor_text);
    }
    ixa_deallocate(n->ti, name);
    ixa_deallocate(n->ti, descriptor);
    return number;
}

/* Reads a held method and releases its class. 0, also if the JVM cannot tell its name: the method
 * then counts as unloaded. -1 when memory ran out or the log failed. */
static int read_held(struct ixa_names *n, JNIEnv *jni, struct method *m)
{
    bool unknown = false;
    jboolean native = JNI_FALSE;
    const uint32_t place = ixa_classes_place(&n->classes, jni, m->held, &unknown);
    if (place)
        m->log = log_method(n, ixa_classes_log(&n->classes, place), m->id, &unknown);
    if (m->log) {
        m->klass = place;
        m->native = (*n->ti)->IsMethodNative(n->ti, m->id, &native) == JVMTI_ERROR_NONE && native;
        if (!m->native)
            m->lines = ixa_lines_read(n->ti, m->id);
        n->line_bytes += ixa_lines_memory(&m->lines);
    }
    (*jni)->DeleteLocalRef(jni, m->held);
    m->held = NULL;
    n->gone += !m->klass;
    return m->klass || unknown ? 0 : -1;
}

static uint32_t unloaded_class(struct ixa_names *n)
{
    return ix_log_class(n->log, "<unloaded>", "");
}

uint32_t ixa_names_class(struct ixa_names *n, JNIEnv *jni, jclass class)
{
    bool unknown = !class;
    const uint32_t place = class ? ixa_classes_place(&n->classes, jni, class, &unknown) : 0;
    if (place)
        return ixa_classes_log(&n->classes, place);
    return unknown ? unloaded_class(n) : 0;
}

int ixa_names_method(struct ixa_names *n, JNIEnv *jni, jclass class, jmethodID id, uint32_t *number)
{
    bool unknown = false;
    const uint32_t place = ixa_classes_place(&n->classes, jni, class, &unknown);
    *number = place ? log_method(n, ixa_classes_log(&n->classes, place), id, &unknown) : 0;
    return *number || unknown ? 0 : -1;
}

static uint32_t unloaded_frame(struct ixa_names *n)
{
    if (!n->unloaded) {
        uint32_t method = ix_log_method(n->log, unloaded_class(n), "<unloaded>", "()V");
        n->unloaded = ix_log_frame(n->log, method, IX_LINE_UNKNOWN);
    }
    return n->unloaded;
}

uint32_t ixa_names_frame(struct ixa_names *n, JNIEnv *jni, const jvmtiFrameInfo *frame)
{
    if (!frame->method)
        return unloaded_frame(n);
    uint32_t at = place_of(n, jni, frame->method);
    if (!at)
        at = hold(n, jni, frame->method);
    if (!at)
        return 0;
    struct method *m = &n->methods[at - 1];
    if (m->held && read_held(n, jni, m) != 0)
        return 0;
    if (!m->klass)
        return unloaded_frame(n);
    /* A location is below 65,536, or -1 in a native method. */
    const uint64_t key = (uint64_t)at << 32 | (uint32_t)frame->location;
    uint32_t number = ix_idmap_get(&n->frames, key);
    if (number)
        return number;
    int32_t line = m->native ? IX_LINE_NATIVE : ixa_lines_find(&m->lines, frame->location);
    number = ix_log_frame(n->log, m->log, line);
    if (number && ix_idmap_put(&n->frames, key, number) != 0)
        return 0;
    return number;
}

/* Removes the methods of dropped classes, and those that were never read. */
static void sweep(struct ixa_names *n, JNIEnv *jni)
{
    size_t kept = 0;
    ixa_classes_plan(&n->classes);
    ix_idmap_clear(&n->by_id);
    ix_idmap_clear(&n->frames); /* filled again from the log's own table */
    for (size_t i = 0; i < n->count; i++) {
        struct method m = n->methods[i];
        m.klass = m.klass ? ixa_classes_moved(&n->classes, m.klass) : 0;
        if (!m.klass) {
            n->line_bytes -= ixa_lines_memory(&m.lines);
            ixa_lines_free(&m.lines);
            continue;
        }
        n->methods[kept++] = m;
        ix_idmap_put(&n->by_id, (uintptr_t)m.id, (uint32_t)kept); /* has had room for more */
    }
    n->count = kept;
    n->gone = 0;
    ixa_classes_sweep(&n->classes, jni);
}

void ixa_names_end(struct ixa_names *n, JNIEnv *jni)
{
    const bool due = n->classes.snapshot % CHECK_EVERY == 0;
    if (due)
        ixa_classes_check_all(&n->classes, jni);
    if (n->classes.dropped > DROPPED_MAX || n->gone > GONE_MAX ||
        (due && (n->classes.dropped || n->gone)))
        sweep(n, jni);
}
