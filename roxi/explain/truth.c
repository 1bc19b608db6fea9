/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns that are not needed by name later. */
struct columns {
    size_t fault, first_ms, where;                 /* of TRUTH */
    size_t blame_fault, blame_class, blame_silent; /* of BLAME */
    long blame_where, blame_who;                   /* -1: there is none */
};

static int find_columns(struct roxi_truth *t, struct columns *c, struct ix_error *err)
{
    const struct {
        const struct roxi_text_table *table;
        const char *name;
        size_t *column;
    } needed[] = {
        {&t->truth, "execution", &t->execution}, {&t->truth, "fault", &c->fault},
        {&t->truth, "first_ms", &c->first_ms},   {&t->truth, "where", &c->where},
        {&t->truth, "verdict", &t->verdict},     {&t->blame, "fault", &c->blame_fault},
        {&t->blame, "class", &c->blame_class},   {&t->blame, "silent", &c->blame_silent},
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (roxi_text_table_need(needed[i].table, needed[i].name, needed[i].column, err) != 0)
            return -1;
    c->blame_where = roxi_text_table_column(&t->blame, "where");
    c->blame_who = roxi_text_table_column(&t->blame, "who");
    return 0;
}

/* The first line of BLAME that fits; the number of its rows: there is none. */
static size_t find_blame(const struct roxi_text_table *blame, const struct columns *c,
                         const struct roxi_fault *f)
{
    size_t row = 0;
    for (; row < blame->rows; row++) {
        const char *where =
            c->blame_where < 0 ? "any" : roxi_text_table_at(blame, row, (size_t)c->blame_where);
        if (strcmp(roxi_text_table_at(blame, row, c->blame_fault), f->fault) == 0 &&
            (strcmp(where, "any") == 0 || strcmp(where, f->place) == 0))
            break;
    }
    return row;
}

static int read_who(const struct roxi_text_table *blame, const struct columns *c, size_t row,
                    enum roxi_blamed *blamed, struct ix_error *err)
{
    static const char *const words[] = {"named", "peers", "any"}; /* as enum roxi_blamed */
    const char *who =
        c->blame_who < 0 ? "named" : roxi_text_table_at(blame, row, (size_t)c->blame_who);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(who, words[i]) == 0) {
            *blamed = (enum roxi_blamed)i;
            return 0;
        }
    }
    return ix_fail(err, "'%s', line %zu: who is '%s', and not named, peers or any", blame->path,
                   roxi_text_table_line(row), who);
}

static int read_moment(const struct roxi_text_table *truth, const struct columns *c, size_t row,
                       double *first_ms, struct ix_error *err)
{
    const char *text = roxi_text_table_at(truth, row, c->first_ms);
    char *end;
    *first_ms = NAN;
    if (strcmp(text, "-") == 0)
        return 0;
    *first_ms = strtod(text, &end);
    return end > text && !*end && isfinite(*first_ms)
               ? 0
               : ix_fail(err, "'%s', line %zu: first_ms is '%s', and neither a number nor '-'",
                         truth->path, roxi_text_table_line(row), text);
}

/* Appends the fault of a failed run, unless it is left out. */
static int take_row(struct roxi_truth *t, const struct columns *c, size_t row, struct ix_error *err)
{
    char *where = roxi_text_table_at(&t->truth, row, c->where), *colon = strstr(where, ": ");
    struct roxi_fault f = {.row = row,
                           .name = roxi_text_table_at(&t->truth, row, t->execution),
                           .fault = roxi_text_table_at(&t->truth, row, c->fault),
                           .role = where};
    if (!*where || strcmp(where, "-") == 0) {
        t->nowhere++;
        return 0;
    }
    f.place = "";
    if (colon) {
        *colon = '\0';
        f.place = colon + 2;
    }
    const size_t blame = find_blame(&t->blame, c, &f);
    if (blame == t->blame.rows) {
        t->unknown++;
        return 0;
    }
    if (strcmp(roxi_text_table_at(&t->blame, blame, c->blame_silent), "yes") == 0) {
        t->silent++;
        return 0;
    }
    f.classes = roxi_text_table_at(&t->blame, blame, c->blame_class);
    if (strcmp(f.classes, "-") == 0)
        f.classes = NULL;
    if (read_who(&t->blame, c, blame, &f.blamed, err) != 0 ||
        read_moment(&t->truth, c, row, &f.first_ms, err) != 0)
        return -1;
    t->faults[t->count++] = f;
    return 0;
}

static int take_rows(struct roxi_truth *t, struct ix_error *err)
{
    struct columns c;
    if (find_columns(t, &c, err) != 0)
        return -1;
    t->faults = calloc(t->truth.rows + 1, sizeof *t->faults);
    t->run_of = calloc(t->truth.rows + 1, sizeof *t->run_of);
    if (!t->faults || !t->run_of)
        return ix_fail(err, "out of memory");
    for (size_t row = 0; row < t->truth.rows; row++)
        if (strcmp(roxi_text_table_at(&t->truth, row, t->verdict), "failed") == 0 &&
            take_row(t, &c, row, err) != 0)
            return -1;
    if (t->count)
        return 0;
    return ix_fail(err,
                   "'%s' has no failed run to judge by: %zu have no place, %zu a silent fault, %zu "
                   "a fault that '%s' does not have",
                   t->truth.path, t->nowhere, t->silent, t->unknown, t->blame.path);
}

int roxi_truth_read(struct roxi_truth *t, const char *truth, const char *blame,
                    struct ix_error *err)
{
    *t = (struct roxi_truth){0};
    if (roxi_text_table_read(&t->truth, truth, err) == 0 &&
        roxi_text_table_read(&t->blame, blame, err) == 0 && take_rows(t, err) == 0)
        return 0;
    roxi_truth_free(t);
    return -1;
}

void roxi_truth_free(struct roxi_truth *t)
{
    roxi_text_table_free(&t->truth);
    roxi_text_table_free(&t->blame);
    free(t->faults);
    free(t->run_of);
    *t = (struct roxi_truth){0};
}

/* ---- in a campaign ---- */

static int find_run(const struct roxi_truth *t, size_t row, const struct roxi_profiles *p,
                    size_t *run, struct ix_error *err)
{
    const char *name = roxi_text_table_at(&t->truth, row, t->execution);
    for (*run = 0; *run < p->count; (*run)++)
        if (strcmp(p->executions[*run].name, name) == 0)
            return 0;
    return ix_fail(err, "'%s', line %zu: no run '%s'", t->truth.path, roxi_text_table_line(row),
                   name);
}

static int find_runs(struct roxi_truth *t, const struct roxi_profiles *p, struct ix_error *err)
{
    bool *met = calloc(p->count + 1, sizeof *met);
    int result = met ? 0 : ix_fail(err, "out of memory");
    for (size_t row = 0; row < t->truth.rows && result == 0; row++) {
        result = find_run(t, row, p, &t->run_of[row], err);
        if (result == 0 && met[t->run_of[row]])
            result = ix_fail(err, "'%s', line %zu: a second line of run '%s'", t->truth.path,
                             roxi_text_table_line(row), p->executions[t->run_of[row]].name);
        if (result == 0)
            met[t->run_of[row]] = true;
    }
    free(met);
    return result;
}

static bool is_node(const struct roxi_profiles *p, const char *name)
{
    for (size_t i = 0; i < p->node_count; i++)
        if (strcmp(roxi_symbols_text(p->symbols, p->nodes[i].node), name) == 0)
            return true;
    return false;
}

int roxi_truth_find(struct roxi_truth *t, const struct roxi_profiles *p, const char *campaign,
                    struct ix_error *err)
{
    if (find_runs(t, p, err) != 0)
        return ix_fail_in(err, "'%s' and '%s' do not fit", campaign, t->truth.path);
    for (size_t i = 0; i < t->count; i++) {
        t->faults[i].run = t->run_of[t->faults[i].row];
        t->faults[i].is_node = is_node(p, t->faults[i].place);
    }
    return 0;
}
