/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/locks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/clock.h"
#include "agent/base/jvm.h"

#define LOCKS_ASKED 256
#define ASK_NS 10000000        /* time limit, approximate, while the threads run */
#define ASK_STOPPED_NS 2000000 /* ... while they are suspended */
/* Processor time a packet, on average, for asking what threads own: while threads are blocked, and
 * for looking for owners that are neither blocked nor waiting. The JVM takes 3 us for a thread, but
 * much longer where it has very many monitors, as it goes through all of them. */
#define LIMITED_NS 150000
#define SEARCHED_NS 50000
#define PENALTY_MAX 31 /* packets without a search after failed searches */

#define BUSY_STATES                                                                                \
    (JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER | JVMTI_THREAD_STATE_IN_OBJECT_WAIT)

/* A thread that may be asked about. */
struct subject {
    jthread thread; /* borrowed */
    uint64_t key;
    jint state;        /* at the stop */
    bool stands;       /* it was blocked, or waited, at the packet before, and all the time since */
    bool owns_nothing; /* it owned nothing when that was asked, and cannot have entered one since */
    bool unchanged;    /* it has not run since the packet before */
    bool asked;
    bool wanted; /* ... also what it owns */
    jobject
        contended; /* what it is blocked on: a local reference; NULL: not known, or not blocked */
};

struct ixa_locks_packet {
    struct subject *subjects; /* owned */
    size_t subject_count, subject_capacity;
    struct ixa_monitors monitors; /* what was found */
    bool blocked;                 /* a thread was blocked at the stop */
    bool several;                 /* threads are blocked on more than one monitor */
    bool suspended;
    int asked;          /* threads asked so far */
    int64_t end_ns;     /* ask no more after this */
    int64_t limited_ns; /* spent of limit_ns, and owed since the packets before */
    bool in_debt;       /* so much was owed when the packet began that it asks only for free */
    int64_t owed_ns;    /* for the searches of the packets before */
    size_t next;        /* where the next packet begins to ask: the first one left out */
    bool left_out;      /* a thread was not asked because of a bound */
};

static uint64_t key_of(const struct ixa_locks *l, JNIEnv *jni, jthread thread)
{
    return (uint64_t)(*jni)->GetLongField(jni, thread, l->thread_id);
}

/* The functions themselves can be called at any time once the capabilities have been acquired. */
static bool allowed(jvmtiEnv *ti)
{
    jvmtiCapabilities has = {0};
    return (*ti)->GetCapabilities(ti, &has) == JVMTI_ERROR_NONE &&
           has.can_get_owned_monitor_stack_depth_info && has.can_get_current_contended_monitor &&
           has.can_generate_monitor_events;
}

int ixa_locks_start(struct ixa_locks *l, jvmtiEnv *ti, JNIEnv *jni, jfieldID thread_id,
                    struct ixa_starts *starts)
{
    if (!allowed(ti))
        return -1;
    l->ti = ti;
    l->thread_id = thread_id;
    l->limit_ns = LIMITED_NS;
    l->packet = calloc(1, sizeof *l->packet);
    if (!l->packet)
        return -1;
    ixa_owners_start(&l->owners, starts);
    memset(&l->standing, 0, sizeof l->standing); /* without events nothing is known to last */
    memset(&l->kept, 0, sizeof l->kept);
    l->bounded = l->told = 0;
    if (ixa_parks_start(&l->parks, ti, jni, thread_id, starts) == 0 &&
        ixa_changes_start(&l->changes, ti, thread_id) == 0)
        return 0;
    ixa_locks_stop(l, jni);
    return -1;
}

/* Events in progress find it stopped. */
void ixa_locks_stop(struct ixa_locks *l, JNIEnv *jni)
{
    if (!l->packet)
        return;
    ixa_changes_stop(&l->changes, l->ti, jni);
    ixa_owners_stop(&l->owners);
    ixa_parks_stop(&l->parks, jni);
    ixa_kept_clear(&l->kept, jni);
    free(l->packet->subjects);
    free(l->packet);
    l->packet = NULL;
}

void ixa_locks_forget(struct ixa_locks *l)
{
    ixa_parks_forget(&l->parks);
}

/* ---- before the stop ---- */

void ixa_locks_begin(struct ixa_locks *l)
{
    ixa_locks_again(l, NULL);
    ixa_parks_begin(&l->parks);
    ixa_owners_begin(&l->owners);
    ixa_standing_begin(&l->standing);
    ixa_kept_begin(&l->kept);
    ixa_changes_begin(&l->changes);
}

void ixa_locks_again(struct ixa_locks *l, JNIEnv *jni)
{
    ixa_monitors_clear(&l->packet->monitors, jni);
    l->packet->subject_count = 0;
    l->packet->blocked = l->packet->several = l->packet->left_out = false;
    ixa_parks_again(&l->parks);
}

/* ---- after it ---- */

void ixa_locks_see(struct ixa_locks *l, JNIEnv *jni, jthread thread, jint state, bool unchanged)
{
    struct ixa_locks_packet *p = l->packet;
    const uint64_t key = key_of(l, jni, thread);
    ixa_parks_see(&l->parks, thread, key, state, unchanged);
    if (p->subject_count == p->subject_capacity) {
        const size_t more = p->subject_capacity ? p->subject_capacity * 2 : 64;
        struct subject *subjects = realloc(p->subjects, more * sizeof *subjects);
        if (!subjects) {
            p->left_out = true;
            return;
        }
        p->subjects = subjects;
        p->subject_capacity = more;
    }
    struct subject *s = &p->subjects[p->subject_count++];
    *s = (struct subject){.thread = thread, .key = key, .state = state, .unchanged = unchanged};
    p->blocked = p->blocked || (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER);
    if (!(state & BUSY_STATES))
        return;
    const struct ixa_stand *stand =
        ixa_standing_see(&l->standing, key, ixa_changes_before(&l->changes, key),
                         state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT, unchanged);
    s->stands = stand->first != l->standing.packet;
    s->owns_nothing = stand->owns_nothing;
}

/* What the JVM reports about one thread. */
struct answer {
    bool all;                          /* what it owns was asked */
    jvmtiMonitorStackDepthInfo *owned; /* JVMTI's memory, with local references */
    jint count;
    jobject contended; /* a local reference, or NULL */
};

static void drop(struct ixa_locks *l, JNIEnv *jni, struct answer *a)
{
    for (jint i = 0; i < a->count; i++)
        (*jni)->DeleteLocalRef(jni, a->owned[i].monitor);
    (*jni)->DeleteLocalRef(jni, a->contended);
    if (a->owned)
        (*l->ti)->Deallocate(l->ti, (unsigned char *)a->owned);
    *a = (struct answer){0};
}

static bool waits(const struct subject *s)
{
    return s->state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT;
}

static bool is_blocked(const struct subject *s)
{
    return s->state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER;
}

/* True if it matters what the thread owns, and that is not known. Who is blocked on the only
 * monitor on which threads are blocked does not own it. */
static bool owner_matters(const struct ixa_locks *l, const struct subject *s)
{
    if (s->owns_nothing)
        return false;
    return is_blocked(s) ? l->packet->several : l->packet->blocked || !waits(s);
}

static jvmtiError get_owned(struct ixa_locks *l, const struct subject *s, struct answer *a)
{
    const int64_t begin = ix_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const jvmtiError error =
        (*l->ti)->GetOwnedMonitorStackDepthInfo(l->ti, s->thread, &a->count, &a->owned);
    l->packet->limited_ns += ix_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    return error;
}

static jobject get_contended(struct ixa_locks *l, JNIEnv *jni, const struct subject *s)
{
    jobject object = NULL;
    if ((*l->ti)->GetCurrentContendedMonitor(l->ti, s->thread, &object) != JVMTI_ERROR_NONE)
        object = NULL;
    return object ? object : ixa_changes_waited_on(&l->changes, jni, s->key);
}

/* False if the JVM refuses. */
static bool get_answer(struct ixa_locks *l, JNIEnv *jni, struct subject *s, struct answer *a)
{
    *a = (struct answer){.all = s->wanted, .contended = s->contended};
    s->contended = NULL;
    if (!a->all && waits(s))
        a->contended = ixa_changes_waited_on(&l->changes, jni, s->key);
    if (a->all && get_owned(l, s, a) != JVMTI_ERROR_NONE) {
        a->count = 0;
        a->owned = NULL;
        return false;
    }
    /* After the above: if the thread still waits now, it has waited all the time. */
    if ((s->state & BUSY_STATES) && !a->contended)
        a->contended = get_contended(l, jni, s);
    return true;
}

/* From JDK 23 on, of waits that began before the agent was there. */
static bool is_unknown(const struct subject *s, const struct answer *a)
{
    return (s->state & BUSY_STATES) && !a->contended;
}

/* After the answer: true if the thread cannot have run since before the stop. */
static bool has_not_run(struct ixa_locks *l, const struct subject *s)
{
    jint state;
    if ((*l->ti)->GetThreadState(l->ti, s->thread, &state) != JVMTI_ERROR_NONE)
        return false;
    if (l->packet->suspended)
        return state & JVMTI_THREAD_STATE_SUSPENDED;
    /* The count of changes does not include a monitor that the JVM itself enters (for a class's
     * initializer), but the state then differs. */
    if (s->state & BUSY_STATES)
        return (state & BUSY_STATES) && !ixa_changes_since(&l->changes, s->key);
    return ixa_owners_slept(&l->owners, s->key);
}

static bool owns(JNIEnv *jni, const struct answer *a, jobject object)
{
    for (jint i = 0; i < a->count; i++)
        if ((*jni)->IsSameObject(jni, a->owned[i].monitor, object))
            return true;
    return false;
}

/* Of a thread that is blocked or waits. */
static enum ix_lock_kind busy_kind(const struct subject *s)
{
    return is_blocked(s) ? IX_LOCK_ENTERS : IX_LOCK_WAITS;
}

/* Takes over the reference. With stop=safepoint the owner of a monitor is looked for only if a
 * thread is not blocked on it just for a moment. */
static void add(struct ixa_locks *l, JNIEnv *jni, const struct subject *s, enum ix_lock_kind kind,
                jobject object, jint depth)
{
    struct ixa_locks_packet *p = l->packet;
    ixa_monitors_add(
        &p->monitors, jni, object,
        &(struct ixa_found){
            .key = s->key, .kind = kind, .depth = depth, .lasts = s->stands || p->suspended});
}

/* What was true of the thread at the packet before is still true at the stop. */
static bool lasts(const struct subject *s)
{
    return s->unchanged || (waits(s) && s->stands);
}

/* What was found at the packet before, if that lasts; else NULL. */
static struct ixa_kept_thread *kept_of(struct ixa_locks *l, const struct subject *s)
{
    struct ixa_kept_thread *kept = lasts(s) ? ixa_kept_find(&l->kept, s->key) : NULL;
    return kept && kept->state == (s->state & BUSY_STATES) ? kept : NULL;
}

/* Adds it if no more is wanted now. False if the JVM has to be asked. */
static bool repeat(struct ixa_locks *l, JNIEnv *jni, const struct subject *s)
{
    jobject objects[IXA_KEPT_RELATIONS];
    struct ixa_kept_thread *kept = kept_of(l, s);
    if (!kept || (!kept->all && s->wanted) || (!s->unchanged && !has_not_run(l, s)) ||
        !ixa_kept_still(&l->kept, jni, kept, objects))
        return false;
    for (uint32_t i = 0; i < kept->count; i++)
        add(l, jni, s, kept->relations[i].kind, objects[i], kept->relations[i].depth);
    return true;
}

/* For the next packet. Not where add_all is in doubt. */
static void keep(struct ixa_locks *l, JNIEnv *jni, const struct subject *s, const struct answer *a)
{
    if ((s->state & BUSY_STATES) && a->contended && owns(jni, a, a->contended))
        return;
    ixa_kept_put(&l->kept, jni, s->key, s->state & BUSY_STATES, a->all || s->owns_nothing);
    if (is_unknown(s, a))
        return; /* of this thread nothing is known */
    for (jint i = 0; i < a->count; i++)
        ixa_kept_add(&l->kept, jni, s->key, a->owned[i].monitor, IX_LOCK_OWNS,
                     a->owned[i].stack_depth);
    if (s->state & BUSY_STATES)
        ixa_kept_add(&l->kept, jni, s->key, a->contended, busy_kind(s), -1);
}

static void add_all(struct ixa_locks *l, JNIEnv *jni, const struct subject *s, struct answer *a)
{
    const enum ix_lock_kind busy = busy_kind(s);
    /* A thread that is just about to release what it will wait on has not done so yet. */
    const bool away = (s->state & BUSY_STATES) && !owns(jni, a, a->contended);
    for (jint i = 0; i < a->count; i++) {
        /* HotSpot makes a blocked thread the owner a moment before it ceases to be blocked. Whether
         * the stop came before or after that is not known. */
        if (busy == IX_LOCK_ENTERS && (*jni)->IsSameObject(jni, a->owned[i].monitor, a->contended))
            continue;
        add(l, jni, s, IX_LOCK_OWNS, a->owned[i].monitor, a->owned[i].stack_depth);
        a->owned[i].monitor = NULL;
    }
    if (!away)
        return;
    add(l, jni, s, busy, a->contended, -1);
    a->contended = NULL;
    if (a->all && !a->count)
        ixa_standing_owns_nothing(&l->standing, s->key, ixa_changes_before(&l->changes, s->key));
}

static void ask(struct ixa_locks *l, JNIEnv *jni, struct subject *s)
{
    struct answer a;
    s->asked = true;
    if (repeat(l, jni, s))
        return;
    if (get_answer(l, jni, s, &a) && has_not_run(l, s)) {
        keep(l, jni, s, &a);
        if (!is_unknown(s, &a))
            add_all(l, jni, s, &a);
    }
    drop(l, jni, &a);
}

/* ---- what threads are blocked on ---- */

/* A local reference, or NULL. */
static jobject blocked_on(struct ixa_locks *l, JNIEnv *jni, const struct subject *s)
{
    const struct ixa_kept_thread *kept = kept_of(l, s);
    for (uint32_t i = 0; kept && i < kept->count; i++)
        if (kept->relations[i].kind == IX_LOCK_ENTERS)
            return (*jni)->NewLocalRef(jni, kept->relations[i].object);
    return get_contended(l, jni, s);
}

/* This is told quickly. Of threads for which there is no time it is not known. */
static void find_contended(struct ixa_locks *l, JNIEnv *jni)
{
    struct ixa_locks_packet *p = l->packet;
    jobject first = NULL;
    int looked = 0;
    for (size_t i = 0; p->blocked && i < p->subject_count; i++) {
        struct subject *s = &p->subjects[i];
        if (!is_blocked(s))
            continue;
        if (looked++ == LOCKS_ASKED || ixa_mono_ns() >= p->end_ns) {
            p->several = p->left_out = true;
            return;
        }
        s->contended = blocked_on(l, jni, s);
        if (s->contended && !first)
            first = s->contended;
        else if (s->contended && !p->several)
            p->several = !(*jni)->IsSameObject(jni, first, s->contended);
    }
}

static void drop_contended(struct ixa_locks *l, JNIEnv *jni)
{
    for (size_t i = 0; i < l->packet->subject_count; i++) {
        (*jni)->DeleteLocalRef(jni, l->packet->subjects[i].contended);
        l->packet->subjects[i].contended = NULL;
    }
}

/* ---- owners that are neither blocked nor waiting ---- */

/* Checks whether the thread owns what has no known owner. With stop=safepoint that alone proves
 * nothing about the stop. */
static void probe(struct ixa_locks *l, JNIEnv *jni, struct subject *s)
{
    struct answer a;
    s->wanted = true;
    if (l->packet->suspended) {
        const size_t before = l->packet->monitors.found_count;
        ask(l, jni, s);
        if (l->packet->monitors.found_count > before)
            ixa_owners_add(&l->owners, s->key, true);
        return;
    }
    if (get_answer(l, jni, s, &a))
        for (jint i = 0; i < a.count; i++)
            if (ixa_monitors_owner_missing_of(&l->packet->monitors, jni, a.owned[i].monitor))
                ixa_owners_add(&l->owners, s->key, false);
    drop(l, jni, &a);
}

static bool computing(jint state)
{
    return (state & JVMTI_THREAD_STATE_RUNNABLE) && !(state & JVMTI_THREAD_STATE_IN_NATIVE);
}

static bool may_ask(struct ixa_locks_packet *p)
{
    return p->asked++ < LOCKS_ASKED && ixa_mono_ns() < p->end_ns;
}

/* Asks about the other threads in turn, some for each packet, until no owner is missing. Does not
 * use GetObjectMonitorUsage: it needs a safepoint and crashes JDK 25 when a thread is just ending
 * (Threads::get_pending_threads). */
static void search(struct ixa_locks *l, JNIEnv *jni)
{
    struct ixa_locks_packet *p = l->packet;
    for (size_t n = 0; n < p->subject_count; n++) {
        struct subject *s = &p->subjects[l->turn++ % p->subject_count];
        if (s->asked || (s->state & BUSY_STATES) || ixa_owners_has(&l->owners, s->key) ||
            (!p->suspended && computing(s->state)))
            continue;
        if (!may_ask(p)) {
            p->left_out = true;
            return;
        }
        probe(l, jni, s);
        if (p->suspended && !ixa_monitors_owner_missing(&p->monitors))
            break;
    }
    l->skip = l->penalty;
    l->penalty = l->penalty * 2 + 1 < PENALTY_MAX ? l->penalty * 2 + 1 : PENALTY_MAX;
}

/* What it takes counts apart. */
static void search_owners(struct ixa_locks *l, JNIEnv *jni)
{
    struct ixa_locks_packet *p = l->packet;
    const int64_t spent = p->limited_ns;
    p->owed_ns = p->owed_ns > SEARCHED_NS ? p->owed_ns - SEARCHED_NS : 0;
    if (!ixa_monitors_owner_missing(&p->monitors)) {
        l->skip = l->penalty = 0;
    } else if (l->skip) {
        l->skip--;
    } else if (p->owed_ns && !p->suspended) {
        p->left_out = true;
    } else {
        search(l, jni);
        p->owed_ns += p->limited_ns - spent;
        p->limited_ns = spent;
    }
}

/* Keeps watching the threads that own what others are blocked on. */
static void keep_needed(struct ixa_locks *l)
{
    const struct ixa_monitors *m = &l->packet->monitors;
    bool wanted[IXA_MONITORS] = {false};
    for (size_t i = 0; i < m->found_count; i++)
        if (m->found[i].kind == IX_LOCK_ENTERS)
            wanted[m->found[i].object - 1] = true;
    for (size_t i = 0; i < m->found_count; i++)
        if (m->found[i].kind == IX_LOCK_OWNS && wanted[m->found[i].object - 1])
            ixa_owners_needed(&l->owners, m->found[i].key);
}

/* The order in which threads are asked. LONG: since the packet before. */
enum pass { BLOCKED_LONG, BLOCKED, OWNERS, WAITING_LONG, WAITING, PASSES };

static bool is_due(struct ixa_locks *l, const struct subject *s, enum pass pass)
{
    if (pass == OWNERS)
        return ixa_owners_has(&l->owners, s->key);
    if ((pass == BLOCKED_LONG || pass == WAITING_LONG) && !s->stands)
        return false;
    return pass <= BLOCKED ? is_blocked(s) : s->state & BUSY_STATES;
}

/* A pass of which threads may be left out for the time that it takes. */
static bool is_limited(const struct ixa_locks_packet *p, enum pass pass)
{
    if (pass == WAITING_LONG)
        return !p->suspended && !ixa_monitors_owner_missing(&p->monitors);
    return !p->suspended && (pass == BLOCKED || pass == WAITING);
}

/* Whether the next thread of such a pass may be asked what it owns. */
static bool may_spend(const struct ixa_locks *l, bool limited)
{
    const struct ixa_locks_packet *p = l->packet;
    return p->suspended || (limited ? p->limited_ns < l->limit_ns : !p->in_debt);
}

static void ask_pass(struct ixa_locks *l, JNIEnv *jni, enum pass pass)
{
    struct ixa_locks_packet *p = l->packet;
    const bool limited = is_limited(p, pass);
    bool left_out = false;
    for (size_t n = 0; n < p->subject_count; n++) {
        const size_t place = (l->first + n) % p->subject_count;
        struct subject *s = &p->subjects[place];
        if (s->asked || !is_due(l, s, pass))
            continue;
        const bool matters = owner_matters(l, s);
        s->wanted = matters && may_spend(l, limited);
        const bool whole = s->wanted == matters;
        const bool asked = (whole || is_blocked(s)) && may_ask(p);
        if (asked)
            ask(l, jni, s);
        if (whole && asked)
            continue;
        p->next = left_out ? p->next : place;
        p->left_out = left_out = true;
    }
}

void ixa_locks_ask(struct ixa_locks *l, JNIEnv *jni, bool suspended)
{
    struct ixa_locks_packet *p = l->packet;
    p->suspended = suspended;
    p->end_ns = ixa_mono_ns() + (suspended ? ASK_STOPPED_NS : ASK_NS);
    p->asked = 0;
    /* Even one answer may take longer than that: then the next packets pay for it. */
    p->limited_ns = p->limited_ns > l->limit_ns ? p->limited_ns - l->limit_ns : 0;
    p->in_debt = p->limited_ns >= l->limit_ns;
    ixa_reserve_references(jni, 2 * IXA_MONITORS + LOCKS_ASKED);
    find_contended(l, jni);
    for (enum pass pass = BLOCKED_LONG; pass < PASSES; pass++)
        ask_pass(l, jni, pass);
    l->first = p->next;
    search_owners(l, jni);
    drop_contended(l, jni);
    keep_needed(l);
    ixa_kept_end(&l->kept, jni);
    ixa_parks_ask(&l->parks, jni, suspended);
}

/* The log keeps all values of META, so it gets few: 1, 2, 4 and so on. */
static int tell_bounds(struct ixa_locks *l, struct ix_log_writer *log)
{
    char text[48];
    if (!l->packet->left_out && !l->packet->monitors.full && !l->parks.left_out)
        return 0;
    if (++l->bounded < 2 * l->told)
        return 0;
    l->told = l->bounded;
    snprintf(text, sizeof text, "in %llu packet%s or more", (unsigned long long)l->told,
             l->told == 1 ? "" : "s");
    return ix_log_meta(log, "locks-left-out", text);
}

int ixa_locks_write(struct ixa_locks *l, JNIEnv *jni, struct ixa_names *names,
                    const struct ixa_threads *threads, struct ix_log_writer *log)
{
    if (ixa_monitors_write(&l->packet->monitors, l->ti, jni, names, threads, log) != 0)
        return -1;
    if (tell_bounds(l, log) != 0)
        return -1;
    return ixa_parks_write(&l->parks, jni, names, threads, IXA_MONITORS + 1, log);
}
