/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/text_wrap.h"
#include "roxi/explain/common.h"
#include "roxi/explain/screen.h"
#include "roxi/explain/words.h"
#include "roxi/rank/words.h"

enum { GROUPS_SHOWN = 8 };

/* A run's name, without what all have in common. It is a name for other commands, too. */
static void say_name(FILE *out, const struct roxi_profiles *p, size_t run)
{
    text_print(out, p->executions[run].name + roxi_profiles_shared_name(p));
}

static void say_shares(FILE *out, const struct roxi_common *c, const struct roxi_common_finding *x,
                       const struct roxi_common_words *w)
{
    fprintf(out, "in %zu of %zu runs %s, in ", x->in, c->runs, w->runs);
    if (x->in_others)
        fprintf(out, "%zu", x->in_others);
    else
        fputs("none", out);
    /* Some findings are compared with a part of them only. */
    fprintf(out, " of %zu %s", x->finding.compared ? x->finding.compared : c->others, w->others);
}

/* Where, and which of its peers do it, too. */
static void say_where(FILE *out, const struct roxi_symbols *names,
                      const struct roxi_common_finding *x)
{
    const char *before = "; also ";
    roxi_finding_say_where(out, names, &x->finding);
    for (size_t i = 0; i < x->peer_count; i++) {
        const struct roxi_member peer = x->peers[i];
        if (roxi_same_member(peer, x->finding.who))
            continue;
        fputs(before, out);
        if (peer.node && peer.role == x->finding.who.role)
            text_print(out, roxi_symbols_text(names, peer.node));
        else
            roxi_print_member(out, names, peer);
        before = ", ";
    }
    if (x->peers_left_out)
        fputs(" and more", out);
}

/* ---- groups ---- */

static const char groups_begin[] =
    "They form groups that differ in what is unusual, and maybe in the cause:\n";

static void list_group(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                       size_t group)
{
    size_t listed = 0;
    for (size_t r = 0; r < p->count; r++) {
        if (c->groups.of[r] != group + 1)
            continue;
        if (listed++ < ROXI_FIRST_FINDINGS) {
            fputs(listed > 1 ? ", " : "", out);
            say_name(out, p, r);
        }
    }
    if (listed > ROXI_FIRST_FINDINGS)
        fprintf(out, " and %zu more", listed - ROXI_FIRST_FINDINGS);
}

/* In how many runs of the group, and in how many of the others. */
static void say_group_shares(FILE *out, const struct roxi_common *c, const struct roxi_group *group)
{
    if (group->runs > 1 && group->in == group->runs)
        fputs("in all of them, ", out);
    else if (group->runs > 1)
        fprintf(out, "in %zu of them, ", group->in);
    if (c->runs - group->runs == 1)
        fputs(group->in_others ? "in the other one: " : "not in the other one: ", out);
    else if (group->in_others)
        fprintf(out, "in %zu of the other %zu: ", group->in_others, c->runs - group->runs);
    else
        fprintf(out, "in none of the other %zu: ", c->runs - group->runs);
}

/* `item`: the beginning of its first line. -1: memory ran out. */
static int show_group(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                      size_t number, const char *item)
{
    const struct roxi_group *group = &c->groups.list[number];
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    fprintf(t.out, "%zu run%s: ", group->runs, group->runs == 1 ? "" : "s");
    list_group(t.out, p, c, number);
    if (roxi_close_item(out, item, &t) != 0 || ix_text_open(&t) != 0)
        return -1;
    say_group_shares(t.out, c, group);
    roxi_finding_say_where(t.out, p->symbols, &group->finding);
    fputs(": ", t.out);
    roxi_finding_say(t.out, p->symbols, &group->finding, 0, true);
    return roxi_close_item(out, "    ", &t);
}

static int show_groups(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                       const struct roxi_common_words *w, const char *item)
{
    const size_t count = c->groups.count;
    const size_t most = w->all || count < GROUPS_SHOWN ? count : GROUPS_SHOWN;
    int result = 0;
    for (size_t g = 0; g < most && result == 0; g++)
        result = show_group(out, p, c, g, item);
    if (count > most)
        fprintf(out, "%s%zu more group%s: --all\n", item, count - most,
                count - most == 1 ? "" : "s");
    return result;
}

/* ---- formats ---- */

/* -1: memory ran out. */
static int say_all(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                   const struct roxi_common_words *w)
{
    struct ix_text t;
    fprintf(out, "%zu run%s %s, compared with %zu %s.\n", c->runs, c->runs == 1 ? "" : "s", w->runs,
            c->others, w->others);
    if (roxi_profiles_shared_name(p))
        fprintf(out, "All names begin with %.*s\n", (int)roxi_profiles_shared_name(p),
                p->executions[0].name);
    const bool apart = w->apart && (w->apart->here || w->apart->there);
    if (apart) {
        if (ix_text_open(&t) != 0)
            return -1;
        roxi_apart_say(t.out, w->apart, p->symbols, w->runs, w->others);
        if (roxi_close_wrapped(out, &t, (struct roxi_wrap){.whole = true}) != 0)
            return -1;
    }
    if (!c->count)
        fputs(apart ? "Nothing else is unusual.\n" : "Nothing is unusual.\n", out);
    else if (c->groups.runs < c->runs)
        fprintf(out, "In %zu of them nothing %sis unusual.\n", c->runs - c->groups.runs,
                apart ? "else " : "");
    return 0;
}

struct screen {
    const struct roxi_profiles *profiles;
    const struct roxi_common *common;
    const struct roxi_common_words *words;
};

/* In how many runs, in which of them most, since when, and what. */
static int show_sentence(FILE *out, const struct screen *s, const struct roxi_common_finding *x)
{
    const struct roxi_profiles *p = s->profiles;
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    say_shares(t.out, s->common, x, s->words);
    putc(';', t.out);
    if (roxi_close_item(out, "    ", &t) != 0 || ix_text_open(&t) != 0)
        return -1;
    fputs("in ", t.out);
    say_name(t.out, p, x->run);
    roxi_finding_say_when(t.out, &p->executions[x->run], &x->finding);
    fputs(": ", t.out);
    roxi_finding_say(t.out, p->symbols, &x->finding, 0, true);
    return roxi_close_item(out, "    ", &t);
}

static int show_finding(FILE *out, const struct screen *s, size_t i, uint32_t frames)
{
    const struct roxi_common_finding *x = &s->common->list[i];
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    say_where(t.out, s->profiles->symbols, x);
    putc(':', t.out);
    fprintf(out, "\n%2zu. ", i + 1);
    return roxi_close_item(out, "", &t) == 0 && show_sentence(out, s, x) == 0
               ? roxi_finding_show_path(out, s->profiles, &x->finding, frames, true)
               : -1;
}

static int write_text(FILE *out, const void *what, size_t findings, uint32_t frames)
{
    const struct screen *s = what;
    const struct roxi_common *c = s->common;
    int result = say_all(out, s->profiles, c, s->words);
    if (result == 0)
        result = roxi_failures_show(out, &c->failures, "  - ", "", s->words->all);
    if (result == 0 && c->groups.count > 1) {
        fputs(groups_begin, out);
        result = show_groups(out, s->profiles, c, s->words, "  - ");
    }
    for (size_t i = 0; i < findings && result == 0; i++)
        result = show_finding(out, s, i, frames);
    if (c->count > findings)
        fprintf(out, "\n%zu more: --all\n", c->count - findings);
    return result;
}

int roxi_common_text(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                     const struct roxi_common_words *w)
{
    const struct screen s = {p, c, w};
    return roxi_print_findings(out, write_text, &s, c->count, w->all);
}

static int write_markdown(FILE *out, const void *what, size_t findings, uint32_t frames)
{
    const struct screen *s = what;
    const struct roxi_profiles *p = s->profiles;
    const struct roxi_common *c = s->common;
    fputs("### ", out);
    int result = say_all(out, p, c, s->words);
    if (c->failures.count)
        putc('\n', out);
    if (result == 0)
        result = roxi_failures_show(out, &c->failures, "- ", ROXI_TICK, s->words->all);
    if (result == 0 && c->groups.count > 1) {
        fprintf(out, "\n%s\n", groups_begin);
        result = show_groups(out, p, c, s->words, "- ");
    }
    putc('\n', out);
    for (size_t i = 0; i < findings && result == 0; i++) {
        const struct roxi_common_finding *x = &c->list[i];
        fprintf(out, "%zu. ", i + 1);
        say_shares(out, c, x, s->words);
        fputs(":\n\n    " ROXI_TICK ROXI_TICK ROXI_TICK "\n    ", out);
        say_where(out, p->symbols, x);
        fputs("\n    ", out);
        roxi_finding_say(out, p->symbols, &x->finding, 0, false);
        putc('\n', out);
        result = roxi_finding_show_path(out, p, &x->finding, frames, false);
        fputs("    " ROXI_TICK ROXI_TICK ROXI_TICK "\n", out);
    }
    return result;
}

int roxi_common_markdown(FILE *out, const struct roxi_profiles *p, const struct roxi_common *c,
                         const struct roxi_common_words *w)
{
    const struct screen s = {p, c, w};
    return roxi_print_markdown(out, write_markdown, &s, c->count, w->all);
}

static void put_group(struct roxi_json *j, const struct roxi_profiles *p,
                      const struct roxi_common *c, size_t group)
{
    roxi_json_open(j, '[');
    for (size_t r = 0; r < p->count; r++)
        if (c->groups.of[r] == group + 1)
            roxi_json_string(roxi_json_value(j), p->executions[r].name);
    roxi_json_close(j);
}

static void put_failures(struct roxi_json *j, const struct roxi_failures *f)
{
    roxi_json_key(j, "failures");
    roxi_json_open(j, '[');
    for (size_t i = 0; i < f->count; i++) {
        roxi_json_open(j, '{');
        roxi_json_put_count(j, "runs", f->list[i].runs);
        roxi_json_put_string(j, "text", f->list[i].text);
        roxi_json_close(j);
    }
    roxi_json_close(j);
}

static void put_peers(struct roxi_json *j, const struct roxi_symbols *names,
                      const struct roxi_common_finding *x)
{
    roxi_json_key(j, "peers");
    roxi_json_open(j, '[');
    for (size_t i = 0; i < x->peer_count; i++) {
        roxi_json_open(j, '{');
        roxi_json_put_string(j, "role", roxi_symbols_text(names, x->peers[i].role));
        const uint32_t node = x->peers[i].node;
        roxi_json_put_string(j, "node", node ? roxi_symbols_text(names, node) : NULL);
        roxi_json_close(j);
    }
    roxi_json_close(j);
}

int roxi_common_json(struct roxi_json *j, const struct roxi_profiles *p,
                     const struct roxi_common *c)
{
    roxi_json_put_count(j, "runs", c->runs);
    roxi_json_put_count(j, "others", c->others);
    put_failures(j, &c->failures);
    roxi_json_key(j, "groups");
    roxi_json_open(j, '[');
    for (size_t g = 0; g < c->groups.count; g++)
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
        put_peers(j, p->symbols, x);
        result = roxi_finding_json(j, p, run, &x->finding, c->others);
        roxi_json_close(j);
    }
    roxi_json_close(j);
    return result;
}
