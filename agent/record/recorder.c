/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/recorder.h"

#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "agent/base/instant.h"
#include "agent/capture/incremental.h"
#include "agent/capture/virtual.h"
#include "agent/record/bounds.h"
#include "agent/record/facts.h"
#include "agent/record/names.h"

#define HASHED_FRAMES 32

struct ixa_recorder {
    struct ix_log_writer *log;
    struct ixa_capture capture;
    struct ixa_threads threads;
    bool changed_only;
    struct ixa_incremental incremental; /* if changed_only */
    struct ixa_names *names;
    struct ixa_bounds bounds;
    bool stuck;               /* the log's next part could not be started */
    struct ix_entry *entries; /* owned */
    size_t capacity;
};

static int write_meta(struct ix_log_writer *log, const struct ix_hello *who)
{
    char pid[16], started[24];
    snprintf(pid, sizeof pid, "%u", who->pid);
    snprintf(started, sizeof started, "%llu", (unsigned long long)who->started_ns);
    const struct {
        const char *key, *value;
    } meta[] = {
        {"role", who->role}, {"execution", who->execution}, {"host", who->host},  {"pid", pid},
        {"jvm", who->jvm},   {"agent", IXOR_VERSION},       {"started", started},
    };
    for (size_t i = 0; i < sizeof meta / sizeof *meta; i++)
        if (ix_log_meta(log, meta[i].key, meta[i].value) != 0)
            return -1;
    return 0;
}

/* Records the threads of the stop and their monitors; with stop=suspend while they are suspended,
 * otherwise right after it. */
static void record_locks(struct ixa_recorder *r, JNIEnv *jni, const struct ixa_stacks *stacks)
{
    struct ixa_locks *locks = ixa_facts_locks();
    struct ixa_unchanged at;
    if (!locks)
        return;
    for (jint i = 0; i < stacks->count; i++)
        if (stacks->infos[i].state & JVMTI_THREAD_STATE_ALIVE)
            ixa_locks_see(locks, jni, stacks->infos[i].thread, stacks->infos[i].state, false);
    for (size_t i = 0; i < r->incremental.count; i++)
        if (ixa_incremental_unchanged(&r->incremental, i, &at))
            ixa_locks_see(locks, jni, at.thread, at.state, true);
    ixa_locks_ask(locks, jni, r->capture.suspend);
}

/* Tells which threads that were walked may wait for a connection. */
static void record_walked(struct ixa_recorder *r, JNIEnv *jni, const struct ixa_stacks *stacks)
{
    struct ixa_connections *connections = ixa_facts_connections();
    for (jint i = 0; connections && i < stacks->count - stacks->virtual_count; i++)
        if (stacks->infos[i].state & JVMTI_THREAD_STATE_ALIVE)
            ixa_connections_see(connections,
                                ixa_threads_key(&r->threads, jni, stacks->infos[i].thread),
                                stacks->infos[i].state, false);
}

/* The same of those that were not, which have not run. */
static void record_unchanged(struct ixa_recorder *r, JNIEnv *jni)
{
    struct ixa_connections *connections = ixa_facts_connections();
    struct ixa_turns *turns = ixa_facts_turns();
    struct ixa_unchanged at;
    for (size_t i = 0; (connections || turns) && i < r->incremental.count; i++) {
        if (!ixa_incremental_unchanged(&r->incremental, i, &at))
            continue;
        const uint64_t key = ixa_threads_key(&r->threads, jni, at.thread);
        if (connections)
            ixa_connections_see(connections, key, at.state, true);
        if (turns)
            ixa_turns_unchanged(turns, key);
    }
}

static void while_stopped(void *recorder, JNIEnv *jni, const struct ixa_stacks *stacks)
{
    if (ixa_facts_locks())
        ixa_locks_again(ixa_facts_locks(), jni);
    record_locks(recorder, jni, stacks);
}

/* Call after ixa_capture_init. */
static int set_facts(struct ixa_recorder *r, const struct ixa_recorder_config *config, JNIEnv *jni)
{
    r->capture.while_stopped = while_stopped;
    r->capture.context = r;
    return ixa_facts_set(&(struct ixa_facts_config){.ti = config->ti,
                                                    .thread_id = config->thread_id,
                                                    .starts = config->starts,
                                                    .wanted = config->facts,
                                                    .of_test = config->test != 0},
                         jni, r->log);
}

/* Settings that may change while the log continues. If the log failed, the next packet reports it
 * as well. */
static int use_settings(struct ixa_recorder *r, const struct ixa_recorder_config *config,
                        JNIEnv *jni)
{
    r->bounds.memory = config->memory;
    r->bounds.maxlog = config->maxlog;
    ix_log_limit(r->log, config->maxlog);
    ixa_capture_init(&r->capture, config->ti, config->self, config->suspend, config->depth,
                     config->memory);
    r->capture.virtuals = config->virtuals;
    r->capture.instant = config->instant;
    r->changed_only = config->verify || (config->walk_changed && !r->capture.suspend);
    if (r->changed_only)
        ixa_incremental_init(&r->incremental, config->ti, &r->threads, config->verify);
    return set_facts(r, config, jni);
}

void ixa_recorder_change(struct ixa_recorder *r, const struct ixa_recorder_config *config,
                         JNIEnv *jni)
{
    ixa_incremental_free(&r->incremental);
    r->incremental = (struct ixa_incremental){0};
    use_settings(r, config, jni);
}

struct ixa_recorder *ixa_recorder_new(const struct ixa_recorder_config *config, JNIEnv *jni,
                                      struct ix_error *err)
{
    struct ixa_recorder *r = calloc(1, sizeof *r);
    if (!r) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    r->log = ix_log_create(config->who->log, err);
    if (!r->log)
        goto failed;
    if (write_meta(r->log, config->who) != 0) {
        ix_fail(err, "%s", ix_log_writer_error(r->log));
        goto failed;
    }
    r->names = ixa_names_new(config->ti, jni, r->log);
    if (!r->names) {
        ix_fail(err, "out of memory");
        goto failed;
    }
    ixa_threads_init(&r->threads, config->ti, jni, config->self, config->thread_id, config->starts,
                     config->test, r->log);
    if (use_settings(r, config, jni) != 0) {
        ix_fail(err, "%s", ix_log_writer_error(r->log));
        goto failed;
    }
    return r;
failed:
    ixa_recorder_free(r, jni);
    return NULL;
}

const char *ixa_recorder_error(const struct ixa_recorder *r)
{
    const char *error = ix_log_writer_error(r->log);
    return error ? error : "out of memory";
}

void ixa_recorder_free(struct ixa_recorder *r, JNIEnv *jni)
{
    if (!r)
        return;
    ixa_facts_leave(jni);
    ixa_names_free(r->names, jni);
    ixa_incremental_free(&r->incremental);
    ixa_threads_free(&r->threads);
    ix_log_writer_close(r->log);
    free(r->entries);
    free(r);
}

/* The log's number of a thread's stack, built from the entry frame to the executing frame. 0 with
 * *status -1 if that fails. */
static uint32_t stack_of(struct ixa_recorder *r, JNIEnv *jni, const jvmtiStackInfo *info,
                         jint limit, int *status)
{
    uint32_t stack = info->frame_count >= limit ? IX_STACK_CUT : IX_STACK_EMPTY;
    jint count = info->frame_count < r->capture.depth ? info->frame_count : r->capture.depth;
    for (jint i = count; i-- > 0;) {
        uint32_t frame = ixa_names_frame(r->names, jni, &info->frame_buffer[i]);
        stack = frame ? ix_log_stack(r->log, stack, frame) : 0;
        if (!stack) {
            *status = -1;
            return 0;
        }
    }
    return stack;
}

/* Tells whether a thread has moved, also across logs; 0 if nobody asks. Only of the frames nearest
 * the executing one: those below change less, and how many of them there are depends on the depth
 * limit of the moment. */
static uint64_t hash_of(const struct ixa_recorder *r, const jvmtiStackInfo *info)
{
    if (!r->threads.test)
        return 0;
    const jint count = info->frame_count < HASHED_FRAMES ? info->frame_count : HASHED_FRAMES;
    const uint64_t hash =
        XXH3_64bits(info->frame_buffer, (size_t)count * sizeof *info->frame_buffer);
    return hash ? hash : 1;
}

static int by_thread(const void *a, const void *b)
{
    const struct ix_entry *x = a, *y = b;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

/* The data for a snapshot's entries. */
struct filled {
    size_t count, virtuals; /* virtuals: how many of the `count` are virtual threads */
    uint64_t frames;
};

static int make_room(struct ixa_recorder *r, size_t entries)
{
    if (entries <= r->capacity)
        return 0;
    struct ix_entry *larger = realloc(r->entries, entries * 2 * sizeof *larger);
    if (!larger)
        return -1;
    r->entries = larger;
    r->capacity = entries * 2;
    return 0;
}

static int add_walked(struct ixa_recorder *r, JNIEnv *jni, const struct ixa_stacks *stacks,
                      struct filled *filled)
{
    int status = 0;
    for (jint i = 0; i < stacks->count && status == 0; i++) {
        const jvmtiStackInfo *info = &stacks->infos[i];
        if (!(info->state & JVMTI_THREAD_STATE_ALIVE))
            continue; /* ended before the stop */
        const bool is_virtual = i >= stacks->count - stacks->virtual_count;
        if (is_virtual && !info->frame_count)
            continue; /* between mounting and running the JVM returns no frames: counts as hidden */
        const uint32_t thread =
            ixa_threads_number(&r->threads, jni, info->thread, is_virtual, hash_of(r, info));
        if (!thread)
            continue;
        filled->virtuals += is_virtual;
        const uint32_t stack = stack_of(r, jni, info, stacks->limit, &status);
        r->entries[filled->count++] =
            (struct ix_entry){.thread = thread, .state = (uint32_t)info->state, .stack = stack};
        filled->frames += (uint64_t)info->frame_count;
        if (r->changed_only && !is_virtual && status == 0)
            ixa_incremental_keep(&r->incremental, jni, info, stack);
    }
    return status;
}

static void add_unchanged(struct ixa_recorder *r, JNIEnv *jni, struct filled *filled)
{
    for (size_t i = 0; i < r->incremental.count; i++) {
        struct ixa_unchanged at;
        if (!ixa_incremental_unchanged(&r->incremental, i, &at))
            continue;
        uint32_t thread = ixa_threads_number(&r->threads, jni, at.thread, false, 0);
        if (!thread)
            continue;
        r->entries[filled->count++] =
            (struct ix_entry){.thread = thread, .state = (uint32_t)at.state, .stack = at.stack};
        filled->frames += (uint64_t)at.frames;
    }
}

/* Fills the entries, in ascending order of threads, and counts them. -1 when memory ran out or the
 * log failed. */
static int resolve(struct ixa_recorder *r, JNIEnv *jni, const struct ixa_stacks *stacks,
                   struct filled *filled)
{
    *filled = (struct filled){0};
    if (make_room(r, (size_t)stacks->count + r->incremental.count) != 0 ||
        add_walked(r, jni, stacks, filled) != 0)
        return -1;
    add_unchanged(r, jni, filled);
    if (filled->count)
        qsort(r->entries, filled->count, sizeof *r->entries, by_thread);
    return 0;
}

/* The JVM's end waits for this thread only so long. What the JVM is asked afterwards it does not
 * answer, so that names that were read last may be wrong. */
static bool is_live(const struct ixa_recorder *r)
{
    jvmtiPhase phase;
    return (*r->capture.ti)->GetPhase(r->capture.ti, &phase) == JVMTI_ERROR_NONE &&
           phase == JVMTI_PHASE_LIVE;
}

static enum ixa_recorded write_snapshot(struct ixa_recorder *r, JNIEnv *jni, uint64_t packet,
                                        const struct ixa_stacks *stacks, struct ix_taken *taken)
{
    struct filled filled;
    if (resolve(r, jni, stacks, &filled) != 0 ||
        ixa_facts_write(jni, r->names, &r->threads, r->log, packet) != 0)
        return IXA_LOG_FAILED;
    if (!is_live(r))
        return IXA_NOT_TAKEN;
    uint64_t hidden;
    if (ixa_virtual_hidden(r->capture.virtuals, filled.virtuals, &hidden))
        ix_log_virtual(r->log, hidden);
    const struct ix_snapshot snapshot = {
        .packet = packet,
        .mono_ns = stacks->mono_ns,
        .real_ns = stacks->real_ns,
        .stop_ns = stacks->stop_ns,
        .missed = ixa_threads_end(&r->threads),
        .entries = r->entries,
        .count = filled.count,
    };
    *taken = (struct ix_taken){
        .packet = packet,
        .mono_ns = (uint64_t)stacks->mono_ns,
        .real_ns = (uint64_t)stacks->real_ns,
        .stop_ns = stacks->stop_ns,
        .threads = filled.count,
        .frames = filled.frames,
        .missed = snapshot.missed,
    };
    return ix_log_snapshot(r->log, &snapshot) == 0 ? IXA_RECORDED : IXA_LOG_FAILED;
}

void ixa_recorder_finish(struct ixa_recorder *r, JNIEnv *jni)
{
    if (!r || r->stuck)
        return;
    if ((*jni)->PushLocalFrame(jni, 64) != 0) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    ixa_names_hold(r->names, jni, NULL, 0);
    if (ixa_facts_write_rest(jni, r->names, &r->threads, r->log) == 0 && is_live(r))
        ix_log_rest(r->log);
    ixa_names_end(r->names, jni);
    (*jni)->PopLocalFrame(jni, NULL);
}

/* After a snapshot: begins a new part of the log if due, so that everything cached for the old part
 * can be dropped. The old part's numbers become invalid. */
static void keep_bounds(struct ixa_recorder *r, JNIEnv *jni)
{
    const size_t memory =
        ix_log_writer_memory(r->log) + ixa_names_memory(r->names) + ixa_threads_memory(&r->threads);
    if (!ixa_bounds_passed(&r->bounds, memory, ix_log_writer_bytes(r->log)))
        return;
    r->stuck = ix_log_next_part(r->log) != 0;
    ixa_names_forget(r->names, jni);
    ixa_threads_forget(&r->threads);
    ixa_facts_forget();
    if (r->changed_only)
        ixa_incremental_forget(&r->incremental);
}

/* Stops for one packet: more than one if classes are being redefined at that moment. */
#define STOPS_MAX 3

static void release_threads(struct ixa_recorder *r, JNIEnv *jni, struct ixa_stacks *stacks)
{
    ixa_capture_release(&r->capture, jni, stacks);
    if (r->changed_only)
        ixa_incremental_release(&r->incremental, jni);
}

/* Gets the stacks, pushes a local frame and holds their classes in it. stop_ns is the sum of all
 * stops if the stop had to be repeated. -1: no stacks, and no frame.
 *
 * The stacks' references are created outside of that frame and deleted one by one: JDK 17 creates
 * them in memory that its own thread allocates, and PopLocalFrame would keep that memory for this
 * thread, unused, about 1 KiB for 100 threads each time. */
static int stop_threads(struct ixa_recorder *r, JNIEnv *jni, struct ixa_stacks *stacks)
{
    uint64_t lost = 0;
    for (int stops = 1;; stops++) {
        const int status = r->changed_only
                               ? ixa_incremental_take(&r->incremental, jni, &r->capture, stacks)
                               : ixa_capture_take(&r->capture, jni, stacks);
        if (status != 0)
            break;
        if ((*jni)->PushLocalFrame(jni, 256) != 0) {
            (*jni)->ExceptionClear(jni);
            release_threads(r, jni, stacks);
            return -1;
        }
        const bool settled = ixa_names_hold(r->names, jni, stacks->infos, stacks->count);
        stacks->stop_ns += lost;
        /* verify=on has already compared, and must not do so twice. */
        if (settled || stops == STOPS_MAX || r->incremental.verify)
            return 0;
        lost = stacks->stop_ns;
        (*jni)->PopLocalFrame(jni, NULL);
        release_threads(r, jni, stacks);
    }
    if (r->changed_only)
        ixa_incremental_release(&r->incremental, jni);
    return -1;
}

enum ixa_recorded ixa_recorder_take(struct ixa_recorder *r, JNIEnv *jni, uint64_t packet,
                                    struct ix_taken *taken)
{
    struct ixa_stacks stacks;
    if (r->stuck)
        return IXA_LOG_FAILED;
    ixa_instant_begin(r->capture.instant);
    ixa_threads_begin(&r->threads);
    ixa_facts_begin();
    if (stop_threads(r, jni, &stacks) != 0)
        return IXA_NOT_TAKEN;
    if (!r->capture.suspend)
        record_locks(r, jni, &stacks);
    record_walked(r, jni, &stacks);
    record_unchanged(r, jni);
    const enum ixa_recorded result = write_snapshot(r, jni, packet, &stacks, taken);
    ixa_names_end(r->names, jni);
    if (ixa_facts_locks())
        ixa_locks_again(ixa_facts_locks(), jni);
    (*jni)->PopLocalFrame(jni, NULL);
    release_threads(r, jni, &stacks);
    if (result == IXA_RECORDED)
        keep_bounds(r, jni);
    return result;
}
