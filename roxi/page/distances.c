/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/distances.h"

#include <math.h>
#include <stdlib.h>

#include "roxi/base/json.h"
#include "roxi/cluster/similarity.h"
#include "roxi/distance/counts.h"
#include "roxi/page/words.h"
#include "roxi/report/svg.h"

enum kind { NEITHER, UNUSUAL, FAILED };

/* The map's size and margin, in its own units. */
static const double side = 480, margin = 14;

static enum kind kind_of(const struct roxi_sheet *s, size_t run)
{
    if (s->verdicts[run].verdict == IX_VERDICT_FAILED)
        return FAILED;
    return roxi_sheet_is_unusual(s, run) ? UNUSUAL : NEITHER;
}

/* ---- computing ---- */

static int compare(struct roxi_distances *d, const struct roxi_sheet *s, struct ix_error *err)
{
    struct roxi_sparse counts;
    uint32_t *symbols;
    if (roxi_counts(s->profiles, ROXI_FRAME_COUNT, &counts, &symbols, err) != 0)
        return -1;
    const struct roxi_rows rows = {.sparse = &counts};
    const struct roxi_similarity_options options = {.sqrt_rows = true};
    const int result = roxi_similarity(&rows, &options, &d->apart, err);
    roxi_sparse_free(&counts);
    free(symbols);
    return result;
}

/* The objects of the last cluster from left to right. */
static int put_in_order(struct roxi_distances *d)
{
    const size_t n = d->tree.n;
    size_t *stack = calloc(n + 1, sizeof *stack), depth = 0, count = 0;
    d->order = calloc(n + 1, sizeof *d->order);
    if (stack && d->order)
        stack[depth++] = n > 1 ? 2 * n - 2 : 0;
    while (depth) {
        const size_t at = stack[--depth];
        if (at < n) {
            d->order[count++] = at;
            continue;
        }
        stack[depth++] = d->tree.merges[at - n].b;
        stack[depth++] = d->tree.merges[at - n].a;
    }
    free(stack);
    return count == n ? 0 : -1;
}

int roxi_distances_make(struct roxi_distances *d, const struct roxi_sheet *s, struct ix_error *err)
{
    *d = (struct roxi_distances){0};
    if (!s->ranked || s->profiles->count > ROXI_DISTANCES_MOST)
        return 0;
    int result = compare(d, s, err);
    if (result == 0)
        result = roxi_cluster(&d->apart, ROXI_AVERAGE, &d->tree, err);
    if (result == 0 && (roxi_map_make(&d->map, &d->apart) != 0 || put_in_order(d) != 0))
        result = ix_fail(err, "out of memory");
    if (result != 0)
        roxi_distances_free(d);
    return result;
}

void roxi_distances_free(struct roxi_distances *d)
{
    roxi_condensed_free(&d->apart);
    roxi_dendrogram_free(&d->tree);
    roxi_map_free(&d->map);
    free(d->order);
    *d = (struct roxi_distances){0};
}

/* ---- the map ---- */

struct range {
    double low, high;
};

static struct range range_of(const double *values, size_t n)
{
    struct range r = {values[0], values[0]};
    for (size_t i = 1; i < n; i++) {
        r.low = fmin(r.low, values[i]);
        r.high = fmax(r.high, values[i]);
    }
    return r;
}

/* Both directions have the same scale. */
static struct roxi_scale scale_of(struct range r, double span, double at_from, double at_to)
{
    const double middle = (r.low + r.high) / 2, half = span > 0 ? span / 2 : 1;
    return (struct roxi_scale){middle - half, middle + half, at_from, at_to};
}

static void put_point(FILE *out, const struct roxi_sheet *s, size_t run, double x, double y)
{
    static const char *const classes[] = {"m-none", "m-unusual", "m-failed"};
    const enum kind kind = kind_of(s, run);
    if (kind == FAILED) /* another shape, for whoever cannot tell the colours */
        fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1fl6 6l-6 6l-6 -6z\">", classes[kind], x,
                y - 6);
    else
        fprintf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\">", classes[kind], x, y,
                kind == UNUSUAL ? "5.5" : "3.5");
    fputs("<title>", out);
    roxi_svg_escape(out, s->profiles->executions[run].name, 0);
    fprintf(out, ": %s, score %.2f</title>%s\n", roxi_verdict_word(s, run), s->ranking.score[run],
            kind == FAILED ? "</path>" : "</circle>");
}

void roxi_distances_map(FILE *out, const struct roxi_distances *d, const struct roxi_sheet *s)
{
    const struct roxi_map *m = &d->map;
    const struct range across = range_of(m->x, m->n), up = range_of(m->y, m->n);
    const double span = fmax(across.high - across.low, up.high - up.low);
    const struct roxi_scale x = scale_of(across, span, margin, side - margin);
    const struct roxi_scale y = scale_of(up, span, side - margin, margin);
    fprintf(out,
            "<svg class=\"map\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Map of %zu "
            "runs\">\n",
            side, side, m->n);
    for (enum kind kind = NEITHER; kind <= FAILED; kind++) /* the last ones are on top */
        for (size_t i = 0; i < m->n; i++)
            if (kind_of(s, i) == kind)
                put_point(out, s, i, roxi_scale_at(&x, m->x[i]), roxi_scale_at(&y, m->y[i]));
    fputs("</svg>\n", out);
}

/* ---- the heat map ---- */

static double greatest(const struct roxi_condensed *apart)
{
    double most = 0;
    for (size_t i = 0; i < roxi_condensed_cells(apart); i++)
        most = fmax(most, apart->cells[i]);
    return most;
}

static void put_cells(FILE *out, const struct roxi_condensed *apart, double most)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    fputs(",\"cells\":\"", out);
    for (size_t i = 0; i < roxi_condensed_cells(apart); i++) {
        const double share = most > 0 ? sqrt(fmax(apart->cells[i], 0) / most) : 0;
        putc(letters[(size_t)(share * 63 + 0.5)], out);
    }
    putc('"', out);
}

static void put_tree(FILE *out, const struct roxi_distances *d, double most)
{
    fputs(",\n\"order\":[", out);
    for (size_t i = 0; i < d->tree.n; i++)
        fprintf(out, "%s%zu", i ? "," : "", d->order[i]);
    fputs("],\n\"merges\":[", out);
    for (size_t i = 0; i + 1 < d->tree.n; i++) {
        const struct roxi_merge *m = &d->tree.merges[i];
        fprintf(out, "%s%zu,%zu,%.0f", i ? "," : "", m->a, m->b,
                most > 0 ? 1000 * sqrt(fmax(m->height, 0) / most) : 0);
    }
    putc(']', out);
}

void roxi_distances_data(FILE *out, const struct roxi_distances *d, const struct roxi_sheet *s)
{
    if (!d->apart.n) {
        fputs("null", out);
        return;
    }
    const double most = greatest(&d->apart);
    fputs("{\"runs\":[", out);
    for (size_t i = 0; i < d->apart.n; i++) {
        fputs(i ? ",[" : "[", out);
        roxi_json_string(out, s->profiles->executions[i].name);
        fprintf(out, ",%d]", kind_of(s, i));
    }
    fprintf(out, "],\"most\":%.6g", sqrt(2 * most)); /* as in the map */
    put_tree(out, d, most);
    put_cells(out, &d->apart, most);
    putc('}', out);
}
