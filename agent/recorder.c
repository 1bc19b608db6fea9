#include "agent/recorder.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/names.h"

struct ixa_recorder {
    struct ix_log_writer *log;
    struct ixa_capture capture;
    struct ixa_threads threads;
    struct ixa_names *names;
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
        {"role", who->role}, {"execution", who->execution}, {"host", who->host},
        {"pid", pid},        {"jvm", who->jvm},             {"agent", IXOR_VERSION},
        {"started", started},
    };
    for (size_t i = 0; i < sizeof meta / sizeof *meta; i++)
        if (ix_log_meta(log, meta[i].key, meta[i].value) != 0)
            return -1;
    return 0;
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
    r->names = ixa_names_new(config->ti, r->log);
    if (!r->names) {
        ix_fail(err, "out of memory");
        goto failed;
    }
    ixa_capture_init(&r->capture, config->ti, config->self, config->suspend, config->depth);
    ixa_threads_init(&r->threads, config->ti, jni, config->starts, r->log);
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
    ixa_names_free(r->names, jni);
    ixa_threads_free(&r->threads);
    ix_log_writer_close(r->log);
    free(r->entries);
    free(r);
}

/* A thread's stack as a number of the log, built from the entry to the executing frame. 0 with
 * *status -1 when it cannot be. */
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

static int by_thread(const void *a, const void *b)
{
    const struct ix_entry *x = a, *y = b;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Fills the entries, ascending by thread, and counts. -1 when memory ran out or the log failed. */
static int resolve(struct ixa_recorder *r, JNIEnv *jni, const struct ixa_stacks *stacks,
                   size_t *count, uint64_t *frames)
{
    int status = 0;
    if ((size_t)stacks->count > r->capacity) {
        size_t capacity = (size_t)stacks->count * 2;
        struct ix_entry *entries = realloc(r->entries, capacity * sizeof *entries);
        if (!entries)
            return -1;
        r->entries = entries;
        r->capacity = capacity;
    }
    *count = 0;
    *frames = 0;
    for (jint i = 0; i < stacks->count && status == 0; i++) {
        const jvmtiStackInfo *info = &stacks->infos[i];
        uint32_t thread = ixa_threads_number(&r->threads, jni, info->thread);
        if (!thread)
            continue;
        r->entries[(*count)++] = (struct ix_entry){
            .thread = thread,
            .state = (uint32_t)info->state,
            .stack = stack_of(r, jni, info, stacks->limit, &status),
        };
        *frames += (uint64_t)info->frame_count;
    }
    if (*count)
        qsort(r->entries, *count, sizeof *r->entries, by_thread);
    return status;
}

static enum ixa_recorded write_snapshot(struct ixa_recorder *r, JNIEnv *jni, uint64_t packet,
                                        const struct ixa_stacks *stacks, struct ix_taken *taken)
{
    size_t count;
    uint64_t frames;
    ixa_names_begin(r->names, jni);
    if (resolve(r, jni, stacks, &count, &frames) != 0)
        return IXA_LOG_FAILED;
    const struct ix_snapshot snapshot = {
        .packet = packet,
        .mono_ns = stacks->mono_ns,
        .real_ns = stacks->real_ns,
        .stop_ns = stacks->stop_ns,
        .missed = ixa_threads_end(&r->threads),
        .entries = r->entries,
        .count = count,
    };
    *taken = (struct ix_taken){
        .packet = packet,
        .mono_ns = (uint64_t)stacks->mono_ns,
        .real_ns = (uint64_t)stacks->real_ns,
        .stop_ns = stacks->stop_ns,
        .threads = count,
        .frames = frames,
        .missed = snapshot.missed,
    };
    return ix_log_snapshot(r->log, &snapshot) == 0 ? IXA_RECORDED : IXA_LOG_FAILED;
}

enum ixa_recorded ixa_recorder_take(struct ixa_recorder *r, JNIEnv *jni, uint64_t packet,
                                    struct ix_taken *taken)
{
    struct ixa_stacks stacks;
    enum ixa_recorded result = IXA_NOT_TAKEN;
    if ((*jni)->PushLocalFrame(jni, 256) != 0) {
        (*jni)->ExceptionClear(jni);
        return IXA_NOT_TAKEN;
    }
    ixa_threads_begin(&r->threads);
    if (ixa_capture_take(&r->capture, jni, &stacks) == 0) {
        result = write_snapshot(r, jni, packet, &stacks, taken);
        ixa_capture_release(&r->capture, jni, &stacks);
    }
    (*jni)->PopLocalFrame(jni, NULL);
    return result;
}
