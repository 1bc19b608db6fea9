/* The agent's thread: how it starts and ends. */
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/loop.h"

#define END_WAIT_S 1 /* the JVM's end waits so long for a goodbye and the last write, no longer */

static struct {
    struct ixa_settings settings;
    jthread thread; /* global reference */
    int stop_fd;
} agent = {.stop_fd = -1};

/* How far the agent thread is, for VMDeath. Never held across a call into the JVM. */
static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t life_changed = PTHREAD_COND_INITIALIZER;
static enum { IDLE, RECORDING, ENDED } life; /* IDLE: has not called the JVM and has no log */
static bool ending;                          /* VMDeath has come */

void ixa_life_set(const struct ixa_settings *settings)
{
    agent.settings = *settings;
}

static bool may_begin(void)
{
    pthread_mutex_lock(&life_lock);
    if (!ending)
        life = RECORDING;
    bool may = !ending;
    pthread_mutex_unlock(&life_lock);
    return may;
}

static void JNICALL agent_thread(jvmtiEnv *ti, JNIEnv *jni, void *unused)
{
    (void)unused;
    /* A full disk or a lost peer must not signal the process, whatever the application does with
     * its signals; and a target time is met within microseconds, not the usual 50. */
    sigset_t quiet;
    sigemptyset(&quiet);
    sigaddset(&quiet, SIGPIPE);
    sigaddset(&quiet, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &quiet, NULL);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    const struct ixa_options *options = &agent.settings.options;
    const struct ixa_loop loop = {
        .options = options,
        .who = &agent.settings.who,
        .recorder = {.ti = ti,
                     .self = agent.thread,
                     .suspend = options->suspend,
                     .walk_changed = options->walk_changed,
                     .verify = options->verify,
                     .depth = options->depth,
                     .thread_id = ixa_events_thread_id(),
                     .starts = ixa_events_starts(),
                     .who = &agent.settings.who},
        .stop_fd = agent.stop_fd,
        .may_begin = may_begin,
    };
    ixa_loop_run(&loop, jni);
    pthread_mutex_lock(&life_lock);
    life = ENDED;
    pthread_cond_broadcast(&life_changed);
    pthread_mutex_unlock(&life_lock);
}

/* A Thread object in the system's thread group, which the application does not look into; NULL
 * with an exception pending. */
static jobject new_thread(jvmtiEnv *ti, JNIEnv *jni)
{
    jint groups = 0;
    jthreadGroup *top = NULL;
    jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID init =
        class ? (*jni)->GetMethodID(jni, class, "<init>",
                                    "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V")
              : NULL;
    jstring name = init ? (*jni)->NewStringUTF(jni, "Ixor Agent") : NULL;
    if (!name || (*ti)->GetTopThreadGroups(ti, &groups, &top) != JVMTI_ERROR_NONE)
        return NULL;
    jobject thread = (*jni)->NewObject(jni, class, init, groups ? top[0] : NULL, name);
    (*ti)->Deallocate(ti, (unsigned char *)top);
    return (*jni)->ExceptionCheck(jni) ? NULL : thread;
}

bool ixa_life_start(jvmtiEnv *ti, JNIEnv *jni)
{
    agent.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    jobject thread = agent.stop_fd >= 0 ? new_thread(ti, jni) : NULL;
    agent.thread = thread ? (*jni)->NewGlobalRef(jni, thread) : NULL;
    return agent.thread && (*ti)->RunAgentThread(ti, agent.thread, agent_thread, NULL,
                                                 JVMTI_THREAD_NORM_PRIORITY) == JVMTI_ERROR_NONE;
}

void ixa_life_never(void)
{
    life = ENDED;
}

void ixa_life_end(void)
{
    const uint64_t one = 1;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += END_WAIT_S;
    if (agent.stop_fd < 0 || write(agent.stop_fd, &one, sizeof one) < 0)
        return;
    pthread_mutex_lock(&life_lock);
    ending = true;
    int status = 0;
    while (life == RECORDING && status == 0)
        status = pthread_cond_clockwait(&life_changed, &life_lock, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&life_lock);
}
