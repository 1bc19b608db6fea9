/* SPDX-License-Identifier: Apache-2.0 */
/* A dendrogram: runs one below the other on the left, heights to the right. */
#include <math.h>
#include <stdlib.h>

#include "roxi/report/plot.h"

enum {
    NAME_ROW = 14, /* height of a named run's row, */
    DOT_ROW = 3,   /* of a run's row without a name, */
    MOST = 1200,   /* and the maximum for all rows together */
    NAME_COLUMNS = 28,
    NAME_SIZE = 11,
    CUT_ROW = 14, /* space above the tree for the label of the cut */
    BELOW = 52,
    SAID = 100,
    TIP = 400,
};

struct drawing {
    FILE *out;
    struct roxi_area area;
    const struct roxi_dendrogram *tree;
    const struct roxi_profile *executions;
    const struct roxi_verdict *verdicts;
    struct roxi_plot_census census;
    double *y; /* owned; by cluster, in rows counted from below */
};

static double height_of(const struct roxi_dendrogram *d, size_t cluster)
{
    return cluster < d->n ? 0 : d->merges[cluster - d->n].height;
}

/* Places runs in rows so that no lines cross; a merge is in the middle between its parts. */
static int place(struct drawing *d)
{
    const size_t n = d->tree->n;
    size_t *stack = calloc(n + 1, sizeof *stack), depth = 1, row = n;
    d->y = calloc(2 * n, sizeof *d->y);
    if (!stack || !d->y) {
        free(stack);
        return -1;
    }
    stack[0] = 2 * n - 2;
    while (depth > 0) {
        const size_t cluster = stack[--depth];
        if (cluster < n) {
            d->y[cluster] = (double)row-- - 0.5;
        } else {
            stack[depth++] = d->tree->merges[cluster - n].b;
            stack[depth++] = d->tree->merges[cluster - n].a;
        }
    }
    for (size_t i = 0; i + 1 < n; i++)
        d->y[n + i] = (d->y[d->tree->merges[i].a] + d->y[d->tree->merges[i].b]) / 2;
    free(stack);
    return 0;
}

static void draw_merges(const struct drawing *d)
{
    const struct roxi_stroke stroke = {ROXI_GREY, NULL, d->tree->n <= ROXI_PLOT_NAMED ? 1.2 : 0.8};
    for (size_t i = 0; i + 1 < d->tree->n; i++) {
        const struct roxi_merge *m = &d->tree->merges[i];
        const double x[] = {height_of(d->tree, m->a), m->height, m->height,
                            height_of(d->tree, m->b)};
        const double y[] = {d->y[m->a], d->y[m->a], d->y[m->b], d->y[m->b]};
        char tip[TIP];
        snprintf(tip, sizeof tip, "%zu runs, %.6g", m->size, m->height);
        roxi_svg_curve(d->out, &d->area, &stroke, "merge", x, y, 4, tip);
    }
}

static void draw_leaf(const struct drawing *d, size_t i)
{
    const bool named = d->tree->n <= ROXI_PLOT_NAMED;
    const double x = d->area.x.at_from, y = roxi_scale_at(&d->area.y, d->y[i]);
    const char *name = d->executions[i].name;
    const struct roxi_plot_mark mark = roxi_plot_mark_of(d->verdicts[i].verdict);
    const char *colour = d->census.known ? mark.colour : ROXI_BLUE;
    const bool stands_out = d->verdicts[i].verdict == IX_VERDICT_FAILED;
    roxi_svg_dot(d->out, x - 6, y, named ? 3.5 : stands_out ? 2.5 : 1.5, colour, name);
    if (named)
        roxi_svg_text(d->out,
                      &(struct roxi_svg_text){.x = x - 14,
                                              .y = y + 4,
                                              .size = NAME_SIZE,
                                              .anchor = "end",
                                              .colour = stands_out ? colour : NULL,
                                              .bold = stands_out,
                                              .most = NAME_COLUMNS},
                      name);
}

/* The cut into k clusters: halfway between the last merge below it and the first above it. */
static void draw_cut(const struct drawing *d, size_t k)
{
    const struct roxi_stroke stroke = {ROXI_VERMILION, "5 4", 1.2};
    const size_t n = d->tree->n, done = n - k;
    const double before = done ? d->tree->merges[done - 1].height : 0;
    const double after = k > 1 ? d->tree->merges[done].height : before;
    const double at = roxi_scale_at(&d->area.x, (before + after) / 2);
    char text[SAID];
    snprintf(text, sizeof text, "%zu cluster%s", k, k == 1 ? "" : "s");
    roxi_svg_line(d->out, &stroke, at, d->area.y.at_to, at, d->area.y.at_from);
    const bool right = at < ROXI_PLOT_WIDTH / 2.0; /* the text continues on that side */
    roxi_svg_text(d->out,
                  &(struct roxi_svg_text){.x = right ? at - 5 : at + 5,
                                          .y = d->area.y.at_to - 5,
                                          .size = NAME_SIZE,
                                          .anchor = right ? "start" : "end",
                                          .colour = ROXI_VERMILION},
                  text);
}

static void draw(const struct drawing *d, size_t k, enum roxi_measure measure)
{
    struct roxi_legend rows[3];
    const size_t count = roxi_plot_legend(rows, &d->census);
    const double width = roxi_svg_legend_width(rows, count) + 10;
    const struct roxi_axes axes = {
        .x = measure == ROXI_ON_COSINE ? "height: 1 - cosine" : "height: distance", .no_y = true};
    roxi_svg_axes(d->out, &d->area, &axes);
    draw_merges(d);
    for (size_t i = 0; i < d->tree->n; i++)
        draw_leaf(d, i);
    if (k)
        draw_cut(d, k);
    for (size_t i = 0; i < count; i++) /* side by side, below the names */
        roxi_svg_legend(d->out, 20 + (double)i * width, d->area.y.at_from + 25, width, &rows[i], 1);
    roxi_svg_end(d->out);
}

/* The maximum width of the names. */
static double name_width(const struct drawing *d)
{
    size_t columns = 0;
    for (size_t i = 0; i < d->tree->n && d->tree->n <= ROXI_PLOT_NAMED; i++) {
        const size_t here = roxi_svg_columns(d->executions[i].name);
        columns = here > columns ? here : columns;
    }
    return roxi_svg_width(columns < NAME_COLUMNS ? columns : NAME_COLUMNS, NAME_SIZE);
}

/* Returns the sheet's height. */
static double lay_out(struct drawing *d)
{
    const size_t n = d->tree->n;
    const double rows = fmin(MOST, (double)n * (n <= ROXI_PLOT_NAMED ? NAME_ROW : DOT_ROW));
    const double top = ROXI_PLOT_TOP + CUT_ROW;
    const double height = fmax(ROXI_PLOT_HEIGHT, top + rows + BELOW);
    double least = 0, most = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        least = fmin(least, d->tree->merges[i].height);
        most = fmax(most, d->tree->merges[i].height);
    }
    d->area.x = roxi_scale_make(least, most, 40 + name_width(d), ROXI_PLOT_WIDTH - 24);
    d->area.y = roxi_scale_make(0, (double)n, height - BELOW, top);
    return height;
}

int roxi_plot_tree(FILE *out, const struct roxi_tree_plot *plot, const struct roxi_origin *origin,
                   struct ix_error *err)
{
    struct drawing d = {.out = out,
                        .tree = plot->tree,
                        .executions = origin->profiles->executions,
                        .verdicts = plot->verdicts,
                        .census = roxi_plot_count(plot->verdicts, plot->tree->n)};
    char said[SAID], title[SAID];
    const double height = lay_out(&d);
    roxi_plot_say(said, sizeof said, &d.census, plot->tree->n);
    snprintf(title, sizeof title, "Similar runs: %s, %s linkage", plot->strategy, plot->linkage);
    int result = place(&d) == 0 ? 0 : ix_fail(err, "out of memory");
    if (result == 0)
        result = roxi_plot_begin(out, height, title, said, origin, err);
    if (result == 0)
        draw(&d, plot->k, plot->measure);
    free(d.y);
    return result;
}
