/* SPDX-License-Identifier: Apache-2.0 */
/* The thread ends when VMDeath or detaching tells it to, when the server refuses this JVM, and when
 * the log cannot be written. Only detaching closes the JVMTI environment, and does so on the thread
 * itself, so that nothing else is using it: the attach call waits for the thread. */
#include "agent/lifecycle/life.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/boot.h"
#include "agent/base/instant.h"
#include "agent/lifecycle/environment.h"
#include "agent/lifecycle/loop.h"
#include "agent/record/facts.h"
#include "agent/settings/expand.h"
#include "schema/base/descriptor.h"
#include "schema/protocol/wire.h"

#define END_WAIT_S 1 /* the JVM's end waits this long for a goodbye and the last write */
/* ... plus uploadtime=, only when a server is to get the log. */
/* Only whoever attaches or detaches waits longer than this; the application does not notice. */
#define CLOSE_WAIT_S 5

static struct {
    pthread_mutex_t lock; /* protects everything below; never held across a call into the JVM */
    pthread_cond_t changed;
    enum { NONE, RUNNING, CLOSING } thread;
    bool recording; /* the server knows this JVM, or it has a log: VMDeath waits for the thread */
    bool ending;    /* VMDeath has come */
    bool leaving;   /* detaching */
    bool renewed;   /* `next` is waiting for the thread */
    uint32_t sending_ms; /* it is sending the log: the end may take this much longer */
    struct ixa_settings next;
    uint64_t set, taken;      /* counts settings; the one that the thread works with */
    uint64_t reached, failed; /* the last one that took effect, or could not in a while */
    uint64_t ended;           /* the number of the test that `farewell` is about */
    struct ixa_farewell farewell;
    int stop_fd; /* an eventfd that makes the thread check this state; -1: no thread */
} life = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .stop_fd = -1};

/* Used by the thread only. */
static struct {
    jthread self; /* global reference; set before it starts */
    int stop_fd;
    struct ixa_settings settings;
    struct ixa_recorder *recorder;
    struct ixa_instant instant; /* of the packet to come */
} work;

static void wake_thread(void)
{
    if (life.stop_fd >= 0)
        eventfd_write(life.stop_fd, 1); /* fails only if already signalled */
}

/* Waits, with the lock held, while `wait` returns true: for this many seconds at most, plus the
 * extra time if the thread reports meanwhile that it sends the log. False on timeout. */
static bool wait_while(bool (*wait)(void), int seconds)
{
    struct timespec until;
    uint32_t sending_ms = 0;
    int status = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    while (wait() && (status == 0 || sending_ms != life.sending_ms)) {
        until.tv_sec += (life.sending_ms + 999) / 1000 - (sending_ms + 999) / 1000;
        sending_ms = life.sending_ms;
        status = pthread_cond_clockwait(&life.changed, &life.lock, CLOCK_MONOTONIC, &until);
    }
    return !wait();
}

static bool is_recording(void)
{
    return life.recording;
}

static bool is_there(void)
{
    return life.thread != NONE;
}

/* ---- on the agent's thread ---- */

static bool may_begin(void)
{
    pthread_mutex_lock(&life.lock);
    const bool may = !life.ending;
    life.recording = life.recording || may;
    pthread_mutex_unlock(&life.lock);
    return may;
}

static void not_recording(void)
{
    pthread_mutex_lock(&life.lock);
    life.recording = false;
    pthread_cond_broadcast(&life.changed);
    pthread_mutex_unlock(&life.lock);
}

static void why(struct ixa_farewell *farewell)
{
    pthread_mutex_lock(&life.lock);
    const bool ending = life.ending, leaving = life.leaving;
    const bool tested = work.settings.test && life.ended == work.settings.test;
    *farewell = tested ? life.farewell : (struct ixa_farewell){0};
    pthread_mutex_unlock(&life.lock);
    farewell->last = ending || leaving || work.settings.test;
    farewell->reason = ending ? IX_BYE_EXIT : IX_BYE_REQUEST;
    if (!ending && !tested)
        snprintf(farewell->text, sizeof farewell->text, leaving ? "detached" : "new settings");
}

static void reached(bool recording)
{
    pthread_mutex_lock(&life.lock);
    *(recording ? &life.reached : &life.failed) = life.taken;
    pthread_cond_broadcast(&life.changed);
    pthread_mutex_unlock(&life.lock);
}

static void sending(uint32_t ms)
{
    pthread_mutex_lock(&life.lock);
    life.sending_ms = ms;
    pthread_cond_broadcast(&life.changed);
    pthread_mutex_unlock(&life.lock);
}

/* Takes the next settings. False: there are none, and the thread ends. */
static bool take_settings(JNIEnv *jni)
{
    struct ixa_recorder *old = NULL;
    eventfd_t signalled;
    pthread_mutex_lock(&life.lock);
    const bool more = life.renewed && !life.ending && !life.leaving;
    if (more) {
        eventfd_read(life.stop_fd, &signalled);
        life.renewed = false;
        life.taken = life.set;
        life.sending_ms = 0;
        if (work.recorder && !life.next.paused && life.next.test == work.settings.test &&
            ixa_options_same_log(&life.next.options, &work.settings.options)) {
            work.settings.options = life.next.options; /* `who` contains the server's run */
        } else {
            old = work.recorder;
            work.recorder = NULL;
            work.settings = life.next;
        }
    } else {
        life.thread = CLOSING;
        pthread_cond_broadcast(&life.changed);
    }
    pthread_mutex_unlock(&life.lock);
    if (old) {
        ixa_recorder_free(old, jni);
        not_recording();
    }
    return more;
}

static void sample(jvmtiEnv *ti, JNIEnv *jni)
{
    const struct ixa_options *options = &work.settings.options;
    const struct ixa_loop loop = {
        .options = options,
        .who = &work.settings.who,
        .is_test = work.settings.test != 0,
        .recorder = {.ti = ti,
                     .self = work.self,
                     .suspend = options->suspend,
                     .walk_changed = !options->walk_all,
                     .verify = options->verify,
                     .depth = options->depth,
                     .memory = options->memory,
                     .maxlog = options->maxlog,
                     .thread_id = ixa_environment_thread_id(),
                     .instant = &work.instant,
                     .starts = ixa_environment_starts(),
                     .test = work.settings.test,
                     .virtuals = ixa_environment_virtuals(),
                     .facts = options->facts,
                     .who = &work.settings.who},
        .stop_fd = work.stop_fd,
        .may_begin = may_begin,
        .why = why,
        .reached = reached,
        .sending = sending,
    };
    /* Not on the test's thread, which a slow disk must not hold up. If it fails, the log cannot be
     * created, which is logged then. */
    if (work.settings.test)
        ixa_unused_path(work.settings.who.log, sizeof work.settings.who.log);
    ixa_loop_run(&loop, jni, &work.recorder);
}

/* Waits for other settings: between tests, or if a test cannot be recorded, which says nothing of
 * the next one. */
static void rest(void)
{
    struct pollfd stop = {.fd = work.stop_fd, .events = POLLIN};
    if (work.settings.paused)
        not_recording();
    reached(work.settings.paused);
    while (poll(&stop, 1, -1) < 0 && errno == EINTR)
        ;
}

/* Closes the log and, if the agent is to be removed, everything else. */
static void finish(JNIEnv *jni)
{
    pthread_mutex_lock(&life.lock);
    const bool ending = life.ending, leaving = life.leaving;
    life.recording = life.recording || !ending; /* from here on VMDeath waits */
    pthread_mutex_unlock(&life.lock);
    ixa_recorder_free(work.recorder, ending ? NULL : jni);
    work.recorder = NULL;
    ixa_facts_end(ending ? NULL : jni);
    ixa_virtual_end(ixa_environment_virtuals(), ending ? NULL : jni);
    if (!ending) {
        if (leaving)
            ixa_environment_close();
        (*jni)->DeleteGlobalRef(jni, work.self);
    }
    pthread_mutex_lock(&life.lock);
    life.thread = NONE;
    life.recording = life.leaving = life.renewed = false;
    life.sending_ms = 0;
    close(life.stop_fd);
    life.stop_fd = -1;
    pthread_cond_broadcast(&life.changed);
    pthread_mutex_unlock(&life.lock);
}

static void JNICALL agent_thread(jvmtiEnv *ti, JNIEnv *jni, void *unused)
{
    (void)unused;
    /* A full disk or a lost peer must not raise a signal in the process, however the application
     * handles signals. */
    sigset_t quiet;
    sigemptyset(&quiet);
    sigaddset(&quiet, SIGPIPE);
    sigaddset(&quiet, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &quiet, NULL);
    ixa_instant_thread();
    ixa_instant_init(&work.instant);
    while (take_settings(jni)) {
        ixa_environment_renew(jni, &work.settings.options);
        if (!work.settings.paused)
            sample(ti, jni);
        if (work.settings.paused || work.settings.test)
            rest();
    }
    ix_wire_thread_end();
    finish(jni);
}

/* ---- on the JVM's threads ---- */

/* With the lock held. */
static void set_next(const struct ixa_settings *settings)
{
    life.next = *settings;
    life.renewed = true;
    life.set++;
    wake_thread();
}

enum ixa_life ixa_life_set(const struct ixa_settings *settings)
{
    enum ixa_life result = IXA_LIFE_STUCK;
    pthread_mutex_lock(&life.lock);
    if (!life.leaving && (life.thread != CLOSING || wait_while(is_there, CLOSE_WAIT_S))) {
        result = life.thread == RUNNING ? IXA_LIFE_RUNNING : IXA_LIFE_NONE;
        set_next(settings);
    }
    pthread_mutex_unlock(&life.lock);
    return result;
}

bool ixa_life_turn(const struct ixa_settings *settings, const struct ixa_farewell *of_last)
{
    pthread_mutex_lock(&life.lock);
    const bool there = life.thread == RUNNING && !life.leaving && !life.ending;
    if (there && of_last) {
        life.ended = life.next.test;
        life.farewell = *of_last;
    }
    if (there)
        set_next(settings);
    pthread_mutex_unlock(&life.lock);
    return there;
}

bool ixa_life_turned(unsigned ms)
{
    struct timespec until;
    int status = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&life.lock);
    while (life.thread == RUNNING && life.reached != life.set && life.failed != life.set &&
           status == 0)
        status = pthread_cond_clockwait(&life.changed, &life.lock, CLOCK_MONOTONIC, &until);
    const bool good = life.thread == RUNNING && life.reached == life.set;
    pthread_mutex_unlock(&life.lock);
    return good;
}

enum ixa_life ixa_life_now(void)
{
    enum ixa_life now = IXA_LIFE_NONE;
    pthread_mutex_lock(&life.lock);
    if (life.leaving)
        now = IXA_LIFE_STUCK;
    else if (life.thread == RUNNING)
        now = IXA_LIFE_RUNNING;
    pthread_mutex_unlock(&life.lock);
    return now;
}

enum ixa_life ixa_life_leave(void)
{
    pthread_mutex_lock(&life.lock);
    life.leaving = life.thread != NONE;
    wake_thread();
    const bool gone = wait_while(is_there, CLOSE_WAIT_S);
    life.leaving = life.leaving && !gone;
    pthread_mutex_unlock(&life.lock);
    return gone ? IXA_LIFE_NONE : IXA_LIFE_STUCK;
}

const struct ixa_options *ixa_life_options(void)
{
    return &life.next.options;
}

/* Creates a Thread object in the system thread group, where the application does not look; NULL
 * with an exception pending. */
static jobject new_thread(jvmtiEnv *ti, JNIEnv *jni)
{
    jint groups = 0;
    jthreadGroup *top = NULL;
    jclass class = ixa_boot_thread(ti, jni);
    jmethodID init = class ? (*jni)->GetMethodID(jni, class, "<init>",
                                                 "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V")
                           : NULL;
    jstring name = init ? (*jni)->NewStringUTF(jni, "Ixor Agent") : NULL;
    if (!name || (*ti)->GetTopThreadGroups(ti, &groups, &top) != JVMTI_ERROR_NONE)
        return NULL;
    jobject thread = (*jni)->NewObject(jni, class, init, groups ? top[0] : NULL, name);
    (*ti)->Deallocate(ti, (unsigned char *)top);
    return (*jni)->ExceptionCheck(jni) ? NULL : thread;
}

/* Makes this thread the agent's thread. False if there already is one. (VMInit and attaching can
 * coincide.) */
static bool claim(jthread self, int stop_fd)
{
    pthread_mutex_lock(&life.lock);
    const bool free = life.thread == NONE;
    if (free) {
        life.thread = RUNNING;
        life.stop_fd = work.stop_fd = stop_fd;
        work.self = self;
    }
    pthread_mutex_unlock(&life.lock);
    return free;
}

static void unclaim(void)
{
    pthread_mutex_lock(&life.lock);
    life.thread = NONE;
    life.stop_fd = -1;
    pthread_mutex_unlock(&life.lock);
}

bool ixa_life_start(jvmtiEnv *ti, JNIEnv *jni)
{
    jobject thread = new_thread(ti, jni);
    jthread self = thread ? (*jni)->NewGlobalRef(jni, thread) : NULL;
    const int stop_fd = self ? ix_above_streams(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) : -1;
    bool good = false;
    if (stop_fd >= 0 && claim(self, stop_fd)) {
        good = (*ti)->RunAgentThread(ti, self, agent_thread, NULL, JVMTI_THREAD_NORM_PRIORITY) ==
               JVMTI_ERROR_NONE;
        if (!good)
            unclaim();
    }
    if (good)
        return true;
    if (stop_fd >= 0)
        close(stop_fd);
    if (self)
        (*jni)->DeleteGlobalRef(jni, self);
    return ixa_life_now() == IXA_LIFE_RUNNING;
}

void ixa_life_end(void)
{
    pthread_mutex_lock(&life.lock);
    life.ending = true;
    wake_thread();
    wait_while(is_recording, END_WAIT_S);
    pthread_mutex_unlock(&life.lock);
}
