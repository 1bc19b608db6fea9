/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of runs, the most unusual first. */
#include <math.h>

#include "roxi/report/plot.h"

enum { NAMED = 10, NAMES_WIDTH = 190, NAME_COLUMNS = 17, ROW = 18, SAID = 100, TIP = 400 };

/* Scores above this are worth a look, as --help states. */
static const double worth_a_look = 1;

struct drawing {
    FILE *out;
    struct roxi_area area;
    const struct roxi_profile *executions;
    size_t n;
    const double *score;
    const size_t *order;
    const struct roxi_verdict *verdicts;
    struct roxi_plot_census census;
};

static const char *colour_of(const struct drawing *d, size_t execution)
{
    return d->census.known ? roxi_plot_mark_of(d->verdicts[execution].verdict).colour : ROXI_BLUE;
}

/* From 0 or the lowest score to the highest score, and beyond the limit for "worth a look". */
static struct roxi_scale scale_of(const struct drawing *d)
{
    double least = 0, most = worth_a_look + 1;
    for (size_t i = 0; i < d->n; i++) {
        least = fmin(least, d->score[i]);
        most = fmax(most, d->score[i]);
    }
    least -= (most - least) / 50; /* keeps dots off the axis */
    return roxi_scale_make(least, most, ROXI_PLOT_HEIGHT - 52, ROXI_PLOT_TOP);
}

static void draw_dots(const struct drawing *d, enum ix_verdict verdict)
{
    const double radius = d->n <= 100 ? 4 : d->n <= 400 ? 3 : 2;
    for (size_t i = 0; i < d->n; i++) {
        const size_t e = d->order[i];
        char tip[TIP];
        if (d->verdicts[e].verdict != verdict)
            continue;
        snprintf(tip, sizeof tip, "%zu: %.300s, %.3f", i + 1, d->executions[e].name, d->score[e]);
        roxi_svg_dot(d->out, roxi_scale_at(&d->area.x, (double)i + 1),
                     roxi_scale_at(&d->area.y, d->score[e]), radius, colour_of(d, e), tip);
    }
}

static void draw_threshold(const struct drawing *d)
{
    const struct roxi_stroke stroke = {ROXI_GREY, "4 4", 1};
    const double at = roxi_scale_at(&d->area.y, worth_a_look);
    roxi_svg_line(d->out, &stroke, d->area.x.at_from, at, d->area.x.at_to, at);
    roxi_svg_text(d->out,
                  &(struct roxi_svg_text){.x = d->area.x.at_to - 4,
                                          .y = at - 5,
                                          .size = 11,
                                          .anchor = "end",
                                          .colour = ROXI_GREY},
                  "above 1: worth a look");
}

/* The names of the first runs, one below the other, starting at y. */
static void draw_names(const struct drawing *d, double x, double y)
{
    roxi_svg_text(d->out, &(struct roxi_svg_text){.x = x, .y = y, .size = 12, .bold = true},
                  "most unusual");
    for (size_t i = 0; i < d->n && i < NAMED; i++) {
        const size_t e = d->order[i];
        const double at = y + (double)(i + 1) * ROW;
        char score[32];
        snprintf(score, sizeof score, "%.1f", d->score[e]);
        roxi_svg_dot(d->out, x + 5, at - 4, 4, colour_of(d, e), NULL);
        roxi_svg_text(
            d->out, &(struct roxi_svg_text){.x = x + 15, .y = at, .size = 12, .most = NAME_COLUMNS},
            d->executions[e].name);
        roxi_svg_text(d->out,
                      &(struct roxi_svg_text){
                          .x = ROXI_PLOT_WIDTH - 15, .y = at, .size = 12, .anchor = "end"},
                      score);
    }
}

static void draw(const struct drawing *d)
{
    struct roxi_legend rows[3];
    const size_t count = roxi_plot_legend(rows, &d->census);
    const double x = d->area.x.at_to + 22;
    roxi_svg_axes(d->out, &d->area,
                  &(struct roxi_axes){"place in the ranking", "score", true, false});
    draw_threshold(d);
    draw_dots(d, IX_VERDICT_PASSED); /* rarer verdicts last, so that they stay visible */
    draw_dots(d, IX_VERDICT_UNKNOWN);
    draw_dots(d, IX_VERDICT_FAILED);
    roxi_svg_legend(d->out, x, ROXI_PLOT_TOP, NAMES_WIDTH, rows, count);
    draw_names(d, x, ROXI_PLOT_TOP + 12 + (count ? (double)(count + 1) * ROXI_LEGEND_ROW : 0));
    roxi_svg_end(d->out);
}

int roxi_plot_rank(FILE *out, const struct roxi_ranking *ranking, const size_t *order,
                   const struct roxi_verdict *verdicts, const struct roxi_origin *origin,
                   struct ix_error *err)
{
    struct drawing d = {.out = out,
                        .executions = origin->profiles->executions,
                        .n = origin->profiles->count,
                        .score = ranking->score,
                        .order = order,
                        .verdicts = verdicts,
                        .census = roxi_plot_count(verdicts, origin->profiles->count)};
    char said[SAID];
    d.area.x = roxi_scale_make(0, (double)d.n + 1, 70, ROXI_PLOT_WIDTH - NAMES_WIDTH - 30);
    d.area.y = scale_of(&d);
    roxi_plot_say(said, sizeof said, &d.census, d.n);
    if (roxi_plot_begin(out, ROXI_PLOT_HEIGHT, "How unusual the runs are", said, origin, err) != 0)
        return -1;
    draw(&d);
    return 0;
}
