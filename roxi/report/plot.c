/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/report/plot.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN = 20, SAID_COLUMNS = 100 };

/* Where the last component of path[0..len) begins. */
static size_t last_part(const char *path, size_t len)
{
    while (len && path[len - 1] != '/')
        len--;
    return len;
}

static bool is_dots(const char *part, size_t len)
{
    return (len == 1 && *part == '.') || (len == 2 && part[0] == '.' && part[1] == '.');
}

const char *roxi_plot_name(const char *path, size_t *len)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = last_part(path, end), above = begin;
    while (above && path[above - 1] == '/')
        above--;
    const size_t parent = last_part(path, above);
    if (above > parent && !is_dots(path + parent, above - parent))
        begin = parent;
    if (begin == end) /* the root */
        begin = 0;
    *len = end - begin;
    return path + begin;
}

int roxi_plot_begin(FILE *out, double height, const char *title, const char *said,
                    const struct roxi_origin *origin, struct ix_error *err)
{
    size_t len;
    const char *name = roxi_plot_name(origin->campaign, &len);
    char *metadata = roxi_provenance_text(origin), *line;
    if (asprintf(&line, "%.*s: %s", (int)len, name, said) < 0)
        line = NULL;
    const int result = metadata && line ? 0 : ix_fail(err, "out of memory");
    if (result == 0) {
        roxi_svg_begin(out, ROXI_PLOT_WIDTH, height, title, metadata);
        roxi_svg_text(out, &(struct roxi_svg_text){.x = MARGIN, .y = 27, .size = 16, .bold = true},
                      title);
        roxi_svg_text(
            out,
            &(struct roxi_svg_text){
                .x = MARGIN, .y = 46, .size = 12, .colour = ROXI_GREY, .most = SAID_COLUMNS},
            line);
    }
    free(metadata);
    free(line);
    return result;
}

struct roxi_plot_mark roxi_plot_mark_of(enum ix_verdict verdict)
{
    switch (verdict) {
    case IX_VERDICT_FAILED:
        return (struct roxi_plot_mark){ROXI_VERMILION, "failed"};
    case IX_VERDICT_PASSED:
        return (struct roxi_plot_mark){ROXI_SKY, "passed"};
    case IX_VERDICT_UNKNOWN:
        break;
    }
    return (struct roxi_plot_mark){ROXI_GREY, "no verdict"};
}

struct roxi_plot_census roxi_plot_count(const struct roxi_verdict *verdicts, size_t n)
{
    struct roxi_plot_census c = {0};
    for (size_t i = 0; i < n; i++)
        c.of[verdicts[i].verdict]++;
    c.known = c.of[IX_VERDICT_FAILED] || c.of[IX_VERDICT_PASSED];
    return c;
}

void roxi_plot_say(char *said, size_t size, const struct roxi_plot_census *c, size_t n)
{
    if (c->known)
        snprintf(said, size, "%zu runs, %zu failed", n, c->of[IX_VERDICT_FAILED]);
    else
        snprintf(said, size, "%zu runs", n);
}

size_t roxi_plot_legend(struct roxi_legend rows[3], const struct roxi_plot_census *c)
{
    static const enum ix_verdict order[] = {IX_VERDICT_FAILED, IX_VERDICT_PASSED,
                                            IX_VERDICT_UNKNOWN};
    size_t count = 0;
    for (size_t i = 0; c->known && i < sizeof order / sizeof *order; i++) {
        const struct roxi_plot_mark mark = roxi_plot_mark_of(order[i]);
        if (c->of[order[i]])
            rows[count++] =
                (struct roxi_legend){.stroke = {.colour = mark.colour}, .text = mark.word};
    }
    return count;
}
