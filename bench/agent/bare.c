/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline: an agent that only asks the JVM for stacks at a fixed rate and writes down when.
 * Options: FILE,EVERY_MS,FRAMES[,floor|two]. Loaded into the same JVM as the real agent, it
 * measures the same threads in the same seconds.
 *
 * One line for each call: "all BEGIN END", a full walk (GetAllStackTraces). With `floor`, half a
 * period after each, "two BEGIN END": GetThreadListStackTraces of two JVM threads that sleep
 * permanently, which is the cost of a stop with almost nothing to do. With `two`, only these calls
 * are made, and none while the JVM's parent is stopped (SIGSTOP). Times: CLOCK_MONOTONIC in ns, the
 * clock of -Xlog's decorator `tn`. */
#include <jvmti.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    char path[4096];
    int every_ms;
    int frames;
    bool floor; /* these calls too, */
    bool two;   /* or only these */
    FILE *out;
} bare;

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Sleeps for the rest of the period; skips periods that are already over. */
static void wait_until(long long *next, long long period)
{
    do
        *next += period;
    while (*next <= now_ns());
    const struct timespec at = {*next / 1000000000, *next % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void write_call(const char *what, long long begin)
{
    fprintf(bare.out, "%s %lld %lld\n", what, begin, now_ns());
    fflush(bare.out);
}

static jvmtiError walk_all(jvmtiEnv *jvmti, JNIEnv *jni)
{
    jvmtiStackInfo *infos;
    jint count;
    if ((*jni)->PushLocalFrame(jni, 16) != 0)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    const long long begin = now_ns();
    const jvmtiError e = (*jvmti)->GetAllStackTraces(jvmti, bare.frames, &infos, &count);
    if (e == JVMTI_ERROR_NONE) {
        write_call("all", begin);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)infos);
    }
    (*jni)->PopLocalFrame(jni, NULL);
    return e;
}

static jvmtiError walk_two(jvmtiEnv *jvmti, const jthread two[2])
{
    jvmtiStackInfo *infos;
    const long long begin = now_ns();
    const jvmtiError e = (*jvmti)->GetThreadListStackTraces(jvmti, 2, two, bare.frames, &infos);
    if (e == JVMTI_ERROR_NONE) {
        write_call("two", begin);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)infos);
    }
    return e;
}

/* True if both were found, as permanent global references. */
static bool find_two(jvmtiEnv *jvmti, JNIEnv *jni, jthread two[2])
{
    jthread *threads;
    jint count;
    int found = 0;
    if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return false;
    for (jint i = 0; i < count && found < 2; i++) {
        jvmtiThreadInfo info;
        if ((*jvmti)->GetThreadInfo(jvmti, threads[i], &info) != JVMTI_ERROR_NONE)
            continue;
        if (strcmp(info.name, "Reference Handler") == 0 || strcmp(info.name, "Finalizer") == 0)
            two[found++] = (*jni)->NewGlobalRef(jni, threads[i]);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
    return found == 2;
}

static bool parent_stopped(void)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    fclose(f);
    return state == 'T';
}

/* Repeats until a call fails, which happens when the JVM ends. */
static void walk_two_often(jvmtiEnv *jvmti, const jthread two[2], long long period)
{
    long long next = now_ns();
    jvmtiError e = JVMTI_ERROR_NONE;
    while (e == JVMTI_ERROR_NONE) {
        wait_until(&next, period);
        if (!parent_stopped())
            e = walk_two(jvmti, two);
    }
}

static void walk_all_often(jvmtiEnv *jvmti, JNIEnv *jni, const jthread two[2], long long period)
{
    long long next = now_ns();
    for (;;) {
        wait_until(&next, bare.floor ? period / 2 : period);
        if (walk_all(jvmti, jni) != JVMTI_ERROR_NONE)
            return;
        if (!bare.floor)
            continue;
        wait_until(&next, period / 2);
        if (walk_two(jvmti, two) != JVMTI_ERROR_NONE)
            return;
    }
}

static void JNICALL loop(jvmtiEnv *jvmti, JNIEnv *jni, void *unused)
{
    (void)unused;
    jthread two[2];
    const long long period = bare.every_ms * 1000000LL;
    if ((bare.floor || bare.two) && !find_two(jvmti, jni, two))
        return;
    if (bare.two)
        walk_two_often(jvmti, two, period);
    else
        walk_all_often(jvmti, jni, two, period);
}

static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)thread;
    jclass type = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID make = (*jni)->GetMethodID(jni, type, "<init>", "(Ljava/lang/String;)V");
    jobject self = (*jni)->NewObject(jni, type, make, (*jni)->NewStringUTF(jni, "bare"));
    (*jvmti)->RunAgentThread(jvmti, self, loop, NULL, JVMTI_THREAD_NORM_PRIORITY);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    jvmtiEnv *jvmti;
    char calls[8] = "";
    if (!options ||
        sscanf(options, "%4095[^,],%d,%d,%7s", bare.path, &bare.every_ms, &bare.frames, calls) <
            3 ||
        bare.every_ms <= 0 || !(bare.out = fopen(bare.path, "w")) ||
        (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK)
        return JNI_ERR;
    bare.floor = strcmp(calls, "floor") == 0;
    bare.two = strcmp(calls, "two") == 0;
    jvmtiEventCallbacks callbacks = {.VMInit = vm_init};
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}
