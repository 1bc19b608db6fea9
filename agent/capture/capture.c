/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/capture/capture.h"

#include <stdlib.h>

#include "agent/base/clock.h"
#include "agent/base/instant.h"
#include "agent/base/jvm.h"
#include "agent/base/log_once.h"
#include "agent/capture/virtual.h"

/* HotSpot allocates the whole buffer for each thread inside the safepoint, so it starts small. */
#define BUFFER_FIRST 64
#define SHALLOW_SNAPSHOTS 64
/* Limit for all buffers together, whatever memory= is. */
#define FRAMES_MAX (64 << 20)
/* Stops with an incomplete list of threads, before the stop that needs no list. */
#define LISTED_STOPS 2

/* Only one agent can have this capability, so it is held only while needed: a debugger loaded after
 * this agent would refuse to start without it. */
static bool get_suspend(jvmtiEnv *ti, bool wanted)
{
    const jvmtiCapabilities capability = {.can_suspend = 1};
    if (!wanted) {
        (*ti)->RelinquishCapabilities(ti, &capability);
        return false;
    }
    if ((*ti)->AddCapabilities(ti, &capability) == JVMTI_ERROR_NONE)
        return true;
    ixa_log_once("stop=suspend is not possible here (a debugger has it); using stop=safepoint");
    return false;
}

void ixa_capture_init(struct ixa_capture *c, jvmtiEnv *ti, jthread self, bool suspend,
                      uint32_t depth, uint64_t memory)
{
    const uint64_t frames = memory / 2 / sizeof(jvmtiFrameInfo);
    *c = (struct ixa_capture){.ti = ti, .self = self, .depth = (jint)depth};
    c->frames = frames < FRAMES_MAX ? (jint)frames : FRAMES_MAX;
    c->suspend = get_suspend(ti, suspend);
    c->buffer = c->depth < BUFFER_FIRST ? c->depth + 1 : BUFFER_FIRST;
}

/* The threads of a stop=suspend snapshot. */
struct suspended {
    jthread *listed; /* JVMTI's, `all` local references; NULL: they are in the virtual threads'
                      * list */
    jint all;
    jthread *threads; /* from malloc; the suspended threads come first */
    jint count;
    jvmtiError *results; /* from malloc; for the first `count` */
};

static void forget_suspended(struct ixa_capture *c, JNIEnv *jni, struct suspended *s)
{
    for (jint i = 0; s->listed && i < s->all; i++)
        (*jni)->DeleteLocalRef(jni, s->listed[i]);
    if (s->listed)
        (*c->ti)->Deallocate(c->ti, (unsigned char *)s->listed);
    free(s->threads);
    free(s->results);
    *s = (struct suspended){0};
}

/* The threads to walk; threads NULL: all. */
struct wanted {
    const jthread *threads;
    jint count;
    jint virtual_count; /* the last ones of `threads` */
};

/* Lists the threads to suspend: those to walk except our own. Allocates everything before the
 * stop. */
static int list_threads(struct ixa_capture *c, JNIEnv *jni, const struct wanted *wanted,
                        struct suspended *s)
{
    const jthread *threads = wanted->threads;
    s->all = wanted->count;
    if (!threads && (*c->ti)->GetAllThreads(c->ti, &s->all, &s->listed) != JVMTI_ERROR_NONE) {
        *s = (struct suspended){0};
        return -1;
    }
    if (!threads)
        threads = s->listed;
    ixa_reserve_references(jni, 2 * s->all); /* these, and the stacks' references */
    s->threads = calloc((size_t)s->all + 1, sizeof *s->threads);
    s->results = calloc((size_t)s->all + 1, sizeof *s->results);
    if (!s->threads || !s->results)
        return -1;
    for (jint i = 0; i < s->all; i++)
        if (!(*jni)->IsSameObject(jni, threads[i], c->self))
            s->threads[s->count++] = threads[i];
    return 0;
}

static int suspend(struct ixa_capture *c, struct suspended *s)
{
    if ((*c->ti)->SuspendThreadList(c->ti, s->count, s->threads, s->results) != JVMTI_ERROR_NONE)
        return -1;
    /* A thread that had ended, or that another agent had suspended, must not be resumed by us. */
    jint asked = s->count;
    s->count = 0;
    for (jint i = 0; i < asked; i++)
        if (s->results[i] == JVMTI_ERROR_NONE)
            s->threads[s->count++] = s->threads[i];
    return 0;
}

static void resume(struct ixa_capture *c, struct suspended *s)
{
    if (s->count)
        (*c->ti)->ResumeThreadList(c->ti, s->count, s->threads, s->results);
}

static jint deepest(const struct ixa_stacks *stacks)
{
    jint most = 0;
    for (jint i = 0; i < stacks->count; i++)
        if (stacks->infos[i].frame_count > most)
            most = stacks->infos[i].frame_count;
    return most;
}

static int get_stacks(struct ixa_capture *c, const struct wanted *wanted, struct ixa_stacks *stacks)
{
    jvmtiError error = JVMTI_ERROR_NONE;
    if (!wanted->threads)
        error = (*c->ti)->GetAllStackTraces(c->ti, c->buffer, &stacks->infos, &stacks->count);
    else if (wanted->count)
        error = (*c->ti)->GetThreadListStackTraces(c->ti, wanted->count, wanted->threads, c->buffer,
                                                   &stacks->infos);
    if (wanted->threads) {
        stacks->count = wanted->count;
        stacks->virtual_count = wanted->virtual_count;
        stacks->borrowed = true;
    }
    if (error == JVMTI_ERROR_NONE)
        return 0;
    *stacks = (struct ixa_stacks){0};
    return -1;
}

static int stop_and_get(struct ixa_capture *c, JNIEnv *jni, const struct wanted *wanted,
                        struct ixa_stacks *stacks)
{
    struct suspended s = {0};
    int status = c->suspend ? list_threads(c, jni, wanted, &s) : 0;
    if (c->instant)
        ixa_instant_reach(c->instant);
    const int64_t real = ix_real_ns(), mono = ixa_mono_ns();
    if (status == 0 && c->suspend)
        status = suspend(c, &s);
    if (status == 0) {
        status = get_stacks(c, wanted, stacks);
        if (status == 0 && c->suspend && c->while_stopped)
            c->while_stopped(c->context, jni, stacks);
        if (c->suspend)
            resume(c, &s);
    }
    stacks->mono_ns = mono;
    stacks->real_ns = real;
    stacks->stop_ns = (uint64_t)(ixa_mono_ns() - mono);
    forget_suspended(c, jni, &s);
    return status;
}

/* True if a thread filled the buffer and a larger one is allowed. JVMTI takes one length for all
 * threads, so with thousands of threads a deep recursion in one of them is cut: a longer buffer
 * would cost too much for all. */
static bool grow(struct ixa_capture *c, const struct ixa_stacks *stacks, jint most)
{
    jint most_allowed = stacks->count ? c->frames / stacks->count : c->depth;
    if (most_allowed > c->depth)
        most_allowed = c->depth + 1;
    if (most < c->buffer || c->buffer >= most_allowed)
        return false;
    c->buffer = c->buffer < most_allowed / 2 ? c->buffer * 2 : most_allowed;
    c->shallow = 0;
    return true;
}

static void shrink(struct ixa_capture *c, jint most)
{
    if (most >= c->buffer / 4 || c->buffer <= BUFFER_FIRST)
        c->shallow = 0;
    else if (++c->shallow >= SHALLOW_SNAPSHOTS) {
        c->buffer = c->buffer / 2 > BUFFER_FIRST ? c->buffer / 2 : BUFFER_FIRST;
        c->shallow = 0;
    }
}

static void release_stacks(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks)
{
    for (jint i = 0; i < stacks->count && !stacks->borrowed; i++)
        (*jni)->DeleteLocalRef(jni, stacks->infos[i].thread);
    if (stacks->infos)
        (*c->ti)->Deallocate(c->ti, (unsigned char *)stacks->infos);
    stacks->infos = NULL;
    stacks->count = stacks->virtual_count = 0;
}

static int take(struct ixa_capture *c, JNIEnv *jni, const struct wanted *wanted,
                struct ixa_stacks *stacks)
{
    jint most;
    for (;;) {
        *stacks = (struct ixa_stacks){0};
        if (stop_and_get(c, jni, wanted, stacks) != 0)
            return -1;
        ixa_reserve_references(jni, stacks->count);
        most = deepest(stacks);
        if (!grow(c, stacks, most))
            break;
        release_stacks(c, jni, stacks);
    }
    stacks->limit = c->buffer;
    shrink(c, most);
    return 0;
}

/* The list that ixa_virtual_list has just built. */
static struct wanted listed(const struct ixa_virtual *v)
{
    return (struct wanted){v->list, v->count, v->virtual_count};
}

/* Walks all threads by a list, because only a stop with a list returns virtual threads. A thread
 * born after the list was built would be missing; then the stop is repeated. 1: there is no virtual
 * thread, or new threads keep appearing; `lost` is the time that the stops took. */
static int take_listed(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks,
                       uint64_t *lost)
{
    *lost = 0;
    for (int stops = 0; stops < LISTED_STOPS; stops++) {
        if (!ixa_virtual_list(c->virtuals, jni, NULL, 0))
            return 1;
        const struct wanted wanted = listed(c->virtuals);
        const int status = take(c, jni, &wanted, stacks);
        if (status == 0 && ixa_virtual_nobody_born(c->virtuals, jni))
            return 0;
        if (status == 0)
            *lost += stacks->stop_ns;
        ixa_capture_release(c, jni, stacks);
    }
    return 1;
}

int ixa_capture_take(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks)
{
    uint64_t lost = 0;
    int status = ixa_virtual_any(c->virtuals) ? take_listed(c, jni, stacks, &lost) : 1;
    if (status == 1)
        status = take(c, jni, &(struct wanted){0}, stacks);
    stacks->stop_ns += lost;
    return status;
}

int ixa_capture_walk(struct ixa_capture *c, JNIEnv *jni, const jthread *threads, jint count,
                     struct ixa_stacks *stacks)
{
    struct wanted wanted = {threads, count, 0};
    if (ixa_virtual_any(c->virtuals) && ixa_virtual_list(c->virtuals, jni, threads, count))
        wanted = listed(c->virtuals);
    return take(c, jni, &wanted, stacks);
}

void ixa_capture_release(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks)
{
    release_stacks(c, jni, stacks);
    if (c->virtuals)
        ixa_virtual_drop(c->virtuals, jni);
}
