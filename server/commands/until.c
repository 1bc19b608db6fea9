/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/until.h"

#include <stdio.h>
#include <string.h>

#include "server/base/units.h"

#define FAILED_MAX 1000000u

int ixor_until_parse(const char *text, struct ixor_until *until, struct ix_error *err)
{
    static const char end[] = "-failed";
    char count[24];
    const size_t len = strlen(text), tail = sizeof end - 1;
    *until = (struct ixor_until){0};
    if (strcmp(text, end + 1) == 0) {
        until->failed = 1;
        return 0;
    }
    if (len > tail && len - tail < sizeof count && strcmp(text + len - tail, end) == 0) {
        snprintf(count, sizeof count, "%.*s", (int)(len - tail), text);
        return ixor_parse_count(count, 1, FAILED_MAX, &until->failed, err);
    }
    if (ixor_parse_duration(text, &until->ns, NULL) == 0 && until->ns)
        return 0;
    return ix_fail(err, "'%s': expected failed, N-failed as in 3-failed, or a time as in 30m",
                   text);
}

bool ixor_until_given(const struct ixor_until *until)
{
    return until->failed || until->ns;
}

bool ixor_until_reached(const struct ixor_until *until, uint64_t failed, uint64_t elapsed_ns)
{
    return (until->failed && failed >= until->failed) || (until->ns && elapsed_ns >= until->ns);
}
