/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/html.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/report/svg.h"

void roxi_html_text(struct roxi_html *h, char *text)
{
    if (text)
        roxi_svg_escape(h->out, text, 0);
    else
        h->failed = true;
    free(text);
}

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        count++;
    return count;
}

void roxi_html_lines(struct roxi_html *h, char *text, size_t most)
{
    h->failed = h->failed || !text;
    size_t written = 0;
    char *line = text;
    for (char *end; line && *line && (!most || written < most); line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        roxi_svg_escape(h->out, line, 0);
        putc('\n', h->out);
        written++;
    }
    if (line && *line)
        fprintf(h->out, "and %zu more lines\n", count_lines(line));
    free(text);
}

void roxi_html_close(struct roxi_html *h, struct ix_text *t)
{
    roxi_html_text(h, ix_text_close(t));
}

void roxi_html_name(FILE *out, const char *name)
{
    roxi_svg_escape(out, name, 0);
}

void roxi_html_address(FILE *out, const char *name)
{
    for (const char *c = name; *c; c++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", *c))
            putc(*c, out);
        else
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*c);
}
