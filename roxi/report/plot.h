/* SPDX-License-Identifier: Apache-2.0 */
/* Plots of the commands' results, as SVG (svg.h), 800 wide. Each states its origin
 * (provenance.h) in an element `metadata`. All return -1 with a message if out of memory; the
 * caller checks the stream for errors. */
#ifndef ROXI_PLOT_H
#define ROXI_PLOT_H

#include "roxi/campaign/verdicts.h"
#include "roxi/cluster/cluster.h"
#include "roxi/evaluate/evaluate.h"
#include "roxi/evaluate/inspection_effort_table.h"
#include "roxi/rank/ranking.h"
#include "roxi/report/provenance.h"
#include "roxi/report/svg.h"

/* evaluate --inspection-effort: failures found, in %, against runs inspected, from a complete
 * table with curves: random order, roxi rank with all features, and each strategy's clusters in
 * the order that finds all failures first. The best strategy is highlighted, the first one if
 * several are equal. */
int roxi_plot_inspection_effort(FILE *out, const struct roxi_inspection_effort_table *table,
                                size_t executions, size_t failures,
                                const struct roxi_origin *origin, struct ix_error *err);

/* evaluate: failures found by adaptive sampling, in %, against the number of clusters, in % of
 * the runs; figures[i] for strategy i (strategy.h). */
int roxi_plot_found(FILE *out, const struct roxi_figures *figures, size_t executions,
                    size_t failures, const struct roxi_origin *origin, struct ix_error *err);

/* rank: the scores of the origin's runs in that order, and the names of the first ones. Coloured
 * by verdict if any is known. */
int roxi_plot_rank(FILE *out, const struct roxi_ranking *ranking, const size_t *order,
                   const struct roxi_verdict *verdicts, const struct roxi_origin *origin,
                   struct ix_error *err);

/* cluster: the dendrogram of the origin's runs, with names if there are at most ROXI_PLOT_NAMED,
 * and the cut into k clusters (0: none). */
struct roxi_tree_plot {
    const struct roxi_dendrogram *tree;
    size_t k;
    const char *strategy, *linkage;
    enum roxi_measure measure;
    const struct roxi_verdict *verdicts;
};
int roxi_plot_tree(FILE *out, const struct roxi_tree_plot *plot, const struct roxi_origin *origin,
                   struct ix_error *err);
enum { ROXI_PLOT_NAMED = 80 };

/* ---- what they share ---- */

enum { ROXI_PLOT_WIDTH = 800, ROXI_PLOT_HEIGHT = 450, ROXI_PLOT_TOP = 62 };

/* Begins the sheet: a title, and below it the campaign's name and `said`. End it with
 * roxi_svg_end. */
int roxi_plot_begin(FILE *out, double height, const char *title, const char *said,
                    const struct roxi_origin *origin, struct ix_error *err);

/* The campaign's name for titles: the last two components of its path, because the last one
 * alone is often "campaign". Points into `path`; *len is its length. */
const char *roxi_plot_name(const char *path, size_t *len);

/* How a run with that verdict is drawn, and its name in a legend. */
struct roxi_plot_mark {
    const char *colour, *word;
};
struct roxi_plot_mark roxi_plot_mark_of(enum ix_verdict verdict);

/* How many runs have each verdict. */
struct roxi_plot_census {
    size_t of[3]; /* by enum ix_verdict */
    bool known;   /* some passed or failed */
};
struct roxi_plot_census roxi_plot_count(const struct roxi_verdict *verdicts, size_t n);
/* A phrase such as "20 runs, 2 failed". */
void roxi_plot_say(char *said, size_t size, const struct roxi_plot_census *c, size_t n);
/* Legend rows for the verdicts that occur; none if no verdict is known. Returns their number. */
size_t roxi_plot_legend(struct roxi_legend rows[3], const struct roxi_plot_census *c);

#endif
