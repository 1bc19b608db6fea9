/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/thread_state.h"

#include <stddef.h>

static const struct state_words {
    uint32_t bits; /* all of them are set */
    const char *words;
} states[] = {
    /* The first match is used. */
    {IX_THREAD_TERMINATED, "TERMINATED"},
    {IX_THREAD_BLOCKED, "BLOCKED (on object monitor)"},
    {IX_THREAD_RUNNABLE, "RUNNABLE"},
    {IX_THREAD_SLEEPING, "TIMED_WAITING (sleeping)"},
    {IX_THREAD_OBJECT_WAIT | IX_THREAD_WITH_TIMEOUT, "TIMED_WAITING (on object monitor)"},
    {IX_THREAD_PARKED | IX_THREAD_WITH_TIMEOUT, "TIMED_WAITING (parked)"},
    {IX_THREAD_WAITING | IX_THREAD_WITH_TIMEOUT, "TIMED_WAITING"},
    {IX_THREAD_OBJECT_WAIT, "WAITING (on object monitor)"},
    {IX_THREAD_PARKED, "WAITING (parked)"},
    {IX_THREAD_WAITING, "WAITING"},
    {IX_THREAD_ALIVE, "ALIVE"},
    {0, "NEW"},
};

const char *ix_thread_state_words(uint32_t state)
{
    size_t i = 0;
    while ((state & states[i].bits) != states[i].bits)
        i++;
    return states[i].words;
}
