#include "agent/names.h"

#include <stdlib.h>
#include <string.h>

#include "agent/idmap.h"
#include "agent/lines.h"
#include "agent/utf8.h"

/* Looking at every class costs 20 ns each; a cache may hold dead ones for so long. */
#define SWEEP_EVERY 256
#define DEAD_MAX 64

struct klass {
    jweak ref;
    uint32_t log;     /* class number in the log */
    uint32_t next;    /* next one (from 1) of the same number: same name, another loader */
    uint32_t checked; /* snapshot in which it was seen alive */
    uint32_t moved;   /* during a sweep: its new place, from 1; 0 dead */
    bool dead;
};

struct method {
    jmethodID id;
    uint32_t klass; /* place, from 0 */
    uint32_t log;   /* method number in the log */
    bool native;
    struct ixa_lines lines;
};

struct ixa_names {
    jvmtiEnv *ti;
    struct ix_log_writer *log;
    struct klass *classes;
    size_t class_count, class_capacity;
    struct method *methods;
    size_t method_count, method_capacity;
    struct ixa_idmap by_log; /* class number -> first class of it, from 1 */
    struct ixa_idmap by_id;  /* method id -> method, from 1 */
    struct ixa_idmap frames; /* method and location -> frame number in the log */
    size_t line_bytes; /* of all methods' line tables */
    uint32_t snapshot;
    unsigned dead;
    uint32_t unloaded; /* frame of a method that cannot be read any more */
    struct ix_out text; /* scratch */
};

struct ixa_names *ixa_names_new(jvmtiEnv *ti, struct ix_log_writer *log)
{
    struct ixa_names *n = calloc(1, sizeof *n);
    if (n) {
        n->ti = ti;
        n->log = log;
    }
    return n;
}

void ixa_names_forget(struct ixa_names *n, JNIEnv *jni)
{
    for (size_t i = 0; jni && i < n->class_count; i++)
        (*jni)->DeleteWeakGlobalRef(jni, n->classes[i].ref);
    for (size_t i = 0; i < n->method_count; i++)
        ixa_lines_free(&n->methods[i].lines);
    free(n->classes);
    free(n->methods);
    ixa_idmap_free(&n->by_log);
    ixa_idmap_free(&n->by_id);
    ixa_idmap_free(&n->frames);
    ix_out_free(&n->text);
    *n = (struct ixa_names){.ti = n->ti, .log = n->log, .snapshot = n->snapshot};
}

void ixa_names_free(struct ixa_names *n, JNIEnv *jni)
{
    if (!n)
        return;
    ixa_names_forget(n, jni);
    free(n);
}

/* A weak reference takes about a handle's slot and its share of a block of them. */
#define REFERENCE_BYTES 16

size_t ixa_names_memory(const struct ixa_names *n)
{
    return n->class_capacity * sizeof *n->classes + n->class_count * REFERENCE_BYTES +
           n->method_capacity * sizeof *n->methods + n->line_bytes + ixa_idmap_memory(&n->by_log) +
           ixa_idmap_memory(&n->by_id) + ixa_idmap_memory(&n->frames) + n->text.cap;
}

static bool alive(struct ixa_names *n, JNIEnv *jni, struct klass *k)
{
    if (k->dead || k->checked == n->snapshot)
        return !k->dead;
    k->checked = n->snapshot;
    k->dead = (*jni)->IsSameObject(jni, k->ref, NULL);
    n->dead += k->dead;
    return !k->dead;
}

/* Makes room for one more; the array, moved perhaps, or NULL. */
static void *room(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t more = *capacity ? *capacity * 2 : 256;
    void *bigger = realloc(array, more * size);
    if (bigger)
        *capacity = more;
    return bigger;
}

/* Puts a class at the front of those with its log number. */
static int chain_class(struct ixa_names *n, size_t place)
{
    struct klass *k = &n->classes[place];
    k->next = ixa_idmap_get(&n->by_log, k->log);
    return ixa_idmap_put(&n->by_log, k->log, (uint32_t)place + 1);
}

static void sweep_classes(struct ixa_names *n, JNIEnv *jni)
{
    size_t kept = 0;
    ixa_idmap_clear(&n->by_log);
    for (size_t i = 0; i < n->class_count; i++) {
        n->classes[i].moved = n->classes[i].dead ? 0 : (uint32_t)kept + 1;
        kept += !n->classes[i].dead;
    }
    /* The methods have to see `moved` first, so the classes are moved afterwards. */
    size_t methods = 0;
    ixa_idmap_clear(&n->by_id);
    ixa_idmap_clear(&n->frames); /* filled again from the log's own table */
    for (size_t i = 0; i < n->method_count; i++) {
        struct method m = n->methods[i];
        uint32_t moved = n->classes[m.klass].moved;
        if (!moved) {
            n->line_bytes -= ixa_lines_memory(&m.lines);
            ixa_lines_free(&m.lines);
            continue;
        }
        m.klass = moved - 1;
        n->methods[methods++] = m;
        ixa_idmap_put(&n->by_id, (uintptr_t)m.id, (uint32_t)methods);
    }
    n->method_count = methods;
    kept = 0;
    for (size_t i = 0; i < n->class_count; i++) {
        if (n->classes[i].dead) {
            (*jni)->DeleteWeakGlobalRef(jni, n->classes[i].ref);
            continue;
        }
        n->classes[kept] = n->classes[i];
        chain_class(n, kept++);
    }
    n->class_count = kept;
    n->dead = 0;
}

void ixa_names_begin(struct ixa_names *n, JNIEnv *jni)
{
    n->snapshot++;
    if (n->snapshot % SWEEP_EVERY == 0)
        for (size_t i = 0; i < n->class_count; i++)
            alive(n, jni, &n->classes[i]);
    if (n->dead > DEAD_MAX || (n->dead && n->snapshot % SWEEP_EVERY == 0))
        sweep_classes(n, jni);
}

static const char *utf8(struct ixa_names *n, const char *text, size_t len)
{
    ix_out_clear(&n->text);
    ixa_put_utf8(&n->text, text, len);
    ix_put_u8(&n->text, 0);
    return n->text.failed ? NULL : (const char *)n->text.data;
}

static void deallocate(jvmtiEnv *ti, char *text)
{
    if (text)
        (*ti)->Deallocate(ti, (unsigned char *)text);
}

/* "La/b/C$D;" as Java prints it: "a.b.C$D". Of a hidden class ("La/b/C$$Lambda.0x12;", or with the
 * last '.' a '/') only the slashes change too. Changes the signature. */
static uint32_t log_class(struct ixa_names *n, char *signature, const char *source)
{
    size_t len = strlen(signature);
    if (len >= 2 && *signature == 'L' && signature[len - 1] == ';') {
        signature++;
        len -= 2;
    }
    for (size_t i = 0; i < len; i++)
        if (signature[i] == '/')
            signature[i] = '.';
    /* The source first: utf8() has one buffer, and nearly every source name is plain ASCII. */
    struct ix_out source_text = {0};
    if (source)
        ixa_put_utf8(&source_text, source, strlen(source));
    ix_put_u8(&source_text, 0);
    const char *name = utf8(n, signature, len);
    uint32_t number = 0;
    if (name && !source_text.failed)
        number = ix_log_class(n->log, name, (const char *)source_text.data);
    ix_out_free(&source_text);
    return number;
}

static uint32_t read_class(struct ixa_names *n, jclass class)
{
    char *signature = NULL, *source = NULL;
    uint32_t number = 0;
    if ((*n->ti)->GetClassSignature(n->ti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        if ((*n->ti)->GetSourceFileName(n->ti, class, &source) != JVMTI_ERROR_NONE)
            source = NULL;
        number = log_class(n, signature, source);
    }
    deallocate(n->ti, signature);
    deallocate(n->ti, source);
    return number;
}

/* The class's place in the cache, from 1, entered if it is new; 0 if that fails. */
static uint32_t place_of_class(struct ixa_names *n, JNIEnv *jni, jclass class)
{
    uint32_t log = read_class(n, class);
    if (!log)
        return 0;
    for (uint32_t at = ixa_idmap_get(&n->by_log, log); at; at = n->classes[at - 1].next)
        if (!n->classes[at - 1].dead && (*jni)->IsSameObject(jni, n->classes[at - 1].ref, class))
            return at;
    struct klass *classes =
        room(n->classes, n->class_count, &n->class_capacity, sizeof *classes);
    if (!classes)
        return 0;
    n->classes = classes;
    jweak ref = (*jni)->NewWeakGlobalRef(jni, class);
    if (!ref) {
        (*jni)->ExceptionClear(jni);
        return 0;
    }
    classes[n->class_count] = (struct klass){.ref = ref, .log = log, .checked = n->snapshot};
    if (chain_class(n, n->class_count) != 0) {
        (*jni)->DeleteWeakGlobalRef(jni, ref);
        return 0;
    }
    return (uint32_t)++n->class_count;
}

static uint32_t log_method(struct ixa_names *n, uint32_t class_number, jmethodID id)
{
    char *name = NULL, *descriptor = NULL;
    uint32_t number = 0;
    if ((*n->ti)->GetMethodName(n->ti, id, &name, &descriptor, NULL) == JVMTI_ERROR_NONE) {
        struct ix_out text = {0};
        ixa_put_utf8(&text, descriptor, strlen(descriptor));
        ix_put_u8(&text, 0);
        const char *converted = utf8(n, name, strlen(name));
        if (converted && !text.failed)
            number = ix_log_method(n->log, class_number, converted, (const char *)text.data);
        ix_out_free(&text);
    }
    deallocate(n->ti, name);
    deallocate(n->ti, descriptor);
    return number;
}

/* Enters a method of a class that is held by a local reference, so that its id is good. */
static uint32_t add_method(struct ixa_names *n, JNIEnv *jni, jclass class, jmethodID id)
{
    uint32_t place = place_of_class(n, jni, class);
    struct method *methods =
        place ? room(n->methods, n->method_count, &n->method_capacity, sizeof *methods) : NULL;
    if (!methods)
        return 0;
    n->methods = methods;
    jboolean native = JNI_FALSE;
    struct method m = {.id = id, .klass = place - 1};
    m.log = log_method(n, n->classes[m.klass].log, id);
    if (!m.log)
        return 0;
    m.native = (*n->ti)->IsMethodNative(n->ti, id, &native) == JVMTI_ERROR_NONE && native;
    if (ixa_idmap_put(&n->by_id, (uintptr_t)id, (uint32_t)n->method_count + 1) != 0)
        return 0;
    if (!m.native)
        m.lines = ixa_lines_read(n->ti, id);
    n->line_bytes += ixa_lines_memory(&m.lines);
    methods[n->method_count] = m;
    return (uint32_t)++n->method_count;
}

static uint32_t unloaded_frame(struct ixa_names *n)
{
    if (!n->unloaded) {
        uint32_t class = ix_log_class(n->log, "<unloaded>", "");
        uint32_t method = ix_log_method(n->log, class, "<unloaded>", "()V");
        n->unloaded = ix_log_frame(n->log, method, IX_LINE_UNKNOWN);
    }
    return n->unloaded;
}

/* The method's place, from 1; 0 and *gone if its class was unloaded, 0 alone on failure. */
static uint32_t place_of_method(struct ixa_names *n, JNIEnv *jni, jmethodID id, bool *gone)
{
    uint32_t at = ixa_idmap_get(&n->by_id, (uintptr_t)id);
    if (at && alive(n, jni, &n->classes[n->methods[at - 1].klass]))
        return at;
    jclass class = NULL;
    *gone = (*n->ti)->GetMethodDeclaringClass(n->ti, id, &class) != JVMTI_ERROR_NONE || !class;
    if (*gone)
        return 0;
    at = add_method(n, jni, class, id);
    (*jni)->DeleteLocalRef(jni, class);
    return at;
}

uint32_t ixa_names_frame(struct ixa_names *n, JNIEnv *jni, const jvmtiFrameInfo *frame)
{
    bool gone = false;
    uint32_t at = place_of_method(n, jni, frame->method, &gone);
    if (!at)
        return gone ? unloaded_frame(n) : 0;
    const struct method *m = &n->methods[at - 1];
    /* A location is below 65,536, or -1 in a native method. */
    uint64_t key = (uint64_t)at << 32 | (uint32_t)frame->location;
    uint32_t number = ixa_idmap_get(&n->frames, key);
    if (number)
        return number;
    int32_t line = m->native ? IX_LINE_NATIVE : ixa_lines_find(&m->lines, frame->location);
    number = ix_log_frame(n->log, m->log, line);
    if (number && ixa_idmap_put(&n->frames, key, number) != 0)
        return 0;
    return number;
}
