/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/text_wrap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "schema/base/terminal.h"

static size_t screen_columns = IX_SCREEN_COLUMNS;

void roxi_wrap_at(size_t columns)
{
    screen_columns = columns;
}

size_t roxi_wrap_columns(void)
{
    return screen_columns;
}

struct piece {
    size_t bytes, columns;
};

/* Where the next word ends: a number and its " %" are one. */
static size_t word_length(const char *text)
{
    const size_t len = strcspn(text, " ");
    const bool number = len && text[len - 1] >= '0' && text[len - 1] <= '9';
    return number && strncmp(text + len, " %", 2) == 0 ? len + 1 + strcspn(text + len + 1, " ")
                                                       : len;
}

/* The next word, or as much of it as fits into `room` columns. */
static struct piece next_word(const char *text, size_t room)
{
    struct piece p = {0};
    const size_t len = word_length(text);
    while (p.bytes < len) {
        const size_t size = text_utf8_length(text + p.bytes, len - p.bytes);
        const size_t columns = size > 2 ? 2 : 1;
        if (p.columns + columns > room)
            break;
        p.bytes += size ? size : 1;
        p.columns += columns;
    }
    return p;
}

void roxi_print_wrapped(FILE *out, const char *text, struct roxi_wrap w)
{
    const size_t longest = w.whole ? SIZE_MAX : screen_columns - w.indent - 4;
    size_t column = w.used, lines = 1;
    bool first = true;
    while (*(text += strspn(text, " "))) {
        const struct piece word = next_word(text, longest);
        const bool alone = w.whole && first && column <= w.indent;
        /* The last line keeps room for " ...". */
        const bool last = w.lines && lines == w.lines;
        const size_t room = screen_columns - (last && text[word.bytes] ? 4 : 0);
        if (column + !first + word.columns > room && !alone) {
            if (last) {
                fputs(" ...", out);
                return;
            }
            fprintf(out, "\n%*s", (int)w.indent, "");
            column = w.indent;
            first = true;
            lines++;
            continue;
        }
        if (!first)
            putc(' ', out);
        fwrite(text, 1, word.bytes, out);
        column += word.columns + !first;
        first = text[word.bytes] && text[word.bytes] != ' '; /* a word that goes on */
        text += word.bytes;
    }
}

int roxi_close_wrapped(FILE *out, struct ix_text *t, struct roxi_wrap w)
{
    char *text = ix_text_close(t);
    if (!text)
        return -1;
    roxi_print_wrapped(out, text, w);
    putc('\n', out);
    free(text);
    return 0;
}

void roxi_print_lines(FILE *out, char *text)
{
    enum { FURTHER = 4 };
    const size_t deepest = screen_columns / 2;
    for (char *line = text, *next; *line; line = next) {
        const size_t blanks = strspn(line, " ");
        char *end = line + strcspn(line, "\n");
        next = *end ? end + 1 : end;
        *end = '\0';
        fprintf(out, "%*s", (int)blanks, "");
        roxi_print_wrapped(
            out, line,
            (struct roxi_wrap){.indent = (blanks < deepest ? blanks : deepest) + FURTHER,
                               .used = blanks,
                               .whole = true});
        putc('\n', out);
    }
}
