/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/baseline/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/baseline/baseline.h"
#include "schema/tracelog/tracelog.h"

/* "a.ixl", "a.ixl.12" */
static bool is_log(const char *name, size_t len)
{
    const size_t suffix = sizeof IX_LOG_SUFFIX - 1;
    size_t digits = 0;
    while (digits < len && name[len - digits - 1] >= '0' && name[len - digits - 1] <= '9')
        digits++;
    if (digits && digits < len && name[len - digits - 1] == '.')
        len -= digits + 1;
    return len >= suffix && memcmp(name + len - suffix, IX_LOG_SUFFIX, suffix) == 0;
}

bool baseline_name_is_valid(const char *name)
{
    static const char runs[] = "runs/";
    const size_t len = strlen(name);
    if (strcmp(name, "campaign.db") == 0)
        return true;
    if (len > BASELINE_NAME || strncmp(name, runs, sizeof runs - 1) != 0 || !is_log(name, len) ||
        !text_plain((struct ix_span){name, len}))
        return false;
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        const size_t part = strcspn(at, "/");
        if (!part || (part <= 2 && strspn(at, ".") >= part))
            return false;
    }
    return true;
}

int baseline_room(struct roxi_staging *staging, struct ix_error *err)
{
    const char *place = getenv("TMPDIR");
    char *target;
    if (asprintf(&target, "%s/baseline", place && *place ? place : "/tmp") < 0)
        return ix_fail(err, "out of memory");
    const int result = roxi_staging_make(staging, target, err);
    free(target);
    return result;
}
