/* The agent's way in and out of the JVM: Agent_OnLoad, and the events that start and end it.
 *
 * One process has one JVM, so this state is global. The application's threads run only the
 * callbacks here; everything else happens on the agent's own thread.
 */
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/identity.h"
#include "agent/loop.h"
#include "agent/say.h"

#define END_WAIT_S 1 /* the JVM's end waits so long for a goodbye and the last write, no longer */

static struct {
    jvmtiEnv *ti;
    struct ixa_options given; /* by all options strings so far */
    struct ixa_options options;
    struct ix_hello who;
    int64_t started_ns;
    struct ixa_starts starts;
    jfieldID thread_id; /* Thread.tid */
    jthread thread; /* global reference */
    int stop_fd;
} agent = {.stop_fd = -1, .starts = IXA_STARTS_NONE};

/* How far the agent thread is, for VMDeath. Never held across a call into the JVM. */
static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t life_changed;
static enum { IDLE, RECORDING, ENDED } life; /* IDLE: has not called the JVM and has no log */
static bool ending;                          /* VMDeath has come */

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm);

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
    const struct ixa_loop loop = {
        .options = &agent.options,
        .who = &agent.who,
        .recorder = {.ti = ti,
                     .self = agent.thread,
                     .suspend = agent.options.suspend,
                     .walk_changed = !agent.options.walk_all,
                     .verify = agent.options.verify,
                     .depth = agent.options.depth,
                     .thread_id = agent.thread_id,
                     .starts = &agent.starts,
                     .who = &agent.who},
        .stop_fd = agent.stop_fd,
        .may_begin = may_begin,
    };
    ixa_loop_run(&loop, jni);
    pthread_mutex_lock(&life_lock);
    life = ENDED;
    pthread_cond_broadcast(&life_changed);
    pthread_mutex_unlock(&life_lock);
}

/* Asked for here and not in OnLoad: only one agent can have it, and a debugger that is loaded after
 * this one would refuse to start without it. */
static void get_suspend(void)
{
    const jvmtiCapabilities wanted = {.can_suspend = 1};
    if (!agent.options.suspend ||
        (*agent.ti)->AddCapabilities(agent.ti, &wanted) == JVMTI_ERROR_NONE)
        return;
    agent.options.suspend = false;
    ixa_say_once("stop=suspend is not possible here (a debugger has it); using stop=safepoint");
}

/* A Thread object in the system's thread group, which the application does not look into; NULL
 * with an exception pending. */
static jobject new_thread(JNIEnv *jni)
{
    jint groups = 0;
    jthreadGroup *top = NULL;
    jclass class = (*jni)->FindClass(jni, "java/lang/Thread");
    jmethodID init =
        class ? (*jni)->GetMethodID(jni, class, "<init>",
                                    "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V")
              : NULL;
    jstring name = init ? (*jni)->NewStringUTF(jni, "Ixor Agent") : NULL;
    if (!name || (*agent.ti)->GetTopThreadGroups(agent.ti, &groups, &top) != JVMTI_ERROR_NONE)
        return NULL;
    jobject thread = (*jni)->NewObject(jni, class, init, groups ? top[0] : NULL, name);
    (*agent.ti)->Deallocate(agent.ti, (unsigned char *)top);
    return (*jni)->ExceptionCheck(jni) ? NULL : thread;
}

static bool start_thread(JNIEnv *jni)
{
    jobject thread = new_thread(jni);
    agent.thread = thread ? (*jni)->NewGlobalRef(jni, thread) : NULL;
    return agent.thread && (*agent.ti)->RunAgentThread(agent.ti, agent.thread, agent_thread, NULL,
                                                       JVMTI_THREAD_NORM_PRIORITY) ==
                               JVMTI_ERROR_NONE;
}

static void JNICALL on_thread_start(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti;
    ixa_starts_add(&agent.starts, (uint64_t)(*jni)->GetLongField(jni, thread, agent.thread_id),
                   (uint32_t)gettid());
}

static void JNICALL on_thread_end(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti;
    ixa_starts_end(&agent.starts, (uint64_t)(*jni)->GetLongField(jni, thread, agent.thread_id));
}

/* From now on each thread that starts is known; those that run already are numbered. */
static bool know_threads(jvmtiEnv *ti, JNIEnv *jni, jthread current)
{
    agent.thread_id = ixa_threads_id_field(jni);
    if (!agent.thread_id)
        return false;
    ixa_threads_running(&agent.starts, ti, jni, agent.thread_id);
    on_thread_start(ti, jni, current); /* this one, too, tells its number in the kernel */
    return (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, NULL) ==
               JVMTI_ERROR_NONE &&
           (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, NULL) ==
               JVMTI_ERROR_NONE;
}

static void JNICALL on_vm_init(jvmtiEnv *ti, JNIEnv *jni, jthread current)
{
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    get_suspend();
    agent.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (agent.stop_fd < 0 || !know_threads(ti, jni, current) || !start_thread(jni)) {
        (*jni)->ExceptionClear(jni);
        life = ENDED;
        ixa_say_once("cannot start a thread; the application goes on without sampling");
    }
    (*jni)->PopLocalFrame(jni, NULL);
}

/* After this nobody calls the JVM: the agent thread has ended, or has never begun and will not. (Or
 * it hangs in a write to a dead disk; then the JVM does not wait for it for ever.) */
static void JNICALL on_vm_death(jvmtiEnv *ti, JNIEnv *jni)
{
    (void)ti;
    (void)jni;
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
        status = pthread_cond_timedwait(&life_changed, &life_lock, &until);
    pthread_mutex_unlock(&life_lock);
}

/* -1 and a message if this JVM cannot do what the agent lives on. */
static int set_up(JavaVM *vm, struct ix_error *err)
{
    jvmtiCapabilities possible = {0}, wanted = {0};
    pthread_condattr_t attributes;
    if ((*vm)->GetEnv(vm, (void **)&agent.ti, JVMTI_VERSION_1_2) != JNI_OK)
        return ix_fail(err, "this JVM has no JVMTI 1.2");
    jvmtiEnv *ti = agent.ti;
    if ((*ti)->GetPotentialCapabilities(ti, &possible) == JVMTI_ERROR_NONE) {
        wanted.can_get_line_numbers = possible.can_get_line_numbers;
        wanted.can_get_source_file_name = possible.can_get_source_file_name;
        (*ti)->AddCapabilities(ti, &wanted); /* without them names have no lines, no more */
    }
    const jvmtiEventCallbacks callbacks = {
        .VMInit = on_vm_init,
        .VMDeath = on_vm_death,
        .ThreadStart = on_thread_start,
        .ThreadEnd = on_thread_end,
    };
    if (pthread_condattr_init(&attributes) != 0 ||
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) != 0 ||
        pthread_cond_init(&life_changed, &attributes) != 0)
        return ix_fail(err, "cannot make a condition variable");
    pthread_condattr_destroy(&attributes);
    agent.started_ns = ixa_real_ns();
    if ((*ti)->SetEventCallbacks(ti, &callbacks, (jint)sizeof callbacks) != JVMTI_ERROR_NONE ||
        (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) !=
            JVMTI_ERROR_NONE ||
        (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL) !=
            JVMTI_ERROR_NONE)
        return ix_fail(err, "this JVM gives no events");
    return 0;
}

/* Called once for each mention of the agent (JAVA_TOOL_OPTIONS, command line): there is one agent,
 * and the later mention's options override the earlier one's key by key. */
jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    struct ix_error err;
    (void)reserved;
    if ((agent.ti || set_up(vm, &err) == 0) &&
        ixa_options_parse(&agent.given, options, &err) == 0 &&
        ixa_identify(agent.ti, &agent.given, agent.started_ns, &agent.options, &agent.who, &err) ==
            0)
        return JNI_OK;
    fprintf(stderr, "ixor: %s\n", err.text);
    return JNI_ERR;
}

/* Everything has been ended by VMDeath, or the JVM never lived. */
void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
}
