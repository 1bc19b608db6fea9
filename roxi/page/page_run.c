/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/page_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/platform.h"
#include "roxi/base/text_escape.h"
#include "roxi/explain/dwell.h"
#include "roxi/explain/words.h"
#include "roxi/rank/words.h"

enum {
    STAYS = 8,         /* that are listed */
    WAIT_LINES = 60,   /* of who waits for whom at a packet */
    NAMES_SHOWN = 100, /* of threads */
};
#define LONG_STAY 2.0 /* times what is typical, from which on a stay is listed */
/* Threads at a packet, on average, more than in any normal run: from which on a row is marked. */
#define MANY_MORE 0.5
#define DIFFERENT 0.2 /* threads at a packet: from which difference on a row is listed */

/* ---- findings ---- */

static char *findings_of(const struct roxi_sheet *s, const struct roxi_shown *shown)
{
    struct ix_text t;
    const struct roxi_explanation x = {.profiles = s->profiles,
                                       .run = &s->profiles->executions[shown->run],
                                       .verdict = s->verdicts[shown->run].verdict,
                                       .score = s->ranking.score[shown->run],
                                       .all = true,
                                       .findings = &shown->findings};
    if (ix_text_open(&t) != 0)
        return NULL;
    const int result = roxi_explain_text(t.out, &x);
    char *text = ix_text_close(&t);
    if (result == 0)
        return text;
    free(text);
    return NULL;
}

static void put_findings(struct roxi_html *h, const struct roxi_sheet *s,
                         const struct roxi_shown *shown, bool open)
{
    fprintf(h->out, "<details%s><summary>Findings: %zu</summary><pre>", open ? " open" : "",
            shown->findings.count);
    roxi_html_lines(h, findings_of(s, shown), 0);
    fputs("</pre></details>\n", h->out);
}

/* ---- who waits for whom ---- */

static double seconds_at(const struct roxi_profile *x, uint64_t packet)
{
    return (double)roxi_history_since(&x->history, packet) / 1e9;
}

static void put_waiting_at(struct roxi_html *h, const struct roxi_profile *x,
                           const struct roxi_waiting *w, const char *what)
{
    fprintf(h->out, "<p>Packet %" PRIu64 " (%.1f s), %s:</p><pre>", w->packet,
            seconds_at(x, w->packet), what);
    char *text = strdup(*w->text ? w->text : "  Nobody waits for a thread that is known.\n");
    roxi_html_lines(h, text, WAIT_LINES);
    fputs("</pre>\n", h->out);
}

static void put_waiting(struct roxi_html *h, const struct roxi_profile *x,
                        const struct roxi_recorded *r)
{
    const struct roxi_waiting *departure = &r->departure, *worst = &r->worst;
    if (!r->facts) {
        fputs("<p class=\"dim\">Who waits for whom is not known: locks and connections were not "
              "recorded.</p>\n",
              h->out);
        return;
    }
    fputs("<details><summary>Who waits for whom</summary>\n", h->out);
    if (departure->text && departure->packet != worst->packet)
        put_waiting_at(h, x, departure, "where the first finding departs");
    if (worst->text)
        put_waiting_at(h, x, worst, "where most threads wait longest");
    else
        fprintf(h->out, "<p>%s thread waits for another one that is known.</p>\n",
                departure->text ? "From there on, no" : "No");
    fputs("</details>\n", h->out);
}

/* ---- threads that stay ---- */

/* The last packet that the thread's JVM answered. */
static uint64_t last_packet(const struct roxi_history *h, uint32_t jvm)
{
    uint64_t last = 0;
    for (size_t i = 0; i < h->count; i++)
        if (h->spans[i].jvm == jvm && h->spans[i].last > last)
            last = h->spans[i].last;
    return last;
}

/* The innermost frame of the application; ROXI_NONE: there is none. */
static uint32_t frame_of(const struct roxi_symbols *s, uint32_t stack)
{
    for (; stack; stack = roxi_symbols_stack_at(s, stack).parent) {
        const uint32_t frame = roxi_symbols_stack_at(s, stack).frame;
        if (!roxi_is_platform(roxi_symbols_text(s, roxi_symbols_frame_at(s, frame).class_name)))
            return frame;
    }
    return ROXI_NONE;
}

/* "Client A, thread Worker". */
static void say_thread(FILE *out, const struct roxi_profiles *p, uint32_t group)
{
    const struct roxi_place place = roxi_profiles_place(p, group);
    roxi_print_member(out, p->symbols, roxi_member_at(place));
    fputs(", thread ", out);
    roxi_print_thread(out, p->symbols, place.template);
}

static void put_thread(struct roxi_html *h, const struct roxi_profiles *p, uint32_t group)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0) {
        h->failed = true;
        return;
    }
    say_thread(t.out, p, group);
    fputs("<td>", h->out);
    roxi_html_close(h, &t);
    fputs("</td>", h->out);
}

/* What the thread does there, and in which code. */
static void put_place(struct roxi_html *h, const struct roxi_profiles *p,
                      const struct roxi_recorded *r, const struct roxi_span *span)
{
    struct ix_text t;
    const int state = roxi_recorded_state(r, span, (int)roxi_doing_in(p->symbols, span->stack));
    if (ix_text_open(&t) != 0) {
        h->failed = true;
        return;
    }
    fputs(roxi_doing_word((enum roxi_doing)state), t.out);
    fputs(" in ", t.out);
    roxi_print_frame(t.out, p, frame_of(p->symbols, span->stack));
    fputs("<td>", h->out);
    roxi_html_close(h, &t);
    fputs("</td>", h->out);
}

static double typical_of(const struct roxi_dwell *d)
{
    return (double)d->span->packets / d->times - 1; /* dwell.h */
}

static void put_stay(struct roxi_html *h, const struct roxi_profiles *p,
                     const struct roxi_profile *x, const struct roxi_recorded *r,
                     const struct roxi_dwell *d)
{
    const struct roxi_span *span = d->span;
    const double typical = typical_of(d);
    fputs("<tr>", h->out);
    put_thread(h, p, span->group);
    fprintf(h->out,
            "<td class=\"n\">%" PRIu64 "</td><td class=\"n\">%.0f</td><td>%" PRIu64
            " (%.1f s) to %" PRIu64 "%s</td>",
            span->packets, typical, span->first, seconds_at(x, span->first), span->last,
            span->last == last_packet(&x->history, span->jvm) ? ", the end" : "");
    put_place(h, p, r, span);
    fputs("</tr>\n", h->out);
}

/* Is the stay much longer than typical, also where the whole run is `longer` times as long? A
 * thread that is there in all of a run is not stuck. */
static bool is_long(const struct roxi_dwell *d, double longer)
{
    return (double)d->span->packets >= LONG_STAY * (1 + typical_of(d) * fmax(1, longer));
}

/* Puts the stays that are long first; returns how many they are. */
static size_t choose_stays(struct roxi_dwell *stays, size_t found, double longer)
{
    size_t count = 0;
    for (size_t i = 0; i < found; i++)
        if (is_long(&stays[i], longer))
            stays[count++] = stays[i];
    return count;
}

static void put_stays(struct roxi_html *h, const struct roxi_sheet *s, size_t run,
                      const struct roxi_recorded *r)
{
    struct roxi_dwell stays[STAYS];
    const int found = roxi_dwell_longest(stays, STAYS, s->profiles, run, s->normal, true);
    h->failed = h->failed || found < 0;
    const size_t count = found > 0 ? choose_stays(stays, (size_t)found, s->ranking.longer[run]) : 0;
    if (!count) {
        fputs("<p class=\"dim\">No thread stays in one call stack of the application much longer "
              "than is typical.</p>\n",
              h->out);
        return;
    }
    fputs(
        "<details><summary>Stuck threads: the longest in one call stack, at least twice as long "
        "as is typical</summary>\n<table class=\"stays\"><thead><tr><th>Thread</th><th "
        "class=\"n\">Packets</th>"
        "<th class=\"n\">Typical</th><th>From, to</th><th>What it does</th></tr></thead><tbody>\n",
        h->out);
    for (size_t i = 0; i < count; i++)
        put_stay(h, s->profiles, &s->profiles->executions[run], r, &stays[i]);
    fputs("</tbody></table></details>\n", h->out);
}

/* ---- threads by name ---- */

static bool is_grown(const struct roxi_head_count *x)
{
    return x->here >= x->most + MANY_MORE;
}

static void put_count(struct roxi_html *h, const struct roxi_profiles *p,
                      const struct roxi_head_count *x)
{
    fputs(is_grown(x) ? "<tr class=\"grown\">" : "<tr>", h->out);
    put_thread(h, p, x->group);
    fprintf(h->out,
            "<td class=\"n\">%.2f</td><td class=\"n\">%.2f</td><td class=\"n\">%.2f</td><td>%s"
            "</td></tr>\n",
            x->here, x->elsewhere, x->most, is_grown(x) ? "more than in any" : "");
}

static bool differs(const struct roxi_head_count *x)
{
    return fabs(x->here - x->elsewhere) >= DIFFERENT;
}

/* The list has those that differ most first. */
static void put_count_rows(struct roxi_html *h, const struct roxi_profiles *p,
                           const struct roxi_head_count *list, size_t count)
{
    size_t listed = 0;
    if (!count || !differs(&list[0])) {
        fputs("<p class=\"dim\">There are about as many of each as in normal runs.</p>\n", h->out);
        return;
    }
    fputs("<table><thead><tr><th>Threads at a packet, on average</th><th class=\"n\">Here</th>"
          "<th class=\"n\">Normal runs</th><th class=\"n\">At most</th><th></th></tr></thead>"
          "<tbody>\n",
          h->out);
    for (; listed < count && listed < NAMES_SHOWN && differs(&list[listed]); listed++)
        put_count(h, p, &list[listed]);
    fputs("</tbody></table>\n", h->out);
    if (listed < count)
        fprintf(h->out, "<p class=\"dim\">and %zu more, which differ less</p>\n", count - listed);
}

static void put_counts(struct roxi_html *h, const struct roxi_sheet *s,
                       const struct roxi_head_counts *counts, size_t run)
{
    size_t count, grown = 0;
    struct roxi_head_count *list = roxi_head_counts_of(counts, s, run, &count);
    h->failed = h->failed || !list;
    for (size_t i = 0; list && i < count; i++)
        grown += is_grown(&list[i]);
    fprintf(h->out, "<details><summary>Threads by name: %zu names", count);
    if (grown)
        fprintf(h->out, "; of %zu there are more threads than in any normal run", grown);
    fputs("</summary>\n", h->out);
    if (list)
        put_count_rows(h, s->profiles, list, count);
    fputs("</details>\n", h->out);
    free(list);
}

/* ---- the whole ---- */

void roxi_page_run(struct roxi_html *h, const struct roxi_sheet *s,
                   const struct roxi_head_counts *counts, size_t i,
                   const struct roxi_recorded *recorded)
{
    const struct roxi_shown *shown = &s->shown[i];
    const struct roxi_profile *x = &s->profiles->executions[shown->run];
    const bool typical = s->has_typical && i + 1 == s->shown_count;
    fprintf(h->out, "<section class=\"run\" data-run=\"%zu\" id=\"run=", i);
    roxi_html_address(h->out, x->name);
    fputs("\"><h3>", h->out);
    roxi_html_name(h->out, x->name);
    fputs(typical ? ", a typical run</h3>\n" : "</h3>\n", h->out);
    if (typical)
        fputs("<p>To compare with: its score is the lowest.</p>", h->out);
    else if (!s->ranked)
        fputs("<p>Not compared.</p>", h->out);
    else
        put_findings(h, s, shown, i == 0);
    if (!typical)
        put_waiting(h, x, recorded);
    if (s->ranked && !typical) {
        put_stays(h, s, shown->run, recorded);
        put_counts(h, s, counts, shown->run);
    }
    fputs("</section>\n", h->out);
}
