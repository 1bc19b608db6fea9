/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/report/svg.h"

#include <math.h>
#include <string.h>

#include "roxi/base/text_escape.h"

/* Font sizes; the width of a legend's line and where the text beside it begins, and beside a
 * dot. */
static const double axis_size = 12, legend_size = 12, sample = 24, beside_line = 31,
                    beside_dot = 15;

/* Avoids -0.00. */
static double place(double at)
{
    return fabs(at) < 0.005 ? 0 : at;
}

/* ---- the document ---- */

void roxi_svg_begin(FILE *out, double width, double height, const char *title, const char *metadata)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" role=\"img\" font-family=\"DejaVu Sans, Helvetica, Arial, "
            "sans-serif\">\n<title>",
            width, height, width, height);
    roxi_svg_escape(out, title, 0);
    fputs("</title>\n<metadata>", out);
    roxi_svg_escape(out, metadata, 0);
    fprintf(out, "</metadata>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#FFFFFF\"/>\n", width,
            height);
}

void roxi_svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

/* ---- texts ---- */

/* Shows the next character; returns its length in bytes. XML does not allow U+FFFE and U+FFFF. */
static size_t show(const char *text, size_t left, char shown[TEXT_SHOWN_SIZE])
{
    const size_t size = text_show(text, left, shown);
    if (strcmp(shown, "\xEF\xBF\xBE") == 0)
        snprintf(shown, TEXT_SHOWN_SIZE, "\\uFFFE");
    else if (strcmp(shown, "\xEF\xBF\xBF") == 0)
        snprintf(shown, TEXT_SHOWN_SIZE, "\\uFFFF");
    return size;
}

static size_t columns_of(const char *shown)
{
    const size_t len = strlen(shown);
    if ((unsigned char)shown[0] < 0x80)
        return len;
    return len > 2 ? 2 : 1;
}

static void escape(FILE *out, const char *shown)
{
    static const char signs[] = "&<>\"'";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (; *shown; shown++) {
        const char *sign = strchr(signs, *shown);
        if (sign)
            fputs(entities[sign - signs], out);
        else
            putc(*shown, out);
    }
}

size_t roxi_svg_columns(const char *text)
{
    char shown[TEXT_SHOWN_SIZE];
    size_t columns = 0;
    for (size_t left = strlen(text); left;) {
        const size_t size = show(text, left, shown);
        columns += columns_of(shown);
        text += size;
        left -= size;
    }
    return columns;
}

void roxi_svg_escape(FILE *out, const char *text, size_t most)
{
    char shown[TEXT_SHOWN_SIZE];
    const bool cut = most && roxi_svg_columns(text) > most;
    size_t columns = 0;
    for (size_t left = strlen(text); left;) {
        const size_t size = show(text, left, shown);
        columns += columns_of(shown);
        if (cut && columns >= most)
            break;
        escape(out, shown);
        text += size;
        left -= size;
    }
    if (cut)
        fputs("…", out);
}

double roxi_svg_width(size_t columns, double size)
{
    return 0.6 * size * (double)columns;
}

void roxi_svg_text(FILE *out, const struct roxi_svg_text *at, const char *text)
{
    fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" fill=\"%s\"", place(at->x),
            place(at->y), at->size, at->colour ? at->colour : ROXI_INK);
    if (at->anchor)
        fprintf(out, " text-anchor=\"%s\"", at->anchor);
    if (at->bold)
        fputs(" font-weight=\"bold\"", out);
    if (at->upwards)
        fprintf(out, " transform=\"rotate(-90 %.2f %.2f)\"", place(at->x), place(at->y));
    putc('>', out);
    roxi_svg_escape(out, text, at->most);
    fputs("</text>\n", out);
}

/* ---- axes ---- */

struct roxi_scale roxi_scale_make(double from, double to, double at_from, double at_to)
{
    if (!(to > from))
        to = from + fmax(1, fabs(from));
    return (struct roxi_scale){from, to, at_from, at_to};
}

double roxi_scale_at(const struct roxi_scale *s, double value)
{
    if (!(value > s->from))
        return s->at_from;
    if (value >= s->to)
        return s->at_to;
    return s->at_from + (value - s->from) / (s->to - s->from) * (s->at_to - s->at_from);
}

/* Tolerance for rounding errors in a quotient; too small a part of a step to be visible. */
static const double slack = 1e-9;

struct roxi_ticks roxi_ticks_of(const struct roxi_scale *s, size_t most, bool whole)
{
    static const double nice[] = {1, 2, 5, 10};
    const double least = (s->to - s->from) / (double)most;
    const double power = pow(10, floor(log10(least)));
    struct roxi_ticks t = {.step = power};
    for (size_t i = 1; i < 4 && t.step < least * (1 - slack); i++)
        t.step = power * nice[i];
    if (whole && t.step < 1)
        t.step = 1;
    t.first = ceil(s->from / t.step - slack);
    const double last = floor(s->to / t.step + slack);
    t.count = last >= t.first ? (size_t)(last - t.first) + 1 : 0;
    return t;
}

static void draw_ticks(FILE *out, const struct roxi_area *area, bool is_x, bool whole)
{
    const struct roxi_scale *s = is_x ? &area->x : &area->y;
    const struct roxi_ticks t = roxi_ticks_of(s, is_x ? 10 : 6, whole);
    const struct roxi_stroke grid = {.colour = "#E8ECF0", .width = 1};
    const double left = area->x.at_from, right = area->x.at_to, bottom = area->y.at_from,
                 top = area->y.at_to;
    for (size_t i = 0; i < t.count; i++) {
        const double number = t.first + (double)i, at = roxi_scale_at(s, number * t.step);
        char label[32];
        snprintf(label, sizeof label, "%.6g", number == 0 ? 0 : number * t.step); /* avoids -0 */
        if (is_x)
            roxi_svg_line(out, &grid, at, top, at, bottom);
        else
            roxi_svg_line(out, &grid, left, at, right, at);
        roxi_svg_text(out,
                      &(struct roxi_svg_text){.x = is_x ? at : left - 7,
                                              .y = is_x ? bottom + 17 : at + 4,
                                              .size = axis_size,
                                              .anchor = is_x ? "middle" : "end",
                                              .colour = ROXI_GREY},
                      label);
    }
}

void roxi_svg_axes(FILE *out, const struct roxi_area *area, const struct roxi_axes *axes)
{
    const struct roxi_stroke edge = {.colour = ROXI_GREY, .width = 1};
    const double left = area->x.at_from, right = area->x.at_to, bottom = area->y.at_from,
                 top = area->y.at_to;
    fputs("<g class=\"x-axis\">\n", out);
    draw_ticks(out, area, true, axes->whole_x);
    fputs("</g>\n", out);
    if (!axes->no_y) {
        fputs("<g class=\"y-axis\">\n", out);
        draw_ticks(out, area, false, false);
        fputs("</g>\n", out);
        roxi_svg_line(out, &edge, left, bottom, left, top);
    }
    roxi_svg_line(out, &edge, left, bottom, right, bottom);
    roxi_svg_text(
        out,
        &(struct roxi_svg_text){
            .x = (left + right) / 2, .y = bottom + 38, .size = axis_size, .anchor = "middle"},
        axes->x);
    if (axes->y)
        roxi_svg_text(out,
                      &(struct roxi_svg_text){.x = left - 42,
                                              .y = (top + bottom) / 2,
                                              .size = axis_size,
                                              .anchor = "middle",
                                              .upwards = true},
                      axes->y);
}

/* ---- what is drawn ---- */

static void put_stroke(FILE *out, const struct roxi_stroke *stroke)
{
    fprintf(out, " fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"", stroke->colour, stroke->width);
    if (stroke->dash)
        fprintf(out, " stroke-dasharray=\"%s\"", stroke->dash);
}

/* Closes an element, with `tip` as its tooltip. */
static void put_tip(FILE *out, const char *element, const char *tip)
{
    if (!tip) {
        fputs("/>\n", out);
        return;
    }
    fputs("><title>", out);
    roxi_svg_escape(out, tip, 0);
    fprintf(out, "</title></%s>\n", element);
}

void roxi_svg_curve(FILE *out, const struct roxi_area *area, const struct roxi_stroke *stroke,
                    const char *class, const double *x, const double *y, size_t n, const char *tip)
{
    fprintf(out, "<polyline class=\"%s\"", class);
    put_stroke(out, stroke);
    fputs(" stroke-linejoin=\"round\" points=\"", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%.2f,%.2f", i ? " " : "", place(roxi_scale_at(&area->x, x[i])),
                place(roxi_scale_at(&area->y, y[i])));
    putc('"', out);
    put_tip(out, "polyline", tip);
}

void roxi_svg_line(FILE *out, const struct roxi_stroke *stroke, double x1, double y1, double x2,
                   double y2)
{
    fprintf(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"", place(x1), place(y1),
            place(x2), place(y2));
    put_stroke(out, stroke);
    put_tip(out, "line", NULL);
}

void roxi_svg_dot(FILE *out, double x, double y, double radius, const char *colour, const char *tip)
{
    fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%g\" fill=\"%s\"", place(x), place(y), radius,
            colour);
    put_tip(out, "circle", tip);
}

static bool is_dot(const struct roxi_stroke *stroke)
{
    return stroke->colour && !(stroke->width > 0);
}

void roxi_svg_legend(FILE *out, double x, double y, double width, const struct roxi_legend *rows,
                     size_t count)
{
    fputs("<g class=\"legend\">\n", out);
    for (size_t i = 0; i < count; i++) {
        const struct roxi_stroke *stroke = &rows[i].stroke;
        const double middle = y + ROXI_LEGEND_ROW * ((double)i + 0.5);
        const double beside = is_dot(stroke) ? beside_dot : beside_line;
        const double columns = (width - beside) / roxi_svg_width(1, legend_size) + slack;
        if (is_dot(stroke))
            roxi_svg_dot(out, x + 5, middle, 4, stroke->colour, NULL);
        else if (stroke->colour)
            roxi_svg_line(out, stroke, x, middle, x + sample, middle);
        roxi_svg_text(out,
                      &(struct roxi_svg_text){.x = x + beside,
                                              .y = middle + 4,
                                              .size = legend_size,
                                              .colour = stroke->colour ? NULL : ROXI_GREY,
                                              .most = (size_t)fmax(1, columns)},
                      rows[i].text);
    }
    fputs("</g>\n", out);
}

double roxi_svg_legend_width(const struct roxi_legend *rows, size_t count)
{
    double widest = 0;
    for (size_t i = 0; i < count; i++)
        widest = fmax(widest, (is_dot(&rows[i].stroke) ? beside_dot : beside_line) +
                                  roxi_svg_width(roxi_svg_columns(rows[i].text), legend_size));
    return widest;
}
