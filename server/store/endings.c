/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/endings.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/protocol/protocol.h"
#include "server/base/units.h"

static const struct {
    const char *ended, *words;
} endings[] = {
    {"running", "running"},
    {"orderly", "ended orderly"},
    {"silent", "silent"},
    {"log-failed", "stopped logging"},
    {"server-stopped", "still running when the server stopped"},
    {"imported", "imported"},
};

/* The server records "since packet N" with it (session.c). */
static void silent(const struct ix_vm *vm, const char *more, char *text, size_t size)
{
    snprintf(text, size, "silent%s%s%s",
             strncmp(more, "since", 5) == 0 ? " "
             : more[0]                      ? ": "
                                            : "",
             more, vm->ended_ns ? "" : ", still connected");
}

void ixor_ending_words(const struct ix_vm *vm, int64_t last_packet, char *text, size_t size)
{
    char more[IX_REASON_MAX + 1];
    const char *words = vm->ended;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(endings[i].ended, vm->ended) == 0)
            words = endings[i].words;
    }
    ixor_safe_text(vm->ended_text ? vm->ended_text : "", more, sizeof more);
    if (strcmp(vm->ended, "silent") == 0)
        silent(vm, more, text, size);
    else if (!last_packet && strcmp(vm->ended, "vanished") == 0)
        snprintf(text, size, "too short for a packet: vanished%s%s", more[0] ? ": " : "", more);
    else if (!last_packet && strcmp(vm->ended, "orderly") == 0)
        snprintf(text, size, "too short for a packet: ended orderly%s%s%s", more[0] ? " (" : "",
                 more, more[0] ? ")" : "");
    else if (strcmp(vm->ended, "vanished") == 0)
        snprintf(text, size, "vanished after packet %lld: %s", (long long)last_packet,
                 more[0] ? more : "crash, kill -9 or a broken network");
    else
        snprintf(text, size, "%s%s%s%s", words, more[0] ? " (" : "", more, more[0] ? ")" : "");
}

bool ixor_log_words(const struct ix_vm *vm, char *text, size_t size)
{
    char path[IX_PATH_MAX + 1], host[IX_NAME_MAX + 1];
    if (strcmp(vm->ended, "running") == 0)
        return false;
    ixor_safe_text(vm->log_there, path, sizeof path);
    ixor_safe_text(vm->host, host, sizeof host);
    const bool readable = access(vm->log, R_OK) == 0;
    if (strcmp(vm->log_state, "partial") == 0)
        snprintf(text, size, "a part of the log is here; all of it was on %s: %s", host, path);
    else if (strcmp(vm->log_state, "lost") == 0)
        snprintf(text, size, "the log is lost; it was on %s: %s", host, path);
    else if (!readable)
        snprintf(text, size, "the log is not here; it was on %s: %s", host, path);
    else if (vm->log_whole == 0)
        snprintf(text, size, "the log ends in the middle of a record");
    else
        return false;
    return true;
}
