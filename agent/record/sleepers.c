/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/sleepers.h"

#include <stdlib.h>
#include <unistd.h>

#include "agent/base/clock.h"

#define DESCRIPTORS_MAX 256 /* for watches, in a process with a usual limit */
#define DESCRIPTORS_MIN 32  /* a process that may have fewer for them needs its own */
#define MOVING_MAX 16       /* threads asked before the stop; 3 us each */
#define MOVING_NS 60000     /* ... and the time for that */
#define OPENED_MAX 8        /* watches opened for each packet; 20 us each */
#define ABSENT_MAX 16       /* packets after which a thread that is not seen is forgotten */
#define COUNTS_BY 4         /* the packet by which the kernel must have counted */
#define PROBES 8            /* of the table */
#define VAIN_FEW 2          /* so many looks in vain change nothing */
#define VAIN_MANY 4         /* after so many, three packets without a look */

int ixa_sleepers_start(struct ixa_sleepers *s, struct ixa_starts *starts)
{
    *s = (struct ixa_sleepers){.starts = starts, .self = IXA_WATCH_NONE};
    s->list = calloc(IXA_SLEEPERS, sizeof *s->list);
    if (!s->list)
        return -1;
    for (size_t i = 0; i < IXA_SLEEPERS; i++)
        s->list[i].watch = IXA_WATCH_NONE;
    ixa_schedule_init(&s->schedule, IXA_SHARE_FACT);
    if (s->schedule.most < DESCRIPTORS_MIN)
        ixa_schedule_free(&s->schedule);
    if (s->schedule.most > DESCRIPTORS_MAX)
        s->schedule.most = DESCRIPTORS_MAX;
    if (ixa_watch_open(&s->schedule, &s->self, gettid()))
        s->self_count = ixa_watch_count(&s->self);
    return 0;
}

static void forget(struct ixa_sleepers *s, struct ixa_sleeper *sleeper)
{
    ixa_watch_close(&s->schedule, &sleeper->watch);
    *sleeper = (struct ixa_sleeper){.watch = IXA_WATCH_NONE};
}

void ixa_sleepers_stop(struct ixa_sleepers *s)
{
    if (!s->list)
        return;
    for (size_t i = 0; i < IXA_SLEEPERS; i++)
        forget(s, &s->list[i]);
    s->used_count = 0;
    ixa_watch_close(&s->schedule, &s->self);
    ixa_schedule_free(&s->schedule);
    free(s->list);
    s->list = NULL;
}

/* ---- before the stop ---- */

/* Finds out whether the kernel counts: this thread has slept since it began, so its own count must
 * have grown, if not by the first packet. A kernel that does so once does so always. */
static void check_kernel(struct ixa_sleepers *s)
{
    s->counts = s->counts || (s->self_count && ixa_watch_count(&s->self) > s->self_count);
    s->hidden = !s->counts && (!s->self_count || s->packet >= COUNTS_BY);
    s->partial = !s->counts && !s->hidden;
}

/* A thread that runs all the time will probably have run again when it is asked after the stop. */
static bool is_due(struct ixa_sleeper *sleeper)
{
    if (sleeper->skip) {
        sleeper->skip--;
        return false;
    }
    sleeper->skip = sleeper->vain >= VAIN_MANY ? 3 : sleeper->vain >= VAIN_FEW;
    sleeper->vain += sleeper->vain < VAIN_MANY; /* until it is found to sleep */
    return true;
}

static void look_at_moving(struct ixa_sleepers *s, void (*look)(void *context, size_t place),
                           void *context)
{
    const int64_t end = ixa_mono_ns() + MOVING_NS;
    int asked = 0;
    for (size_t n = 0; n < s->used_count; n++) {
        const size_t place = s->used[s->turn % s->used_count];
        if (!s->list[place].slept && (asked == MOVING_MAX || ixa_mono_ns() > end)) {
            s->partial = true;
            break;
        }
        if (!s->list[place].slept && is_due(&s->list[place])) {
            look(context, place);
            asked++;
        }
        s->turn++;
    }
}

void ixa_sleepers_begin(struct ixa_sleepers *s, void (*look)(void *context, size_t place),
                        void *context)
{
    s->opened = 0;
    s->packet++;
    check_kernel(s);
    for (size_t i = 0; i < s->used_count; i++) {
        struct ixa_sleeper *sleeper = &s->list[s->used[i]];
        sleeper->present = sleeper->unchanged = false;
        sleeper->before = sleeper->count = 0;
    }
    if (s->counts)
        look_at_moving(s, look, context);
}

/* ---- after it ---- */

/* The thread's place, or a free one; IXA_NO_PLACE: there is none. */
static size_t place_of(const struct ixa_sleepers *s, uint64_t key)
{
    size_t free_one = IXA_NO_PLACE;
    for (size_t i = 0; i < PROBES; i++) {
        const size_t place = (key + i) % IXA_SLEEPERS;
        if (s->list[place].key == key)
            return place;
        if (!s->list[place].key && free_one == IXA_NO_PLACE)
            free_one = place;
    }
    return free_one;
}

size_t ixa_sleepers_find(const struct ixa_sleepers *s, uint64_t key)
{
    const size_t place = place_of(s, key);
    return place != IXA_NO_PLACE && s->list[place].key ? place : IXA_NO_PLACE;
}

static bool begin_watching(struct ixa_sleepers *s, size_t place, uint64_t key)
{
    struct ixa_start start;
    if (s->opened >= OPENED_MAX || !ixa_starts_find(s->starts, key, &start) || start.ended ||
        !start.os_id)
        return false;
    s->opened++;
    if (!ixa_watch_open(&s->schedule, &s->list[place].watch, (pid_t)start.os_id))
        return false;
    s->list[place].key = key;
    s->used[s->used_count++] = (uint16_t)place;
    return true;
}

size_t ixa_sleepers_see(struct ixa_sleepers *s, uint64_t key, bool unchanged)
{
    if (!s->counts)
        return IXA_NO_PLACE;
    const size_t place = place_of(s, key);
    if (place == IXA_NO_PLACE || (!s->list[place].key && !begin_watching(s, place, key))) {
        s->partial = true;
        return IXA_NO_PLACE;
    }
    struct ixa_sleeper *sleeper = &s->list[place];
    sleeper->present = true;
    sleeper->unchanged = unchanged && sleeper->packet == s->packet - 1;
    sleeper->packet = s->packet;
    return place;
}

uint64_t ixa_sleeper_count(struct ixa_sleeper *sleeper)
{
    return sleeper->count = ixa_watch_count(&sleeper->watch);
}

bool ixa_sleeper_sleeps_on(struct ixa_sleeper *sleeper)
{
    if (sleeper->slept && !sleeper->unchanged && ixa_sleeper_count(sleeper) != sleeper->slept)
        sleeper->slept = 0;
    return sleeper->slept;
}

bool ixa_sleeper_slept(struct ixa_sleeper *sleeper)
{
    if (!sleeper->before || ixa_sleeper_count(sleeper) != sleeper->before)
        return false;
    sleeper->slept = sleeper->before;
    sleeper->vain = sleeper->skip = 0;
    return true;
}

void ixa_sleepers_end(struct ixa_sleepers *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->used_count; i++) {
        struct ixa_sleeper *sleeper = &s->list[s->used[i]];
        if (!sleeper->present)
            sleeper->slept = 0;
        if (s->packet - sleeper->packet > ABSENT_MAX)
            forget(s, sleeper);
        else
            s->used[kept++] = s->used[i];
    }
    s->used_count = kept;
}
