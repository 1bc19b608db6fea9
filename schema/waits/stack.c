/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/waits/stack.h"

#include <string.h>

struct place {
    const char *class, *method;
};

static struct place place_of(const struct ix_log_reader *log, uint32_t stack)
{
    const struct ix_frame frame = ix_log_frame_at(log, ix_log_stack_frame(log, stack));
    const struct ix_method method = ix_log_method_at(log, frame.method);
    return (struct place){ix_log_class_at(log, method.class_number).name, method.name};
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* True if one of the frames is of this class and method; method NULL: of any. */
static bool contains(const struct ix_log_reader *log, uint32_t stack, const struct place *wanted,
                     size_t count)
{
    for (; stack > IX_STACK_CUT; stack = ix_log_stack_parent(log, stack)) {
        const struct place at = place_of(log, stack);
        for (size_t i = 0; i < count; i++)
            if (strcmp(at.class, wanted[i].class) == 0 &&
                (!wanted[i].method || strcmp(at.method, wanted[i].method) == 0))
                return true;
    }
    return false;
}

#define CONTAINS(log, stack, places) contains(log, stack, places, sizeof(places) / sizeof *(places))

const char *waits_stack_class(const struct ix_log_reader *log, uint32_t stack)
{
    static const char *const parking[] = {
        "jdk.internal.misc.Unsafe",
        "sun.misc.Unsafe",
        "java.util.concurrent.locks.LockSupport",
        "java.util.concurrent.locks.AbstractQueued",
        "java.util.concurrent.ForkJoinPool",
        "java.lang.VirtualThread",
        "java.lang.System$",
        "jdk.internal.vm.",
    };
    for (; stack > IX_STACK_CUT; stack = ix_log_stack_parent(log, stack)) {
        const char *class = place_of(log, stack).class;
        size_t i = 0;
        while (i < sizeof parking / sizeof *parking && !begins(class, parking[i]))
            i++;
        if (i == sizeof parking / sizeof *parking)
            return class;
    }
    return NULL;
}

const char *waits_stack_word(const char *class)
{
    if (class && (strstr(class, "Queue") || strstr(class, "Deque")))
        return "queue";
    return class && strstr(class, "Future") ? "future" : "park";
}

bool waits_stack_idle(const struct ix_log_reader *log, uint32_t stack)
{
    static const struct place idle[] = {
        {"java.util.concurrent.ThreadPoolExecutor", "getTask"},
        {"java.util.concurrent.ForkJoinPool", "awaitWork"},
        {"java.util.TimerThread", "mainLoop"},
    };
    return CONTAINS(log, stack, idle);
}

bool waits_stack_joins(const struct ix_log_reader *log, uint32_t stack)
{
    static const struct place joins[] = {{"java.lang.Thread", "join"}};
    return CONTAINS(log, stack, joins);
}

bool waits_stack_accepts(const struct ix_log_reader *log, uint32_t stack)
{
    static const struct place accepts[] = {
        {"java.net.ServerSocket", "accept"},
        {"sun.nio.ch.ServerSocketChannelImpl", "accept"},
    };
    return CONTAINS(log, stack, accepts);
}

bool waits_stack_selects(const struct ix_log_reader *log, uint32_t stack)
{
    static const struct place selects[] = {{"sun.nio.ch.SelectorImpl", NULL}};
    return CONTAINS(log, stack, selects);
}

bool waits_stack_virtual(const struct ix_log_reader *log, uint32_t stack)
{
    static const struct place virtual[] = {
        {"jdk.internal.vm.Continuation", NULL},
        {"sun.nio.ch.Poller", NULL},
        {"java.lang.VirtualThread", NULL},
    };
    return CONTAINS(log, stack, virtual);
}
