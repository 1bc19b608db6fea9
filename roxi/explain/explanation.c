/* SPDX-License-Identifier: Apache-2.0 */
/* What there is to say of one run, in each format. */
#include <stdlib.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/text_wrap.h"
#include "roxi/explain/failures.h"
#include "roxi/explain/screen.h"
#include "roxi/explain/words.h"
#include "roxi/rank/likeness.h"
#include "roxi/rank/words.h"

static const struct roxi_symbols *names_of(const struct roxi_explanation *x)
{
    return x->profiles->symbols;
}

/* ---- the verdict ---- */

/* How long it was, if that is unlike all normal runs. */
static void say_lasted(FILE *out, const struct roxi_explanation *x)
{
    const struct roxi_lasted *l = &x->findings->lasted;
    const struct roxi_history *h = &x->run->history;
    if (!l->apart)
        return;
    const int64_t ns =
        roxi_history_since(h, UINT64_MAX) - roxi_history_since(h, roxi_history_first(h));
    fprintf(out, "; lasted %.0f packets (%.1f s), %s %.0f", l->packets, (double)ns / 1e9,
            x->against ? "the other run" : "typically", l->typical);
}

static void say_score(FILE *out, const struct roxi_explanation *x)
{
    if (x->verdict == IX_VERDICT_UNKNOWN)
        fputs(x->run->interrupted ? "interrupted; " : "no verdict; ", out);
    else
        fprintf(out, "%s; ", ix_verdict_name(x->verdict));
    fprintf(out, "score %.2f ", x->score);
    if (x->against) {
        fputs("compared with ", out);
        text_print(out, x->against);
        fputs(" alone", out);
    } else {
        fprintf(out, "(above %.0f is worth a look)", ROXI_WORTH_A_LOOK);
    }
    say_lasted(out, x);
}

/* Of a run that failed without a trace in call stacks, its output may say why. */
static void say_nothing(FILE *out, const struct roxi_explanation *x)
{
    if (roxi_profile_tells(x->run))
        fputs("Nothing is unusual.", out);
    else
        fprintf(out, "Nothing can be said of it: %s.", ROXI_NO_STACKS);
    if (x->output && x->verdict != IX_VERDICT_PASSED) {
        fputs(" What it printed is in ", out);
        text_print(out, x->output);
        putc('.', out);
    }
}

/* The finding that comes first, in a sentence. */
static void say_summary(FILE *out, const struct roxi_explanation *x, bool simple)
{
    if (!x->findings->count) {
        say_nothing(out, x);
        return;
    }
    const struct roxi_finding *f = &x->findings->list[0];
    roxi_finding_say_who(out, names_of(x), f);
    fputs(": ", out);
    roxi_finding_say(out, names_of(x), f, x->findings->normal, simple);
    fputs("; ", out);
    roxi_finding_say_like(out, f, x->findings->normal);
    putc('.', out);
}

/* Does one of the findings before this one say of the same two? */
static bool is_said(const struct roxi_findings *f, size_t number)
{
    const struct roxi_finding *x = &f->list[number];
    bool said = false;
    for (size_t i = 0; i < number && !said; i++)
        said = roxi_same_member(x->who, f->list[i].who) && roxi_same_member(x->as, f->list[i].as);
    return said;
}

/* Who is compared with a peer, in the first so many findings: a sentence, or nothing. `quote` is
 * put around names. True if it was said. */
static bool say_compared(FILE *out, const struct roxi_explanation *x, size_t findings,
                         const char *quote)
{
    const struct roxi_symbols *names = names_of(x);
    size_t said = 0;
    for (size_t i = 0; i < findings; i++) {
        const struct roxi_finding *f = &x->findings->list[i];
        if (roxi_same_member(f->who, f->as) || is_said(x->findings, i))
            continue;
        fprintf(out, "%s%s", said > 1 ? ", " : said ? "; likewise " : "In this run ", quote);
        roxi_print_member(out, names, f->who);
        fprintf(out, "%s%s%s", quote, said ? " with " : " does the work of ", quote);
        roxi_print_peer(out, names, f->who, f->as);
        if (!said++) {
            fprintf(out, "%s and is compared with %s", quote, quote);
            roxi_print_peer(out, names, f->who, f->as);
            fprintf(out, "%s of other runs", quote);
        } else {
            fputs(quote, out);
        }
    }
    fputs(said ? "." : "", out);
    return said > 0;
}

static bool counts_packets(const struct roxi_finding *f)
{
    return f->waited_for || f->kind == ROXI_IN_CALL || f->kind == ROXI_OUTSIDE;
}

/* Has one of the first so many findings more packets than the run? */
static bool has_sums(const struct roxi_explanation *x, size_t findings)
{
    const size_t packets = x->run->history.moment_count;
    bool more = false;
    for (size_t i = 0; i < findings && !more; i++) {
        const struct roxi_finding *f = &x->findings->list[i];
        more = packets && counts_packets(f) && f->here > packets;
    }
    return more;
}

/* Of so many findings that are shown, those that the summary tells. */
static size_t in_summary(size_t findings)
{
    return findings < 1 ? findings : 1;
}

static void say_sums(FILE *out, const struct roxi_explanation *x)
{
    fprintf(out, "A packet counts once for each thread, so there can be more than the run's %zu.",
            x->run->history.moment_count);
}

/* ---- text ---- */

static void say_share(FILE *out, const struct roxi_finding *f)
{
    if (f->share > 0.005)
        fprintf(out, "; %.0f %% of the score", 100 * f->share);
    else if (f->share > 0)
        fputs("; less than 1 % of the score", out);
}

/* What, how sure, how much, and what the threads do. */
static int show_what(FILE *out, const struct roxi_explanation *x, const struct roxi_finding *f)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    roxi_finding_say(t.out, names_of(x), f, x->findings->normal, true);
    fputs("; ", t.out);
    roxi_finding_say_like(t.out, f, x->findings->normal);
    say_share(t.out, f);
    if (f->started && f->about == ROXI_ABOUT_GONE)
        fputs("; started by:", t.out);
    else if (f->stack && f->about == ROXI_ABOUT_GONE)
        fputs("; last seen in:", t.out);
    else if (f->usually || f->about == ROXI_ABOUT_UNANSWERED)
        fputs("; what normal runs show then:", t.out);
    else if (f->stack && (f->about == ROXI_ABOUT_EXCEPTION || f->about == ROXI_ABOUT_FIRST ||
                          roxi_finding_is_of_code(f)))
        putc(':', t.out);
    else if (roxi_finding_is_of_calls(f))
        fputs(roxi_symbols_stack_at(names_of(x), f->stack).parent ? "; for example:" : ":", t.out);
    else if (f->stack)
        fprintf(t.out, "; mostly %s%s:", roxi_finding_doing(f), f->started ? "; started by" : "");
    return roxi_close_item(out, "    ", &t);
}

static int show_where(FILE *out, const struct roxi_explanation *x, const struct roxi_finding *f,
                      size_t number)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    roxi_finding_say_place(t.out, names_of(x), f);
    roxi_finding_say_when(t.out, x->run, f);
    fprintf(out, "\n%2zu. ", number);
    return roxi_close_item(out, "", &t);
}

static int show_finding(FILE *out, const struct roxi_explanation *x, size_t i, uint32_t frames)
{
    const struct roxi_finding *f = &x->findings->list[i];
    return show_where(out, x, f, i + 1) == 0 && show_what(out, x, f) == 0
               ? roxi_finding_show_path(out, x->profiles, f, frames, true)
               : -1;
}

/* Nobody has said that the run passed, and a fault need not make a run unusual. */
static bool may_have_failed(const struct roxi_explanation *x)
{
    return roxi_profile_tells(x->run) && !x->findings->count && !x->all && !x->against &&
           x->verdict == IX_VERDICT_UNKNOWN;
}

static int show_head(FILE *out, const struct roxi_explanation *x, size_t findings)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    text_print(t.out, x->run->name);
    fputs(": ", t.out);
    say_score(t.out, x);
    if (roxi_close_wrapped(out, &t, (struct roxi_wrap){.whole = true}) != 0 ||
        roxi_failure_show(out, x->run, "") != 0 || ix_text_open(&t) != 0)
        return -1;
    say_summary(t.out, x, true);
    putc(' ', t.out);
    if (may_have_failed(x))
        fputs("If this run failed all the same, --all lists what differs most.", t.out);
    if (say_compared(t.out, x, findings, ""))
        putc(' ', t.out);
    if (has_sums(x, in_summary(findings)))
        say_sums(t.out, x);
    return roxi_close_wrapped(out, &t, (struct roxi_wrap){.whole = true});
}

/* Behind the findings, unless it is said before them. */
static int show_sums(FILE *out, const struct roxi_explanation *x, size_t findings)
{
    struct ix_text t;
    if (has_sums(x, in_summary(findings)) || !has_sums(x, findings))
        return 0;
    if (ix_text_open(&t) != 0)
        return -1;
    say_sums(t.out, x);
    putc('\n', out);
    return roxi_close_wrapped(out, &t, (struct roxi_wrap){.whole = true});
}

static void say_rest(FILE *out, size_t more)
{
    if (more)
        fprintf(out, "\n%zu more finding%s: --all\n", more, more == 1 ? "" : "s");
}

static int write_text(FILE *out, const void *what, size_t findings, uint32_t frames)
{
    const struct roxi_explanation *x = what;
    int result = show_head(out, x, findings);
    for (size_t i = 0; i < findings && result == 0; i++)
        result = show_finding(out, x, i, frames);
    if (result == 0)
        result = show_sums(out, x, findings);
    say_rest(out, x->findings->count - findings);
    return result;
}

int roxi_explain_text(FILE *out, const struct roxi_explanation *x)
{
    return roxi_print_findings(out, write_text, x, x->findings->count, x->all);
}

/* ---- other formats ---- */

static int write_markdown(FILE *out, const void *what, size_t findings, uint32_t frames)
{
    const struct roxi_explanation *x = what;
    int result = 0;
    fputs("### " ROXI_TICK, out);
    text_print(out, x->run->name);
    fputs(ROXI_TICK ": ", out);
    say_score(out, x);
    fputs("\n\n", out);
    if (roxi_failure_show(out, x->run, ROXI_TICK) != 0)
        return -1;
    if (x->run->failure)
        putc('\n', out);
    if (say_compared(out, x, findings, ROXI_TICK))
        fputs("\n\n", out);
    if (has_sums(x, findings)) {
        say_sums(out, x);
        fputs("\n\n", out);
    }
    for (size_t i = 0; i < findings && result == 0; i++) {
        const struct roxi_finding *f = &x->findings->list[i];
        fprintf(out, "%zu. " ROXI_TICK, i + 1);
        roxi_finding_say_place(out, names_of(x), f);
        roxi_finding_say_when(out, x->run, f);
        fputs(ROXI_TICK ": " ROXI_TICK, out);
        roxi_finding_say(out, names_of(x), f, x->findings->normal, false);
        fputs(ROXI_TICK "; ", out);
        roxi_finding_say_like(out, f, x->findings->normal);
        say_share(out, f);
        putc('\n', out);
        if (f->stack) {
            fputs("\n    " ROXI_TICK ROXI_TICK ROXI_TICK "\n", out);
            result = roxi_finding_show_path(out, x->profiles, f, frames, false);
            fputs("    " ROXI_TICK ROXI_TICK ROXI_TICK "\n", out);
        }
    }
    if (!x->findings->count) {
        say_summary(out, x, false);
        putc('\n', out);
    }
    say_rest(out, x->findings->count - findings);
    return result;
}

int roxi_explain_markdown(FILE *out, const struct roxi_explanation *x)
{
    return roxi_print_markdown(out, write_markdown, x, x->findings->count, x->all);
}

/* To be freed; NULL: memory ran out. */
static char *summary_of(const struct roxi_explanation *x)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    say_summary(t.out, x, false);
    return ix_text_close(&t);
}

int roxi_explain_json(struct roxi_json *j, const struct roxi_explanation *x)
{
    char *summary = summary_of(x);
    int result = summary ? 0 : -1;
    roxi_json_put_string(j, "execution", x->run->name);
    roxi_json_put_number(j, "score", x->score);
    roxi_json_put_string(j, "verdict", ix_verdict_name(x->verdict));
    roxi_json_put_string(j, "failure", x->run->failure);
    roxi_json_put_string(j, "summary", summary);
    roxi_json_key(j, "findings");
    roxi_json_open(j, '[');
    for (size_t i = 0; i < x->findings->count && result == 0; i++) {
        roxi_json_new_line(j);
        roxi_json_open(j, '{');
        result =
            roxi_finding_json(j, x->profiles, x->run, &x->findings->list[i], x->findings->normal);
        roxi_json_close(j);
    }
    roxi_json_close(j);
    free(summary);
    return result;
}
