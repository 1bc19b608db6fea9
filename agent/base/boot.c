/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/base/boot.h"

#include <stdbool.h>
#include <string.h>

#include "agent/base/jvm.h"

/* The current thread's class, which may be a subclass of java.lang.Thread. */
static jclass class_of_thread(jvmtiEnv *ti, JNIEnv *jni)
{
    jthread self = NULL;
    if ((*ti)->GetCurrentThread(ti, &self) != JVMTI_ERROR_NONE || !self)
        return NULL;
    jclass class = (*jni)->GetObjectClass(jni, self);
    (*jni)->DeleteLocalRef(jni, self);
    return class;
}

jclass ixa_boot_thread(jvmtiEnv *ti, JNIEnv *jni)
{
    jclass class = class_of_thread(ti, jni);
    jclass super = class ? (*jni)->GetSuperclass(jni, class) : NULL;
    jclass above = super ? (*jni)->GetSuperclass(jni, super) : NULL;
    while (above) { /* until super is Object */
        (*jni)->DeleteLocalRef(jni, class);
        class = super;
        super = above;
        above = (*jni)->GetSuperclass(jni, super);
    }
    if (super)
        (*jni)->DeleteLocalRef(jni, super);
    return class;
}

jclass ixa_boot_class(jvmtiEnv *ti, JNIEnv *jni)
{
    jclass some = class_of_thread(ti, jni);
    jclass class = some ? (*jni)->GetObjectClass(jni, some) : NULL;
    if (some)
        (*jni)->DeleteLocalRef(jni, some);
    return class;
}

static bool has_signature(jvmtiEnv *ti, jclass class, const char *wanted)
{
    char *signature = NULL;
    const bool same = (*ti)->GetClassSignature(ti, class, &signature, NULL) == JVMTI_ERROR_NONE &&
                      signature && strcmp(signature, wanted) == 0;
    ixa_deallocate(ti, signature);
    return same;
}

jclass ixa_boot_named(jvmtiEnv *ti, JNIEnv *jni, const char *signature)
{
    jint count = 0;
    jclass *classes = NULL, found = NULL;
    if ((*ti)->GetClassLoaderClasses(ti, NULL, &count, &classes) != JVMTI_ERROR_NONE)
        return NULL;
    ixa_reserve_references(jni, count);
    for (jint i = 0; i < count; i++) {
        if (!found && has_signature(ti, classes[i], signature))
            found = classes[i];
        else
            (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    (*ti)->Deallocate(ti, (unsigned char *)classes);
    return found;
}

jclass ixa_boot_ancestor(jvmtiEnv *ti, JNIEnv *jni, jobject object, const char *signature)
{
    jclass class = (*jni)->GetObjectClass(jni, object);
    while (class && !has_signature(ti, class, signature)) {
        jclass super = (*jni)->GetSuperclass(jni, class);
        (*jni)->DeleteLocalRef(jni, class);
        class = super;
    }
    return class;
}
