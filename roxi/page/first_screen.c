/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/first_screen.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/text_wrap.h"
#include "roxi/explain/common.h"
#include "roxi/explain/words.h"
#include "roxi/page/words.h"
#include "roxi/rank/likeness.h"
#include "schema/base/text_memory.h"

/* Where reasons begin: below the name. */
enum { REASON_INDENT = 4 };

static int put_paragraph(FILE *out, const struct roxi_sheet *s, roxi_saying *say)
{
    char *text = roxi_said(s, say);
    if (!text)
        return -1;
    if (*text) {
        roxi_print_wrapped(out, text, (struct roxi_wrap){0});
        fputs("\n\n", out);
    }
    free(text);
    return 0;
}

/* ---- runs ---- */

/* The finding that comes first of run number i of those listed; NULL: there is none. */
static const struct roxi_finding *first_of(const struct roxi_sheet *s, size_t i)
{
    const struct roxi_shown *shown = s->ranked ? roxi_shown_of(s, i) : NULL;
    return shown && shown->findings.count ? &shown->findings.list[0] : NULL;
}

/* Do both say the same, but for the peer, the time and the numbers? */
static bool says_the_same(const struct roxi_sheet *s, const struct roxi_finding *a,
                          const struct roxi_finding *b)
{
    return roxi_findings_alike(s->ranking.durations, a, b) && a->doing == b->doing &&
           roxi_same_call(&a->call, &b->call) && roxi_same_call(&a->beside, &b->beside) &&
           (!roxi_finding_is_of_code(a) || a->stack == b->stack);
}

/* The first run of those listed before number i whose reason is the same; i: there is none. */
static size_t listed_alike(const struct roxi_sheet *s, size_t i)
{
    const struct roxi_finding *own = first_of(s, i);
    for (size_t k = 0; own && k < i; k++) {
        const struct roxi_finding *x = first_of(s, k);
        if (x && says_the_same(s, x, own))
            return k;
    }
    return i;
}

/* "as in run0007: Client B, since packet 79 (4.1 s)". NULL: memory ran out. */
static char *said_alike(const struct roxi_sheet *s, size_t run, size_t i, size_t alike)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    fputs("as in ", t.out);
    text_print(t.out, s->profiles->executions[s->worth[alike]].name +
                          roxi_profiles_shared_name(s->profiles));
    fputs(": ", t.out);
    roxi_finding_say_who(t.out, s->profiles->symbols, first_of(s, i));
    roxi_finding_say_when(t.out, &s->profiles->executions[run], first_of(s, i));
    return ix_text_close(&t);
}

static int put_run(FILE *out, const struct roxi_sheet *s, size_t i)
{
    const size_t run = s->ranked ? s->worth[i] : s->order[i];
    const size_t alike = listed_alike(s, i);
    char *reason =
        alike < i ? said_alike(s, run, i, alike) : roxi_said_reason(s, run, roxi_shown_of(s, i));
    if (!reason)
        return -1;
    if (s->ranked)
        fprintf(out, "%8.2f  ", s->ranking.score[run]);
    else
        fputs("       -  ", out);
    fprintf(out, "%-7s  ", roxi_verdict_word(s, run));
    text_print(out, s->profiles->executions[run].name);
    fprintf(out, "\n%*s", REASON_INDENT, "");
    roxi_print_wrapped(out, reason,
                       (struct roxi_wrap){.indent = REASON_INDENT,
                                          .used = REASON_INDENT,
                                          .lines = ROXI_REASON_LINES});
    putc('\n', out);
    free(reason);
    return 0;
}

static size_t listed_at_most(const struct roxi_sheet *s)
{
    return s->ranked ? s->unusual : s->profiles->count;
}

/* What is listed may have failed only. */
static const char *kind_of_rest(const struct roxi_sheet *s, size_t listed)
{
    const bool scored = s->ranking.score[s->worth[s->unusual - 1]] > ROXI_WORTH_A_LOOK;
    return scored ? "unusual " : listed < s->unusual ? "unusual or failed " : "";
}

/* ---- the whole ---- */

struct screen {
    char *head, *runs, *tail; /* owned */
    size_t *end;              /* of each run's text in `runs`; owned */
    size_t count;             /* runs that fit */
};

static char *paragraphs(const struct roxi_sheet *s, roxi_saying *const *list, size_t count)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = put_paragraph(t.out, s, list[i]);
    char *text = ix_text_close(&t);
    if (result == 0)
        return text;
    free(text);
    return NULL;
}

static int make_runs(struct screen *c, const struct roxi_sheet *s, size_t bytes)
{
    const size_t most = listed_at_most(s);
    struct ix_text t;
    if (!(c->end = calloc(most + 1, sizeof *c->end)) || ix_text_open(&t) != 0)
        return -1;
    int result = 0;
    for (size_t i = 0; i < most && result == 0; i++) {
        result = put_run(t.out, s, i);
        c->end[i] = ix_text_length(&t);
        if (c->end[i] > bytes)
            break;
    }
    c->runs = ix_text_close(&t);
    return c->runs ? result : -1;
}

static int make(struct screen *c, const struct roxi_sheet *s, size_t bytes)
{
    static roxi_saying *const head[] = {roxi_say_verdict, roxi_say_start};
    static roxi_saying *const tail[] = {roxi_say_sure, roxi_say_quality, roxi_say_how};
    enum { REST = 48 }; /* "and N more unusual runs" */
    *c = (struct screen){.head = paragraphs(s, head, sizeof head / sizeof *head),
                         .tail = paragraphs(s, tail, sizeof tail / sizeof *tail)};
    if (!c->head || !c->tail || make_runs(c, s, bytes) != 0)
        return -1;
    const size_t taken = strlen(c->head) + strlen(c->tail) + REST;
    while (c->count < listed_at_most(s) && c->end[c->count] && taken + c->end[c->count] <= bytes)
        c->count++;
    return 0;
}

static void release(struct screen *c)
{
    free(c->head);
    free(c->runs);
    free(c->tail);
    free(c->end);
}

int roxi_first_screen_within(FILE *out, const struct roxi_sheet *s, size_t bytes)
{
    struct screen c;
    const int result = make(&c, s, bytes);
    if (result == 0) {
        const size_t most = listed_at_most(s);
        fputs(c.head, out);
        if (c.count)
            fwrite(c.runs, 1, c.end[c.count - 1], out);
        if (c.count < most)
            fprintf(out, "and %zu more %srun%s\n", most - c.count,
                    s->ranked ? kind_of_rest(s, c.count) : "", most - c.count == 1 ? "" : "s");
        if (most)
            putc('\n', out);
        fwrite(c.tail, 1, strlen(c.tail) - 1, out); /* without the last blank line */
    }
    release(&c);
    return result;
}

int roxi_first_screen(FILE *out, const struct roxi_sheet *s)
{
    return roxi_first_screen_within(out, s, ROXI_SCREEN_TEXT);
}

int roxi_first_screen_runs(const struct roxi_sheet *s, size_t *count)
{
    struct screen c;
    const int result = make(&c, s, ROXI_SCREEN_TEXT);
    *count = result == 0 ? c.count : 0;
    release(&c);
    return result;
}
