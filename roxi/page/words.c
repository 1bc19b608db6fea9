/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/words.h"

#include <inttypes.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/explain/words.h"
#include "roxi/rank/likeness.h"
#include "roxi/rank/words.h"
#include "schema/base/text_memory.h"

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

const char *roxi_verdict_word(const struct roxi_sheet *s, size_t run)
{
    const enum ix_verdict v = s->verdicts[run].verdict;
    return v == IX_VERDICT_UNKNOWN ? "-" : ix_verdict_name(v);
}

const struct roxi_shown *roxi_shown_of(const struct roxi_sheet *s, size_t i)
{
    const size_t full = s->shown_count - s->has_typical;
    return i < full ? &s->shown[i] : NULL;
}

/* ---- the campaign ---- */

static void say_verdicts(FILE *out, const struct roxi_sheet *s)
{
    const size_t n = s->profiles->count, open = n - s->passed - s->failed;
    fprintf(out, "%zu run%s", n, plural(n));
    if (open == n)
        fputs(", none with a verdict. ", out);
    else if (open)
        fprintf(out, ": %zu passed, %zu failed, %zu without a verdict. ", s->passed, s->failed,
                open);
    else
        fprintf(out, ": %zu passed, %zu failed. ", s->passed, s->failed);
}

void roxi_say_verdict(FILE *out, const struct roxi_sheet *s)
{
    size_t scored = 0, passed = 0;
    say_verdicts(out, s);
    if (!s->ranked) {
        fprintf(out,
                "Too few to say what is unusual: at least %d are needed. The runs below are shown "
                "as they are.",
                ROXI_RANK_REFERENCE);
        return;
    }
    for (size_t i = 0; i < s->unusual; i++) {
        const bool above = s->ranking.score[s->worth[i]] > ROXI_WORTH_A_LOOK;
        scored += above;
        passed += above && s->verdicts[s->worth[i]].verdict == IX_VERDICT_PASSED;
    }
    if (!s->unusual)
        fputs("None is unusual", out);
    else if (!scored)
        fputs("None is unusual, not even those that failed", out);
    else
        fprintf(out, "%zu %s unusual", scored, scored == 1 ? "is" : "are");
    fprintf(out, scored ? ": the score is above %.0f" : ": no score is above %.0f",
            ROXI_WORTH_A_LOOK);
    if (passed)
        fprintf(out, ", though %zu of them passed", passed);
    putc('.', out);
}

void roxi_say_start(FILE *out, const struct roxi_sheet *s)
{
    if (!s->ranked || !s->unusual)
        return;
    fputs("Start with ", out);
    text_print(out, s->profiles->executions[s->worth[0]].name);
    fputs(": ", out);
    roxi_say_reason(out, s, s->worth[0], roxi_shown_of(s, 0));
    putc('.', out);
}

void roxi_say_sure(FILE *out, const struct roxi_sheet *s)
{
    const struct roxi_verdict_counts verdicts = roxi_verdicts_count(s->profiles, s->verdicts);
    const size_t passed = verdicts.passed;
    size_t above = 0;
    if (!s->ranked) {
        fputs("Nothing was compared.", out);
        return;
    }
    for (size_t i = 0; i < s->profiles->count; i++)
        above +=
            roxi_run_passed(s->profiles, s->verdicts, i) && s->ranking.score[i] > ROXI_WORTH_A_LOOK;
    if (passed < ROXI_RANK_REFERENCE && roxi_most_failed(verdicts)) {
        fprintf(out,
                "Only %zu run%s passed, and count%s as normal; how often a good run looks unusual "
                "is not known.",
                passed, passed == 1 ? "" : "s", passed == 1 ? "s" : "");
        return;
    }
    if (passed < ROXI_RANK_REFERENCE) {
        fprintf(
            out,
            "Fewer than %d runs passed, so the %zu whose score is at most %.0f count as normal; "
            "how often a good run looks unusual is not known.",
            ROXI_RANK_REFERENCE, s->normal_count, ROXI_WORTH_A_LOOK);
        return;
    }
    fprintf(out, "The %zu runs that passed count as normal. ", s->normal_count);
    if (above)
        fprintf(out, "%zu of them (%.*f %%) score%s above %.0f: %s that the test did not see.",
                above, above * 200 < passed, 100.0 * (double)above / (double)passed,
                above == 1 ? "s" : "", ROXI_WORTH_A_LOOK,
                above == 1 ? "a false alarm, or a failure" : "false alarms, or failures");
    else
        fprintf(out, "None of them scores above %.0f.", ROXI_WORTH_A_LOOK);
}

struct quality {
    size_t empty, losing, bad;
    uint64_t longest;
};

static struct quality quality_of(const struct roxi_sheet *s)
{
    struct quality q = {0};
    for (size_t i = 0; i < s->profiles->count; i++) {
        const struct roxi_profile *x = &s->profiles->executions[i];
        bool lost = false, bad = false;
        for (size_t k = 0; k < x->role_count; k++) {
            lost = lost || x->roles[k].lost;
            bad = bad || x->roles[k].bad_ends;
            q.longest = x->roles[k].lost > q.longest ? x->roles[k].lost : q.longest;
        }
        q.empty += !roxi_profile_tells(x);
        q.losing += lost;
        q.bad += bad;
    }
    return q;
}

/* Thread names in which something varies are counted together (templates.h). */
static void say_templates(FILE *out, const struct roxi_profiles *p)
{
    struct roxi_tally all = {0};
    size_t masked = 0;
    for (size_t i = 0; i < p->groups.n; i++) {
        const uint32_t template = roxi_profiles_place(p, (uint32_t)i).template;
        const size_t before = all.n;
        if (roxi_tally_add(&all, template, 0) == ROXI_NONE)
            goto end; /* no figures rather than wrong ones */
        masked += all.n > before && strchr(roxi_symbols_text(p->symbols, template), '*');
    }
    fprintf(out, "There %s %zu name%s of threads", all.n == 1 ? "is" : "are", all.n, plural(all.n));
    if (masked)
        fprintf(out, "; in %zu of them * stands for a part that varies", masked);
    putc('.', out);
end:
    roxi_tally_free(&all);
}

void roxi_say_quality(FILE *out, const struct roxi_sheet *s)
{
    const struct quality q = quality_of(s);
    if (!q.empty && !q.losing && !q.bad)
        fputs("Every JVM answered every packet until its orderly end. ", out);
    if (q.losing)
        fprintf(out, "In %zu run%s a JVM lost packets, at most %" PRIu64 " in a row. ", q.losing,
                plural(q.losing), q.longest);
    if (q.bad)
        fprintf(out, "In %zu run%s a JVM did not end in an orderly way, or its log is not whole. ",
                q.bad, plural(q.bad));
    if (q.empty)
        fprintf(out, "%zu run%s no call stacks that count. ", q.empty,
                q.empty == 1 ? " has" : "s have");
    say_templates(out, s->profiles);
}

static void say_option(FILE *out, const struct roxi_stated *o)
{
    if (o->kind == ROXI_STATED_NOT_GIVEN || (o->kind == ROXI_STATED_WORD && !o->word))
        return;
    fprintf(out, ", %s ", o->name);
    if (o->kind == ROXI_STATED_WORD)
        text_print(out, o->word);
    else if (o->kind == ROXI_STATED_COUNT)
        fprintf(out, "%" PRIu64, o->count);
    else if (o->kind == ROXI_STATED_NUMBER)
        fprintf(out, "%g", o->number);
    else
        fputs(o->flag ? "yes" : "no", out);
}

void roxi_say_how(FILE *out, const struct roxi_sheet *s)
{
    fputs("Computed by roxi " IXOR_VERSION " from ", out);
    text_print(out, s->origin->campaign);
    for (size_t i = 0; i < s->origin->option_count; i++)
        say_option(out, &s->origin->options[i]);
    fputs(". A score compares for how many packets each call of the application was on a stack, "
          "those of several threads added up, and for how long each JVM took part, with what is "
          "typical of the runs.",
          out);
}

/* ---- a run ---- */

void roxi_say_reason(FILE *out, const struct roxi_sheet *s, size_t run,
                     const struct roxi_shown *shown)
{
    if (!roxi_profile_tells(&s->profiles->executions[run])) {
        fputs(ROXI_NO_STACKS, out);
    } else if (!s->ranked) {
        fputs("not compared", out);
    } else if (shown && shown->findings.count) {
        const struct roxi_finding *f = &shown->findings.list[0];
        roxi_finding_say_who(out, s->profiles->symbols, f);
        roxi_finding_say_when(out, &s->profiles->executions[run], f);
        fputs(": ", out);
        roxi_finding_say(out, s->profiles->symbols, f, shown->findings.normal, true);
        if (shown->findings.normal) {
            fputs("; ", out);
            roxi_finding_say_like(out, f, shown->findings.normal);
        }
    } else if (s->ranking.first[run] < s->ranking.first[run + 1]) {
        roxi_rank_explain(out, &s->ranking, run);
    } else {
        fputs("nothing in its call stacks is unusual", out);
    }
}

/* ---- as strings ---- */

char *roxi_said_reason(const struct roxi_sheet *s, size_t run, const struct roxi_shown *shown)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    roxi_say_reason(t.out, s, run, shown);
    return ix_text_close(&t);
}

char *roxi_said(const struct roxi_sheet *s, roxi_saying *say)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    say(t.out, s);
    return ix_text_close(&t);
}
