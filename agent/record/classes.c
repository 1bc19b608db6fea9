/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/classes.h"

#include <stdlib.h>
#include <string.h>

#include "agent/base/boot.h"
#include "agent/base/jvm.h"
#include "agent/base/utf8.h"

/* Memory of a weak reference: about a handle's slot and its share of a block of handles. */
#define REFERENCE_BYTES 16

void ixa_classes_init(struct ixa_classes *c, jvmtiEnv *ti, JNIEnv *jni, struct ix_log_writer *log)
{
    *c = (struct ixa_classes){.ti = ti, .log = log};
    jclass class = ixa_boot_class(ti, jni);
    c->redefined = class ? (*jni)->GetFieldID(jni, class, "classRedefinedCount", "I") : NULL;
    if (!c->redefined)
        (*jni)->ExceptionClear(jni);
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
}

void ixa_classes_forget(struct ixa_classes *c, JNIEnv *jni)
{
    for (size_t i = 0; jni && i < c->count; i++)
        (*jni)->DeleteWeakGlobalRef(jni, c->list[i].ref);
    free(c->list);
    ix_idmap_free(&c->by_log);
    ix_out_free(&c->name);
    ix_out_free(&c->source);
    *c = (struct ixa_classes){
        .ti = c->ti, .log = c->log, .redefined = c->redefined, .snapshot = c->snapshot};
}

size_t ixa_classes_memory(const struct ixa_classes *c)
{
    return c->capacity * sizeof *c->list + c->count * REFERENCE_BYTES +
           ix_idmap_memory(&c->by_log) + c->name.cap + c->source.cap;
}

/* How often the class was redefined; without the field, a number that changes from time to time. */
static jint redefined(const struct ixa_classes *c, JNIEnv *jni, jclass class)
{
    return c->redefined ? (*jni)->GetIntField(jni, class, c->redefined)
                        : (jint)(c->snapshot / IXA_CLASS_TRUSTED);
}

static void drop(struct ixa_classes *c, struct ixa_class *k)
{
    k->dropped = true;
    c->dropped++;
}

bool ixa_classes_current(struct ixa_classes *c, JNIEnv *jni, uint32_t place)
{
    struct ixa_class *k = &c->list[place - 1];
    if (k->dropped || k->checked == c->snapshot)
        return !k->dropped;
    k->checked = c->snapshot;
    jclass class = (*jni)->NewLocalRef(jni, k->ref);
    if (!class || redefined(c, jni, class) != k->redefined)
        drop(c, k);
    c->changed += class && k->dropped && c->redefined;
    if (class)
        (*jni)->DeleteLocalRef(jni, class);
    return !k->dropped;
}

void ixa_classes_check_all(struct ixa_classes *c, JNIEnv *jni)
{
    for (size_t i = 0; i < c->count; i++)
        if (!c->list[i].dropped && (*jni)->IsSameObject(jni, c->list[i].ref, NULL))
            drop(c, &c->list[i]);
}

/* Converts "La/b/C$D;" to the form that Java prints: "a.b.C$D". A hidden class has one '.' in its
 * signature, before the suffix that is not part of the name: "La/b/C$$Lambda.0x12;" is
 * "a.b.C$$Lambda/0x12". Changes the signature. */
static uint32_t log_class(struct ixa_classes *c, char *signature, const char *source)
{
    size_t len = strlen(signature);
    if (len >= 2 && *signature == 'L' && signature[len - 1] == ';') {
        signature++;
        len -= 2;
    }
    for (size_t i = 0; i < len; i++)
        if (signature[i] == '/' || signature[i] == '.')
            signature[i] = signature[i] == '/' ? '.' : '/';
    const char *name_text = ixa_utf8(&c->name, signature, len);
    const char *source_text = ixa_utf8(&c->source, source, strlen(source));
    return name_text && source_text ? ix_log_class(c->log, name_text, source_text) : 0;
}

/* Returns its number in the log; 0 like ixa_classes_place. */
static uint32_t read_class(struct ixa_classes *c, jclass class, bool *unknown)
{
    char *signature = NULL, *source = NULL;
    uint32_t number = 0;
    *unknown = (*c->ti)->GetClassSignature(c->ti, class, &signature, NULL) != JVMTI_ERROR_NONE ||
               !signature;
    if (*unknown)
        return 0;
    if ((*c->ti)->GetSourceFileName(c->ti, class, &source) != JVMTI_ERROR_NONE)
        source = NULL;
    number = log_class(c, signature, source ? source : "");
    ixa_deallocate(c->ti, signature);
    ixa_deallocate(c->ti, source);
    return number;
}

/* Puts a class before the others with the same log number. */
static int add_to_table(struct ixa_classes *c, uint32_t place)
{
    struct ixa_class *k = &c->list[place - 1];
    k->next = ix_idmap_get(&c->by_log, k->log);
    return ix_idmap_put(&c->by_log, k->log, place);
}

static int make_room(struct ixa_classes *c)
{
    if (c->count < c->capacity)
        return 0;
    const size_t more = c->capacity ? c->capacity * 2 : 256;
    struct ixa_class *list = realloc(c->list, more * sizeof *list);
    if (!list)
        return -1;
    c->list = list;
    c->capacity = more;
    return 0;
}

static uint32_t enter(struct ixa_classes *c, JNIEnv *jni, jclass class, uint32_t log, bool *unknown)
{
    if (make_room(c) != 0)
        return 0;
    jweak ref = (*jni)->NewWeakGlobalRef(jni, class);
    *unknown = !ref;
    if (!ref) {
        (*jni)->ExceptionClear(jni);
        return 0;
    }
    c->list[c->count] = (struct ixa_class){
        .ref = ref, .log = log, .checked = c->snapshot, .redefined = redefined(c, jni, class)};
    if (add_to_table(c, (uint32_t)c->count + 1) != 0) {
        (*jni)->DeleteWeakGlobalRef(jni, ref);
        return 0;
    }
    return (uint32_t)++c->count;
}

uint32_t ixa_classes_place(struct ixa_classes *c, JNIEnv *jni, jclass class, bool *unknown)
{
    const uint32_t log = read_class(c, class, unknown);
    if (!log)
        return 0;
    for (uint32_t at = ix_idmap_get(&c->by_log, log); at; at = c->list[at - 1].next)
        if (ixa_classes_current(c, jni, at) &&
            (*jni)->IsSameObject(jni, c->list[at - 1].ref, class))
            return at;
    return enter(c, jni, class, log, unknown);
}

void ixa_classes_plan(struct ixa_classes *c)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < c->count; i++)
        c->list[i].moved = c->list[i].dropped ? 0 : ++kept;
}

void ixa_classes_sweep(struct ixa_classes *c, JNIEnv *jni)
{
    uint32_t kept = 0;
    ix_idmap_clear(&c->by_log);
    for (size_t i = 0; i < c->count; i++) {
        if (c->list[i].dropped) {
            (*jni)->DeleteWeakGlobalRef(jni, c->list[i].ref);
            continue;
        }
        c->list[kept++] = c->list[i];
        add_to_table(c, kept); /* the table has had room for more */
    }
    c->count = kept;
    c->dropped = 0;
}
