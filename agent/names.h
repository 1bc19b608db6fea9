/* Frames as the JVM gives them (method id, location) to frames of the trace log.
 *
 * Methods, their line-number tables and frames are read once and kept; of their classes it is asked
 * once a snapshot whether they live and were not redefined (classes.h). A method id dies with its
 * class, and the JVM must not be asked for one that is dead (HotSpot before 17.0.14 may crash). So
 *
 *   - of a class that lives after the stop, the id belonged to it at the stop: what is known of
 *     it is used, and nothing is asked;
 *   - the classes of all other methods are held, by local references, as the first thing after the
 *     stop and before any name is read. From then on none of the snapshot's ids can die;
 *   - a method whose class was unloaded even before that appears as `<unloaded>`, and is not
 *     asked for again in that snapshot.
 *
 * What remains is the time from the threads' release to that holding: below a microsecond for each
 * method that is new, a few nanoseconds for each frame that is not.
 *
 * A redefined class shows its new lines from the next snapshot on; code that goes on being executed
 * in an old version keeps its old lines. A class that was redefined since the snapshot before may
 * have been so before the stop or after it, so then ixa_names_hold wants another stop. Only a
 * method that was never met before can still show new lines for old code, if its class was
 * redefined between the stop and the look at it, in the snapshot of that moment.
 *
 * Agent thread only. */
#ifndef IX_AGENT_NAMES_H
#define IX_AGENT_NAMES_H

#include <jvmti.h>

#include "schema/tracelog_writer.h"

struct ixa_names;

/* NULL when memory ran out. */
struct ixa_names *ixa_names_new(jvmtiEnv *ti, JNIEnv *jni, struct ix_log_writer *log);
/* jni NULL: the JVM is ending, its references are left to it. */
void ixa_names_free(struct ixa_names *n, JNIEnv *jni);

/* Begins a snapshot: call at once after the stop, in a local frame that lasts until ixa_names_end.
 * False if a class among those known was redefined since the snapshot before: better stop again,
 * and call this again. O(frames). */
bool ixa_names_hold(struct ixa_names *n, JNIEnv *jni, const jvmtiStackInfo *infos, jint count);
/* The log's number of the frame, or class; `<unloaded>` for a NULL method or class. 0 when memory
 * ran out or the log failed. */
uint32_t ixa_names_frame(struct ixa_names *n, JNIEnv *jni, const jvmtiFrameInfo *frame);
uint32_t ixa_names_class(struct ixa_names *n, JNIEnv *jni, jclass class);
/* Ends the snapshot: takes out what has died, when that is worth it. */
void ixa_names_end(struct ixa_names *n, JNIEnv *jni);

/* Bytes of memory that the caches take, about. O(1). */
size_t ixa_names_memory(const struct ixa_names *n);
/* Forgets everything: the log begins a new part, whose numbers are others. */
void ixa_names_forget(struct ixa_names *n, JNIEnv *jni);

#endif
