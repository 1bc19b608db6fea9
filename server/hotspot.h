/* HotSpot's attach mechanism, as the JDK's own tools use it on Linux.
 *
 * A JVM that finds a file .attach_pidPID in /tmp (or its working directory) when it gets SIGQUIT
 * listens on the UNIX socket /tmp/.java_pidPID; PID and /tmp are what the JVM itself sees. A
 * command is a version and four strings, each ended by a zero byte; the answer is text until the
 * end.
 *
 * SIGQUIT is sent only to what has been seen to be a HotSpot JVM with a handler for it, because it
 * ends other programs. Nothing waits beyond the deadline, or beyond SIGINT, SIGTERM and SIGHUP,
 * which stay blocked from open to close; nothing is left behind. */
#ifndef IXOR_HOTSPOT_H
#define IXOR_HOTSPOT_H

#include <signal.h>
#include <stdint.h>

#include "server/process.h"

#define IXOR_ATTACH_WORD_MAX 1024u /* bytes of a string in a command, all that HotSpot takes */
#define IXOR_ATTACH_TEXT_MAX 8192u

struct ixor_jvm {
    pid_t pid;
    struct ixor_proc status;
    struct ixor_maps maps;
    int pidfd;     /* -1: this kernel has none */
    int root, tmp; /* directories of the JVM, for openat */
    uint64_t deadline_ns; /* monotonic clock */
    sigset_t signals;     /* as they were before */
};

/* Makes sure that the process can be attached to. A process of another user is one only for root,
 * who takes on that user's identity here for good. -1: *jvm is as after close. */
int ixor_jvm_open(struct ixor_jvm *jvm, pid_t pid, uint64_t timeout_ns, struct ix_error *err);
void ixor_jvm_close(struct ixor_jvm *jvm);

/* Has the JVM load an agent; 0 if its Agent_OnAttach returned 0. *refused: it returned something
 * else, which its own answer explains. */
int ixor_jvm_load(struct ixor_jvm *jvm, const char *library, const char *options, bool *refused,
                  struct ix_error *err);

/* What the JVM answered to "load": 0 and what Agent_OnAttach returned, or -1 and why it did not
 * come to that. `text` is terminated. */
int ixor_load_answer(const char *text, int *returned, struct ix_error *err);

#endif
