/* SPDX-License-Identifier: Apache-2.0 */
/* What there is to say of one run, in each format. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/explain/words.h"
#include "roxi/rank/likeness.h"
#include "roxi/rank/words.h"

enum { PATH_SHOWN = 8 }; /* frames in text */

static size_t shown(const struct roxi_explanation *x)
{
    const size_t n = x->findings->count;
    return x->all || n < ROXI_FIRST_FINDINGS ? n : ROXI_FIRST_FINDINGS;
}

static const struct roxi_symbols *names_of(const struct roxi_explanation *x)
{
    return x->profiles->symbols;
}

static bool is_as_another(const struct roxi_finding *f)
{
    return f->who.role != f->as.role || f->who.node != f->as.node;
}

static const char *doing_word(enum roxi_doing doing)
{
    static const char *const words[] = {
        [ROXI_RUNNING] = "running",
        [ROXI_SLEEPING] = "sleeping",
        [ROXI_WAITING] = "waiting for another thread",
        [ROXI_ON_NETWORK] = "in the network",
        [ROXI_ON_FILE] = "in a file",
    };
    return words[doing];
}

/* ---- the verdict ---- */

static void say_score(FILE *out, const struct roxi_explanation *x)
{
    if (x->verdict == IX_VERDICT_UNKNOWN)
        fputs("no verdict; ", out);
    else
        fprintf(out, "%s; ", ix_verdict_name(x->verdict));
    fprintf(out, "score %.2f (above %.0f is worth a look)", x->score, ROXI_WORTH_A_LOOK);
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

/* ---- where and when ---- */

static void say_where(FILE *out, const struct roxi_explanation *x, const struct roxi_finding *f)
{
    roxi_print_member(out, names_of(x), f->who);
    if (is_as_another(f)) {
        fputs(" as ", out);
        roxi_print_member(out, names_of(x), f->as);
    }
    if (f->thread != ROXI_NONE) {
        fputs(", thread ", out);
        text_print(out, roxi_symbols_text(names_of(x), f->thread));
    }
}

static void say_when(FILE *out, const struct roxi_explanation *x, const struct roxi_finding *f)
{
    if (!f->packet)
        return;
    const bool ends = f->less || f->kind == ROXI_EARLY || f->kind == ROXI_BAD_END;
    fprintf(out, ", %s packet %" PRIu64 " (%.1f s)", ends ? "until" : "since", f->packet,
            (double)roxi_history_since(&x->run->history, f->packet) / 1e9);
}

/* Is this the frame to look at: the called method if it is the application's, else its caller? */
static bool is_marked(const struct roxi_explanation *x, const struct roxi_finding *f,
                      uint32_t stack)
{
    const struct roxi_frame at =
        roxi_symbols_frame_at(names_of(x), roxi_symbols_stack_at(names_of(x), stack).frame);
    const bool called = f->call.called != ROXI_NONE &&
                        !roxi_is_platform(roxi_symbols_text(names_of(x), f->call.called_class));
    return f->kind == ROXI_IN_CALL &&
           at.class_name == (called ? f->call.called_class : f->call.class_name) &&
           at.method == (called ? f->call.called : f->call.method);
}

/* The executing frames, down to the marked one and two of its callers if there is room. */
static void show_path(FILE *out, const struct roxi_explanation *x, const struct roxi_finding *f)
{
    const struct roxi_symbols *s = names_of(x);
    uint32_t before = 0;
    for (uint32_t at = f->stack; at && !is_marked(x, f, at);
         at = roxi_symbols_stack_at(s, at).parent)
        before++;
    uint32_t n = 0;
    const uint32_t left_out = before > PATH_SHOWN - 3 ? before - (PATH_SHOWN - 3) : 0;
    for (uint32_t at = f->stack; at && n < PATH_SHOWN + left_out;
         at = roxi_symbols_stack_at(s, at).parent, n++) {
        if (n >= 2 && n < 2 + left_out) {
            if (n == 2)
                fprintf(out, "       ... %" PRIu32 " more\n", left_out);
            continue;
        }
        fputs(is_marked(x, f, at) ? "     > " : "       ", out);
        roxi_print_frame(out, x->profiles, roxi_symbols_stack_at(s, at).frame);
        putc('\n', out);
    }
    const uint32_t depth = roxi_symbols_stack_at(s, f->stack).depth;
    if (depth > n)
        fprintf(out, "       ... %" PRIu32 " callers\n", depth - n);
}

/* ---- formats ---- */

static void show_finding(FILE *out, const struct roxi_explanation *x, size_t i)
{
    const struct roxi_finding *f = &x->findings->list[i];
    fprintf(out, "\n%2zu. ", i + 1);
    say_where(out, x, f);
    say_when(out, x, f);
    fputs("\n    ", out);
    roxi_finding_say(out, names_of(x), f, true);
    fputs(";\n    ", out);
    roxi_finding_say_like(out, f, x->findings->normal);
    fprintf(out, "; %.0f %% of the score", 100 * f->share);
    if (f->stack)
        fprintf(out, "; mostly %s:\n", doing_word(f->doing));
    else
        putc('\n', out);
    show_path(out, x, f);
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

void roxi_explain_markdown(FILE *out, const struct roxi_explanation *x)
{
    fputs("### `", out);
    text_print(out, x->run->name);
    fputs("`: ", out);
    say_score(out, x);
    fputs("\n\n", out);
    for (size_t i = 0; i < shown(x); i++) {
        const struct roxi_finding *f = &x->findings->list[i];
        fprintf(out, "%zu. `", i + 1);
        say_where(out, x, f);
        say_when(out, x, f);
        fputs("`: `", out);
        roxi_finding_say(out, names_of(x), f, false);
        fputs("`; ", out);
        roxi_finding_say_like(out, f, x->findings->normal);
        fprintf(out, "; %.0f %% of the score\n", 100 * f->share);
        if (f->stack) {
            fputs("\n    ```\n", out);
            show_path(out, x, f);
            fputs("    ```\n", out);
        }
    }
    if (!x->findings->count)
        fputs("Nothing is unusual.\n", out);
    say_rest(out, x);
}

/* A string that a function prints: to be freed; NULL: memory ran out. */
static char *text_of(void (*print)(FILE *, const struct roxi_explanation *,
                                   const struct roxi_finding *),
                     const struct roxi_explanation *x, const struct roxi_finding *f)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    print(out, x, f);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static void print_summary(FILE *out, const struct roxi_explanation *x, const struct roxi_finding *f)
{
    (void)f;
    say_summary(out, x, false);
}

static void print_finding(FILE *out, const struct roxi_explanation *x, const struct roxi_finding *f)
{
    say_where(out, x, f);
    say_when(out, x, f);
    fputs(": ", out);
    roxi_finding_say(out, names_of(x), f, false);
    fputs("; ", out);
    roxi_finding_say_like(out, f, x->findings->normal);
}

static void print_one_frame(FILE *out, const struct roxi_profiles *p, uint32_t frame)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        roxi_print_frame(stream, p, frame);
        if (fclose(stream) == 0)
            roxi_json_string(out, text);
        free(text);
    }
}

static void put_path(struct roxi_json *j, const struct roxi_explanation *x, uint32_t stack)
{
    roxi_json_key(j, "path");
    roxi_json_open(j, '[');
    for (; stack; stack = roxi_symbols_stack_at(names_of(x), stack).parent)
        print_one_frame(roxi_json_value(j), x->profiles,
                        roxi_symbols_stack_at(names_of(x), stack).frame);
    roxi_json_close(j);
}

static void put_unless_unknown(struct roxi_json *j, const char *key, bool known, double value)
{
    roxi_json_put_number(j, key, known ? value : NAN);
}

static void put_finding(struct roxi_json *j, const struct roxi_explanation *x,
                        const struct roxi_finding *f)
{
    const struct roxi_symbols *s = names_of(x);
    char *text = text_of(print_finding, x, f);
    roxi_json_new_line(j);
    roxi_json_open(j, '{');
    roxi_json_put_string(j, "kind", roxi_finding_kind(f));
    roxi_json_put_string(j, "role", roxi_symbols_text(s, f->who.role));
    roxi_json_put_string(j, "node", f->who.node ? roxi_symbols_text(s, f->who.node) : NULL);
    roxi_json_put_string(j, "thread",
                         f->thread == ROXI_NONE ? NULL : roxi_symbols_text(s, f->thread));
    put_path(j, x, f->stack);
    put_unless_unknown(j, "packet", f->packet, (double)f->packet);
    put_unless_unknown(j, "since_ns", f->packet,
                       (double)roxi_history_since(&x->run->history, f->packet));
    roxi_json_put_count(j, "here", f->here);
    roxi_json_put_number(j, "elsewhere", f->elsewhere);
    roxi_json_put_count(j, "normal_runs", x->findings->normal);
    roxi_json_put_count(j, "normal_runs_like_this", f->like);
    roxi_json_put_number(j, "share", f->share);
    roxi_json_put_string(j, "text", text);
    roxi_json_close(j);
    free(text);
}

void roxi_explain_json(struct roxi_json *j, const struct roxi_explanation *x)
{
    char *summary = text_of(print_summary, x, NULL);
    roxi_json_put_string(j, "execution", x->run->name);
    roxi_json_put_number(j, "score", x->score);
    roxi_json_put_string(j, "verdict", ix_verdict_name(x->verdict));
    roxi_json_put_string(j, "summary", summary);
    roxi_json_key(j, "findings");
    roxi_json_open(j, '[');
    for (size_t i = 0; i < x->findings->count; i++)
        put_finding(j, x, &x->findings->list[i]);
    roxi_json_close(j);
    free(summary);
}
