/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/screen.h"

#include <stdlib.h>

#include "roxi/base/text_wrap.h"
#include "roxi/explain/words.h"

/* Of so many findings how many are shown. */
static size_t shown(size_t count, bool all)
{
    return all || count < ROXI_FIRST_FINDINGS ? count : ROXI_FIRST_FINDINGS;
}

int roxi_close_item(FILE *out, const char *begin, struct ix_text *t)
{
    enum { INDENT = 4 };
    fputs(begin, out);
    return roxi_close_wrapped(out, t,
                              (struct roxi_wrap){.indent = INDENT, .used = INDENT, .whole = true});
}

/* To be freed; NULL: memory ran out. */
static char *written(roxi_write_findings *write, const void *what, size_t findings, uint32_t frames,
                     size_t *size)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    const int result = write(t.out, what, findings, frames);
    char *text = ix_text_close(&t);
    *size = t.size;
    if (result == 0)
        return text;
    free(text);
    return NULL;
}

int roxi_print_findings(FILE *out, roxi_write_findings *write, const void *what, size_t count,
                        bool all)
{
    const size_t most = all ? SIZE_MAX : ROXI_SCREEN_TEXT;
    size_t findings = shown(count, all);
    uint32_t frames = ROXI_PATH_MOST;
    size_t size;
    char *text = written(write, what, findings, frames, &size);
    while (text && size > most && (frames > ROXI_PATH_LEAST || findings > 1)) {
        free(text);
        if (frames > ROXI_PATH_LEAST)
            frames--;
        else
            findings--;
        text = written(write, what, findings, frames, &size);
    }
    if (!text)
        return -1;
    fwrite(text, 1, size, out);
    free(text);
    return 0;
}

int roxi_print_markdown(FILE *out, roxi_write_findings *write, const void *what, size_t count,
                        bool all)
{
    size_t size;
    char *text = written(write, what, shown(count, all), ROXI_PATH_MOST, &size);
    for (const char *c = text; c && *c; c++)
        putc(*c == ROXI_TICK[0] ? '`' : *c == '`' ? '\'' : *c, out);
    free(text);
    return text ? 0 : -1;
}
