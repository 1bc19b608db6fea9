/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/text_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "schema/base/grow.h"

/* Makes room for `size` more bytes and the one that terminates the text. */
static int reserve(struct ix_text *t, size_t size)
{
    size_t need;
    char *text = __builtin_add_overflow(t->size, size, &need) || need == SIZE_MAX
                     ? NULL
                     : ix_grow(t->text, &t->cap, need + 1, 1);
    if (!text)
        return -1;
    t->text = text;
    return 0;
}

static ssize_t append(void *cookie, const char *bytes, size_t size)
{
    struct ix_text *t = cookie;
    if (t->failed || reserve(t, size) != 0) {
        t->failed = true;
        return 0; /* the error that the stream keeps */
    }
    memcpy(t->text + t->size, bytes, size);
    t->size += size;
    return (ssize_t)size;
}

int ix_text_open(struct ix_text *t)
{
    *t = (struct ix_text){0};
    if (reserve(t, 0) == 0)
        t->out = fopencookie(t, "w", (cookie_io_functions_t){.write = append});
    if (t->out)
        return 0;
    free(t->text);
    t->text = NULL;
    return -1;
}

size_t ix_text_length(struct ix_text *t)
{
    fflush(t->out); /* an error stays until the end */
    return t->size;
}

char *ix_text_close(struct ix_text *t)
{
    const bool closed = fclose(t->out) == 0;
    t->out = NULL;
    if (closed && !t->failed) {
        t->text[t->size] = '\0';
        return t->text;
    }
    free(t->text);
    t->text = NULL;
    return NULL;
}
