/* SPDX-License-Identifier: Apache-2.0 */
/* The environment that puts the agent into every JVM that a command starts. */
#ifndef IXOR_LAUNCH_H
#define IXOR_LAUNCH_H

#include <stdbool.h>

#include "schema/base/error.h"

struct ixor_launch {
    const char *agent;     /* absolute path of libixor.so */
    const char *server;    /* "HOST:PORT" */
    const char *key;       /* the agent key as text; passed only through the environment */
    const char *execution; /* NULL: each JUnit test is a run */
    const char *run_dir;   /* absolute */
    unsigned long run;     /* number of the run, from 1 */
    const char *junit_jar; /* absolute path of ixor-junit.jar; NULL unless tests are runs */
    bool no_coverage;
};

/* What JVMs record besides the agent's defaults: what costs little. A stop takes about 2 ms longer
 * with as many virtual threads. What a JVM's own command line says comes later and counts. */
#define IXOR_FACTS                                                                                 \
    "locks=on,connections=on,process=on,exceptions=first,invocations=on,virtual=tracked:256"
/* ... and by ixor run. A program that is busy all the time takes about 15 % more of the
 * processor with it (agent/README.md). */
#define IXOR_COVERAGE ",coverage=on"

/* A copy of `base` (as environ) with the agent appended to JAVA_TOOL_OPTIONS and IXOR_EXECUTION,
 * IXOR_RUN, IXOR_RUN_DIR, IXOR_SERVER, IXOR_KEY and IXOR_JUNIT_JAR set, or not there. The run's
 * directory is passed through the environment because it may contain commas and blanks. NULL on
 * failure; else ixor_launch_free releases it. */
char **ixor_launch_environment(const struct ixor_launch *l, char *const base[],
                               struct ix_error *err);
void ixor_launch_free(char **environment);

/* The -agentpath argument for a java command line; the caller frees it. NULL on failure: out of
 * memory, or a path that JAVA_TOOL_OPTIONS cannot hold. quoted: for JAVA_TOOL_OPTIONS, where blanks
 * need quotes. */
char *ixor_agent_word(const char *agent, const char *options, int quoted, struct ix_error *err);

#endif
