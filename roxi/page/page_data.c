/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/page_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/json.h"
#include "roxi/explain/words.h"
#include "roxi/page/numbering.h"
#include "roxi/page/trees.h"
#include "roxi/page/words.h"
#include "roxi/rank/words.h"
#include "schema/base/text_memory.h"

/* Times that are kept of a run, evenly. */
enum { MOMENTS = 600 };

struct writer {
    FILE *out;
    const struct roxi_sheet *sheet;
    const struct roxi_distances *distances;
    const struct roxi_recorded *recorded; /* by run shown */
    struct roxi_numbering numbers;
    struct roxi_pool pool;
    size_t spans; /* for which there is room */
};

/* ---- threads ---- */

struct line {
    uint32_t jvm, node, template, thread;
    const struct roxi_span *span;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_thread(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int order = compare_numbers(x->jvm, y->jvm);
    order = order ? order : compare_numbers(x->node, y->node);
    order = order ? order : compare_numbers(x->template, y->template);
    order = order ? order : compare_numbers(x->thread, y->thread);
    return order ? order : compare_numbers(x->span->first, y->span->first);
}

static bool is_same_thread(const struct line *x, const struct line *y)
{
    return x->jvm == y->jvm && x->node == y->node && x->template == y->template &&
           x->thread == y->thread;
}

static struct line *lines_of(const struct writer *w, const struct roxi_history *h)
{
    struct line *lines = calloc(h->count + 1, sizeof *lines);
    for (size_t i = 0; lines && i < h->count; i++) {
        const struct roxi_place place = roxi_profiles_place(w->sheet->profiles, h->spans[i].group);
        lines[i] = (struct line){.jvm = h->spans[i].jvm,
                                 .node = place.node,
                                 .template = place.template,
                                 .thread = h->spans[i].thread,
                                 .span = &h->spans[i]};
    }
    if (lines && h->count)
        qsort(lines, h->count, sizeof *lines, by_thread);
    return lines;
}

static bool says_more(const struct writer *w, const struct roxi_state *state, uint32_t stack)
{
    return state->state != ROXI_RUNNING &&
           state->state != (int)roxi_doing_in(w->sheet->profiles->symbols, stack);
}

/* Writes the part of a state in a span, if it says more than the call stack; returns where what is
 * written ends. */
static uint64_t write_state(struct writer *w, const struct roxi_state *state,
                            const struct roxi_span *span, uint64_t end)
{
    const uint64_t begin = state->first > span->first ? state->first : span->first;
    const uint64_t last = state->last < span->last ? state->last : span->last;
    const uint64_t first = begin > end ? begin : end;
    if (first > last || !says_more(w, state, span->stack))
        return end;
    fprintf(w->out, "%s%" PRIu64 ",%" PRIu64 ",%d", end ? "," : "", first - end, last - first + 1,
            state->state);
    return last + 1;
}

static bool is_of(const struct roxi_state *state, const struct line *thread)
{
    return state->jvm == thread->jvm && state->thread == thread->thread;
}

/* The states of one thread, the first `count` lines. */
static void write_states(struct writer *w, const struct roxi_recorded *r, const struct line *lines,
                         size_t count)
{
    uint64_t end = 0;
    size_t at = roxi_recorded_first(r, lines->jvm, lines->thread);
    for (size_t i = 0; i < count; i++) {
        const struct roxi_span *span = lines[i].span;
        while (at < r->count && is_of(&r->states[at], lines) && r->states[at].first <= span->last) {
            end = write_state(w, &r->states[at], span, end);
            if (r->states[at].last > span->last)
                break; /* it goes on in the next call stack */
            at++;
        }
    }
}

/* One thread, the first `count` lines. */
static void write_thread(struct writer *w, const struct roxi_recorded *r, const struct line *lines,
                         size_t count)
{
    const struct roxi_symbols *s = w->sheet->profiles->symbols;
    bool outside = true;
    uint64_t end = 0;
    for (size_t i = 0; i < count && outside; i++)
        outside = roxi_is_outside(s, lines[i].span->stack);
    fprintf(w->out, "[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%d,[", lines->jvm,
            roxi_number_string(&w->numbers, lines->node),
            roxi_number_string(&w->numbers, lines->template), outside);
    for (size_t i = 0; i < count; i++) {
        const struct roxi_span *span = lines[i].span;
        if (span->first < end) /* a thread of a later part with the same number */
            continue;
        fprintf(w->out, "%s%" PRIu64 ",%" PRIu64 ",%" PRIu32, end ? "," : "", span->first - end,
                span->last - span->first + 1, roxi_number_stack(&w->numbers, span->stack));
        end = span->last + 1;
    }
    fputs("],[", w->out);
    write_states(w, r, lines, count);
    fputs("]]", w->out);
}

static int write_threads(struct writer *w, const struct roxi_history *h,
                         const struct roxi_recorded *r)
{
    if (h->count > w->spans) {
        fputs("null", w->out);
        return 0;
    }
    struct line *lines = lines_of(w, h);
    if (!lines)
        return -1;
    w->spans -= h->count;
    putc('[', w->out);
    for (size_t i = 0, n; i < h->count; i += n) {
        for (n = 1; i + n < h->count && is_same_thread(&lines[i], &lines[i + n]); n++)
            ;
        if (i)
            fputs(",\n", w->out);
        write_thread(w, r, &lines[i], n);
    }
    putc(']', w->out);
    free(lines);
    return 0;
}

/* The roles of the JVMs that have call stacks, by number; of others the empty string. */
static int write_jvms(struct writer *w, const struct roxi_history *h)
{
    size_t count = 0;
    for (size_t i = 0; i < h->count; i++)
        count = h->spans[i].jvm + 1 > count ? h->spans[i].jvm + 1 : count;
    uint32_t *roles = calloc(count + 1, sizeof *roles);
    if (!roles)
        return -1;
    for (size_t i = 0; i < h->count; i++)
        roles[h->spans[i].jvm] = roxi_profiles_place(w->sheet->profiles, h->spans[i].group).role;
    putc('[', w->out);
    for (size_t i = 0; i < count; i++)
        fprintf(w->out, "%s%" PRIu32, i ? "," : "", roxi_number_string(&w->numbers, roles[i]));
    putc(']', w->out);
    free(roles);
    return 0;
}

static void write_moments(struct writer *w, const struct roxi_history *h)
{
    const size_t step = h->moment_count / MOMENTS + 1;
    putc('[', w->out);
    for (size_t i = 0; i < h->moment_count; i += step)
        fprintf(w->out, "%s%" PRIu64 ",%" PRId64, i ? "," : "", h->moments[i].packet,
                roxi_history_since(h, h->moments[i].packet) / 1000000);
    putc(']', w->out);
}

/* ---- findings ---- */

static void write_finding(struct writer *w, const struct roxi_finding *f)
{
    const struct roxi_symbols *s = w->sheet->profiles->symbols;
    struct ix_text t;
    if (ix_text_open(&t) != 0) {
        w->numbers.failed = true;
        return;
    }
    roxi_finding_say_who(t.out, s, f);
    fputs(": ", t.out);
    roxi_finding_say(t.out, s, f, 0, true);
    char *text = ix_text_close(&t);
    w->numbers.failed = w->numbers.failed || !text;
    putc('[', w->out);
    roxi_json_string(w->out, text ? text : "");
    fprintf(w->out, ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", f->packet,
            roxi_number_stack(&w->numbers, f->stack), roxi_number_string(&w->numbers, f->who.role),
            roxi_number_string(&w->numbers, f->who.node),
            roxi_number_string(&w->numbers, f->thread == ROXI_NONE ? 0 : f->thread));
    free(text);
}

static void write_findings(struct writer *w, const struct roxi_findings *f)
{
    putc('[', w->out);
    for (size_t i = 0; i < f->count; i++) {
        if (i)
            fputs(",\n", w->out);
        write_finding(w, &f->list[i]);
    }
    putc(']', w->out);
}

/* ---- the whole ---- */

static int write_run(struct writer *w, size_t i)
{
    const struct roxi_sheet *s = w->sheet;
    const struct roxi_shown *shown = &s->shown[i];
    const struct roxi_profile *x = &s->profiles->executions[shown->run];
    fputs("{\"name\":", w->out);
    roxi_json_string(w->out, x->name);
    fputs(",\"score\":", w->out);
    if (s->ranked)
        fprintf(w->out, "%.3f", s->ranking.score[shown->run]);
    else
        fputs("null", w->out);
    fprintf(w->out,
            ",\"verdict\":\"%s\",\"typical\":%s,\n\"moments\":", roxi_verdict_word(s, shown->run),
            s->has_typical && i + 1 == s->shown_count ? "true" : "false");
    write_moments(w, &x->history);
    fputs(",\n\"jvms\":", w->out);
    int result = write_jvms(w, &x->history);
    fputs(",\n\"threads\":", w->out);
    if (result == 0)
        result = write_threads(w, &x->history, &w->recorded[i]);
    fputs(",\n\"findings\":", w->out);
    write_findings(w, &shown->findings);
    fputs(",\n\"trees\":", w->out);
    if (result == 0)
        result = roxi_trees_write(w->out, s, &w->pool, shown->run, &w->numbers);
    fputs("}", w->out);
    return w->numbers.failed ? -1 : result;
}

static int write_all(struct writer *w)
{
    int result = roxi_pool_make(&w->pool, w->sheet);
    fputs("{\"runs\":[", w->out);
    for (size_t i = 0; i < w->sheet->shown_count && result == 0; i++) {
        if (i)
            fputs(",\n", w->out);
        result = write_run(w, i);
    }
    fputs("],\n\"distances\":", w->out);
    roxi_distances_data(w->out, w->distances, w->sheet);
    fputs(",\n", w->out);
    if (result == 0)
        roxi_numbering_write(w->out, &w->numbers);
    fputs("}\n", w->out);
    return w->numbers.failed ? -1 : result;
}

/* In JSON '<' occurs in strings only. Escaped, it can neither end the element nor begin a comment.
 */
static void put_without_markup(FILE *out, const char *text, size_t size)
{
    for (const char *end = text + size; text < end;) {
        const char *mark = memchr(text, '<', (size_t)(end - text));
        const char *stop = mark ? mark : end;
        fwrite(text, 1, (size_t)(stop - text), out);
        if (mark)
            fputs("\\u003c", out);
        text = mark ? mark + 1 : end;
    }
}

int roxi_page_data(FILE *out, const struct roxi_sheet *s, const struct roxi_distances *d,
                   const struct roxi_recorded *recorded)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    struct writer w = {.sheet = s,
                       .distances = d,
                       .recorded = recorded,
                       .numbers = {.profiles = s->profiles},
                       .spans = ROXI_PAGE_SPANS,
                       .out = t.out};
    const int result = write_all(&w);
    char *text = ix_text_close(&t);
    if (text && result == 0)
        put_without_markup(out, text, t.size);
    free(text);
    roxi_pool_free(&w.pool);
    roxi_numbering_free(&w.numbers);
    return text ? result : -1;
}
