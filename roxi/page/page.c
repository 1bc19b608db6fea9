/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/page/distances.h"
#include "roxi/page/first_screen.h"
#include "roxi/page/html.h"
#include "roxi/page/page_data.h"
#include "roxi/page/page_run.h"
#include "roxi/page/quality.h"
#include "roxi/page/talks.h"
#include "roxi/page/words.h"
#include "roxi/report/svg.h"

static const char page_html[] =
#include "report_html.h"
    ;
static const char page_css[] =
#include "base_css.h"
#include "report_css.h"
    ;
static const char page_js[] =
#include "base_js.h"
#include "report_data_js.h"
#include "report_time_line_js.h"
#include "report_moment_js.h"
#include "report_merged_js.h"
#include "report_flame_js.h"
#include "report_heat_js.h"
#include "report_search_js.h"
#include "report_report_js.h"
    ;

struct page {
    struct roxi_html html;
    const struct roxi_sheet *sheet;
    struct roxi_distances distances;
    struct roxi_head_counts counts;
    struct roxi_recorded *recorded; /* by run shown; owned */
    struct roxi_talks talks;
    struct ix_figures figures;
    const char *rest; /* of the template */
};

/* ---- pieces ---- */

/* Writes the template up to a mark that it has. */
static void copy_to(struct page *p, const char *mark)
{
    const char *end = strstr(p->rest, mark);
    if (!end)
        end = p->rest + strlen(p->rest);
    fwrite(p->rest, 1, (size_t)(end - p->rest), p->html.out);
    p->rest = end;
}

static void put_paragraph(struct page *p, const char *class, roxi_saying *say)
{
    char *text = roxi_said(p->sheet, say);
    if (text && !*text) {
        free(text);
        return;
    }
    fprintf(p->html.out, "<p class=\"%s\">", class);
    roxi_html_text(&p->html, text);
    fputs("</p>\n", p->html.out);
}

/* ---- the first screen ---- */

static void put_row(struct page *p, size_t i)
{
    const struct roxi_sheet *s = p->sheet;
    const size_t run = s->ranked ? s->worth[i] : s->order[i];
    const struct roxi_shown *shown = roxi_shown_of(s, i);
    if (s->ranked)
        fprintf(p->html.out, "<tr><td class=\"n\">%.2f</td>", s->ranking.score[run]);
    else
        fputs("<tr><td class=\"n\">-</td>", p->html.out);
    const char *verdict = roxi_verdict_word(s, run);
    fprintf(p->html.out, "<td class=\"%s\">%s</td><td>",
            strcmp(verdict, "-") == 0 ? "none" : verdict, verdict);
    if (shown) {
        fputs("<a href=\"#run=", p->html.out);
        roxi_html_address(p->html.out, p->sheet->profiles->executions[run].name);
        fputs("\">", p->html.out);
    }
    roxi_html_name(p->html.out, p->sheet->profiles->executions[run].name);
    fputs(shown ? "</a></td><td>" : "</td><td>", p->html.out);
    roxi_html_text(&p->html, roxi_said_reason(s, run, shown));
    fputs("</td></tr>\n", p->html.out);
}

static void put_rows(struct page *p, size_t from, size_t to)
{
    fputs("<table class=\"runs\"><thead><tr><th class=\"n\">Score</th><th>Verdict</th><th>Run</th>"
          "<th>Why</th></tr></thead><tbody>\n",
          p->html.out);
    for (size_t i = from; i < to; i++)
        put_row(p, i);
    fputs("</tbody></table>\n", p->html.out);
}

static void put_first_screen(struct page *p)
{
    const struct roxi_sheet *s = p->sheet;
    const size_t all = s->ranked ? s->unusual : s->profiles->count;
    size_t first;
    if (roxi_first_screen_runs(s, &first) != 0)
        p->html.failed = true;
    put_paragraph(p, "verdict", roxi_say_verdict);
    put_paragraph(p, "start", roxi_say_start);
    if (all)
        put_rows(p, 0, first);
    if (all > first) {
        fprintf(p->html.out, "<details><summary>%zu more</summary>\n", all - first);
        put_rows(p, first, all);
        fputs("</details>\n", p->html.out);
    }
    put_paragraph(p, "sure", roxi_say_sure);
}

/* ---- distances ---- */

static void put_distances(struct page *p)
{
    if (!p->distances.apart.n) {
        fprintf(p->html.out,
                "<p>No map: it takes at least %d runs that can be compared, and at most %d.</p>\n",
                ROXI_RANK_REFERENCE, ROXI_DISTANCES_MOST);
        return;
    }
    fprintf(p->html.out,
            "<p>The nearer two runs are, the more frames their call stacks share. The map's "
            "stress is %.2f: %s.</p>\n",
            p->distances.map.stress,
            p->distances.map.stress > 0.2 ? "poor, so trust only what is far apart, or the heat map"
                                          : "distances in it are nearly those of the runs");
    fputs("<div class=\"two\"><figure><figcaption>Map: diamonds failed, large dots are unusual"
          "</figcaption>\n",
          p->html.out);
    roxi_distances_map(p->html.out, &p->distances, p->sheet);
    fputs("</figure><figure id=\"heat\" hidden></figure></div>\n", p->html.out);
}

/* ---- runs in full ---- */

static void put_runs(struct page *p)
{
    for (size_t i = 0; i < p->sheet->shown_count; i++)
        roxi_page_run(&p->html, p->sheet, &p->counts, i, &p->recorded[i]);
}

/* ---- the whole ---- */

static void put_end(struct page *p)
{
    put_paragraph(p, "quality", roxi_say_quality);
    roxi_quality_figures(&p->html, &p->figures);
    roxi_quality_masked(&p->html, p->sheet);
    put_paragraph(p, "how", roxi_say_how);
}

static void put_all(struct page *p)
{
    const char *campaign = p->sheet->origin->campaign;
    copy_to(p, "</title>");
    roxi_svg_escape(p->html.out, campaign, 0);
    copy_to(p, "</style>");
    fputs(page_css, p->html.out);
    copy_to(p, "</h1>");
    roxi_svg_escape(p->html.out, campaign, 0);
    copy_to(p, "<!-- first screen -->");
    put_first_screen(p);
    copy_to(p, "<!-- distances -->");
    put_distances(p);
    copy_to(p, "<!-- runs -->");
    put_runs(p);
    copy_to(p, "<!-- talks -->");
    roxi_talks_put(&p->html, &p->talks);
    copy_to(p, "<!-- end -->");
    put_end(p);
    copy_to(p, "</script>");
    if (roxi_page_data(p->html.out, p->sheet, &p->distances, p->recorded) != 0)
        p->html.failed = true;
    copy_to(p, "<script>");
    copy_to(p, "</script>");
    fputs(page_js, p->html.out);
    fputs(p->rest, p->html.out);
}

static int read_run(struct page *p, const struct roxi_listing *listing, size_t i,
                    struct ix_error *err)
{
    struct roxi_shown *shown = &p->sheet->shown[i];
    const struct roxi_listed_execution *run = /* not all listed runs need be on the page (--test) */
        roxi_listing_find(listing, p->sheet->profiles->executions[shown->run].name);
    if (!run)
        return ix_fail(err, "the campaign has changed in the meantime; try again");
    /* Without a ranking there are no findings, whose producers would have read them. */
    if (!p->sheet->ranked && waits_chains_read(&shown->findings.chains, run, err) != 0)
        return -1;
    return roxi_recorded_read(&p->recorded[i], run, &shown->findings, err);
}

static int read_recorded(struct page *p, struct ix_error *err)
{
    struct roxi_listing listing;
    p->recorded = calloc(p->sheet->shown_count + 1, sizeof *p->recorded);
    if (!p->recorded)
        return ix_fail(err, "out of memory");
    if (roxi_listing_read(&listing, p->sheet->origin->campaign, NULL, err) != 0)
        return -1;
    int result = 0;
    for (size_t i = 0; i < p->sheet->shown_count && result == 0; i++)
        result = read_run(p, &listing, i, err);
    if (result == 0 && p->sheet->shown_count && p->recorded[0].facts)
        result = roxi_talks_read(&p->talks, &listing, p->sheet, err);
    roxi_listing_free(&listing);
    return result;
}

static void release(struct page *p)
{
    for (size_t i = 0; p->recorded && i < p->sheet->shown_count; i++)
        roxi_recorded_free(&p->recorded[i]);
    free(p->recorded);
    roxi_talks_free(&p->talks);
    ix_figures_free(&p->figures);
    roxi_head_counts_free(&p->counts);
    roxi_distances_free(&p->distances);
}

int roxi_page_write(FILE *out, const struct roxi_sheet *s, struct ix_error *err)
{
    struct page p = {.html = {.out = out}, .sheet = s, .rest = page_html};
    if (roxi_distances_make(&p.distances, s, err) != 0)
        return -1;
    int result = read_recorded(&p, err);
    if (result == 0)
        result = roxi_quality_read(&p.figures, s, err);
    if (result == 0 && roxi_head_counts_make(&p.counts, s) != 0)
        result = ix_fail(err, "out of memory");
    if (result == 0) {
        put_all(&p);
        result = p.html.failed ? ix_fail(err, "out of memory") : 0;
    }
    release(&p);
    return result;
}
