/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/ci/tests.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "schema/base/utf8.h"
#include "schema/catalogue/catalogue.h"

/* How the server's texts about reports begin (server/junit/report.h). */
static const char beginning[] = "JUnit: ";

enum { SHOWN = 5, TEXT_MOST = 300 };

struct saying {
    FILE *out;
    const struct roxi_sheet *sheet;
    int64_t *ids; /* by run: its row in the catalogue; 0: not there any more. Owned */
    size_t next;  /* where the next run is looked for; all lists are in the catalogue's order */
    size_t found;
};

/* The run at which `is` is true, or the number of runs. */
static size_t find_run(struct saying *s,
                       bool (*is)(const struct saying *s, size_t run, const void *of),
                       const void *of)
{
    const size_t n = s->sheet->profiles->count;
    for (size_t step = 0; step < n; step++) {
        const size_t run = (s->next + step) % n;
        if (is(s, run, of)) {
            s->next = run;
            return run;
        }
    }
    return n;
}

static bool has_name(const struct saying *s, size_t run, const void *name)
{
    return strcmp(s->sheet->profiles->executions[run].name, name) == 0;
}

static bool has_id(const struct saying *s, size_t run, const void *id)
{
    return s->ids[run] == *(const int64_t *)id;
}

static int keep_id(void *user, const struct ix_execution *e)
{
    struct saying *s = user;
    const size_t run = find_run(s, has_name, e->name);
    if (run < s->sheet->profiles->count)
        s->ids[run] = e->id;
    return 0;
}

static void say(const struct saying *s, size_t run, const char *words)
{
    char text[TEXT_MOST + 1];
    const size_t len = ix_utf8_bounded(words, TEXT_MOST);
    memcpy(text, words, len);
    text[len] = '\0';
    fputs("  ", s->out);
    text_print(s->out, s->sheet->profiles->executions[run].name);
    fputs(": ", s->out);
    text_print(s->out, text);
    fputs(words[len] ? "...\n" : "\n", s->out);
}

static int take_mark(void *user, const struct ix_mark *mark)
{
    struct saying *s = user;
    if (!mark->execution || strncmp(mark->text, beginning, sizeof beginning - 1) != 0)
        return 0;
    const size_t run = find_run(s, has_id, &mark->execution);
    if (run == s->sheet->profiles->count)
        return 0;
    if (s->found++ == 0)
        fputs("By JUnit's reports:\n", s->out);
    if (s->found <= SHOWN)
        say(s, run, mark->text + sizeof beginning - 1);
    return 0;
}

int roxi_ci_say_tests(FILE *out, const char *campaign, const struct roxi_sheet *sheet,
                      struct ix_error *err)
{
    struct saying s = {.out = out, .sheet = sheet};
    struct ix_catalogue *c = ix_catalogue_open(campaign, IX_CATALOGUE_READ, err);
    if (!c)
        return -1;
    s.ids = calloc(sheet->profiles->count + 1, sizeof *s.ids);
    int result = s.ids ? 0 : ix_fail(err, "out of memory");
    if (result == 0)
        result = ix_catalogue_executions(c, keep_id, &s, err);
    if (result == 0)
        result = ix_catalogue_marks(c, take_mark, &s, err);
    if (s.found > SHOWN)
        fprintf(out, "  and %zu more; 'ixor status' lists them\n", s.found - SHOWN);
    if (s.found)
        fputc('\n', out);
    free(s.ids);
    ix_catalogue_close(c);
    return result;
}
