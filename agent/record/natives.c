/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/natives.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "agent/base/boot.h"

typedef jobject JNICALL fill_in(JNIEnv *jni, jobject exception, jint unused);
typedef void JNICALL start_thread(JNIEnv *jni, jobject thread);

static struct {
    _Atomic(fill_in *) fill_in; /* what was replaced; NULL: it was not */
    _Atomic(start_thread *) start_thread;
    _Atomic(ixa_native_tell *) tell[IXA_NATIVES];
    _Atomic uint32_t telling; /* threads that are in one of these functions, or about to be */
    bool waiting;             /* set in OnLoad */
} natives;

static void tell_of(enum ixa_native native, JNIEnv *jni, jobject object)
{
    if (!atomic_load(&natives.tell[native]))
        return;
    atomic_fetch_add(&natives.telling, 1); /* before it is read again: ixa_natives_quiet */
    ixa_native_tell *tell = atomic_load(&natives.tell[native]);
    if (tell)
        tell(jni, object);
    atomic_fetch_sub(&natives.telling, 1);
}

static jobject JNICALL fill_in_and_tell(JNIEnv *jni, jobject exception, jint unused)
{
    tell_of(IXA_FILL_IN, jni, exception);
    return atomic_load(&natives.fill_in)(jni, exception, unused);
}

static void JNICALL start_and_tell(JNIEnv *jni, jobject thread)
{
    tell_of(IXA_START_THREAD, jni, thread);
    atomic_load (&natives.start_thread)(jni, thread);
}

/* ---- binding ---- */

static bool is_fill_in(jvmtiEnv *ti, jmethodID method)
{
    char *name = NULL, *type = NULL, *class_name = NULL;
    jclass class = NULL;
    const bool is = (*ti)->GetMethodName(ti, method, &name, &type, NULL) == JVMTI_ERROR_NONE &&
                    strcmp(name, "fillInStackTrace") == 0 &&
                    strcmp(type, "(I)Ljava/lang/Throwable;") == 0 &&
                    (*ti)->GetMethodDeclaringClass(ti, method, &class) == JVMTI_ERROR_NONE &&
                    (*ti)->GetClassSignature(ti, class, &class_name, NULL) == JVMTI_ERROR_NONE &&
                    strcmp(class_name, "Ljava/lang/Throwable;") == 0;
    (*ti)->Deallocate(ti, (unsigned char *)name);
    (*ti)->Deallocate(ti, (unsigned char *)type);
    (*ti)->Deallocate(ti, (unsigned char *)class_name);
    return is;
}

/* The JVM binds it so early that methods cannot be asked for their names yet. */
static bool is_start_thread(const void *address)
{
    return address && address == dlsym(RTLD_DEFAULT, "JVM_StartThread");
}

/* Pointers to functions and to data convert to each other only as bytes. */
void JNICALL ixa_natives_on_bind(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jmethodID method,
                                 void *address, void **replaced_by)
{
    (void)jni;
    (void)thread;
    if (!atomic_load(&natives.start_thread) && is_start_thread(address)) {
        start_thread *original, *const own = start_and_tell;
        memcpy(&original, &address, sizeof original);
        atomic_store(&natives.start_thread, original);
        memcpy(replaced_by, &own, sizeof own);
    } else if (!atomic_load(&natives.fill_in) && is_fill_in(ti, method)) {
        fill_in *original, *const own = fill_in_and_tell;
        memcpy(&original, &address, sizeof original);
        atomic_store(&natives.fill_in, original);
        memcpy(replaced_by, &own, sizeof own);
    }
    if (atomic_load(&natives.start_thread) && atomic_load(&natives.fill_in))
        (*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL);
}

void ixa_natives_prepare(jvmtiEnv *ti, bool wanted)
{
    const jvmtiCapabilities capability = {.can_generate_native_method_bind_events = 1};
    if (wanted)
        (*ti)->AddCapabilities(ti, &capability);
    const jvmtiError error = (*ti)->SetEventNotificationMode(
        ti, wanted ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL);
    if (!wanted)
        (*ti)->RelinquishCapabilities(ti, &capability);
    natives.waiting = wanted && error == JVMTI_ERROR_NONE;
}

/* ---- telling ---- */

/* The JVM binds fillInStackTrace when the first exception is made. */
static void make_exception(jvmtiEnv *ti, JNIEnv *jni)
{
    jclass throwable = ixa_boot_named(ti, jni, "Ljava/lang/Throwable;");
    jmethodID constructor = throwable ? (*jni)->GetMethodID(jni, throwable, "<init>", "()V") : NULL;
    jobject exception = constructor ? (*jni)->NewObject(jni, throwable, constructor) : NULL;
    if ((*jni)->ExceptionCheck(jni))
        (*jni)->ExceptionClear(jni);
    if (exception)
        (*jni)->DeleteLocalRef(jni, exception);
    if (throwable)
        (*jni)->DeleteLocalRef(jni, throwable);
}

static bool is_replaced(enum ixa_native native)
{
    return native == IXA_FILL_IN ? atomic_load(&natives.fill_in) != NULL
                                 : atomic_load(&natives.start_thread) != NULL;
}

bool ixa_natives_tell(jvmtiEnv *ti, JNIEnv *jni, enum ixa_native native, ixa_native_tell *tell)
{
    if (native == IXA_FILL_IN && natives.waiting && !is_replaced(native))
        make_exception(ti, jni);
    if (!is_replaced(native))
        return false;
    atomic_store(&natives.tell[native], tell);
    return true;
}

void ixa_natives_silence(enum ixa_native native)
{
    atomic_store(&natives.tell[native], NULL);
}

bool ixa_natives_quiet(unsigned ms)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (unsigned i = 0; atomic_load(&natives.telling) && i < ms; i++)
        nanosleep(&pause, NULL);
    return !atomic_load(&natives.telling);
}
