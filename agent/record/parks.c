/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/parks.h"

#include <string.h>

#include "agent/base/boot.h"
#include "agent/base/clock.h"

#define ASK_NS 1000000        /* time limit, approximate, while the threads run */
#define ASK_STOPPED_NS 500000 /* ... while they are suspended */
#define ASKED_STOPPED 64      /* threads asked while they are suspended */
#define WAITING 1             /* in the status of a node: the thread must be woken */

#define THREAD "Ljava/lang/Thread;"
static const struct {
    const char *class, *node;
} signatures[IXA_QUEUED_KINDS] = {
    {"Ljava/util/concurrent/locks/AbstractQueuedSynchronizer;",
     "Ljava/util/concurrent/locks/AbstractQueuedSynchronizer$Node;"},
    /* ReentrantReadWriteLock, in newer JDKs */
    {"Ljava/util/concurrent/locks/AbstractQueuedLongSynchronizer;",
     "Ljava/util/concurrent/locks/AbstractQueuedLongSynchronizer$Node;"},
};

/* NULL, with no exception pending, if there is no such field. */
static jfieldID field(JNIEnv *jni, jclass class, const char *name, const char *signature)
{
    jfieldID id = (*jni)->GetFieldID(jni, class, name, signature);
    if (!id)
        (*jni)->ExceptionClear(jni);
    return id;
}

int ixa_parks_start(struct ixa_parks *p, jvmtiEnv *ti, JNIEnv *jni, jfieldID thread_id,
                    struct ixa_starts *starts)
{
    *p = (struct ixa_parks){.ti = ti, .thread_id = thread_id};
    jclass thread = ixa_boot_thread(ti, jni);
    jfieldID blocker = thread ? field(jni, thread, "parkBlocker", "Ljava/lang/Object;") : NULL;
    (*jni)->DeleteLocalRef(jni, thread);
    if (!blocker)
        return 0;
    if (ixa_sleepers_start(&p->sleepers, starts) != 0)
        return -1;
    p->blocker = blocker;
    return 0;
}

static void drop_blocker(JNIEnv *jni, struct ixa_blocker *b)
{
    if (b->object && jni)
        (*jni)->DeleteWeakGlobalRef(jni, b->object);
    *b = (struct ixa_blocker){0};
}

void ixa_parks_stop(struct ixa_parks *p, JNIEnv *jni)
{
    if (!p->blocker)
        return;
    for (size_t i = 0; i < IXA_BLOCKERS; i++)
        drop_blocker(jni, &p->blockers[i]);
    for (int kind = 0; kind < IXA_QUEUED_KINDS; kind++)
        if (p->queued[kind].class && jni)
            (*jni)->DeleteGlobalRef(jni, p->queued[kind].class);
    ixa_sleepers_stop(&p->sleepers);
    *p = (struct ixa_parks){0};
}

void ixa_parks_forget(struct ixa_parks *p)
{
    p->written_count = 0;
}

/* ---- before the stop ---- */

/* Reads the count before asking whether it sleeps: see schedule.h. */
static void find_asleep(void *parks, size_t place)
{
    struct ixa_parks *p = parks;
    struct ixa_sleeper *sleeper = &p->sleepers.list[place];
    const uint64_t count = ixa_sleeper_count(sleeper);
    if (count && ixa_watch_asleep(&sleeper->watch))
        sleeper->before = count;
}

void ixa_parks_begin(struct ixa_parks *p)
{
    if (!p->blocker)
        return;
    p->packet++;
    ixa_parks_again(p);
    ixa_sleepers_begin(&p->sleepers, find_asleep, p);
}

void ixa_parks_again(struct ixa_parks *p)
{
    p->parked_count = 0;
    p->left_out = false;
}

/* ---- after it ---- */

void ixa_parks_see(struct ixa_parks *p, jthread thread, uint64_t key, jint state, bool unchanged)
{
    if (!p->blocker || !(state & JVMTI_THREAD_STATE_PARKED))
        return;
    if (p->parked_count == IXA_PARKED)
        p->left_out = true;
    else
        p->parked[p->parked_count++] =
            (struct ixa_parked){.thread = thread, .key = key, .unchanged = unchanged};
}

static uint64_t key_of(const struct ixa_parks *p, JNIEnv *jni, jthread thread)
{
    return thread ? (uint64_t)(*jni)->GetLongField(jni, thread, p->thread_id) : 0;
}

/* Gets to know a class by one of its objects: it is loaded and initialized then. */
static void meet_class(struct ixa_parks *p, JNIEnv *jni, int kind, jobject object)
{
    struct ixa_queued *q = &p->queued[kind];
    jclass class = ixa_boot_ancestor(p->ti, jni, object, signatures[kind].class);
    if (!class)
        return;
    q->owner = field(jni, class, "exclusiveOwnerThread", THREAD);
    q->head = field(jni, class, "head", signatures[kind].node);
    q->unusual = !q->owner || !q->head;
    if (!q->unusual)
        q->class = (*jni)->NewGlobalRef(jni, class);
    (*jni)->DeleteLocalRef(jni, class);
}

/* The same for the class of its nodes. */
static void meet_node(struct ixa_parks *p, JNIEnv *jni, struct ixa_queued *q, jobject object)
{
    const char *node = signatures[q - p->queued].node;
    jclass class = ixa_boot_ancestor(p->ti, jni, object, node);
    q->next = class ? field(jni, class, "next", node) : NULL;
    q->waiter = class ? field(jni, class, "waiter", THREAD) : NULL;
    q->status = class ? field(jni, class, "status", "I") : NULL;
    q->unusual = !q->next || !q->waiter || !q->status;
    (*jni)->DeleteLocalRef(jni, class);
}

/* NULL: the object has no queue that can be read. */
static struct ixa_queued *queued_of(struct ixa_parks *p, JNIEnv *jni, jobject object)
{
    for (int kind = 0; kind < IXA_QUEUED_KINDS; kind++) {
        struct ixa_queued *q = &p->queued[kind];
        if (!q->class && !q->unusual)
            meet_class(p, jni, kind, object);
        if (q->class && (*jni)->IsInstanceOf(jni, object, q->class))
            return q;
    }
    return NULL;
}

/* The object's place in `blockers`, plus 1; 0: there is no room, or memory ran out. */
static uint32_t place_of(struct ixa_parks *p, JNIEnv *jni, jobject object)
{
    struct ixa_blocker *free_one = NULL;
    for (uint32_t i = 0; i < IXA_BLOCKERS; i++) {
        struct ixa_blocker *b = &p->blockers[i];
        if (b->object && (*jni)->IsSameObject(jni, b->object, object))
            return i + 1;
        if (!b->object && !free_one)
            free_one = b;
    }
    jweak weak = free_one ? (*jni)->NewWeakGlobalRef(jni, object) : NULL;
    if (!weak) {
        p->left_out = true;
        (*jni)->ExceptionClear(jni);
        return 0;
    }
    *free_one = (struct ixa_blocker){
        .object = weak, .queued = queued_of(p, jni, object), .since = p->packet};
    return (uint32_t)(free_one - p->blockers) + 1;
}

/* What the thread is parked on now, as its place in `blockers`, plus 1; 0: nothing. */
static uint32_t read_blocker(struct ixa_parks *p, JNIEnv *jni, jthread thread)
{
    jobject object = (*jni)->GetObjectField(jni, thread, p->blocker);
    const uint32_t place = object ? place_of(p, jni, object) : 0;
    (*jni)->DeleteLocalRef(jni, object);
    return place;
}

static bool is_suspended(const struct ixa_parks *p, jthread thread)
{
    jint state;
    return (*p->ti)->GetThreadState(p->ti, thread, &state) == JVMTI_ERROR_NONE &&
           (state & JVMTI_THREAD_STATE_SUSPENDED);
}

static void ask_suspended(struct ixa_parks *p, JNIEnv *jni)
{
    const int64_t end = ixa_mono_ns() + ASK_STOPPED_NS;
    for (size_t n = 0; n < p->parked_count; n++) {
        if (n == ASKED_STOPPED || ixa_mono_ns() >= end) {
            p->left_out = true;
            return;
        }
        struct ixa_parked *parked = &p->parked[p->turn++ % p->parked_count];
        const uint32_t place = read_blocker(p, jni, parked->thread);
        if (is_suspended(p, parked->thread))
            parked->blocker = place;
    }
}

static void ask_sleeping(struct ixa_parks *p, JNIEnv *jni)
{
    const int64_t end = ixa_mono_ns() + ASK_NS;
    for (size_t i = 0; i < p->parked_count; i++) {
        struct ixa_parked *parked = &p->parked[i];
        const size_t place = ixa_sleepers_see(&p->sleepers, parked->key, parked->unchanged);
        if (place == IXA_NO_PLACE)
            continue;
        struct ixa_sleeper *sleeper = &p->sleepers.list[place];
        if (sleeper->slept) {
            ixa_sleeper_sleeps_on(sleeper);
        } else if (sleeper->before && ixa_mono_ns() >= end) {
            p->left_out = true;
        } else if (sleeper->before) {
            p->known[place] = (uint16_t)read_blocker(p, jni, parked->thread);
            ixa_sleeper_slept(sleeper);
        }
        parked->blocker = sleeper->slept ? p->known[place] : 0;
    }
}

/* The first in the queue if it has to be woken: Java's thread id, else 0. */
static uint64_t first_in_queue(struct ixa_parks *p, JNIEnv *jni, struct ixa_queued *q, jobject lock)
{
    jobject head = (*jni)->GetObjectField(jni, lock, q->head);
    uint64_t key = 0;
    if (head && !q->status && !q->unusual)
        meet_node(p, jni, q, head);
    jobject node = head && !q->unusual ? (*jni)->GetObjectField(jni, head, q->next) : NULL;
    if (node && ((*jni)->GetIntField(jni, node, q->status) & WAITING)) {
        jthread waiter = (*jni)->GetObjectField(jni, node, q->waiter);
        key = key_of(p, jni, waiter);
        (*jni)->DeleteLocalRef(jni, waiter);
    }
    (*jni)->DeleteLocalRef(jni, node);
    (*jni)->DeleteLocalRef(jni, head);
    return key;
}

/* Read in this order: the owner, the queue, whether its first thread has run. */
static struct ixa_ownership read_ownership(struct ixa_parks *p, JNIEnv *jni, struct ixa_queued *q,
                                           jobject lock, uint64_t owner)
{
    struct ixa_ownership now = {.owner = owner, .first = first_in_queue(p, jni, q, lock)};
    const size_t place = now.first ? ixa_sleepers_find(&p->sleepers, now.first) : IXA_NO_PLACE;
    if (place == IXA_NO_PLACE)
        return now;
    const struct ixa_sleeper *first = &p->sleepers.list[place];
    if (first->slept && ixa_watch_count(&first->watch) == first->slept)
        now.slept = first->slept;
    return now;
}

static void find_owner(struct ixa_parks *p, JNIEnv *jni, struct ixa_blocker *b, bool suspended)
{
    jobject lock = (*jni)->NewLocalRef(jni, b->object);
    if (!lock)
        return;
    jthread owner = (*jni)->GetObjectField(jni, lock, b->queued->owner);
    if (suspended) {
        b->owner = owner && is_suspended(p, owner) ? key_of(p, jni, owner) : 0;
    } else {
        const struct ixa_ownership now =
            read_ownership(p, jni, b->queued, lock, key_of(p, jni, owner));
        const bool held = now.owner && now.slept && b->packet == p->packet - 1 &&
                          now.owner == b->last.owner && now.first == b->last.first &&
                          now.slept == b->last.slept;
        b->owner = held ? now.owner : 0;
        b->last = now;
        b->packet = p->packet;
    }
    (*jni)->DeleteLocalRef(jni, owner);
    (*jni)->DeleteLocalRef(jni, lock);
}

void ixa_parks_ask(struct ixa_parks *p, JNIEnv *jni, bool suspended)
{
    if (!p->blocker)
        return;
    if (suspended)
        ask_suspended(p, jni);
    else
        ask_sleeping(p, jni);
    ixa_sleepers_end(&p->sleepers);
    for (size_t i = 0; i < IXA_BLOCKERS; i++)
        p->blockers[i].used = false;
    for (size_t i = 0; i < p->parked_count; i++)
        if (p->parked[i].blocker)
            p->blockers[p->parked[i].blocker - 1].used = true;
    for (size_t i = 0; i < IXA_BLOCKERS; i++) {
        struct ixa_blocker *b = &p->blockers[i];
        b->owner = 0;
        if (!b->used)
            drop_blocker(jni, b);
        else if (b->queued)
            find_owner(p, jni, b, suspended);
    }
}

/* ---- the log ---- */

/* The number of the object's class; 0: it does not exist any more, or that failed. */
static uint32_t class_of(const struct ixa_blocker *b, JNIEnv *jni, struct ixa_names *names)
{
    jobject object = (*jni)->NewLocalRef(jni, b->object);
    jclass class = object ? (*jni)->GetObjectClass(jni, object) : NULL;
    const uint32_t number = class ? ixa_names_class(names, jni, class) : 0;
    (*jni)->DeleteLocalRef(jni, class);
    (*jni)->DeleteLocalRef(jni, object);
    return number;
}

/* The relations of this packet; returns how many. */
static size_t list_relations(struct ixa_parks *p, const struct ixa_threads *threads,
                             struct ixa_relation relations[IXA_PARKED])
{
    uint32_t owners[IXA_BLOCKERS];
    size_t count = 0;
    for (size_t i = 0; i < IXA_BLOCKERS; i++)
        owners[i] = p->blockers[i].owner ? ixa_threads_find(threads, p->blockers[i].owner) : 0;
    for (size_t i = 0; i < p->parked_count; i++) {
        const uint32_t blocker = p->parked[i].blocker;
        if (blocker)
            relations[count++] = (struct ixa_relation){.key = p->parked[i].key,
                                                       .blocker = blocker,
                                                       .since = p->blockers[blocker - 1].since,
                                                       .owner = owners[blocker - 1]};
    }
    return count;
}

/* Leaves out what cannot be written; then the list is not one to be repeated. */
static int write_relations(struct ixa_parks *p, JNIEnv *jni, struct ixa_names *names,
                           const struct ixa_threads *threads, uint64_t first_object,
                           struct ix_log_writer *log)
{
    uint32_t classes[IXA_BLOCKERS] = {0};
    bool owned[IXA_BLOCKERS] = {false}, whole = true;
    for (size_t i = 0; i < p->written_count; i++) {
        const struct ixa_relation *r = &p->written[i];
        const uint32_t place = r->blocker - 1;
        if (!classes[place])
            classes[place] = class_of(&p->blockers[place], jni, names);
        struct ix_lock lock = {.thread = ixa_threads_find(threads, r->key),
                               .kind = IX_LOCK_PARKED,
                               .object = first_object + place,
                               .class_number = classes[place],
                               .depth = -1};
        whole = whole && lock.thread && lock.class_number;
        if (!lock.thread || !lock.class_number)
            continue;
        if (ix_log_lock(log, &lock) != 0)
            return -1;
        lock.kind = IX_LOCK_OWNS_SYNCHRONIZER;
        lock.thread = r->owner;
        if (r->owner && !owned[place] && ix_log_lock(log, &lock) != 0)
            return -1;
        owned[place] = true;
    }
    if (!whole)
        p->written_count = 0;
    return 0;
}

int ixa_parks_write(struct ixa_parks *p, JNIEnv *jni, struct ixa_names *names,
                    const struct ixa_threads *threads, uint64_t first_object,
                    struct ix_log_writer *log)
{
    struct ixa_relation relations[IXA_PARKED];
    const size_t count = list_relations(p, threads, relations);
    if (!count)
        return 0;
    if (count == p->written_count && memcmp(relations, p->written, count * sizeof *relations) == 0)
        return ix_log_synchronizers_again(log);
    memcpy(p->written, relations, count * sizeof *relations);
    p->written_count = count;
    return write_relations(p, jni, names, threads, first_object, log);
}
