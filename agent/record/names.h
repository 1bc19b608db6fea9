/* SPDX-License-Identifier: Apache-2.0 */
/* Translates the JVM's frames (method id, location) to frames of the trace log.
 *
 * Methods, their line-number tables and frames are read once and cached. Once per snapshot it is
 * checked whether their classes are alive and have not been redefined (classes.h). A method id dies
 * with its class, and the JVM must not be asked about a dead one (HotSpot before 17.0.14 may
 * crash). So:
 *
 *   - If a class is alive after the stop, the id belonged to it at the stop: the cached data is
 *     used, and the JVM is not asked.
 *   - The classes of all other methods are held by local references, as the first step after the
 *     stop and before any name is read. From then on none of the snapshot's ids can die.
 *   - A method whose class was unloaded even before that appears as `<unloaded>`, and is not
 *     asked about again in that snapshot.
 *
 * What remains is the time between the threads' release and that step: less than a microsecond for
 * each new method, a few nanoseconds for each known frame.
 *
 * A redefined class shows its new lines from the next snapshot on; code that is still running in an
 * old version keeps its old lines. A class that was redefined since the previous snapshot may have
 * been redefined before or after the stop, so ixa_names_hold then asks for another stop. Only a
 * method never seen before can still show new lines for old code, in one snapshot, if its class was
 * redefined between the stop and the check.
 *
 * Agent thread only. */
#ifndef IX_AGENT_NAMES_H
#define IX_AGENT_NAMES_H

#include <jvmti.h>

#include "schema/tracelog/writer.h"

struct ixa_names;

/* NULL when out of memory. */
struct ixa_names *ixa_names_new(jvmtiEnv *ti, JNIEnv *jni, struct ix_log_writer *log);
/* jni NULL: the JVM is shutting down, and the references are left to it. */
void ixa_names_free(struct ixa_names *n, JNIEnv *jni);

/* Begins a snapshot. Call immediately after the stop, in a local frame that lasts until
 * ixa_names_end. False if a known class was redefined since the previous snapshot: repeat the stop,
 * and call this again. O(frames). */
bool ixa_names_hold(struct ixa_names *n, JNIEnv *jni, const jvmtiStackInfo *infos, jint count);
/* The log's number of the frame, or of the class; `<unloaded>` for a NULL method or class. 0 when
 * memory ran out or the log failed. */
uint32_t ixa_names_frame(struct ixa_names *n, JNIEnv *jni, const jvmtiFrameInfo *frame);
uint32_t ixa_names_class(struct ixa_names *n, JNIEnv *jni, jclass class);
/* *number: the log's number of a method of that class; 0 if the JVM cannot tell its name. -1 when
 * memory ran out or the log failed. */
int ixa_names_method(struct ixa_names *n, JNIEnv *jni, jclass class, jmethodID id,
                     uint32_t *number);
/* Ends the snapshot. Removes unloaded classes and their methods once there are enough of them. */
void ixa_names_end(struct ixa_names *n, JNIEnv *jni);

/* Bytes of memory that the caches use, approximately. O(1). */
size_t ixa_names_memory(const struct ixa_names *n);
/* Forgets everything: the log begins a new part, which has its own numbers. */
void ixa_names_forget(struct ixa_names *n, JNIEnv *jni);

#endif
