/* SPDX-License-Identifier: Apache-2.0 */
/* How many failures adaptive sampling finds, by strategy and number of clusters. */
#include "roxi/report/plot.h"

enum { STRATEGIES = 11, LEGEND_WIDTH = 190, SAID = 100 };

/* By roxi_strategy_at: one colour for similar strategies, and a dash pattern for each. */
static const struct roxi_stroke strokes[STRATEGIES] = {
    {ROXI_INK, NULL, 2},    {ROXI_ORANGE, NULL, 2},  {ROXI_ORANGE, "7 4", 2},
    {ROXI_SKY, NULL, 2},    {ROXI_SKY, "7 4", 2},    {ROXI_GREEN, NULL, 2},
    {ROXI_GREEN, "7 4", 2}, {ROXI_GREEN, "2 3", 2},  {ROXI_VERMILION, NULL, 2.5},
    {ROXI_PURPLE, NULL, 2}, {ROXI_PURPLE, "7 4", 2},
};

static void draw(FILE *out, const struct roxi_area *area, const struct roxi_figures *figures)
{
    struct roxi_legend rows[STRATEGIES];
    roxi_svg_axes(
        out, area,
        &(struct roxi_axes){"clusters, % of the runs", "failures found, %", false, false});
    for (size_t i = 0; i < STRATEGIES; i++) {
        const char *name = roxi_strategy_at(i)->name;
        rows[i] = (struct roxi_legend){strokes[i], name};
        roxi_svg_curve(out, area, &strokes[i], name, roxi_evaluate_shares, figures[i].found,
                       ROXI_SHARES, name);
    }
    roxi_svg_legend(out, area->x.at_to + 16, ROXI_PLOT_TOP, LEGEND_WIDTH, rows, STRATEGIES);
}

int roxi_plot_found(FILE *out, const struct roxi_figures *figures, size_t executions,
                    size_t failures, const struct roxi_origin *origin, struct ix_error *err)
{
    const struct roxi_area area = {
        roxi_scale_make(0, roxi_evaluate_shares[ROXI_SHARES - 1], 70,
                        ROXI_PLOT_WIDTH - LEGEND_WIDTH - 20),
        roxi_scale_make(0, 100, ROXI_PLOT_HEIGHT - 52, ROXI_PLOT_TOP),
    };
    char said[SAID];
    snprintf(said, sizeof said, "%zu of %zu runs failed; means of six clusterings", failures,
             executions);
    if (roxi_plot_begin(out, ROXI_PLOT_HEIGHT, "Failures found by adaptive sampling", said, origin,
                        err) != 0)
        return -1;
    draw(out, &area, figures);
    roxi_svg_end(out);
    return 0;
}
