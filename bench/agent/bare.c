/* The yardstick: an agent that does nothing but call GetAllStackTraces every so often and write
 * down how long the call took. Options: FILE,EVERY_MS,FRAMES. Loaded into the same JVM as the real
 * agent, it measures the same threads in the same seconds. */
#include <jvmti.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    char path[4096];
    int every_ms;
    int frames;
    FILE *out;
} bare;

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void JNICALL loop(jvmtiEnv *jvmti, JNIEnv *jni, void *unused)
{
    (void)unused;
    for (;;) {
        struct timespec pause = {bare.every_ms / 1000, bare.every_ms % 1000 * 1000000L};
        nanosleep(&pause, NULL);
        jvmtiStackInfo *infos;
        jint count;
        if ((*jni)->PushLocalFrame(jni, 16) != 0)
            return;
        long long begin = now_ns();
        jvmtiError e = (*jvmti)->GetAllStackTraces(jvmti, bare.frames, &infos, &count);
        long long length = now_ns() - begin;
        if (e == JVMTI_ERROR_NONE) {
            fprintf(bare.out, "%lld\n", length);
            fflush(bare.out);
            (*jvmti)->Deallocate(jvmti, (unsigned char *)infos);
        }
        (*jni)->PopLocalFrame(jni, NULL);
        if (e != JVMTI_ERROR_NONE)
            return;
    }
}

static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)thread;
    jclass type = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID make = (*jni)->GetMethodID(jni, type, "<init>", "(Ljava/lang/String;)V");
    jobject self = (*jni)->NewObject(jni, type, make, (*jni)->NewStringUTF(jni, "bare"));
    (*jvmti)->RunAgentThread(jvmti, self, loop, NULL, JVMTI_THREAD_MAX_PRIORITY);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    jvmtiEnv *jvmti;
    if (!options || sscanf(options, "%4095[^,],%d,%d", bare.path, &bare.every_ms, &bare.frames) != 3 ||
        !(bare.out = fopen(bare.path, "w")) ||
        (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK)
        return JNI_ERR;
    jvmtiEventCallbacks callbacks = {.VMInit = vm_init};
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}
