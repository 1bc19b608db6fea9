/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/looks.h"

#include <string.h>

#include "agent/base/utf8.h"

struct looked {
    struct ixa_round *l;
    jclass class;
    struct ixa_probed_class *x;
    uint32_t block;
};

/* The block's frame in the log; 0: the log failed. */
static uint32_t frame_of(const struct looked *at)
{
    const struct ixa_round *l = at->l;
    const struct ixa_block *b = &at->x->probed.blocks[at->block];
    const struct ixa_probed_method *m = &at->x->probed.methods[b->method];
    const char *name = ixa_utf8(l->name, m->name, strlen(m->name));
    const char *descriptor = ixa_utf8(l->descriptor, m->descriptor, strlen(m->descriptor));
    const uint32_t number = ixa_names_class(l->names, l->jni, at->class);
    if (!name || !descriptor || !number)
        return 0;
    return ix_log_frame(l->log, ix_log_method(l->log, number, name, descriptor),
                        b->line ? (int32_t)b->line : IX_LINE_UNKNOWN);
}

static int write_executed(const struct looked *at)
{
    const uint32_t frame = frame_of(at);
    at->l->writes--;
    return frame ? ix_log_covered(at->l->log, &(struct ix_covered){frame, at->block}) : -1;
}

static int write_pause(const struct looked *at, uint64_t packets)
{
    const uint32_t frame = frame_of(at);
    at->l->writes--;
    return frame ? ix_log_pause(at->l->log, &(struct ix_pause){frame, at->block, packets}) : -1;
}

static int was_executed(const struct looked *at, struct ixa_seen *seen)
{
    const uint64_t packet = at->l->packet;
    int status = 0;
    if (!seen->executed)
        status = write_executed(at);
    else if (seen->pauses && packet)
        status = write_pause(at, 0);
    seen->executed = true;
    seen->pauses = false;
    seen->last = packet;
    return status;
}

/* Has it not been executed for long enough, and at two looks? */
static bool pauses(const struct looked *at, const struct ixa_seen *seen)
{
    return at->l->packet - seen->last >= IXA_PAUSE_PACKETS && seen->last < at->x->looked;
}

static int look_at_block(const struct looked *at)
{
    const struct ixa_round *l = at->l;
    struct ixa_seen *seen = &at->x->seen[at->block];
    jfieldID field = at->x->fields[at->block];
    if ((*l->jni)->GetStaticBooleanField(l->jni, at->class, field)) {
        (*l->jni)->SetStaticBooleanField(l->jni, at->class, field, JNI_FALSE);
        return was_executed(at, seen);
    }
    if (!l->packet || !seen->executed || seen->pauses || !pauses(at, seen))
        return 0;
    seen->pauses = true;
    return write_pause(at, l->packet - seen->last);
}

int ixa_look_at(struct ixa_round *l, jclass class, struct ixa_probed_class *x)
{
    struct looked at = {.l = l, .class = class, .x = x};
    int status = 0;
    for (uint32_t i = 0; i < x->probed.block_count && l->writes && status == 0; i++) {
        l->looks -= l->looks > 0;
        at.block = i;
        status = look_at_block(&at);
    }
    x->looked = l->packet;
    return status;
}

void ixa_look_anew(JNIEnv *jni, jclass class, struct ixa_probed_class *x)
{
    for (uint32_t i = 0; i < x->probed.block_count; i++) {
        if ((*jni)->GetStaticBooleanField(jni, class, x->fields[i]))
            (*jni)->SetStaticBooleanField(jni, class, x->fields[i], JNI_FALSE);
        x->seen[i] = (struct ixa_seen){0};
    }
    x->looked = 0;
}
