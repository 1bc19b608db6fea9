/* SPDX-License-Identifier: Apache-2.0 */
/* What there is to say of one run, in each format. */
#include <stdlib.h>

#include "roxi/base/text_escape.h"
#include "roxi/explain/words.h"
#include "roxi/rank/likeness.h"
#include "roxi/rank/words.h"

static size_t shown(const struct roxi_explanation *x)
{
    const size_t n = x->findings->count;
    return x->all || n < ROXI_FIRST_FINDINGS ? n : ROXI_FIRST_FINDINGS;
}

static const struct roxi_symbols *names_of(const struct roxi_explanation *x)
{
    return x->profiles->symbols;
}

/* ---- the verdict ---- */

static void say_score(FILE *out, const struct roxi_explanation *x)
{
    if (x->verdict == IX_VERDICT_UNKNOWN)
        fputs("no verdict; ", out);
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
}

/* The finding that comes first, in a sentence. */
static void say_summary(FILE *out, const struct roxi_explanation *x, bool simple)
{
    if (!x->findings->count) {
        fputs("Nothing is unusual.", out);
        return;
    }
    const struct roxi_finding *f = &x->findings->list[0];
    roxi_print_member(out, names_of(x), f->who);
    fputs(": ", out);
    roxi_finding_say(out, names_of(x), f, simple);
    fputs(simple ? ";\n" : "; ", out);
    roxi_finding_say_like(out, f, x->findings->normal);
    putc('.', out);
}

/* ---- formats ---- */

static void show_finding(FILE *out, const struct roxi_explanation *x, size_t i)
{
    const struct roxi_finding *f = &x->findings->list[i];
    fprintf(out, "\n%2zu. ", i + 1);
    roxi_finding_say_where(out, names_of(x), f);
    roxi_finding_say_when(out, x->run, f);
    fputs("\n    ", out);
    roxi_finding_say(out, names_of(x), f, true);
    fputs(";\n    ", out);
    roxi_finding_say_like(out, f, x->findings->normal);
    fprintf(out, "; %.0f %% of the score", 100 * f->share);
    if (f->stack)
        fprintf(out, "; mostly %s:\n", roxi_doing_word(f->doing));
    else
        putc('\n', out);
    roxi_finding_show_path(out, x->profiles, f);
}

static void say_rest(FILE *out, const struct roxi_explanation *x)
{
    const size_t more = x->findings->count - shown(x);
    if (more)
        fprintf(out, "\n%zu more finding%s: --all\n", more, more == 1 ? "" : "s");
}

void roxi_explain_text(FILE *out, const struct roxi_explanation *x)
{
    text_print(out, x->run->name);
    fputs(": ", out);
    say_score(out, x);
    putc('\n', out);
    say_summary(out, x, true);
    putc('\n', out);
    for (size_t i = 0; i < shown(x); i++)
        show_finding(out, x, i);
    say_rest(out, x);
}

static void write_markdown(FILE *out, const struct roxi_explanation *x)
{
    fputs("### " ROXI_TICK, out);
    text_print(out, x->run->name);
    fputs(ROXI_TICK ": ", out);
    say_score(out, x);
    fputs("\n\n", out);
    for (size_t i = 0; i < shown(x); i++) {
        const struct roxi_finding *f = &x->findings->list[i];
        fprintf(out, "%zu. " ROXI_TICK, i + 1);
        roxi_finding_say_where(out, names_of(x), f);
        roxi_finding_say_when(out, x->run, f);
        fputs(ROXI_TICK ": " ROXI_TICK, out);
        roxi_finding_say(out, names_of(x), f, false);
        fputs(ROXI_TICK "; ", out);
        roxi_finding_say_like(out, f, x->findings->normal);
        fprintf(out, "; %.0f %% of the score\n", 100 * f->share);
        if (f->stack) {
            fputs("\n    " ROXI_TICK ROXI_TICK ROXI_TICK "\n", out);
            roxi_finding_show_path(out, x->profiles, f);
            fputs("    " ROXI_TICK ROXI_TICK ROXI_TICK "\n", out);
        }
    }
    if (!x->findings->count)
        fputs("Nothing is unusual.\n", out);
    say_rest(out, x);
}

int roxi_explain_markdown(FILE *out, const struct roxi_explanation *x)
{
    struct roxi_text t;
    if (roxi_text_open(&t) != 0)
        return -1;
    write_markdown(t.out, x);
    return roxi_print_markdown(out, &t);
}

/* To be freed; NULL: memory ran out. */
static char *summary_of(const struct roxi_explanation *x)
{
    struct roxi_text t;
    if (roxi_text_open(&t) != 0)
        return NULL;
    say_summary(t.out, x, false);
    return roxi_text_close(&t);
}

int roxi_explain_json(struct roxi_json *j, const struct roxi_explanation *x)
{
    char *summary = summary_of(x);
    int result = summary ? 0 : -1;
    roxi_json_put_string(j, "execution", x->run->name);
    roxi_json_put_number(j, "score", x->score);
    roxi_json_put_string(j, "verdict", ix_verdict_name(x->verdict));
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
