/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's settings, from its options string, system properties and the environment.
 *
 * The options are comma-separated `key=value`:
 *   server=HOST:PORT      also [IPV6]:PORT, or HOST alone for the default port
 *   role=NAME             what this JVM is in the system under test
 *   execution=ID          the run that it belongs to; empty: the server's current one
 *   log=PATH              trace log, a pattern (expand.h)
 *   stop=safepoint|suspend
 *   walk=changed|all      changed: a stop walks only threads that may have run (docs/stop.md)
 *   virtual=mounted|tracked[:N]|off
 *                         virtual threads (JDK 21+): those on a carrier (default); up to N of all
 *                         that are alive, 1 to 1,000,000 (10,000); none
 *   depth=N               most frames of a call stack, 1 to 1,000,000 (8,192); deeper stacks are
 *                         cut and marked
 *   memory=SIZE           for all that the agent keeps, 64k to 1024g (32m); k, m, g, t are
 *                         powers of 1024
 *   maxlog=SIZE           about how much of the log is kept, the newest part; 64k to 1024g;
 *                         none: all
 *   key=FILE              the campaign's agent key (schema/protocol/key.h). Default: IXOR_KEY of
 *                         the environment, else what a server of the same user on this host has
 *                         stored (schema/protocol/keyplace.h)
 *   upload=exit|never     whether the log is uploaded at the JVM's end to a server that cannot read
 *                         it in place (docs/collect.md)
 *   uploadtime=TIME       how long the JVM's end may wait for that, 1ms to 3600s (10s)
 *   cert, certkey, ca=FILE  certificates in PEM, all three or none (schema/protocol/tls.h)
 *   runs=jvm|tests        jvm: the JVM takes part in one run, from its start; tests: in a run of
 *                         each test that begins in it (docs/junit.md), and in none between
 *   locks, process, connections, invocations, coverage=on|off, exceptions=on|first|off
 *                         what is recorded besides the stacks (facts.h); off
 */
#ifndef IX_AGENT_OPTIONS_H
#define IX_AGENT_OPTIONS_H

#include <stdbool.h>

#include "schema/base/error.h"
#include "schema/protocol/key.h"
#include "schema/protocol/protocol.h"

#define IXA_HOST_MAX 255u /* bytes; DNS allows 253 */
#define IXA_DEPTH_DEFAULT 8192u
#define IXA_DEPTH_MAX 1000000u
#define IXA_MEMORY_DEFAULT (32u << 20)
#define IXA_SIZE_MIN (64u << 10)
#define IXA_SIZE_MAX (UINT64_C(1024) << 30)
#define IXA_VIRTUAL_DEFAULT 10000u
#define IXA_VIRTUAL_MAX 1000000u
#define IXA_TESTCLOCK_MAX_NS 1000000000000ll /* 1000 s */
#define IXA_TESTCLOCK_MAX_PPM 1000
#define IXA_UPLOAD_MS_DEFAULT 10000u /* a usual grace period of containers and services */
#define IXA_UPLOAD_MS_MAX 3600000u
#define IXA_LOG_DEFAULT "ixor-%r-%p-%t.ixl"

enum ixa_virtual_mode { IXA_VIRTUAL_MOUNTED, IXA_VIRTUAL_TRACKED, IXA_VIRTUAL_OFF };
/* What is recorded besides the stacks. */
struct ixa_wanted_facts {
    bool locks, exceptions, process, connections, invocations, coverage;
    bool firsts; /* of exceptions, the first one of each class; not with `exceptions` */
};

/* An empty or zero field was not given. */
struct ixa_options {
    char host[IXA_HOST_MAX + 1];
    uint16_t port;
    char role[IX_NAME_MAX + 1];
    char execution[IX_NAME_MAX + 1];
    char log[IX_PATH_MAX + 1];
    char key_file[IX_PATH_MAX + 1]; /* not yet read */
    bool has_key;
    struct ix_key key;
    char cert[IX_PATH_MAX + 1], certkey[IX_PATH_MAX + 1], ca[IX_PATH_MAX + 1];
    bool suspend;
    bool walk_all;
    bool verify; /* verify=on, for tests only: checks the stacks that walk=changed would have
                  * reused */
    uint32_t depth;
    /* testclock=[+-]DURATION[/[+-]Nppm], for tests only: the JVM appears to be on another host,
     * whose monotonic clock is ahead by this much and runs faster by this much (clock.h). */
    int64_t testclock_ns, testclock_ppb;
    bool tests; /* runs=tests */
    bool upload_never;
    uint32_t upload_ms;
    char machine[IX_MACHINE_MAX + 1]; /* machine=..., for tests only: the agent pretends to be on
                                       * another machine */
    /* Hidden, for one attach: detach=now, and the file for the answer (answer.h). */
    bool detach;
    char answer[IX_PATH_MAX + 1];
    uint64_t memory, maxlog; /* bytes */
    enum ixa_virtual_mode virtual_mode;
    uint32_t virtual_limit; /* used if tracked */
    struct ixa_wanted_facts facts;
};

/* Sets the options named in `text` (may be NULL) and leaves the others alone, so that a second
 * options string overrides the first one key by key. -1 on an unknown key or a bad value, that is,
 * only for mistakes in the text itself: no file and no environment variable is read. */
int ixa_options_parse(struct ixa_options *o, const char *text, struct ix_error *err);

/* Reads the file named by key= unless it has already been read; -1 if that fails. The file may be
 * deleted afterwards. */
int ixa_options_read_key(struct ixa_options *o, struct ix_error *err);

/* Fills in what was not given. Server: IXOR_SERVER, else 127.0.0.1 and the default port. Role:
 * `role_property` (-Dixor.role), else IXOR_ROLE, else the simple name of the main class or jar in
 * `command` (the property sun.java.command), without a number that a build tool has made up, else
 * "java"; with runs=tests "tests". Execution: IXOR_EXECUTION. Both
 * strings may be NULL. -1 if one of these values is invalid. */
int ixa_options_complete(struct ixa_options *o, const char *role_property, const char *command,
                         struct ix_error *err);

/* Both complete: true if they use the same log, because server, role, execution and log are
 * equal. */
bool ixa_options_same_log(const struct ixa_options *a, const struct ixa_options *b);

#endif
