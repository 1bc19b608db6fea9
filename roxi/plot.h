/* Plots of what the commands compute, as SVG (svg.h), 800 wide. Each says in an element `metadata`
 * where it comes from (provenance.h). All return -1 with a message when memory ran out; errors of
 * the stream are the caller's to find. */
#ifndef ROXI_PLOT_H
#define ROXI_PLOT_H

#include "roxi/cluster.h"
#include "roxi/effort_table.h"
#include "roxi/evaluate.h"
#include "roxi/provenance.h"
#include "roxi/ranking.h"
#include "roxi/svg.h"
#include "roxi/verdicts.h"

/* evaluate --effort: failures found, in %, against executions looked at, from a whole table with
 * curves: random order, roxi rank with all aspects, and each strategy's clusters in the order that
 * finds all failures first. The best strategy of these is highlighted, the first one if several
 * are. */
int roxi_plot_effort(FILE *out, const struct roxi_effort_table *table, size_t executions,
                     size_t failures, const struct roxi_origin *origin, struct ix_error *err);

/* evaluate: failures found by adaptive sampling, in %, against the number of clusters, in % of the
 * executions; figures[i] of strategy i (strategy.h). */
int roxi_plot_found(FILE *out, const struct roxi_figures *figures, size_t executions,
                    size_t failures, const struct roxi_origin *origin, struct ix_error *err);

/* rank: the scores of the origin's executions in that order, and the names of the first ones. By
 * verdict, if there is one at all. */
int roxi_plot_rank(FILE *out, const struct roxi_ranking *ranking, const size_t *order,
                   const struct roxi_verdict *verdicts, const struct roxi_origin *origin,
                   struct ix_error *err);

/* cluster: the dendrogram of the origin's executions, which have their names beside them if they
 * are ROXI_PLOT_NAMED or fewer, and where it is cut into k clusters (0: nowhere). */
int roxi_plot_tree(FILE *out, const struct roxi_dendrogram *tree, size_t k,
                   const struct roxi_verdict *verdicts, const struct roxi_origin *origin,
                   struct ix_error *err);
enum { ROXI_PLOT_NAMED = 80 };

/* ---- what they share ---- */

enum { ROXI_PLOT_WIDTH = 800, ROXI_PLOT_HEIGHT = 450, ROXI_PLOT_TOP = 62 };

/* The sheet with a title, and below it the campaign's name and `said` of it. To be ended by
 * roxi_svg_end. */
int roxi_plot_begin(FILE *out, double height, const char *title, const char *said,
                    const struct roxi_origin *origin, struct ix_error *err);

/* What a campaign's directory is called: the last two parts of its path, for the last one alone is
 * often "campaign". Points into `path`; *len is its length. */
const char *roxi_plot_name(const char *path, size_t *len);

/* What an execution of that verdict looks like, and is called in a legend. */
struct roxi_plot_mark {
    const char *colour, *word;
};
struct roxi_plot_mark roxi_plot_mark_of(enum ix_verdict verdict);

/* How many executions there are of each verdict. */
struct roxi_plot_census {
    size_t of[3]; /* by enum ix_verdict */
    bool known;   /* some passed or failed */
};
struct roxi_plot_census roxi_plot_count(const struct roxi_verdict *verdicts, size_t n);
/* As in "20 executions, 2 failed". */
void roxi_plot_say(char *said, size_t size, const struct roxi_plot_census *c, size_t n);
/* Legend rows for the verdicts that there are; none if none is known. Returns how many. */
size_t roxi_plot_legend(struct roxi_legend rows[3], const struct roxi_plot_census *c);

#endif
