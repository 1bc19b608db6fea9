#include "agent/capture.h"

#include <stdlib.h>

#include "agent/clock.h"

/* HotSpot allocates the whole buffer for each thread inside the safepoint, so it starts small. */
#define BUFFER_FIRST 64
#define SHALLOW_SNAPSHOTS 64
/* All buffers together: 64 MiB. With thousands of threads a deep recursion in one of them is cut
 * rather than paid for by all. */
#define FRAMES_MAX (4 << 20)

void ixa_capture_init(struct ixa_capture *c, jvmtiEnv *ti, jthread self, bool suspend,
                      uint32_t depth)
{
    *c = (struct ixa_capture){.ti = ti, .self = self, .suspend = suspend, .depth = (jint)depth};
    c->buffer = c->depth < BUFFER_FIRST ? c->depth + 1 : BUFFER_FIRST;
}

/* The threads of a stop=suspend snapshot. */
struct suspended {
    jthread *threads; /* JVMTI's, `all` local references; those that are suspended come first */
    jint all, count;
    jvmtiError *results; /* malloc's, for the first `count` */
};

static void forget_suspended(struct ixa_capture *c, JNIEnv *jni, struct suspended *s)
{
    for (jint i = 0; i < s->all; i++)
        (*jni)->DeleteLocalRef(jni, s->threads[i]);
    if (s->threads)
        (*c->ti)->Deallocate(c->ti, (unsigned char *)s->threads);
    free(s->results);
    *s = (struct suspended){0};
}

/* More than 65,536 HotSpot refuses; they can be made all the same. */
void ixa_capture_reserve(JNIEnv *jni, jint references)
{
    if ((*jni)->EnsureLocalCapacity(jni, references + 64) != 0)
        (*jni)->ExceptionClear(jni);
}

static void to_front(struct suspended *s, jint i)
{
    jthread thread = s->threads[i];
    s->threads[i] = s->threads[s->count];
    s->threads[s->count++] = thread;
}

/* Lists the threads to suspend: all but our own. Everything is allocated before the stop. */
static int list_threads(struct ixa_capture *c, JNIEnv *jni, struct suspended *s)
{
    if ((*c->ti)->GetAllThreads(c->ti, &s->all, &s->threads) != JVMTI_ERROR_NONE) {
        *s = (struct suspended){0};
        return -1;
    }
    ixa_capture_reserve(jni, 2 * s->all); /* these, and those of the stacks */
    for (jint i = 0; i < s->all; i++)
        if (!(*jni)->IsSameObject(jni, s->threads[i], c->self))
            to_front(s, i);
    s->results = calloc((size_t)s->count + 1, sizeof *s->results);
    return s->results ? 0 : -1;
}

static int suspend(struct ixa_capture *c, struct suspended *s)
{
    if ((*c->ti)->SuspendThreadList(c->ti, s->count, s->threads, s->results) != JVMTI_ERROR_NONE)
        return -1;
    /* A thread that ended, or that somebody else had suspended, is not ours to resume. */
    jint asked = s->count;
    s->count = 0;
    for (jint i = 0; i < asked; i++)
        if (s->results[i] == JVMTI_ERROR_NONE)
            to_front(s, i);
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

/* Whom to walk; threads NULL: all. */
struct wanted {
    const jthread *threads;
    jint count;
};

static int get_stacks(struct ixa_capture *c, const struct wanted *wanted,
                      struct ixa_stacks *stacks)
{
    jvmtiError error = JVMTI_ERROR_NONE;
    if (!wanted->threads)
        error = (*c->ti)->GetAllStackTraces(c->ti, c->buffer, &stacks->infos, &stacks->count);
    else if (wanted->count)
        error = (*c->ti)->GetThreadListStackTraces(c->ti, wanted->count, wanted->threads,
                                                   c->buffer, &stacks->infos);
    if (wanted->threads) {
        stacks->count = wanted->count;
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
    int status = c->suspend ? list_threads(c, jni, &s) : 0;
    const int64_t real = ixa_real_ns(), mono = ixa_mono_ns();
    if (status == 0 && c->suspend)
        status = suspend(c, &s);
    if (status == 0) {
        status = get_stacks(c, wanted, stacks);
        if (c->suspend)
            resume(c, &s);
    }
    stacks->mono_ns = mono;
    stacks->real_ns = real;
    stacks->stop_ns = (uint64_t)(ixa_mono_ns() - mono);
    forget_suspended(c, jni, &s);
    return status;
}

/* True if a thread filled the buffer and a larger one is allowed. */
static bool grow(struct ixa_capture *c, const struct ixa_stacks *stacks, jint most)
{
    jint most_allowed = stacks->count ? FRAMES_MAX / stacks->count : c->depth;
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

static int take(struct ixa_capture *c, JNIEnv *jni, const struct wanted *wanted,
                struct ixa_stacks *stacks)
{
    jint most;
    for (;;) {
        *stacks = (struct ixa_stacks){0};
        if (stop_and_get(c, jni, wanted, stacks) != 0)
            return -1;
        most = deepest(stacks);
        if (!grow(c, stacks, most))
            break;
        ixa_capture_release(c, jni, stacks);
    }
    stacks->limit = c->buffer;
    shrink(c, most);
    ixa_capture_reserve(jni, stacks->count);
    return 0;
}

int ixa_capture_take(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks)
{
    return take(c, jni, &(struct wanted){0}, stacks);
}

int ixa_capture_walk(struct ixa_capture *c, JNIEnv *jni, const jthread *threads, jint count,
                     struct ixa_stacks *stacks)
{
    return take(c, jni, &(struct wanted){threads, count}, stacks);
}

void ixa_capture_release(struct ixa_capture *c, JNIEnv *jni, struct ixa_stacks *stacks)
{
    for (jint i = 0; i < stacks->count && !stacks->borrowed; i++)
        (*jni)->DeleteLocalRef(jni, stacks->infos[i].thread);
    if (stacks->infos)
        (*c->ti)->Deallocate(c->ti, (unsigned char *)stacks->infos);
    stacks->infos = NULL;
    stacks->count = 0;
}
