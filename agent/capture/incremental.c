/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/capture/incremental.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/base/jvm.h"

/* To walk so many frames more takes about as long as the request for the stop, and less than a
 * second stop, which a thread that was not walked can make necessary. */
#define FEW_FRAMES 256
/* Partial stops for one packet before it falls back to a full walk. */
#define PARTIAL_STOPS 2
/* After failures: at most this many full walks without even checking. */
#define PENALTY_MAX 31
/* Descriptors and reads of /proc are worth it only for threads that stay: not in the first
 * packet. */
#define WATCH_FROM 1
#define WATCH_TRIES 4
/* A thread that ran recently will soon run again, perhaps right around the stop: walking it now is
 * cheaper than stopping twice. */
#define LIVELY 4
/* A thread that has slept for this many packets is expected to sleep on, so it is asked only after
 * the stop, which is what counts. Each time this was wrong and the stop had to be repeated, the
 * number grows. */
#define PATIENCE 16
#define PATIENCE_MORE 128
/* A packet must not be delayed for long, although a single answer may take a tick. */
#define ASK_NS 5000000
#define MISMATCHES_SHOWN 10

struct ixa_known {
    uint64_t key; /* Java's thread id */
    struct ixa_watch watch;
    uint64_t slept;     /* its count when it was walked asleep; 0: must be walked */
    uint64_t hash;      /* of its frames at that time; verify only */
    jint state, frames; /* at that time */
    uint32_t stack;     /* at that time */
    uint32_t packet;    /* the last one it was in */
    uint32_t member;    /* its index in that packet */
    uint32_t age;       /* how many earlier packets it was in */
    uint16_t tries;     /* attempts to watch it */
    uint16_t lively;    /* in this many more packets it is walked in any case */
    uint32_t quiet;     /* for this many packets in a row it did not have to be walked */
};

void ixa_incremental_init(struct ixa_incremental *inc, jvmtiEnv *ti,
                          const struct ixa_threads *threads, bool verify)
{
    *inc = (struct ixa_incremental){.ti = ti,
                                    .threads = threads,
                                    .verify = verify,
                                    .self = IXA_WATCH_NONE,
                                    .patience = PATIENCE};
    ixa_schedule_init(&inc->schedule, IXA_SHARE_WALK);
    ixa_watch_open(&inc->schedule, &inc->self, gettid());
}

static void print_totals(const struct ixa_verified *v)
{
    fprintf(stderr,
            "ixor: verify: %llu packets, %llu thread states and stacks, %llu reused and compared, "
            "%llu mismatches, %llu to be stopped for again, %llu packets with births\n",
            (unsigned long long)v->packets, (unsigned long long)v->threads,
            (unsigned long long)v->unchanged, (unsigned long long)v->mismatches,
            (unsigned long long)v->again, (unsigned long long)v->unstable);
}

void ixa_incremental_free(struct ixa_incremental *inc)
{
    if (!inc->ti)
        return;
    if (inc->verify)
        print_totals(&inc->verified);
    for (size_t i = 0; i < inc->known_count; i++)
        ixa_watch_close(&inc->schedule, &inc->known[i].watch);
    ixa_watch_close(&inc->schedule, &inc->self);
    ixa_schedule_free(&inc->schedule);
    ix_idmap_free(&inc->by_key);
    free(inc->known);
    free(inc->members);
    free(inc->walk);
}

void ixa_incremental_forget(struct ixa_incremental *inc)
{
    for (size_t i = 0; i < inc->known_count; i++)
        inc->known[i].slept = 0;
}

static void drop_members(struct ixa_incremental *inc, JNIEnv *jni)
{
    for (size_t i = 0; i < inc->count; i++)
        (*jni)->DeleteLocalRef(jni, inc->members[i].thread);
    inc->count = 0;
}

static uint64_t key_of(const struct ixa_incremental *inc, JNIEnv *jni, jthread thread)
{
    return (uint64_t)(*jni)->GetLongField(jni, thread, inc->threads->tid);
}

/* True where the kernel counts: this thread has slept since the previous packet, so its own count
 * must have changed. */
static bool kernel_counts(struct ixa_incremental *inc)
{
    const uint64_t before = inc->self_count;
    inc->self_count = ixa_watch_count(&inc->self);
    return before && inc->self_count > before;
}

/* Removes the threads that were not in the last list. */
static void forget_gone(struct ixa_incremental *inc)
{
    size_t kept = 0;
    for (size_t i = 0; i < inc->known_count; i++) {
        if (inc->known[i].packet == inc->packet)
            inc->known[kept++] = inc->known[i];
        else
            ixa_watch_close(&inc->schedule, &inc->known[i].watch);
    }
    if (kept == inc->known_count)
        return;
    inc->known_count = kept;
    ix_idmap_clear(&inc->by_key);
    for (size_t i = 0; i < kept; i++)
        ix_idmap_put(&inc->by_key, inc->known[i].key, (uint32_t)i + 1); /* has had room for more */
}

static int make_room(struct ixa_incremental *inc, size_t threads)
{
    const size_t more = threads + threads / 2 + 16;
    if (inc->capacity < threads) {
        struct ixa_member *members = realloc(inc->members, more * sizeof *members);
        if (members)
            inc->members = members;
        jthread *walk = realloc(inc->walk, more * sizeof *walk);
        if (walk)
            inc->walk = walk;
        if (!members || !walk)
            return -1;
        inc->capacity = more;
    }
    if (inc->known_capacity < inc->known_count + threads) {
        struct ixa_known *known = realloc(inc->known, (inc->known_count + more) * sizeof *known);
        if (!known)
            return -1;
        inc->known = known;
        inc->known_capacity = inc->known_count + more;
    }
    return 0;
}

/* The thread's index in `known`, which has room; -1 when out of memory. */
static int64_t place_of(struct ixa_incremental *inc, uint64_t key)
{
    const uint32_t place = ix_idmap_get(&inc->by_key, key);
    if (place) {
        inc->known[place - 1].age++;
        return place - 1;
    }
    if (ix_idmap_put(&inc->by_key, key, (uint32_t)inc->known_count + 1) != 0)
        return -1;
    inc->known[inc->known_count] = (struct ixa_known){.key = key, .watch = IXA_WATCH_NONE};
    return (int64_t)inc->known_count++;
}

static void start_watching(struct ixa_incremental *inc, struct ixa_known *k)
{
    struct ixa_start start;
    if (k->watch.count_fd >= 0 || k->age < WATCH_FROM || k->tries >= WATCH_TRIES ||
        inc->schedule.open >= inc->schedule.most)
        return;
    k->tries++;
    if (ixa_starts_find(inc->threads->starts, k->key, &start))
        ixa_watch_open(&inc->schedule, &k->watch, (pid_t)start.os_id);
}

/* Makes members of these threads except our own, and takes over the references. -1 when out of
 * memory: then none of the references is kept. */
static int add_members(struct ixa_incremental *inc, JNIEnv *jni, const jthread *threads, jint count)
{
    bool room = make_room(inc, (size_t)count) == 0;
    for (jint i = 0; i < count; i++) {
        const uint64_t key = key_of(inc, jni, threads[i]);
        const bool own = key == inc->threads->self;
        const int64_t place = room && !own ? place_of(inc, key) : -1;
        if (place < 0) {
            room = room && own;
            (*jni)->DeleteLocalRef(jni, threads[i]);
            continue;
        }
        struct ixa_known *k = &inc->known[place];
        start_watching(inc, k);
        k->packet = inc->packet;
        k->member = (uint32_t)inc->count;
        inc->members[inc->count++] =
            (struct ixa_member){.thread = threads[i], .known = (uint32_t)place};
    }
    if (!room)
        drop_members(inc, jni);
    return room ? 0 : -1;
}

/* Lists the threads, as local references. */
static int list_threads(struct ixa_incremental *inc, JNIEnv *jni)
{
    jthread *threads;
    jint count;
    forget_gone(inc);
    inc->packet++;
    inc->count = 0;
    if ((*inc->ti)->GetAllThreads(inc->ti, &count, &threads) != JVMTI_ERROR_NONE)
        return -1;
    ixa_reserve_references(jni,
                           3 * count); /* these, those of the later list, and those of the stacks */
    int status = add_members(inc, jni, threads, count);
    (*inc->ti)->Deallocate(inc->ti, (unsigned char *)threads);
    return status;
}

static jint state_of(const struct ixa_incremental *inc, jthread thread)
{
    jint state;
    return (*inc->ti)->GetThreadState(inc->ti, thread, &state) == JVMTI_ERROR_NONE ? state : -1;
}

/* Executing Java code: it will not sleep for long, and is not worth asking about. */
static bool computing(jint state)
{
    return (state & JVMTI_THREAD_STATE_RUNNABLE) && !(state & JVMTI_THREAD_STATE_IN_NATIVE);
}

static bool expected_asleep(const struct ixa_incremental *inc, const struct ixa_known *k)
{
    return k->slept && k->quiet >= inc->patience;
}

/* Decides which threads to walk; returns how many. *frames: how many frames the others have. */
static jint choose_walked(struct ixa_incremental *inc, jint *frames)
{
    jint walked = 0;
    *frames = 0;
    for (size_t i = 0; i < inc->count; i++) {
        struct ixa_member *m = &inc->members[i];
        struct ixa_known *k = &inc->known[m->known];
        if (expected_asleep(inc, k)) {
            m->count = k->slept;
            m->state = k->state;
            *frames += k->frames;
            continue;
        }
        m->count = ixa_watch_count(&k->watch);
        m->state = state_of(inc, m->thread);
        m->walk = !m->count || m->count != k->slept || m->state != k->state;
        if (m->walk && k->slept)
            k->lively = LIVELY;
        else if (!m->walk && k->lively && !inc->verify)
            m->walk = --k->lively != 0;
        if (m->walk)
            inc->walk[walked++] = m->thread;
        else
            *frames += k->frames;
    }
    /* Read the count before asking whether it sleeps: see schedule.h. */
    const int64_t end = ixa_mono_ns() + ASK_NS;
    for (size_t i = 0; i < inc->count && ixa_mono_ns() < end; i++) {
        struct ixa_member *m = &inc->members[i];
        if (m->walk && m->count && !computing(m->state))
            m->asleep = ixa_watch_asleep(&inc->known[m->known].watch);
    }
    return walked;
}

/* After the stop: true if all threads that were not walked are unchanged. A thread that has changed
 * is no longer known. A walked thread's stack is worth keeping only if it slept all the time. */
static bool check_unwalked(struct ixa_incremental *inc)
{
    bool as_they_were = true, as_expected = true;
    for (size_t i = 0; i < inc->count; i++) {
        struct ixa_member *m = &inc->members[i];
        struct ixa_known *k = &inc->known[m->known];
        if (m->walk)
            continue;
        /* The state first: a thread that runs in between could be back in the same state. */
        if (state_of(inc, m->thread) == m->state && ixa_watch_count(&k->watch) == m->count) {
            k->quiet++;
            continue;
        }
        as_they_were = false;
        as_expected = as_expected && !expected_asleep(inc, k);
        m->walk = true;
        k->slept = 0;
        inc->verified.again++;
    }
    for (size_t i = 0; i < inc->count; i++) {
        struct ixa_member *m = &inc->members[i];
        if (m->asleep)
            m->asleep = ixa_watch_count(&inc->known[m->known].watch) == m->count;
    }
    if (!as_expected)
        inc->patience += PATIENCE_MORE;
    else if (inc->patience > PATIENCE)
        inc->patience--;
    return as_they_were;
}

/* True if no thread was born since the list was built: all threads alive now are in it. (A thread
 * that was born and has ended since then is in the count of starts.) */
static bool nobody_born(struct ixa_incremental *inc, JNIEnv *jni, uint64_t starts)
{
    jthread *threads;
    jint count;
    bool nobody = true;
    if ((*inc->ti)->GetAllThreads(inc->ti, &count, &threads) != JVMTI_ERROR_NONE)
        return false;
    ixa_reserve_references(jni, count);
    for (jint i = 0; i < count; i++) {
        const uint64_t key = key_of(inc, jni, threads[i]);
        const uint32_t place = ix_idmap_get(&inc->by_key, key);
        if (key != inc->threads->self && (!place || inc->known[place - 1].packet != inc->packet))
            nobody = false;
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    (*inc->ti)->Deallocate(inc->ti, (unsigned char *)threads);
    return nobody &&
           atomic_load_explicit(&inc->threads->starts->count, memory_order_seq_cst) == starts;
}

/* Result of one stop. */
enum outcome { FAILED, TORN, EXACT, WHOLE };

static enum outcome stop_changed(struct ixa_incremental *inc, JNIEnv *jni,
                                 struct ixa_capture *capture, bool all, struct ixa_stacks *stacks)
{
    const uint64_t starts =
        atomic_load_explicit(&inc->threads->starts->count, memory_order_seq_cst);
    jint left_out;
    if (list_threads(inc, jni) != 0) {
        drop_members(inc, jni);
        return ixa_capture_take(capture, jni, stacks) == 0 ? EXACT : FAILED;
    }
    const jint walked = choose_walked(inc, &left_out);
    all = all || (size_t)walked * 4 > inc->count * 3 || left_out < FEW_FRAMES;
    const int status = all || inc->verify
                           ? ixa_capture_take(capture, jni, stacks)
                           : ixa_capture_walk(capture, jni, inc->walk, walked, stacks);
    if (status != 0)
        return FAILED;
    const bool as_they_were = check_unwalked(inc);
    if (inc->verify)
        return nobody_born(inc, jni, starts) ? EXACT : TORN;
    if (!all)
        return as_they_were && nobody_born(inc, jni, starts) ? EXACT : TORN;
    for (size_t i = 0; i < inc->count; i++)
        inc->members[i].walk = true;
    return WHOLE;
}

/* When most threads run all the time, or new ones keep appearing, checking is wasted effort. But a
 * full walk that follows packets without a check, or the first one, tells nothing: everything known
 * was outdated. */
static void adjust_skip(struct ixa_incremental *inc, enum outcome outcome)
{
    if (outcome == EXACT) {
        inc->penalty /= 2;
    } else if (inc->fresh) {
        inc->skip = inc->penalty;
        inc->penalty = inc->penalty * 2 + 1 < PENALTY_MAX ? inc->penalty * 2 + 1 : PENALTY_MAX;
    }
    inc->fresh = !inc->skip;
}

/* verify: counts a mismatch, and returns whether it is to be told. */
static bool mismatch(struct ixa_incremental *inc)
{
    return inc->verified.mismatches++ < MISMATCHES_SHOWN;
}

/* verify: counts the threads of this packet that would have been reused but were not there. */
static void count_absent(struct ixa_incremental *inc)
{
    for (size_t i = 0; inc->verify && i < inc->count; i++) {
        const struct ixa_member *m = &inc->members[i];
        if (!m->walk && !m->met && mismatch(inc))
            fprintf(stderr, "ixor: verify: thread %llu: would have been reused, but is gone\n",
                    (unsigned long long)inc->known[m->known].key);
    }
}

int ixa_incremental_take(struct ixa_incremental *inc, JNIEnv *jni, struct ixa_capture *capture,
                         struct ixa_stacks *stacks)
{
    uint64_t lost = 0;
    enum outcome outcome;
    const bool counts = kernel_counts(inc);
    if (!counts || inc->skip) {
        inc->skip -= inc->skip != 0;
        return ixa_capture_take(capture, jni, stacks);
    }
    for (int stops = 0;; stops++) {
        outcome = stop_changed(inc, jni, capture, stops >= PARTIAL_STOPS, stacks);
        if (outcome != TORN || inc->verify)
            break;
        lost += stacks->stop_ns;
        ixa_capture_release(capture, jni, stacks);
        drop_members(inc, jni);
    }
    stacks->stop_ns += lost;
    inc->exact = outcome == EXACT;
    if (inc->verify) {
        inc->verified.packets++;
        inc->verified.unstable += outcome == TORN;
    } else {
        adjust_skip(inc, outcome);
    }
    return outcome == FAILED ? -1 : 0;
}

void ixa_incremental_release(struct ixa_incremental *inc, JNIEnv *jni)
{
    count_absent(inc);
    drop_members(inc, jni);
}

/* FNV-1a over methods and locations. */
static uint64_t hash_of(const jvmtiStackInfo *info)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (jint i = 0; i < info->frame_count; i++) {
        hash = (hash ^ (uintptr_t)info->frame_buffer[i].method) * 0x100000001b3u;
        hash = (hash ^ (uint64_t)info->frame_buffer[i].location) * 0x100000001b3u;
    }
    return hash;
}

static void compare(struct ixa_incremental *inc, const struct ixa_known *k,
                    const jvmtiStackInfo *info, uint32_t stack)
{
    struct ixa_verified *v = &inc->verified;
    v->unchanged++;
    if (info->state == k->state && info->frame_count == k->frames && stack == k->stack &&
        hash_of(info) == k->hash)
        return;
    if (mismatch(inc))
        fprintf(
            stderr,
            "ixor: verify: thread %llu: state %#x was %#x, %d frames were %d, stack %u was %u\n",
            (unsigned long long)k->key, (unsigned)info->state, (unsigned)k->state,
            info->frame_count, k->frames, stack, k->stack);
}

void ixa_incremental_keep(struct ixa_incremental *inc, JNIEnv *jni, const jvmtiStackInfo *info,
                          uint32_t stack)
{
    if (!inc->count)
        return;
    inc->verified.threads++;
    const uint32_t place = ix_idmap_get(&inc->by_key, key_of(inc, jni, info->thread));
    if (!place || inc->known[place - 1].packet != inc->packet) {
        if (inc->verify && inc->exact && mismatch(inc))
            fprintf(stderr, "ixor: verify: a thread in state %#x: its birth went unnoticed\n",
                    (unsigned)info->state);
        return;
    }
    struct ixa_known *k = &inc->known[place - 1];
    struct ixa_member *m = &inc->members[k->member];
    m->met = true;
    if (!m->walk) {
        compare(inc, k, info, stack);
        return;
    }
    k->slept = m->asleep ? m->count : 0;
    k->quiet = 0;
    k->state = info->state;
    k->frames = info->frame_count;
    k->stack = stack;
    k->hash = inc->verify ? hash_of(info) : 0;
}

bool ixa_incremental_unchanged(const struct ixa_incremental *inc, size_t i,
                               struct ixa_unchanged *out)
{
    const struct ixa_member *m = &inc->members[i];
    const struct ixa_known *k = &inc->known[m->known];
    *out = (struct ixa_unchanged){m->thread, k->state, k->frames, k->stack};
    return !m->walk && !inc->verify;
}
