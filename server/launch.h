/* The environment that puts the agent into every JVM that a command starts. */
#ifndef IXOR_LAUNCH_H
#define IXOR_LAUNCH_H

#include "schema/error.h"

struct ixor_launch {
    const char *agent;     /* absolute path of libixor.so */
    const char *server;    /* "HOST:PORT" */
    const char *key;       /* the agents', as text; reaches them through the environment alone */
    const char *execution;
    const char *run_dir;   /* absolute */
    unsigned long run;     /* number of the run, from 1 */
};

/* A copy of `base` (as environ) with JAVA_TOOL_OPTIONS extended (what was there comes first) and
 * IXOR_EXECUTION, IXOR_RUN, IXOR_RUN_DIR, IXOR_SERVER and IXOR_KEY set. The run's directory reaches the agent
 * through the environment, so that it may hold commas and blanks. NULL on failure; else
 * ixor_launch_free releases it. */
char **ixor_launch_environment(const struct ixor_launch *l, char *const base[],
                               struct ix_error *err);
void ixor_launch_free(char **environment);

/* The -agentpath word for a java command line; its caller frees it. NULL on failure: out of memory,
 * or a path that JAVA_TOOL_OPTIONS cannot hold. quoted: for JAVA_TOOL_OPTIONS, where blanks need
 * quotes. */
char *ixor_agent_word(const char *agent, const char *options, int quoted, struct ix_error *err);

#endif
