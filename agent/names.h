/* Frames as the JVM gives them (method id, location) to frames of the trace log.
 *
 * Methods, their classes, line-number tables and frames are read once and kept. A method id dies
 * with its class and HotSpot may give it to another method: each class is held by a weak reference,
 * and before the first use in a snapshot it is tested that it still lives. Methods that cannot be
 * read (their class was unloaded since the stop) appear as `<unloaded>`. Agent thread only, soon
 * after the stop that the ids come from.
 *
 * Not noticed: a class redefined with other line numbers keeps the first ones. */
#ifndef IX_AGENT_NAMES_H
#define IX_AGENT_NAMES_H

#include <jvmti.h>

#include "schema/tracelog_writer.h"

struct ixa_names;

struct ixa_names *ixa_names_new(jvmtiEnv *ti, struct ix_log_writer *log);
/* jni NULL: the JVM is ending, its references are left to it. */
void ixa_names_free(struct ixa_names *n, JNIEnv *jni);
/* Before the first frame of a snapshot. */
void ixa_names_begin(struct ixa_names *n, JNIEnv *jni);
/* The log's number of the frame; 0 when memory ran out or the log failed. */
uint32_t ixa_names_frame(struct ixa_names *n, JNIEnv *jni, const jvmtiFrameInfo *frame);

/* Bytes of memory that the caches take, about. O(1). */
size_t ixa_names_memory(const struct ixa_names *n);
/* Forgets everything: the log begins a new part, whose numbers are others. */
void ixa_names_forget(struct ixa_names *n, JNIEnv *jni);

#endif
