/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/site.h"

#include "agent/record/weak.h"

/* All frames are executing, so their classes can be asked for. */
void ixa_site_take(struct ixa_site *site, jvmtiEnv *ti, JNIEnv *jni, jint from)
{
    if ((*ti)->GetStackTrace(ti, NULL, from, IXA_SITE_FRAMES_MAX, site->frames, &site->count) !=
        JVMTI_ERROR_NONE)
        site->count = 0;
    for (jint i = 0; i < site->count; i++)
        site->declaring[i] = ixa_weak_declaring(ti, jni, site->frames[i].method);
}

void ixa_site_drop(struct ixa_site *site, JNIEnv *jni)
{
    for (jint i = 0; i < site->count; i++)
        ixa_weak_drop(jni, site->declaring[i]);
    site->count = 0;
}

/* Fowler, Noll and Vo's, by words instead of bytes. */
uint64_t ixa_site_hash(const jvmtiFrameInfo *frames, jint count)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (jint i = 0; i < count; i++) {
        hash = (hash ^ (uint64_t)(uintptr_t)frames[i].method) * prime;
        hash = (hash ^ (uint64_t)frames[i].location) * prime;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Built from the outermost frame to the executing one. */
int ixa_site_write(const struct ixa_site *site, JNIEnv *jni, struct ixa_names *names,
                   struct ix_log_writer *log, uint32_t *stack)
{
    *stack = site->count < IXA_SITE_FRAMES_MAX ? IX_STACK_EMPTY : IX_STACK_CUT;
    for (jint i = site->count; i-- > 0;) {
        const uint32_t frame = ixa_weak_frame(jni, names, site->declaring[i], &site->frames[i]);
        *stack = frame ? ix_log_stack(log, *stack, frame) : 0;
        if (!*stack)
            return -1;
    }
    return 0;
}
