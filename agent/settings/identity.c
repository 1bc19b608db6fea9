/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/settings/identity.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/base/utf8.h"
#include "agent/settings/expand.h"
#include "schema/protocol/machine.h"

/* The property's value, NULL if there is none. The caller deallocates it. */
static char *property(jvmtiEnv *ti, const char *name)
{
    char *value = NULL;
    return (*ti)->GetSystemProperty(ti, name, &value) == JVMTI_ERROR_NONE ? value : NULL;
}

static void deallocate(jvmtiEnv *ti, char *value)
{
    if (value)
        (*ti)->Deallocate(ti, (unsigned char *)value);
}

/* JVM, runtime and operating system. The class library's properties (os.name) do not exist yet in
 * OnLoad, so the kernel's names are used. */
static void describe_jvm(jvmtiEnv *ti, char *out, size_t size)
{
    char *name = property(ti, "java.vm.name"), *version = property(ti, "java.vm.version");
    char *vendor = property(ti, "java.vm.vendor"), *info = property(ti, "java.vm.info");
    struct utsname os;
    if (uname(&os) != 0)
        memset(&os, 0, sizeof os);
    snprintf(out, size, "%s %s, %s (%s), %s %s %s", name ? name : "unknown VM",
             version ? version : "", vendor ? vendor : "unknown vendor", info ? info : "",
             os.sysname, os.release, os.machine);
    deallocate(ti, name);
    deallocate(ti, version);
    deallocate(ti, vendor);
    deallocate(ti, info);
}

int ixa_identify(jvmtiEnv *ti, const struct ixa_options *given, int64_t started_ns,
                 struct ixa_settings *settings, struct ix_error *err)
{
    struct ixa_options *all = &settings->options;
    struct ix_hello *who = &settings->who;
    char *role = property(ti, "ixor.role"), *command = property(ti, "sun.java.command");
    *all = *given;
    settings->test = 0;
    settings->paused = given->tests;
    int status = ixa_options_complete(all, role, command, err);
    deallocate(ti, role);
    deallocate(ti, command);
    if (status != 0)
        return -1;
    ixa_clean_utf8(all->role, sizeof all->role);
    ixa_clean_utf8(all->execution, sizeof all->execution);
    *who = (struct ix_hello){.pid = (uint32_t)getpid(), .started_ns = (uint64_t)started_ns};
    memcpy(who->role, all->role, sizeof who->role);
    memcpy(who->execution, all->execution, sizeof who->execution);
    if (gethostname(who->host, sizeof who->host - 1) != 0)
        who->host[0] = 0;
    describe_jvm(ti, who->jvm, sizeof who->jvm);
    if (all->machine[0])
        memcpy(who->machine, all->machine, sizeof who->machine);
    else
        ix_machine_name(who->machine);
    const struct ixa_expand values = {
        .pid = who->pid,
        .role = who->role,
        .execution = who->execution,
        .host = who->host,
        .started = (time_t)(started_ns / 1000000000),
    };
    if (ixa_expand_path(who->log, sizeof who->log, all->log, &values, err) != 0)
        return ix_fail_in(err, "option 'log'");
    return 0;
}

int64_t ixa_started_ns(void)
{
    char text[1024] = "";
    unsigned long long ticks = 0; /* since the kernel's start */
    FILE *f = fopen("/proc/self/stat", "re");
    const char *at = f && fgets(text, sizeof text, f) ? strrchr(text, ')') : NULL;
    if (f)
        fclose(f);
    /* The 22nd field; the 2nd is a name in parentheses that may contain anything. */
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    const long per_second = sysconf(_SC_CLK_TCK);
    const int64_t now = ix_real_ns(), up = ix_clock_ns(CLOCK_BOOTTIME);
    if (!at || sscanf(at, " %llu", &ticks) != 1 || per_second <= 0)
        return now;
    const int64_t age = up - (int64_t)(ticks * (1000000000ull / (unsigned long)per_second));
    return age > 0 ? now - age : now;
}
