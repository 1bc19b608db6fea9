/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "roxi/base/json.h"
#include "roxi/base/text_escape.h"
#include "roxi/rank/generated.h"

static size_t reasons(const struct roxi_ranking *r, size_t run)
{
    const size_t n = r->first[run + 1] - r->first[run];
    return n < ROXI_REASONS ? n : ROXI_REASONS;
}

struct reason {
    const struct roxi_part *part;
    enum roxi_duration_kind kind;
    struct roxi_call call; /* if it is of a call */
    const char *stood_in;  /* of a stay in a class: its name */
    bool stay;
    uint32_t template; /* if it is of threads outside of calls */
    uint32_t thrown;   /* if it is of an exception: its class */
    struct roxi_member who;
    struct roxi_member as; /* the same, or the peer whose work it did */
};

static struct reason reason_at(const struct roxi_ranking *r, size_t run, size_t number)
{
    const struct roxi_durations *d = r->durations;
    struct reason x = {.part = &r->parts[r->first[run] + number]};
    const struct roxi_locus locus = roxi_durations_locus(d, x.part->locus);
    x.kind = locus.kind;
    x.stay = roxi_durations_is_stay(d, x.part->item);
    if (x.stay && x.kind == ROXI_IN_CALL)
        x.stood_in = roxi_symbols_text(d->classes, roxi_durations_stay(d, x.part->item).class_name);
    else if (x.kind == ROXI_IN_CALL)
        x.call = roxi_durations_call(d, x.part->item);
    if (x.kind == ROXI_OUTSIDE || x.kind == ROXI_TURNS)
        x.template = roxi_durations_template(d, x.part->item);
    x.as = roxi_durations_member(d, locus.member);
    x.who = roxi_ranking_who(r, run, x.part);
    if (x.kind == ROXI_FIRSTS) {
        x.thrown = roxi_durations_class(d, x.part->item);
        x.as = x.who;
    }
    return x;
}

void roxi_print_thread(FILE *out, const struct roxi_symbols *names, uint32_t template)
{
    const char *name = roxi_symbols_text(names, template);
    text_print(out, *name ? name : "without a name");
}

void roxi_print_member(FILE *out, const struct roxi_symbols *names, struct roxi_member m)
{
    text_print(out, roxi_symbols_text(names, m.role));
    if (m.node) {
        fputs(", node ", out);
        text_print(out, roxi_symbols_text(names, m.node));
    }
}

void roxi_print_peer(FILE *out, const struct roxi_symbols *names, struct roxi_member who,
                     struct roxi_member as)
{
    if (who.role != as.role || !as.node) {
        roxi_print_member(out, names, as);
    } else {
        fputs("node ", out);
        text_print(out, roxi_symbols_text(names, as.node));
    }
}

void roxi_print_compared(FILE *out, const struct roxi_symbols *names, struct roxi_member who,
                         struct roxi_member as)
{
    if (roxi_same_member(who, as))
        return;
    fputs(" (compared with ", out);
    roxi_print_peer(out, names, who, as);
    fputs(" of other runs)", out);
}

/* Is the class only there to call a lambda of the same class, so that it says nothing more? */
static bool is_adapter(const char *class_name, const char *called_class, const char *called)
{
    const struct roxi_generated_for a = roxi_generated_for(class_name, "");
    const struct roxi_generated_for b = roxi_generated_for(called_class, called);
    return a.kind == ROXI_LAMBDA && b.kind == ROXI_LAMBDA && a.class_len == b.class_len &&
           memcmp(class_name, called_class, a.class_len) == 0;
}

void roxi_print_call(FILE *out, const struct roxi_symbols *names, struct roxi_call call,
                     bool simple)
{
    const char *class_name = roxi_symbols_text(names, call.class_name);
    const bool calls = call.called != ROXI_NONE && /* one of the same name says nothing more */
                       (call.called_class != call.class_name || call.called != call.method);
    const char *called = calls ? roxi_symbols_text(names, call.called_class) : "";
    const char *method = calls ? roxi_symbols_text(names, call.called) : "";
    if (!calls || !is_adapter(class_name, called, method)) {
        roxi_print_method(out, class_name, roxi_symbols_text(names, call.method), simple);
        fputs(calls ? " calling " : "", out);
    }
    if (calls)
        roxi_print_method(out, called, method, simple);
}

/* "90 packets in a.B.c (typically 0)" */
static void print_packets(FILE *out, const struct roxi_symbols *names, const struct reason *x)
{
    static const char *const words[ROXI_DURATION_KINDS] = {
        [ROXI_IN_CALL] = " in ",
        [ROXI_OUTSIDE] = " in the Java platform alone, threads ",
        [ROXI_ANSWERED] = " answered",
        [ROXI_LOST] = " lost in a row",
        [ROXI_EARLY] = " by which it ended early",
        [ROXI_OWED] = " in a row without an answer to another JVM",
        [ROXI_UNREAD] = " in a row without reading what had arrived",
    };
    fprintf(out, "%" PRIu32 " packet%s%s%s", x->part->packets, x->part->packets == 1 ? "" : "s",
            x->stay ? " of one thread on one call stack" : "", words[x->kind]);
    if (x->stood_in)
        text_print(out, x->stood_in);
    else if (x->kind == ROXI_IN_CALL)
        roxi_print_call(out, names, x->call, false);
    else if (x->kind == ROXI_OUTSIDE)
        roxi_print_thread(out, names, x->template);
    fprintf(out, x->stay ? " (typically at most %.0f)" : " (typically %.0f)",
            round(x->part->typical));
}

/* A class counts less the more runs do, and the sum is rounded. */
static void say_covered(FILE *out, double packets)
{
    const double classes = ceil((packets - 0.5) / ROXI_COVERED_PACKETS);
    fprintf(out, "executed code that few runs execute, in %.0f class%s or more", classes,
            classes == 1 ? "" : "es");
}

static void print_duration(FILE *out, const struct roxi_symbols *names, const struct reason *x)
{
    const double unit = roxi_traits[x->kind].of_packet;
    const double here = x->part->packets * unit, typical = round(x->part->typical * unit);
    switch (x->kind) {
    case ROXI_BAD_END:
        fputs("did not end in an orderly way", out);
        break;
    case ROXI_FIRSTS:
        fputs("made an exception of class ", out);
        text_print(out, roxi_symbols_text(names, x->thrown));
        break;
    case ROXI_COVERED:
        say_covered(out, here);
        break;
    case ROXI_TURNS:
        fprintf(out, "ran %.0f times (typically %.0f), threads ", here, typical);
        roxi_print_thread(out, names, x->template);
        break;
    case ROXI_GARBAGE:
        fprintf(out, "collected garbage for %.0f ms (typically %.0f)", here, typical);
        break;
    case ROXI_OPENED:
        fprintf(out, "opened %.0f connections (typically %.0f)", here, typical);
        break;
    case ROXI_SENT_OUT:
    case ROXI_SENT_BACK:
        fprintf(out, "sent %.0f messages (typically %.0f) over connections that %s had opened",
                here, typical, x->kind == ROXI_SENT_OUT ? "it" : "others");
        break;
    default:
        print_packets(out, names, x);
    }
}

/* Has an earlier reason of the run said what the member is compared with? */
static bool is_said(const struct roxi_ranking *r, size_t run, size_t before, const struct reason *x)
{
    bool said = false;
    for (size_t i = 0; i < before && !said; i++) {
        const struct reason y = reason_at(r, run, i);
        said = roxi_same_member(x->who, y.who) && roxi_same_member(x->as, y.as);
    }
    return said;
}

void roxi_rank_explain(FILE *out, const struct roxi_ranking *r, size_t run)
{
    const struct roxi_profiles *p = r->durations->profiles;
    const struct roxi_symbols *names = p->symbols;
    if (!roxi_profile_tells(&p->executions[run])) {
        fputs(ROXI_NO_STACKS, out);
        return;
    }
    for (size_t i = 0; i < reasons(r, run); i++) {
        const struct reason x = reason_at(r, run, i);
        fputs(i ? "; " : "", out);
        roxi_print_member(out, names, x.who);
        if (!is_said(r, run, i, &x))
            roxi_print_compared(out, names, x.who, x.as);
        fputs(": ", out);
        print_duration(out, names, &x);
    }
}

/* ---- JSON ---- */

static void put_member(struct roxi_json *j, const struct roxi_symbols *names,
                       const struct reason *x)
{
    roxi_json_put_string(j, "role", roxi_symbols_text(names, x->who.role));
    roxi_json_put_string(j, "node", x->who.node ? roxi_symbols_text(names, x->who.node) : NULL);
    if (roxi_same_member(x->who, x->as))
        return;
    roxi_json_put_string(j, "as", roxi_symbols_text(names, x->as.role));
    roxi_json_put_string(j, "as-node", x->as.node ? roxi_symbols_text(names, x->as.node) : NULL);
}

static void put_call(struct roxi_json *j, const struct roxi_symbols *names, const struct reason *x)
{
    const bool is_call = x->kind == ROXI_IN_CALL && !x->stay;
    const bool calls = is_call && x->call.called != ROXI_NONE;
    const char *of = x->kind == ROXI_FIRSTS ? roxi_symbols_text(names, x->thrown) : x->stood_in;
    roxi_json_put_string(j, "class", is_call ? roxi_symbols_text(names, x->call.class_name) : of);
    roxi_json_put_string(j, "method", is_call ? roxi_symbols_text(names, x->call.method) : NULL);
    roxi_json_put_string(j, "called-class",
                         calls ? roxi_symbols_text(names, x->call.called_class) : NULL);
    roxi_json_put_string(j, "called", calls ? roxi_symbols_text(names, x->call.called) : NULL);
    roxi_json_put_string(j, "thread",
                         x->kind == ROXI_OUTSIDE || x->kind == ROXI_TURNS
                             ? roxi_symbols_text(names, x->template)
                             : NULL);
}

void roxi_rank_explain_json(FILE *out, const struct roxi_ranking *r, size_t run)
{
    const struct roxi_symbols *names = r->durations->profiles->symbols;
    struct roxi_json j = {.out = out};
    roxi_json_open(&j, '[');
    for (size_t i = 0; i < reasons(r, run); i++) {
        const struct reason x = reason_at(r, run, i);
        roxi_json_open(&j, '{');
        roxi_json_put_string(&j, "kind", x.stay ? "stay" : roxi_traits[x.kind].name);
        put_member(&j, names, &x);
        put_call(&j, names, &x);
        roxi_json_put_count(&j, "packets", x.part->packets);
        roxi_json_put_number(&j, "typical", x.part->typical);
        roxi_json_put_number(&j, "part", x.part->part);
        roxi_json_close(&j);
    }
    roxi_json_close(&j);
}
