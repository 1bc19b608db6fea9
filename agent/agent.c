/* The agent's ways in and out of the JVM. */
#include "agent/agent.h"

#include <stdio.h>

#include "agent/clock.h"
#include "agent/identity.h"

static struct {
    struct ixa_options given; /* by all options strings so far */
    int64_t started_ns;       /* 0: this is the first mention */
} agent;

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm);

static int load(JavaVM *vm, const char *options, struct ix_error *err)
{
    struct ixa_settings settings;
    if (!agent.started_ns)
        agent.started_ns = ixa_real_ns();
    if ((!ixa_events_env() && ixa_events_open(vm, err) != 0) ||
        ixa_options_parse(&agent.given, options, err) != 0 ||
        ixa_identify(ixa_events_env(), &agent.given, agent.started_ns, &settings.options,
                     &settings.who, err) != 0)
        return -1;
    ixa_life_set(&settings);
    return 0;
}

/* Called once for each mention of the agent (JAVA_TOOL_OPTIONS, command line): there is one agent,
 * and the later mention's options override the earlier one's key by key. */
jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    struct ix_error err;
    (void)reserved;
    if (load(vm, options, &err) == 0)
        return JNI_OK;
    fprintf(stderr, "ixor: %s\n", err.text);
    return JNI_ERR;
}

/* Everything has been ended by VMDeath, or the JVM never lived. */
void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
}
