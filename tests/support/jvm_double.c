/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/jvm_double.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* A reference; the sanitizer finds uses of freed ones. */
struct double_ref {
    struct double_class *class;
};

struct jvm_double jvm;

static struct double_class java_lang_class = {"Ljava/lang/Class;", NULL, 0, false};

static bool fails(void)
{
    return ++jvm.calls == jvm.fail_at;
}

void *new_ref(struct double_class *class, _Atomic int *count)
{
    struct double_ref *ref = malloc(sizeof *ref);
    assert_non_null(ref);
    ref->class = class;
    ++*count;
    return ref;
}

static struct double_class *class_of_ref(jobject ref)
{
    return ((struct double_ref *)ref)->class;
}

static char *jvm_string(const char *text)
{
    if (jvm.null_strings || !text)
        return NULL;
    jvm.blocks++;
    return strdup(text);
}

/* ---- JVMTI ---- */

static jvmtiError JNICALL double_deallocate(jvmtiEnv *ti, unsigned char *memory)
{
    (void)ti;
    assert_non_null(memory);
    jvm.blocks--;
    free(memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_declaring(jvmtiEnv *ti, jmethodID id, jclass *class)
{
    (void)ti;
    struct double_method *m = (struct double_method *)id;
    jvm.asked++;
    jvm.asked_after_names += jvm.names_read != 0;
    if (!m->class || m->class->dead) {
        jvm.asked_dead++;
        return JVMTI_ERROR_INVALID_METHODID;
    }
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *class = new_ref(m->class, &jvm.locals);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_method_name(jvmtiEnv *ti, jmethodID id, char **name,
                                             char **descriptor, char **generic)
{
    (void)ti;
    struct double_method *m = (struct double_method *)id;
    assert_null(generic);
    jvm.names_read++;
    assert_false(m->class->dead);
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *name = jvm_string(m->name);
    *descriptor = jvm_string(m->descriptor);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_native(jvmtiEnv *ti, jmethodID id, jboolean *native)
{
    (void)ti;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *native = ((struct double_method *)id)->line < 0;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_lines(jvmtiEnv *ti, jmethodID id, jint *count,
                                       jvmtiLineNumberEntry **table)
{
    (void)ti;
    struct double_method *m = (struct double_method *)id;
    if (m->line <= 0)
        return JVMTI_ERROR_ABSENT_INFORMATION;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    jvm.blocks++;
    *table = malloc(sizeof **table);
    assert_non_null(*table);
    **table = (jvmtiLineNumberEntry){.line_number = m->line};
    *count = 1;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_signature(jvmtiEnv *ti, jclass class, char **signature,
                                           char **generic)
{
    (void)ti;
    assert_null(generic);
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *signature = jvm_string(class_of_ref(class)->signature);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_source(jvmtiEnv *ti, jclass class, char **source)
{
    (void)ti;
    if (!class_of_ref(class)->source || fails())
        return JVMTI_ERROR_ABSENT_INFORMATION;
    *source = jvm_string(class_of_ref(class)->source);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_allocate(jvmtiEnv *ti, jlong size, unsigned char **memory)
{
    (void)ti;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    jvm.blocks++;
    *memory = malloc((size_t)size);
    assert_non_null(*memory);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_property(jvmtiEnv *ti, const char *name, char **value)
{
    (void)ti;
    assert_string_equal(name, "sun.java.command");
    if (fails() || !jvm.command)
        return JVMTI_ERROR_NOT_AVAILABLE;
    *value = jvm_string(jvm.command);
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_hash(jvmtiEnv *ti, jobject object, jint *hash)
{
    (void)ti;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *hash = jvm.one_hash ? 7 : (jint)((uintptr_t)class_of_ref(object) >> 3);
    return JVMTI_ERROR_NONE;
}

static struct double_loaded *loaded_of_ref(jobject ref)
{
    return (struct double_loaded *)class_of_ref(ref);
}

static jvmtiError JNICALL double_loader(jvmtiEnv *ti, jclass class, jobject *loader)
{
    (void)ti;
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    struct double_class *its = loaded_of_ref(class)->loader;
    *loader = its ? new_ref(its, &jvm.locals) : NULL;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_fields(jvmtiEnv *ti, jclass class, jint *count, jfieldID **fields)
{
    (void)ti;
    struct double_loaded *l = loaded_of_ref(class);
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    jvm.blocks++;
    *fields = malloc(((size_t)l->field_count + 1) * sizeof **fields);
    assert_non_null(*fields);
    for (jint i = 0; i < l->field_count; i++)
        (*fields)[i] = (jfieldID)&l->fields[i];
    *count = l->field_count;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL double_field_name(jvmtiEnv *ti, jclass class, jfieldID field, char **name,
                                            char **signature, char **generic)
{
    (void)ti;
    (void)class;
    assert_true(!signature && !generic);
    if (fails())
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *name = jvm_string(((struct double_field *)field)->name);
    return JVMTI_ERROR_NONE;
}

/* ---- JNI ---- */

static jboolean JNICALL double_boolean(JNIEnv *jni, jclass class, jfieldID field)
{
    (void)jni;
    assert_non_null(field);
    assert_false(class_of_ref(class)->dead);
    return ((struct double_field *)field)->set;
}

static void JNICALL double_set_boolean(JNIEnv *jni, jclass class, jfieldID field, jboolean value)
{
    (void)jni;
    assert_non_null(field);
    assert_false(class_of_ref(class)->dead);
    ((struct double_field *)field)->set = value;
}

static jboolean JNICALL double_check(JNIEnv *jni)
{
    (void)jni;
    return JNI_FALSE;
}

/* The agent needs these only to find java.lang.Class. */
static jvmtiError JNICALL double_current(jvmtiEnv *ti, jthread *thread)
{
    (void)ti;
    *thread = new_ref(&java_lang_class, &jvm.locals);
    return JVMTI_ERROR_NONE;
}

static jclass JNICALL double_class_of(JNIEnv *jni, jobject object)
{
    (void)jni;
    return new_ref(class_of_ref(object), &jvm.locals);
}

static jfieldID JNICALL double_field(JNIEnv *jni, jclass class, const char *name, const char *type)
{
    (void)jni;
    (void)class;
    assert_string_equal(name, "classRedefinedCount");
    assert_string_equal(type, "I");
    return jvm.no_counter ? NULL : (jfieldID)&jvm;
}

static jint JNICALL double_int_field(JNIEnv *jni, jobject object, jfieldID field)
{
    (void)jni;
    assert_ptr_equal(field, &jvm);
    return class_of_ref(object)->redefined;
}

static void JNICALL double_clear(JNIEnv *jni)
{
    (void)jni;
}

static jint JNICALL double_capacity(JNIEnv *jni, jint capacity)
{
    (void)jni;
    return capacity > 0 ? JNI_OK : JNI_ERR;
}

static jobject JNICALL double_new_local(JNIEnv *jni, jobject ref)
{
    (void)jni;
    return class_of_ref(ref)->dead ? NULL : new_ref(class_of_ref(ref), &jvm.locals);
}

void JNICALL jvm_delete_local(JNIEnv *jni, jobject ref)
{
    (void)jni;
    jvm.locals--;
    free(ref);
}

static jweak JNICALL double_new_weak(JNIEnv *jni, jobject ref)
{
    (void)jni;
    return fails() ? NULL : new_ref(class_of_ref(ref), &jvm.weaks);
}

static void JNICALL double_delete_weak(JNIEnv *jni, jweak ref)
{
    (void)jni;
    jvm.weaks--;
    free(ref);
}

static jboolean JNICALL double_same(JNIEnv *jni, jobject a, jobject b)
{
    (void)jni;
    struct double_class *class = class_of_ref(a);
    return b ? !class->dead && class == class_of_ref(b) : class->dead;
}

static const struct jvmtiInterface_1_ double_jvmti = {
    .Allocate = double_allocate,
    .Deallocate = double_deallocate,
    .GetSystemProperty = double_property,
    .GetObjectHashCode = double_hash,
    .GetClassLoader = double_loader,
    .GetClassFields = double_fields,
    .GetFieldName = double_field_name,
    .GetCurrentThread = double_current,
    .GetMethodDeclaringClass = double_declaring,
    .GetMethodName = double_method_name,
    .IsMethodNative = double_native,
    .GetLineNumberTable = double_lines,
    .GetClassSignature = double_signature,
    .GetSourceFileName = double_source,
};

static const struct JNINativeInterface_ double_jni = {
    .GetObjectClass = double_class_of,
    .GetFieldID = double_field,
    .GetIntField = double_int_field,
    .GetStaticBooleanField = double_boolean,
    .SetStaticBooleanField = double_set_boolean,
    .ExceptionClear = double_clear,
    .ExceptionCheck = double_check,
    .EnsureLocalCapacity = double_capacity,
    .NewLocalRef = double_new_local,
    .DeleteLocalRef = jvm_delete_local,
    .NewWeakGlobalRef = double_new_weak,
    .DeleteWeakGlobalRef = double_delete_weak,
    .IsSameObject = double_same,
};

void jvm_reset(void)
{
    memset(&jvm, 0, sizeof jvm);
    jvm.ti = &double_jvmti;
    jvm.jni = &double_jni;
}
