/* SPDX-License-Identifier: Apache-2.0 */
/* The inspection effort for known failures, as curves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/report/plot.h"

enum { LEGEND_ROWS = 6, LEGEND_TEXT = 120, NUMBER = 32 };

struct drawing {
    FILE *out;
    struct roxi_area area;
    size_t failures;
    double *found; /* owned; in %, by number of failures */
    const struct roxi_inspection_effort_row *random, *length, *rank,
        *best;                     /* best: among the thesis's strategies */
    double others_from, others_to; /* effort for all failures with the others */
};

static bool is_of_clusters(const struct roxi_inspection_effort_row *row)
{
    return row->best && strcmp(row->best, "all") == 0 && row->reached;
}

static bool is_earlier(const struct roxi_inspection_effort_row *a,
                       const struct roxi_inspection_effort_row *b)
{
    return a->effort.all < b->effort.all * (1 - 1e-9); /* more than a rounding difference */
}

/* The strategy's row with the least effort to find all failures. */
static const struct roxi_inspection_effort_row *
best_of(const struct roxi_inspection_effort_table *table, const char *strategy)
{
    const struct roxi_inspection_effort_row *best = NULL;
    for (const struct roxi_inspection_effort_row *r = table->rows; r < table->rows + table->count;
         r++)
        if (is_of_clusters(r) && strcmp(r->strategy, strategy) == 0 &&
            (!best || is_earlier(r, best)))
            best = r;
    return best;
}

/* Chooses the rows to draw. */
static void choose(struct drawing *d, const struct roxi_inspection_effort_table *table)
{
    const struct roxi_strategy *s;
    for (const struct roxi_inspection_effort_row *r = table->rows; r < table->rows + table->count;
         r++) {
        if (strcmp(r->order, "random") == 0)
            d->random = r;
        if (strcmp(r->order, "length") == 0)
            d->length = r;
        if (strcmp(r->order, "rank") == 0)
            d->rank = r;
    }
    for (size_t i = 0; (s = roxi_strategy_at(i)); i++) {
        const struct roxi_inspection_effort_row *r = best_of(table, s->name);
        if (r && (!d->best || is_earlier(r, d->best)))
            d->best = r;
    }
    d->others_from = INFINITY;
    for (size_t i = 0; (s = roxi_strategy_at(i)); i++) {
        const struct roxi_inspection_effort_row *r = best_of(table, s->name);
        if (r && r != d->best) {
            d->others_from = fmin(d->others_from, r->effort.all);
            d->others_to = fmax(d->others_to, r->effort.all);
        }
    }
}

/* The name of an order in the legend. */
static const char *words_of(const char *order)
{
    static const struct {
        const char *order, *words;
    } all[] = {{"small-clusters", "small clusters first"},
               {"adaptive", "adaptive"},
               {"adaptive-small", "adaptive, small clusters first"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].order, order) == 0)
            return all[i].words;
    return order;
}

/* With one decimal, unless it is 0. */
static const char *number(char text[NUMBER], double looked)
{
    snprintf(text, NUMBER, fabs(looked - round(looked)) < 0.05 ? "%.0f" : "%.1f", looked);
    return text;
}

/* One row's curve, and a mark where all failures are found, if it is `marked`. */
static void draw(const struct drawing *d, const struct roxi_inspection_effort_row *row,
                 const char *class, struct roxi_stroke stroke, bool marked)
{
    char tip[LEGEND_TEXT * 2], all[NUMBER];
    int used = snprintf(tip, sizeof tip, "%s", row->strategy ? row->strategy : row->order);
    if (row->clusters)
        used += snprintf(tip + used, sizeof tip - (size_t)used, ", %s, %zu clusters (%s)",
                         words_of(row->order), row->clusters, row->clustering);
    snprintf(tip + used, sizeof tip - (size_t)used, ": all found after %s",
             number(all, row->effort.all));
    roxi_svg_curve(d->out, &d->area, &stroke, class, row->reached, d->found, d->failures + 1, tip);
    if (marked)
        roxi_svg_dot(d->out, roxi_scale_at(&d->area.x, row->effort.all),
                     roxi_scale_at(&d->area.y, 100), 5, stroke.colour, tip);
}

static const struct roxi_stroke of_others = {ROXI_PALE, NULL, 1},
                                of_random = {ROXI_GREY, "6 4", 1.5},
                                of_length = {ROXI_GREY, NULL, 1},
                                of_best = {ROXI_ORANGE, NULL, 2.5}, of_rank = {ROXI_BLUE, NULL, 3};

static void draw_others(const struct drawing *d, const struct roxi_inspection_effort_table *table)
{
    const struct roxi_strategy *s;
    for (size_t i = 0; (s = roxi_strategy_at(i)); i++) {
        const struct roxi_inspection_effort_row *r = best_of(table, s->name);
        if (r && r != d->best)
            draw(d, r, "other", of_others, false);
    }
}

/* Placed below the diagonal, where no order better than chance has its curve. */
static void draw_legend(const struct drawing *d)
{
    char text[LEGEND_ROWS][LEGEND_TEXT], from[NUMBER], to[NUMBER];
    const struct roxi_stroke remark = {0};
    const struct roxi_legend rows[LEGEND_ROWS] = {
        {of_rank, text[0]},   {of_best, text[1]},   {remark, text[2]},
        {of_others, text[3]}, {of_length, text[4]}, {of_random, text[5]},
    };
    snprintf(text[0], LEGEND_TEXT, "%s: roxi rank", number(from, d->rank->effort.all));
    snprintf(text[1], LEGEND_TEXT, "%s: %s, %s", number(from, d->best->effort.all),
             d->best->strategy, words_of(d->best->order));
    snprintf(text[2], LEGEND_TEXT, "in hindsight the best of the thesis's strategies");
    snprintf(text[3], LEGEND_TEXT, "%s to %s: the others, each at its best",
             number(from, d->others_from), number(to, d->others_to));
    snprintf(text[4], LEGEND_TEXT, "%s: longest runs first", number(from, d->length->effort.all));
    snprintf(text[5], LEGEND_TEXT, "%s: random order", number(from, d->random->effort.all));
    const double width = roxi_svg_legend_width(rows, LEGEND_ROWS), x = d->area.x.at_to - width - 10,
                 y = d->area.y.at_from - LEGEND_ROWS * ROXI_LEGEND_ROW - 10;
    roxi_svg_text(d->out, &(struct roxi_svg_text){.x = x, .y = y - 4, .size = 12, .bold = true},
                  "Runs inspected until all failures are found");
    roxi_svg_legend(d->out, x, y, width, rows, LEGEND_ROWS);
}

static void draw_all(struct drawing *d, const struct roxi_inspection_effort_table *table)
{
    for (size_t i = 0; i <= d->failures; i++)
        d->found[i] = 100 * (double)i / (double)d->failures;
    roxi_svg_axes(d->out, &d->area,
                  &(struct roxi_axes){"runs inspected", "failures found, %", true, false});
    choose(d, table);
    draw_legend(d);
    draw_others(d, table);
    draw(d, d->random, "random", of_random, true);
    draw(d, d->length, "length", of_length, true);
    draw(d, d->best, "best", of_best, true);
    draw(d, d->rank, "rank", of_rank, true);
    roxi_svg_end(d->out);
}

int roxi_plot_inspection_effort(FILE *out, const struct roxi_inspection_effort_table *table,
                                size_t executions, size_t failures,
                                const struct roxi_origin *origin, struct ix_error *err)
{
    char said[LEGEND_TEXT];
    struct drawing d = {
        .out = out,
        .area = {roxi_scale_make(0, (double)executions, 70, ROXI_PLOT_WIDTH - 20),
                 roxi_scale_make(0, 100, ROXI_PLOT_HEIGHT - 52, ROXI_PLOT_TOP)},
        .failures = failures,
        .found = calloc(failures + 1, sizeof *d.found),
    };
    snprintf(said, sizeof said, "%zu of %zu runs failed", failures, executions);
    if (!d.found)
        return ix_fail(err, "out of memory");
    const int result = roxi_plot_begin(
        out, ROXI_PLOT_HEIGHT, "Failures found, and runs inspected for that", said, origin, err);
    if (result == 0)
        draw_all(&d, table);
    free(d.found);
    return result;
}
