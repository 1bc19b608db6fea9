/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int dump_lines_open(struct dump_lines *l, FILE *in, const char *name, uint64_t offset,
                    uint64_t number, struct ix_error *err)
{
    *l = (struct dump_lines){.in = in, .name = name, .number = number - 1, .next = offset};
    if (offset > INT64_MAX || fseeko(in, (off_t)offset, SEEK_SET) != 0)
        return ix_fail(err, "cannot read '%s': %s", name, strerror(errno));
    l->text = malloc(DUMP_LINE_MAX + 1);
    return l->text ? 0 : ix_fail(err, "out of memory");
}

void dump_lines_close(struct dump_lines *l)
{
    free(l->text);
    l->text = NULL;
}

/* The length of a time as in 2026-11-22T12:00:00.1234567Z with the blank behind it; 0: there is
 * none. */
static size_t stamp_length(const char *text)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd";
    size_t at = 0;
    for (; shape[at]; at++)
        if (shape[at] == 'd' ? !isdigit((unsigned char)text[at]) : text[at] != shape[at])
            return 0;
    if (text[at] == '.')
        at += 1 + strspn(text + at + 1, "0123456789");
    return text[at] == 'Z' && text[at + 1] == ' ' ? at + 2 : 0;
}

/* Reads up to the end of the line; returns how many bytes of it were kept. */
static size_t read_line(struct dump_lines *l)
{
    size_t len = 0;
    int c;
    while ((c = getc_unlocked(l->in)) != EOF) {
        l->next++;
        if (c == '\n') {
            l->whole = true;
            break;
        }
        if (len < DUMP_LINE_MAX)
            l->text[len++] = (char)(c ? c : ' ');
    }
    return len;
}

int dump_lines_next(struct dump_lines *l, struct ix_span *line, struct ix_error *err)
{
    l->offset = l->next;
    l->whole = false;
    size_t len = read_line(l);
    if (ferror(l->in))
        return ix_fail(err, "cannot read '%s': %s", l->name, strerror(errno));
    if (l->next == l->offset)
        return 0;
    l->number++;
    while (len && l->text[len - 1] == '\r')
        len--;
    l->text[len] = '\0';
    /* A byte order mark, as PowerShell writes. */
    const size_t mark = l->offset == 0 && strncmp(l->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const size_t before = mark + stamp_length(l->text + mark);
    *line = (struct ix_span){l->text + before, len - before};
    return 1;
}
