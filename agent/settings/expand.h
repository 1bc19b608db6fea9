/* SPDX-License-Identifier: Apache-2.0 */
/* Expands the pattern of the trace log's path. */
#ifndef IX_AGENT_EXPAND_H
#define IX_AGENT_EXPAND_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "schema/base/error.h"

struct ixa_expand {
    uint32_t pid;          /* %p */
    const char *role;      /* %r */
    const char *execution; /* %e; empty: "current" */
    const char *host;      /* %h */
    time_t started;        /* %t: as 20261121T060102, UTC */
};

/* -1 if `pattern` contains an unknown sequence, which is an error wherever it is used. */
int ixa_expand_check(const char *pattern, struct ix_error *err);

/* Expands `pattern` into `path` (size bytes, terminated), with %{NAME} for environment variables
 * and %% for a percent sign, and makes it absolute with the working directory. Role, run and host
 * each become one path component: blanks, '/', control characters and a leading '.' become '_'. -1
 * on an unknown sequence, an unset variable, or a path that does not fit. */
int ixa_expand_path(char *path, size_t size, const char *pattern, const struct ixa_expand *values,
                    struct ix_error *err);

/* Inserts "-NUMBER" before the path's extension (size bytes). -1 if it does not fit. */
int ixa_numbered_path(char *path, size_t size, uint64_t number);

/* Changes the path (size bytes) of an existing file into an unused one, by inserting "-2", "-3" and
 * so on before its extension. -1 if a thousand exist, or it does not fit. */
int ixa_unused_path(char *path, size_t size);

#endif
