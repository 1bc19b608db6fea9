/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/text_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

enum { FILE_MAX = 64 << 20, CHUNK = 1 << 16 };

/* The text, terminated; to be freed. */
static char *read_text(const char *path, size_t *len, struct ix_error *err)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t cap = 0, got = 1;
    *len = 0;
    while (file && got && *len <= FILE_MAX) {
        char *more = ix_grow(text, &cap, *len + CHUNK + 1, 1);
        if (!more) {
            ix_fail(err, "out of memory");
            break;
        }
        text = more;
        *len += got = fread(text + *len, 1, CHUNK, file);
        text[*len] = '\0';
    }
    const bool whole = file && text && got == 0 && !ferror(file);
    if (!file || ferror(file))
        ix_fail(err, "cannot read '%s': %s", path, strerror(errno));
    else if (*len > FILE_MAX)
        ix_fail(err, "'%s' is longer than %d bytes", path, FILE_MAX);
    if (file)
        fclose(file);
    if (whole)
        return text;
    free(text);
    return NULL;
}

static int add_field(struct roxi_text_table *t, size_t *count, size_t *cap, char *field)
{
    char **fields = ix_grow(t->fields, cap, *count + 1, sizeof *fields);
    if (!fields)
        return -1;
    t->fields = fields;
    fields[(*count)++] = field;
    return 0;
}

/* Cuts a terminated line into fields. */
static int split_line(struct roxi_text_table *t, char *line, size_t *count, size_t *cap)
{
    for (;;) {
        char *tab = strchr(line, '\t');
        if (add_field(t, count, cap, line) != 0)
            return -1;
        if (!tab)
            return 0;
        *tab = '\0';
        line = tab + 1;
    }
}

static int split(struct roxi_text_table *t, size_t len, struct ix_error *err)
{
    size_t count = 0, cap = 0, line = 0;
    for (char *at = t->text, *end = at + len; at < end;) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        char *stop = newline ? newline : end;
        const size_t before = count;
        line++;
        if (memchr(at, '\0', (size_t)(stop - at)))
            return ix_fail(err, "'%s', line %zu: a zero byte; is this a table?", t->path, line);
        *(stop > at && stop[-1] == '\r' ? stop - 1 : stop) = '\0';
        if (split_line(t, at, &count, &cap) != 0)
            return ix_fail(err, "out of memory");
        if (line == 1)
            t->columns = count;
        else if (count - before != t->columns)
            return ix_fail(err, "'%s', line %zu: the number of fields is %zu, not %zu as in line 1",
                           t->path, line, count - before, t->columns);
        at = stop + 1;
    }
    if (!count)
        return ix_fail(err, "'%s' is empty", t->path);
    t->rows = count / t->columns - 1;
    return 0;
}

int roxi_text_table_parse(struct roxi_text_table *t, const char *path, char *text, size_t len,
                          struct ix_error *err)
{
    *t = (struct roxi_text_table){.path = path, .text = text};
    if (split(t, len, err) == 0)
        return 0;
    roxi_text_table_free(t);
    return -1;
}

int roxi_text_table_read(struct roxi_text_table *t, const char *path, struct ix_error *err)
{
    size_t len;
    char *text = read_text(path, &len, err);
    *t = (struct roxi_text_table){0};
    return text ? roxi_text_table_parse(t, path, text, len, err) : -1;
}

void roxi_text_table_free(struct roxi_text_table *t)
{
    free(t->fields);
    free(t->text);
    *t = (struct roxi_text_table){0};
}

long roxi_text_table_column(const struct roxi_text_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->fields[i], name) == 0)
            return (long)i;
    return -1;
}

int roxi_text_table_need(const struct roxi_text_table *t, const char *name, size_t *column,
                         struct ix_error *err)
{
    const long found = roxi_text_table_column(t, name);
    if (found >= 0) {
        *column = (size_t)found;
        return 0;
    }
    char list[256];
    size_t len = 0;
    list[0] = '\0';
    for (size_t i = 0; i < t->columns && len < sizeof list; i++)
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", t->fields[i]);
    return ix_fail(err, "'%s', line 1: no column '%s' among %s", t->path, name, list);
}
