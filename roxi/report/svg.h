/* Drawings as SVG 1.1, self-contained and the same for the same numbers: texts that may hold
 * anything, axes with ticks at round numbers, curves, dots, legends.
 *
 * Positions are in the viewBox's units, about a screen's pixels; y grows downwards. They are
 * written with two decimals. Nothing is owned; errors of the stream are the caller's to find.
 * Colours are SVG's words, such as "#0072B2". */
#ifndef ROXI_SVG_H
#define ROXI_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Colours that the colour-blind can tell apart (Okabe and Ito, Color universal design, 2008). */
#define ROXI_ORANGE "#E69F00"
#define ROXI_SKY "#56B4E9"
#define ROXI_GREEN "#009E73"
#define ROXI_BLUE "#0072B2"
#define ROXI_VERMILION "#D55E00"
#define ROXI_PURPLE "#CC79A7"
#define ROXI_INK "#24313F"
#define ROXI_GREY "#6B7785"
#define ROXI_PALE "#C3CBD3"

/* ---- the document ---- */

/* A white sheet; `title` is for screen readers, `metadata` is text that stands in an element of
 * that name. */
void roxi_svg_begin(FILE *out, double width, double height, const char *title,
                    const char *metadata);
void roxi_svg_end(FILE *out);

/* ---- texts ---- */

/* Any bytes as text of XML: markup escaped; control characters and what is not UTF-8, which XML has
 * not even escaped, as \xNN or \uNNNN. At most `most` columns (0: all), the last one '…' if that is
 * not the whole of it. */
void roxi_svg_escape(FILE *out, const char *text, size_t most);
/* How many columns that takes; a letter of more than two bytes counts as two. */
size_t roxi_svg_columns(const char *text);
/* How wide so many columns are at most in letters of this size, about. */
double roxi_svg_width(size_t columns, double size);

struct roxi_svg_text {
    double x, y, size;
    const char *colour; /* NULL: ink */
    const char *anchor; /* start, middle, end; NULL: start */
    size_t most;        /* columns; 0: all */
    bool bold, upwards; /* upwards: turned by a quarter */
};
void roxi_svg_text(FILE *out, const struct roxi_svg_text *at, const char *text);

/* ---- axes ---- */

/* From values to positions. */
struct roxi_scale {
    double from, to;       /* values */
    double at_from, at_to; /* where these are */
};

/* Of finite values whose difference is, too; if `to` is not above `from`, one that is, is taken. */
struct roxi_scale roxi_scale_make(double from, double to, double at_from, double at_to);
/* Always between at_from and at_to: what is outside, or NAN, is put at the nearest end, or at_from.
 */
double roxi_scale_at(const struct roxi_scale *s, double value);

/* Ticks are at (first + i) * step, i < count. */
struct roxi_ticks {
    double first, step;
    size_t count; /* 1 to most + 1, or 0 if none is between from and to */
};
/* All round numbers between from and to: a step is 1, 2 or 5 times a power of ten, the least such
 * that there are no more than `most` (1 or more) steps; whole: 1 at least. */
struct roxi_ticks roxi_ticks_of(const struct roxi_scale *s, size_t most, bool whole);

/* The rectangle that things are drawn in. */
struct roxi_area {
    struct roxi_scale x, y; /* y.at_from: its lower side */
};
struct roxi_axes {
    const char *x, *y; /* what they are */
    bool whole_x;      /* ticks at whole numbers alone */
    bool no_y;         /* y has neither ticks nor lines */
};
void roxi_svg_axes(FILE *out, const struct roxi_area *area, const struct roxi_axes *axes);

/* ---- what is drawn ---- */

struct roxi_stroke {
    const char *colour, *dash; /* dash NULL: none */
    double width;
};
/* Through n points, in the area's values; `tip` is shown under the pointer, `class` names the line
 * for programs: a word. */
void roxi_svg_curve(FILE *out, const struct roxi_area *area, const struct roxi_stroke *stroke,
                    const char *class, const double *x, const double *y, size_t n, const char *tip);
void roxi_svg_line(FILE *out, const struct roxi_stroke *stroke, double x1, double y1, double x2,
                   double y2);
/* At a position; `tip` NULL: none. */
void roxi_svg_dot(FILE *out, double x, double y, double radius, const char *colour,
                  const char *tip);

/* A row of a legend: a line or a dot (a stroke of width 0), or neither (no colour: a remark). */
struct roxi_legend {
    struct roxi_stroke stroke;
    const char *text;
};
enum { ROXI_LEGEND_ROW = 18 };
/* Rows from (x, y) downwards, ROXI_LEGEND_ROW each; texts are cut where they would be wider than
 * `width`. */
void roxi_svg_legend(FILE *out, double x, double y, double width, const struct roxi_legend *rows,
                     size_t count);
/* The width that cuts none. */
double roxi_svg_legend_width(const struct roxi_legend *rows, size_t count);

#endif
