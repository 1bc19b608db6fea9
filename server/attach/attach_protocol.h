/* SPDX-License-Identifier: Apache-2.0 */
/* HotSpot's attach mechanism, as the JDK's own tools use it on Linux.
 *
 * A JVM that finds a file .attach_pidPID in /tmp (or its working directory) when it gets SIGQUIT
 * listens on the UNIX socket /tmp/.java_pidPID; PID and /tmp are what the JVM itself sees. A
 * command is a version and four strings, each ended by a zero byte; the answer is text until the
 * end.
 *
 * SIGQUIT would end any other program, so it is sent only after checking that the process is a
 * HotSpot JVM with a handler for it. Every wait ends at the deadline or on SIGINT, SIGTERM or
 * SIGHUP, which stay blocked from open to close. No files are left behind. */
#ifndef IXOR_ATTACH_PROTOCOL_H
#define IXOR_ATTACH_PROTOCOL_H

#include <signal.h>
#include <stdint.h>

#include "server/attach/process.h"

#define IXOR_ATTACH_WORD_MAX 1024u /* bytes of a string in a command: HotSpot's limit */
#define IXOR_ATTACH_TEXT_MAX 8192u

struct ixor_attached {
    pid_t pid;
    struct ixor_proc status;
    struct ixor_maps maps;
    int pidfd;            /* -1: this kernel has none */
    int root, tmp;        /* directories of the JVM, for openat */
    uint64_t deadline_ns; /* monotonic clock */
    sigset_t signals;     /* as they were before */
};

/* Checks that the process can be attached to. Only root can attach to another user's process: this
 * process then takes on that user's identity permanently. On -1 *jvm is as after close. */
int ixor_attached_open(struct ixor_attached *jvm, pid_t pid, uint64_t timeout_ns,
                       struct ix_error *err);
void ixor_attached_close(struct ixor_attached *jvm);

/* Makes the JVM load an agent; 0 if Agent_OnAttach returned 0. *refused: it returned another value,
 * and the agent's own answer says why. */
int ixor_attached_load(struct ixor_attached *jvm, const char *library, const char *options,
                       bool *refused, struct ix_error *err);

/* What the JVM answered to "load": 0 and what Agent_OnAttach returned, or -1 and why Agent_OnAttach
 * was not called. `text` is terminated. */
int ixor_load_answer(const char *text, int *returned, struct ix_error *err);

#endif
