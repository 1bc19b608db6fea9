/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/starters.h"

#include <stdlib.h>
#include <string.h>

#include "agent/record/site.h"

struct ixa_starter_site {
    uint64_t hash;
    struct ixa_site site;
};

/* ---- the event ---- */

/* The number of the call stack with that hash; IXA_STARTERS_SITES: it is not known. With the lock.
 */
static uint32_t find(const struct ixa_starters *x, uint64_t hash)
{
    for (uint32_t i = 0; i < x->site_count; i++)
        if (x->sites[i]->hash == hash)
            return i;
    return IXA_STARTERS_SITES;
}

static bool is_known(struct ixa_starters *x, uint64_t hash)
{
    pthread_mutex_lock(&x->lock);
    const bool known = find(x, hash) < IXA_STARTERS_SITES || x->site_count == IXA_STARTERS_SITES;
    pthread_mutex_unlock(&x->lock);
    return known;
}

/* Adds a call stack, if there is room and it is still not known. Returns whether it was. */
static bool add_site(struct ixa_starters *x, struct ixa_starter_site *site)
{
    pthread_mutex_lock(&x->lock);
    const bool added = atomic_load(&x->on) && x->site_count < IXA_STARTERS_SITES &&
                       find(x, site->hash) == IXA_STARTERS_SITES;
    if (added)
        x->sites[x->site_count++] = site;
    pthread_mutex_unlock(&x->lock);
    return added;
}

static void take_site(struct ixa_starters *x, jvmtiEnv *ti, JNIEnv *jni, uint64_t hash)
{
    struct ixa_starter_site *site = calloc(1, sizeof *site);
    if (!site)
        return;
    site->hash = hash;
    ixa_site_take(&site->site, ti, jni, 0);
    if (add_site(x, site))
        return;
    ixa_site_drop(&site->site, jni);
    free(site);
}

/* With the lock. */
static void list(struct ixa_starters *x, const struct ixa_started *started)
{
    if (started->site < x->site_count && x->count < IXA_STARTERS_MAX)
        x->list[x->count++] = *started;
}

static void add_thread(struct ixa_starters *x, uint64_t thread, uint64_t hash)
{
    pthread_mutex_lock(&x->lock);
    list(x, &(struct ixa_started){.thread = thread, .site = find(x, hash)});
    pthread_mutex_unlock(&x->lock);
}

void ixa_starters_on_start(struct ixa_starters *x, jvmtiEnv *ti, JNIEnv *jni, jobject thread)
{
    jvmtiFrameInfo frames[IXA_SITE_FRAMES_MAX];
    jint count = 0;
    if (!atomic_load(&x->on) ||
        (*ti)->GetStackTrace(ti, NULL, 0, IXA_SITE_FRAMES_MAX, frames, &count) != JVMTI_ERROR_NONE)
        return;
    const uint64_t hash = ixa_site_hash(frames, count);
    if (!is_known(x, hash))
        take_site(x, ti, jni, hash);
    add_thread(x, (uint64_t)(*jni)->GetLongField(jni, thread, x->thread_id), hash);
}

/* ---- on and off ---- */

int ixa_starters_start(struct ixa_starters *x, jvmtiEnv *ti, JNIEnv *jni, jfieldID thread_id,
                       ixa_native_tell *tell)
{
    x->thread_id = thread_id;
    atomic_store(&x->on, true);
    if (ixa_natives_tell(ti, jni, IXA_START_THREAD, tell))
        return 0;
    atomic_store(&x->on, false);
    return -1;
}

void ixa_starters_stop(struct ixa_starters *x, JNIEnv *jni)
{
    struct ixa_starter_site *sites[IXA_STARTERS_SITES];
    ixa_natives_silence(IXA_START_THREAD);
    atomic_store(&x->on, false);
    pthread_mutex_lock(&x->lock);
    const uint32_t count = x->site_count;
    if (count)
        memcpy(sites, x->sites, count * sizeof *sites);
    x->site_count = x->count = 0;
    pthread_mutex_unlock(&x->lock);
    for (uint32_t i = 0; i < count; i++) {
        if (jni)
            ixa_site_drop(&sites[i]->site, jni);
        free(sites[i]);
    }
}

/* ---- the log ---- */

static const struct ixa_starter_site *site_at(struct ixa_starters *x, uint32_t number)
{
    pthread_mutex_lock(&x->lock);
    const struct ixa_starter_site *site = x->sites[number];
    pthread_mutex_unlock(&x->lock);
    return site;
}

/* It may come with the next snapshot. */
static void look_again(struct ixa_starters *x, const struct ixa_started *started)
{
    pthread_mutex_lock(&x->lock);
    if (!started->missed)
        list(x, &(struct ixa_started){started->thread, started->site, .missed = true});
    pthread_mutex_unlock(&x->lock);
}

static int write_one(struct ixa_starters *x, JNIEnv *jni, struct ixa_names *names,
                     const struct ixa_threads *threads, const struct ixa_started *started,
                     struct ix_log_writer *log)
{
    const uint32_t thread = ixa_threads_find(threads, started->thread);
    const struct ixa_starter_site *site = site_at(x, started->site);
    struct ix_starter starter = {.thread = thread};
    if (!thread) {
        look_again(x, started);
        return 0;
    }
    return ixa_site_write(&site->site, jni, names, log, &starter.stack) == 0
               ? ix_log_starter(log, &starter)
               : -1;
}

int ixa_starters_write(struct ixa_starters *x, JNIEnv *jni, struct ixa_names *names,
                       const struct ixa_threads *threads, struct ix_log_writer *log)
{
    struct ixa_started list[IXA_STARTERS_MAX];
    int status = 0;
    pthread_mutex_lock(&x->lock);
    const uint32_t count = x->count;
    if (count)
        memcpy(list, x->list, count * sizeof *list);
    x->count = 0;
    pthread_mutex_unlock(&x->lock);
    for (uint32_t i = 0; i < count && status == 0; i++)
        status = write_one(x, jni, names, threads, &list[i], log);
    return status;
}
