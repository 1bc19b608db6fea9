/* Makes the trace log's path out of its pattern. */
#ifndef IX_AGENT_EXPAND_H
#define IX_AGENT_EXPAND_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "schema/error.h"

struct ixa_expand {
    uint32_t pid;          /* %p */
    const char *role;      /* %r */
    const char *execution; /* %e; empty: "current" */
    const char *host;      /* %h */
    time_t started;        /* %t: as 20261121T060102, UTC */
};

/* Expands `pattern` into `path` (size bytes, terminated), with %{NAME} for environment variables
 * and %% for a percent sign, and makes it absolute with the working directory. Role, execution and
 * host become one name each: blanks, '/', control characters and a leading '.' turn into '_'.
 * -1 on a sequence that is not known, an unset variable, or a path that does not fit. */
int ixa_expand_path(char *path, size_t size, const char *pattern, const struct ixa_expand *values,
                    struct ix_error *err);

/* Changes the path (size bytes) of a file that is there into one that is not, by "-2", "-3" and so
 * on before its ending. -1 if there are a thousand, or it does not fit. */
int ixa_unused_path(char *path, size_t size);

#endif
