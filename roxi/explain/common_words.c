/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/text_escape.h"
#include "roxi/explain/common.h"
#include "roxi/explain/words.h"

enum { GROUPS_SHOWN = 8 };

static size_t shown(const struct roxi_common *c, const struct roxi_common_words *w)
{
    return w->all || c->count < ROXI_FIRST_FINDINGS ? c->count : ROXI_FIRST_FINDINGS;
}

static void say_shares(FILE *out, const struct roxi_common *c, const struct roxi_common_finding *x,
                       const struct roxi_common_words *w)
{
    fprintf(out, "in %zu of %zu runs %s, in ", x->in, c->runs, w->runs);
    if (x->in_others)
        fprintf(out, "%zu", x->in_others);
    else
        fputs("none", out);
    fprintf(out, " of %zu %s", c->others, w->others);
}

/* ---- groups ---- */

static void list_group(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                       size_t group)
{
    size_t listed = 0;
    for (size_t r = 0; r < p->count; r++) {
        if (c->group_of[r] != group + 1)
            continue;
        if (listed++ < ROXI_FIRST_FINDINGS) {
            fputs(listed > 1 ? ", " : "", out);
            text_print(out, p->executions[r].name);
        }
    }
    if (listed > ROXI_FIRST_FINDINGS)
        fprintf(out, " and %zu more", listed - ROXI_FIRST_FINDINGS);
}

static void show_groups(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                        const struct roxi_common_words *w, const char *item)
{
    const size_t most = w->all || c->groups < GROUPS_SHOWN ? c->groups : GROUPS_SHOWN;
    for (size_t g = 0; g < most; g++) {
        fprintf(out, "%s%zu run%s: ", item, c->group_runs[g], c->group_runs[g] == 1 ? "" : "s");
        list_group(out, p, c, g);
        fputs("\n    ", out);
        roxi_finding_say_where(out, p->symbols, &c->led[g]);
        fputs("\n    ", out);
        roxi_finding_say(out, p->symbols, &c->led[g], true);
        putc('\n', out);
    }
    if (c->groups > most)
        fprintf(out, "%s%zu more groups: --all\n", item, c->groups - most);
}

/* ---- formats ---- */

static void say_all(FILE *out, const struct roxi_common *c, const struct roxi_common_words *w)
{
    fprintf(out, "%zu run%s %s, compared with %zu %s.\n", c->runs, c->runs == 1 ? "" : "s", w->runs,
            c->others, w->others);
    if (!c->count)
        fputs("Nothing is unusual.\n", out);
}

void roxi_common_text(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                      const struct roxi_common_words *w)
{
    say_all(out, c, w);
    if (c->groups > 1) {
        fputs("They form groups that differ in where they are unusual:\n", out);
        show_groups(out, p, c, w, "  ");
    }
    for (size_t i = 0; i < shown(c, w); i++) {
        const struct roxi_common_finding *x = &c->list[i];
        fprintf(out, "\n%2zu. ", i + 1);
        roxi_finding_say_where(out, p->symbols, &x->finding);
        fputs(":\n    ", out);
        say_shares(out, c, x, w);
        fputs(";\n    in ", out);
        text_print(out, p->executions[x->run].name);
        roxi_finding_say_when(out, &p->executions[x->run], &x->finding);
        fputs(":\n    ", out);
        roxi_finding_say(out, p->symbols, &x->finding, true);
        putc('\n', out);
        roxi_finding_show_path(out, p, &x->finding);
    }
    if (c->count > shown(c, w))
        fprintf(out, "\n%zu more: --all\n", c->count - shown(c, w));
}

static void write_markdown(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                           const struct roxi_common_words *w)
{
    fputs("### ", out);
    say_all(out, c, w);
    if (c->groups > 1) {
        fputs("\nThey form groups that differ in where they are unusual:\n\n", out);
        show_groups(out, p, c, w, "- ");
    }
    putc('\n', out);
    for (size_t i = 0; i < shown(c, w); i++) {
        const struct roxi_common_finding *x = &c->list[i];
        fprintf(out, "%zu. ", i + 1);
        say_shares(out, c, x, w);
        fputs(":\n\n    " ROXI_TICK ROXI_TICK ROXI_TICK "\n    ", out);
        roxi_finding_say_where(out, p->symbols, &x->finding);
        fputs("\n    ", out);
        roxi_finding_say(out, p->symbols, &x->finding, false);
        putc('\n', out);
        roxi_finding_show_path(out, p, &x->finding);
        fputs("    " ROXI_TICK ROXI_TICK ROXI_TICK "\n", out);
    }
}

int roxi_common_markdown(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                         const struct roxi_common_words *w)
{
    struct roxi_text t;
    if (roxi_text_open(&t) != 0)
        return -1;
    write_markdown(t.out, p, c, w);
    return roxi_print_markdown(out, &t);
}

static void put_group(struct roxi_json *j, const struct roxi_profiles *p,
                      const struct roxi_common *c, size_t group)
{
    roxi_json_open(j, '[');
    for (size_t r = 0; r < p->count; r++)
        if (c->group_of[r] == group + 1)
            roxi_json_string(roxi_json_value(j), p->executions[r].name);
    roxi_json_close(j);
}

int roxi_common_json(struct roxi_json *j, const struct roxi_profiles *p,
                     const struct roxi_common *c)
{
    roxi_json_put_count(j, "runs", c->runs);
    roxi_json_put_count(j, "others", c->others);
    roxi_json_key(j, "groups");
    roxi_json_open(j, '[');
    for (size_t g = 0; g < c->groups; g++)
        put_group(j, p, c, g);
    roxi_json_close(j);
    roxi_json_key(j, "findings");
    roxi_json_open(j, '[');
    int result = 0;
    for (size_t i = 0; i < c->count && result == 0; i++) {
        const struct roxi_common_finding *x = &c->list[i];
        const struct roxi_profile *run = &p->executions[x->run];
        roxi_json_new_line(j);
        roxi_json_open(j, '{');
        roxi_json_put_string(j, "execution", run->name);
        roxi_json_put_count(j, "in", x->in);
        roxi_json_put_count(j, "in_others", x->in_others);
        result = roxi_finding_json(j, p, run, &x->finding, c->others);
        roxi_json_close(j);
    }
    roxi_json_close(j);
    return result;
}
