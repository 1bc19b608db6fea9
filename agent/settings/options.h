/* What the agent is told, by its options string, system properties and the environment.
 *
 * The options are comma-separated `key=value`:
 *   server=HOST:PORT      also [IPV6]:PORT, or HOST alone for the default port
 *   role=NAME             what this JVM is in the system under test
 *   execution=ID          the run it belongs to; empty: the server's current one
 *   log=PATH              trace log, a pattern (expand.h)
 *   stop=safepoint|suspend
 *   walk=changed|all      changed: a stop walks only threads that may have run (docs/stop.md)
 *   virtual=mounted|tracked[:N]|off
 *                         virtual threads (JDK 21+): those on a carrier (default); of all that
 *                         live up to N, 1 to 1,000,000 (10,000); none
 *   depth=N               most frames of a call stack, 1 to 1,000,000 (8,192); deeper ones are cut
 *                         and marked as cut
 *   memory=SIZE           for all that the agent keeps, 64k to 1024g (32m); k, m, g: powers of 1024
 *   maxlog=SIZE           about so much of the log is kept, the newest; 64k to 1024g; none: all
 *   key=FILE              the campaign's agent key (schema/key.h); it is read at once. Not given: the
 *                         environment's IXOR_KEY, else what a server of the same user on this host
 *                         has left (schema/keyplace.h)
 *   upload=exit|never     whether the log goes to a server that cannot read it where it is, at the
 *                         JVM's end (docs/collect.md)
 *   uploadtime=TIME       how long the JVM's end may wait for that, 1ms to 3600s (10s)
 *   cert, certkey, ca=FILE  certificates in PEM, all three or none (schema/tls.h)
 *   locks, exceptions, process=on|off   what is recorded beside the stacks (facts.h); off
 */
#ifndef IX_AGENT_OPTIONS_H
#define IX_AGENT_OPTIONS_H

#include <stdbool.h>

#include "schema/error.h"
#include "schema/key.h"
#include "schema/protocol.h"

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
#define IXA_UPLOAD_MS_DEFAULT 10000u /* what a container or a service usually has to end */
#define IXA_UPLOAD_MS_MAX 3600000u
#define IXA_LOG_DEFAULT "ixor-%r-%p-%t.ixl"

enum ixa_virtual_mode { IXA_VIRTUAL_MOUNTED, IXA_VIRTUAL_TRACKED, IXA_VIRTUAL_OFF };
/* What is recorded beside the stacks. */
struct ixa_wanted_facts {
    bool locks, exceptions, process;
};

/* A field that is empty or 0 was not given. */
struct ixa_options {
    char host[IXA_HOST_MAX + 1];
    uint16_t port;
    char role[IX_NAME_MAX + 1];
    char execution[IX_NAME_MAX + 1];
    char log[IX_PATH_MAX + 1];
    bool has_key;
    struct ix_key key;
    char cert[IX_PATH_MAX + 1], certkey[IX_PATH_MAX + 1], ca[IX_PATH_MAX + 1];
    bool suspend;
    bool walk_all;
    bool verify; /* verify=on, for tests only: proves what walk=changed would have reused */
    uint32_t depth;
    /* testclock=[+-]DURATION[/[+-]Nppm], for tests only: the JVM seems to be on another host, whose
     * monotonic clock is so far ahead and so much faster (clock.h). */
    int64_t testclock_ns, testclock_ppb;
    bool upload_never;
    uint32_t upload_ms;
    char machine[IX_MACHINE_MAX + 1]; /* machine=..., for tests only: pretends to be another one */
    /* Errands of one attach, hidden: detach=now, and the file for the answer (answer.h). */
    bool detach;
    char answer[IX_PATH_MAX + 1];
    uint64_t memory, maxlog; /* bytes */
    enum ixa_virtual_mode virtual_mode;
    uint32_t virtual_limit; /* if tracked */
    struct ixa_wanted_facts facts;
};

/* Sets what `text` (may be NULL) names and leaves the other options alone, so that a second options
 * string overrides the first one key by key. -1 on an unknown key or a bad value. */
int ixa_options_parse(struct ixa_options *o, const char *text, struct ix_error *err);

/* Fills what was not given. Server: IXOR_SERVER, else 127.0.0.1 and the default port. Role:
 * `role_property` (-Dixor.role), else IXOR_ROLE, else the simple name of the main class in
 * `command` (the property sun.java.command), else "java". Execution: IXOR_EXECUTION. Both strings
 * may be NULL. -1 if one of these values is bad. */
int ixa_options_complete(struct ixa_options *o, const char *role_property, const char *command,
                         struct ix_error *err);

/* Both complete: what they say goes into the same log, since server, role, execution and log are
 * the same. */
bool ixa_options_same_log(const struct ixa_options *a, const struct ixa_options *b);

#endif
