/* SPDX-License-Identifier: Apache-2.0 */
#include "server/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL_OPTIONS "JAVA_TOOL_OPTIONS"

char *ixor_agent_word(const char *agent, const char *options, int quoted, struct ix_error *err)
{
    /* The JVM cuts -agentpath:PATH=OPTIONS at the first '='. */
    if (strchr(agent, '=')) {
        ix_fail(err,
                "the agent's path '%s' has a '=' in it, which java's -agentpath cannot hold; "
                "copy libixor.so elsewhere and use --agent",
                agent);
        return NULL;
    }
    const char *quote = "";
    if (quoted && strpbrk(agent, " \t\n'\"")) {
        /* JAVA_TOOL_OPTIONS knows both kinds of quotes and no escapes. */
        quote = strchr(agent, '"') ? "'" : "\"";
        if (strchr(agent, *quote)) {
            ix_fail(err,
                    "the agent's path '%s' has both kinds of quotes in it, which "
                    "JAVA_TOOL_OPTIONS cannot hold; use --agent",
                    agent);
            return NULL;
        }
    }
    char *word;
    if (asprintf(&word, "%s-agentpath:%s=%s%s", quote, agent, options, quote) < 0) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    return word;
}

static int is_named(const char *entry, const char *name)
{
    size_t len = strlen(name);
    return strncmp(entry, name, len) == 0 && entry[len] == '=';
}

static char *tool_options(const struct ixor_launch *l, const char *before, struct ix_error *err)
{
    char *options, *entry = NULL;
    if (asprintf(&options, "server=%s,log=%%{IXOR_RUN_DIR}/%%r-%%p%s," IXOR_FACTS "%s", l->server,
                 l->execution ? ".ixl" : "-%t.ixl,runs=tests",
                 l->no_coverage ? "" : IXOR_COVERAGE) < 0) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    char *word = ixor_agent_word(l->agent, options, 1, err);
    if (word && asprintf(&entry, TOOL_OPTIONS "=%s%s%s", before, *before ? " " : "", word) < 0) {
        entry = NULL;
        ix_fail(err, "out of memory");
    }
    free(options);
    free(word);
    return entry;
}

static char *variable(const char *name, const char *value)
{
    char *entry;
    return asprintf(&entry, "%s=%s", name, value) < 0 ? NULL : entry;
}

char **ixor_launch_environment(const struct ixor_launch *l, char *const base[],
                               struct ix_error *err)
{
    static const char *const ours[] = {TOOL_OPTIONS,    "IXOR_EXECUTION", "IXOR_RUN",
                                       "IXOR_RUN_DIR",  "IXOR_SERVER",    "IXOR_KEY",
                                       "IXOR_JUNIT_JAR"};
    enum { OURS = sizeof ours / sizeof ours[0] };
    size_t count = 0, used = 0;
    while (base[count])
        count++;
    char **environment = calloc(count + OURS + 1, sizeof *environment);
    if (!environment)
        goto out_of_memory;

    const char *before = "";
    for (size_t i = 0; i < count; i++) {
        size_t o = 0;
        while (o < OURS && !is_named(base[i], ours[o]))
            o++;
        if (o == 0)
            before = base[i] + strlen(TOOL_OPTIONS "=");
        if (o < OURS)
            continue;
        environment[used] = strdup(base[i]);
        if (!environment[used++])
            goto out_of_memory;
    }
    char run[24];
    snprintf(run, sizeof run, "%lu", l->run);
    const char *values[OURS] = {NULL,      l->execution, run,         l->run_dir,
                                l->server, l->key,       l->junit_jar};
    for (size_t o = 1; o < OURS; o++) {
        if (!values[o])
            continue;
        environment[used] = variable(ours[o], values[o]);
        if (!environment[used++])
            goto out_of_memory;
    }
    environment[used] = tool_options(l, before, err);
    if (environment[used])
        return environment;
    ixor_launch_free(environment);
    return NULL;

out_of_memory:
    ixor_launch_free(environment);
    ix_fail(err, "out of memory");
    return NULL;
}

void ixor_launch_free(char **environment)
{
    if (!environment)
        return;
    for (char **at = environment; *at; at++)
        free(*at);
    free(environment);
}
