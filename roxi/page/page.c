/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_memory.h"
#include "roxi/explain/words.h"
#include "roxi/page/distances.h"
#include "roxi/page/first_screen.h"
#include "roxi/page/page_data.h"
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
    FILE *out;
    const struct roxi_sheet *sheet;
    struct roxi_distances distances;
    const char *rest; /* of the template */
    bool failed;      /* memory ran out */
};

/* ---- pieces ---- */

/* Writes the template up to a mark that it has. */
static void copy_to(struct page *p, const char *mark)
{
    const char *end = strstr(p->rest, mark);
    if (!end)
        end = p->rest + strlen(p->rest);
    fwrite(p->rest, 1, (size_t)(end - p->rest), p->out);
    p->rest = end;
}

static void put_text(struct page *p, char *text)
{
    if (text)
        roxi_svg_escape(p->out, text, 0);
    else
        p->failed = true;
    free(text);
}

/* Line by line, because escaping shows line ends, too. */
static void put_lines(struct page *p, char *text)
{
    p->failed = p->failed || !text;
    for (char *line = text, *end; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        roxi_svg_escape(p->out, line, 0);
        putc('\n', p->out);
    }
    free(text);
}

static void put_name(struct page *p, size_t run)
{
    roxi_svg_escape(p->out, p->sheet->profiles->executions[run].name, 0);
}

/* The name as a part of an address. */
static void put_address(struct page *p, size_t run)
{
    for (const char *c = p->sheet->profiles->executions[run].name; *c; c++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", *c))
            putc(*c, p->out);
        else
            fprintf(p->out, "%%%02X", (unsigned)(unsigned char)*c);
}

static void put_paragraph(struct page *p, const char *class, roxi_saying *say)
{
    char *text = roxi_said(p->sheet, say);
    if (text && !*text) {
        free(text);
        return;
    }
    fprintf(p->out, "<p class=\"%s\">", class);
    put_text(p, text);
    fputs("</p>\n", p->out);
}

/* ---- the first screen ---- */

static void put_row(struct page *p, size_t i)
{
    const struct roxi_sheet *s = p->sheet;
    const size_t run = s->ranked ? s->worth[i] : s->order[i];
    const struct roxi_shown *shown = roxi_shown_of(s, i);
    if (s->ranked)
        fprintf(p->out, "<tr><td class=\"n\">%.2f</td>", s->ranking.score[run]);
    else
        fputs("<tr><td class=\"n\">-</td>", p->out);
    const char *verdict = roxi_verdict_word(s, run);
    fprintf(p->out, "<td class=\"%s\">%s</td><td>", strcmp(verdict, "-") == 0 ? "none" : verdict,
            verdict);
    if (shown) {
        fputs("<a href=\"#run=", p->out);
        put_address(p, run);
        fputs("\">", p->out);
    }
    put_name(p, run);
    fputs(shown ? "</a></td><td>" : "</td><td>", p->out);
    put_text(p, roxi_said_reason(s, run, shown));
    fputs("</td></tr>\n", p->out);
}

static void put_rows(struct page *p, size_t from, size_t to)
{
    fputs("<table class=\"runs\"><thead><tr><th class=\"n\">Score</th><th>Verdict</th><th>Run</th>"
          "<th>Why</th></tr></thead><tbody>\n",
          p->out);
    for (size_t i = from; i < to; i++)
        put_row(p, i);
    fputs("</tbody></table>\n", p->out);
}

static void put_first_screen(struct page *p)
{
    const struct roxi_sheet *s = p->sheet;
    const size_t all = s->ranked ? s->unusual : s->profiles->count;
    const size_t first = roxi_first_screen_runs(s);
    put_paragraph(p, "verdict", roxi_say_verdict);
    put_paragraph(p, "start", roxi_say_start);
    if (all)
        put_rows(p, 0, first);
    if (all > first) {
        fprintf(p->out, "<details><summary>%zu more</summary>\n", all - first);
        put_rows(p, first, all);
        fputs("</details>\n", p->out);
    }
    put_paragraph(p, "sure", roxi_say_sure);
}

/* ---- distances ---- */

static void put_distances(struct page *p)
{
    if (!p->distances.apart.n) {
        fprintf(p->out,
                "<p>No map: it takes at least %d runs that can be compared, and at most %d.</p>\n",
                ROXI_RANK_REFERENCE, ROXI_DISTANCES_MOST);
        return;
    }
    fprintf(
        p->out,
        "<p>The nearer two runs are, the more their call stacks have frames in common. The map's "
        "stress is %.2f: %s.</p>\n",
        p->distances.map.stress,
        p->distances.map.stress > 0.2 ? "poor, so trust only what is far apart, or the heat map"
                                      : "distances in it are nearly those of the runs");
    fputs("<div class=\"two\"><figure><figcaption>Map: diamonds failed, large dots are unusual"
          "</figcaption>\n",
          p->out);
    roxi_distances_map(p->out, &p->distances, p->sheet);
    fputs("</figure><figure id=\"heat\" hidden></figure></div>\n", p->out);
}

/* ---- runs in full ---- */

static char *findings_of(const struct roxi_sheet *s, const struct roxi_shown *shown)
{
    struct roxi_text t;
    const struct roxi_explanation x = {.profiles = s->profiles,
                                       .run = &s->profiles->executions[shown->run],
                                       .verdict = s->verdicts[shown->run].verdict,
                                       .score = s->ranking.score[shown->run],
                                       .all = true,
                                       .findings = &shown->findings};
    if (roxi_text_open(&t) != 0)
        return NULL;
    const int result = roxi_explain_text(t.out, &x);
    char *text = roxi_text_close(&t);
    if (result == 0)
        return text;
    free(text);
    return NULL;
}

static void put_run(struct page *p, size_t i)
{
    const struct roxi_sheet *s = p->sheet;
    const struct roxi_shown *shown = &s->shown[i];
    const bool typical = s->has_typical && i + 1 == s->shown_count;
    fprintf(p->out, "<section class=\"run\" data-run=\"%zu\" id=\"run=", i);
    put_address(p, shown->run);
    fputs("\"><h3>", p->out);
    put_name(p, shown->run);
    fputs(typical ? ", a typical run</h3>\n" : "</h3>\n", p->out);
    if (!s->ranked || typical) {
        fputs(typical ? "<p>To compare with: its score is the lowest.</p>" : "<p>Not compared.</p>",
              p->out);
    } else {
        fprintf(p->out, "<details%s><summary>Findings: %zu</summary><pre>", i ? "" : " open",
                shown->findings.count);
        put_lines(p, findings_of(s, shown));
        fputs("</pre></details>", p->out);
    }
    fputs("</section>\n", p->out);
}

static void put_runs(struct page *p)
{
    for (size_t i = 0; i < p->sheet->shown_count; i++)
        put_run(p, i);
}

/* ---- the whole ---- */

static void put_end(struct page *p)
{
    put_paragraph(p, "quality", roxi_say_quality);
    put_paragraph(p, "how", roxi_say_how);
}

static void put_all(struct page *p)
{
    const char *campaign = p->sheet->origin->campaign;
    copy_to(p, "</title>");
    roxi_svg_escape(p->out, campaign, 0);
    copy_to(p, "</style>");
    fputs(page_css, p->out);
    copy_to(p, "</h1>");
    roxi_svg_escape(p->out, campaign, 0);
    copy_to(p, "<!-- first screen -->");
    put_first_screen(p);
    copy_to(p, "<!-- distances -->");
    put_distances(p);
    copy_to(p, "<!-- runs -->");
    put_runs(p);
    copy_to(p, "<!-- end -->");
    put_end(p);
    copy_to(p, "</script>");
    if (roxi_page_data(p->out, p->sheet, &p->distances) != 0)
        p->failed = true;
    copy_to(p, "<script>");
    copy_to(p, "</script>");
    fputs(page_js, p->out);
    fputs(p->rest, p->out);
}

int roxi_page_write(FILE *out, const struct roxi_sheet *s, struct ix_error *err)
{
    struct page p = {.out = out, .sheet = s, .rest = page_html};
    if (roxi_distances_make(&p.distances, s, err) != 0)
        return -1;
    put_all(&p);
    roxi_distances_free(&p.distances);
    return p.failed ? ix_fail(err, "out of memory") : 0;
}
