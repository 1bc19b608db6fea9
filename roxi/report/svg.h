/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings as SVG 1.1, self-contained and identical for identical numbers: arbitrary text, axes
 * with ticks at round numbers, curves, dots, legends.
 *
 * Positions are in units of the viewBox, about one screen pixel each; y grows downwards. They
 * are written with two decimals. Nothing is owned; the caller checks the stream for errors.
 * Colours are SVG values such as "#0072B2".
 */
#ifndef ROXI_SVG_H
#define ROXI_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Colours that colour-blind readers can distinguish (Okabe and Ito, Color universal design,
 * 2008). */
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

/* Begins a white sheet; `title` is for screen readers, `metadata` is the text of an element of
 * that name. */
void roxi_svg_begin(FILE *out, double width, double height, const char *title,
                    const char *metadata);
void roxi_svg_end(FILE *out);

/* ---- texts ---- */

/* Writes any bytes as XML text: markup is escaped; control characters and bytes that are not
 * UTF-8, which XML cannot even escape, become \xNN or \uNNNN. Writes at most `most` columns (0:
 * all), the last one '…' if text was cut. */
void roxi_svg_escape(FILE *out, const char *text, size_t most);
/* How many columns that takes; a letter of more than two bytes counts as two. */
size_t roxi_svg_columns(const char *text);
/* An upper estimate of the width of this many columns in letters of this size. */
double roxi_svg_width(size_t columns, double size);

struct roxi_svg_text {
    double x, y, size;
    const char *colour; /* NULL: the ink colour */
    const char *anchor; /* start, middle, end; NULL: start */
    size_t most;        /* columns; 0: all */
    bool bold, upwards; /* upwards: rotated by 90 degrees */
};
void roxi_svg_text(FILE *out, const struct roxi_svg_text *at, const char *text);

/* ---- axes ---- */

/* Maps values to positions. */
struct roxi_scale {
    double from, to;       /* values */
    double at_from, at_to; /* their positions */
};

/* For finite values with a finite difference; if `to` is not above `from`, a value above it is
 * used instead. */
struct roxi_scale roxi_scale_make(double from, double to, double at_from, double at_to);
/* Always between at_from and at_to: values outside go to the nearest end, NAN to at_from. */
double roxi_scale_at(const struct roxi_scale *s, double value);

/* Ticks are at (first + i) * step, i < count. */
struct roxi_ticks {
    double first, step;
    size_t count; /* 1 to most + 1, or 0 if no tick is between from and to */
};
/* All multiples of a step between from and to: the step is 1, 2 or 5 times a power of ten, the
 * smallest with at most `most` (1 or more) steps; whole: at least 1. */
struct roxi_ticks roxi_ticks_of(const struct roxi_scale *s, size_t most, bool whole);

/* The plotting area. */
struct roxi_area {
    struct roxi_scale x, y; /* y.at_from: its lower edge */
};
struct roxi_axes {
    const char *x, *y; /* labels */
    bool whole_x;      /* ticks only at whole numbers */
    bool no_y;         /* y has neither ticks nor grid lines */
};
void roxi_svg_axes(FILE *out, const struct roxi_area *area, const struct roxi_axes *axes);

/* ---- what is drawn ---- */

struct roxi_stroke {
    const char *colour, *dash; /* dash NULL: none */
    double width;
};
/* A curve through n points, in the area's values; `tip` is a tooltip, `class` a word that
 * identifies the line for programs. */
void roxi_svg_curve(FILE *out, const struct roxi_area *area, const struct roxi_stroke *stroke,
                    const char *class, const double *x, const double *y, size_t n, const char *tip);
void roxi_svg_line(FILE *out, const struct roxi_stroke *stroke, double x1, double y1, double x2,
                   double y2);
/* A dot at a position; `tip` NULL: no tooltip. */
void roxi_svg_dot(FILE *out, double x, double y, double radius, const char *colour,
                  const char *tip);

/* A row of a legend: a line, a dot (stroke width 0), or text alone (no colour). */
struct roxi_legend {
    struct roxi_stroke stroke;
    const char *text;
};
enum { ROXI_LEGEND_ROW = 18 };
/* Rows from (x, y) downwards, ROXI_LEGEND_ROW each; texts wider than `width` are cut. */
void roxi_svg_legend(FILE *out, double x, double y, double width, const struct roxi_legend *rows,
                     size_t count);
/* The smallest width at which no text is cut. */
double roxi_svg_legend_width(const struct roxi_legend *rows, size_t count);

#endif
