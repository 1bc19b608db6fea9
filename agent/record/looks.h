/* SPDX-License-Identifier: Apache-2.0 */
/* What the blocks of a class with probes did, as their fields tell (coverage.h). A look at a block
 * that has been executed sets its field back. So it is known whether a block has been executed
 * since the look before, and a log tells since which packet it is, and when it was not for a while.
 *
 * Compilers move the stores of a loop's probes behind the loop if it calls nothing. While it runs,
 * its blocks seem to pause. */
#ifndef IX_AGENT_LOOKS_H
#define IX_AGENT_LOOKS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/coverage/probes.h"
#include "agent/record/names.h"
#include "schema/base/bytes.h"
#include "schema/tracelog/writer.h"

#define IXA_PAUSE_PACKETS 8u /* a pause is at least as long, and of two looks */

/* What is known of a block. */
struct ixa_seen {
    uint64_t last;         /* the packet of the last look that found it executed */
    bool executed, pauses; /* as the log tells */
};

/* A class with probes. Once it is in a list, only the agent's thread deletes its references. */
struct ixa_probed_class {
    jweak loader;             /* owned */
    jint loader_hash;         /* the loader's identity, which is compared with a lock held */
    jweak class;              /* owned; NULL: not prepared yet */
    struct ixa_probed probed; /* without the bytes; owned */
    jfieldID *fields;         /* by block; owned; NULL: not looked at yet */
    struct ixa_seen *seen;    /* by block; owned, likewise */
    uint64_t looked;          /* the packet of the last look; 0: there was none */
};

struct ixa_round {
    JNIEnv *jni;
    struct ixa_names *names;
    struct ix_log_writer *log;
    struct ix_out *name, *descriptor; /* scratch */
    uint64_t packet;                  /* 0: after the last one */
    uint32_t looks, writes; /* how many may still be made; what could not be written is next time */
};

/* Looks at all blocks of the class. Agent's thread, as is the other. -1 when the log failed. */
int ixa_look_at(struct ixa_round *l, jclass class, struct ixa_probed_class *x);
/* A new log begins, in which nothing has been executed yet. */
void ixa_look_anew(JNIEnv *jni, jclass class, struct ixa_probed_class *x);

#endif
