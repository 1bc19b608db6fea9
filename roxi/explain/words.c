/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/platform.h"
#include "roxi/base/text_escape.h"
#include "roxi/base/text_wrap.h"
#include "roxi/explain/called_words.h"
#include "roxi/explain/code_words.h"
#include "roxi/explain/finder.h"
#include "roxi/rank/words.h"
#include "schema/base/text_memory.h"
#include "schema/tracelog/tracelog.h"

enum { PATH_INDENT = 7 };

const char *roxi_doing_word(enum roxi_doing doing)
{
    static const char *const words[] = {
        [ROXI_RUNNING] = "running",
        [ROXI_SLEEPING] = "sleeping",
        [ROXI_WAITING] = "waiting for another thread",
        [ROXI_ON_NETWORK] = "in the network",
        [ROXI_ON_FILE] = "in a file",
        [ROXI_BLOCKED] = "blocked on a monitor",
    };
    return words[doing];
}

const char *roxi_finding_doing(const struct roxi_finding *f)
{
    return f->deadlock ? "blocked" : roxi_doing_word(f->doing);
}

/* What is said of a duration that is not of a call: `before`, the number, `after`; of talks then
 * the other JVM. Of what lasts `before`, the other JVM, `after`, the number. */
static const struct kind_words {
    const char *kind, *before, *after;
} kind_words[ROXI_DURATION_KINDS] = {
    [ROXI_OUTSIDE] = {"threads", NULL, NULL},
    [ROXI_TURNS] = {"ran-more-often", "ran ", " times"},
    [ROXI_ANSWERED] = {"answered", "answered ", " packets"},
    [ROXI_LOST] = {"stood-still", "did not answer ", " packets in a row"},
    [ROXI_EARLY] = {"ended-early", "ended ", " packets early"},
    [ROXI_BAD_END] = {"ended-badly", NULL, NULL},
    [ROXI_OPENED] = {"connections", "opened ", " connections, the additional ones to "},
    [ROXI_SENT_OUT] = {"sent-more", "sent ",
                       " messages over connections that it had opened, the additional ones to "},
    [ROXI_SENT_BACK] = {"sent-more", "sent ",
                        " messages over connections that it had accepted, the additional ones to "},
    [ROXI_OWED] = {"no-answer", "left ", " without an answer for "},
    [ROXI_UNREAD] = {"unread", "did not read what had come from ", " for "},
};

static const char *kind_of_duration(const struct roxi_finding *f)
{
    if (f->stay)
        return "stayed";
    if (f->kind != ROXI_IN_CALL)
        return kind_words[f->kind].kind;
    if (f->less)
        return f->here ? "shorter" : "missing-here";
    return f->like ? "longer" : "only-here";
}

const char *roxi_finding_kind(const struct roxi_finding *f)
{
    static const char *const abouts[] = {
        [ROXI_ABOUT_GROWTH] = "growth",           [ROXI_ABOUT_EXCEPTION] = "exception",
        [ROXI_ABOUT_FIRST] = "first-exception",   [ROXI_ABOUT_PEERS] = "unlike-peers",
        [ROXI_ABOUT_GONE] = "threads-ended",      [ROXI_ABOUT_PAIR] = "unpaired-calls",
        [ROXI_ABOUT_OFTEN] = "called-more-often", [ROXI_ABOUT_PAUSE] = "not-called",
        [ROXI_ABOUT_COVERED] = "executed-here",   [ROXI_ABOUT_UNANSWERED] = "unanswered",
        [ROXI_ABOUT_MISSED] = "not-executed",     [ROXI_ABOUT_CEASED] = "ceased",
    };
    if (f->deadlock)
        return "deadlock";
    if (f->waited_for)
        return "waited-for";
    return f->about == ROXI_ABOUT_DURATION ? kind_of_duration(f) : abouts[f->about];
}

/* ---- what ---- */

static const char *plural(uint32_t number)
{
    return number == 1 ? "" : "s";
}

static bool is_never(const struct roxi_finding *f)
{
    return f->less && !f->here && f->kind == ROXI_IN_CALL;
}

static bool is_share_of_time(const struct roxi_finding *f)
{
    return f->about == ROXI_ABOUT_GROWTH && f->resource == ROXI_COLLECTING;
}

/* `alone`: compared with one run, which is typical of nothing. */
static void say_typical(FILE *out, const struct roxi_finding *f, bool alone)
{
    const char *where = f->about == ROXI_ABOUT_PEERS ? "its peers" : alone ? "there" : "typically";
    fprintf(out, ", %s %s", where, f->stay ? "at most " : "");
    if (is_share_of_time(f))
        fprintf(out, "%.1f %%", f->elsewhere / 10);
    else
        fprintf(out, "%.0f", round(f->elsewhere));
    if (is_never(f))
        fputs(round(f->elsewhere) == 1 ? " packet" : " packets", out);
}

static void say_method(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                       bool simple)
{
    const struct roxi_call in = {f->call.class_name, f->call.method, ROXI_NONE, ROXI_NONE};
    fputs(" in ", out);
    roxi_print_call(out, names, in, simple);
}

/* In a call, or outside of calls. */
static void say_packets(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                        bool simple)
{
    if (f->stay)
        fputs("one thread stayed on the same call stack for ", out);
    if (is_never(f))
        fputs("never", out);
    else
        fprintf(out, "%" PRIu32 " packet%s", f->here, plural(f->here));
    if (f->stay_ns)
        fprintf(out, " (%.1f s)", (double)f->stay_ns / 1e9);
    fputs(f->stay ? ", " : " ", out);
    if (f->kind == ROXI_OUTSIDE) {
        fputs("outside the application's code", out);
    } else {
        fputs("in ", out);
        roxi_print_call(out, names, f->call, simple);
    }
}

static void say_peer(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f)
{
    if (f->peer.role)
        roxi_print_member(out, names, f->peer);
    else
        fputs("another process", out);
}

static void say_duration(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                         bool simple)
{
    const struct kind_words *words = &kind_words[f->kind];
    if (f->kind == ROXI_IN_CALL || f->kind == ROXI_OUTSIDE) {
        say_packets(out, names, f, simple);
    } else if (f->kind == ROXI_OWED || f->kind == ROXI_UNREAD) {
        fputs(words->before, out);
        say_peer(out, names, f);
        fprintf(out, "%s%" PRIu32 " packets in a row", words->after, f->here);
    } else {
        fprintf(out, "%s%" PRIu32 "%s", words->before, f->here, words->after);
        if (roxi_is_of_talks(f->kind))
            say_peer(out, names, f);
        if (f->kind == ROXI_TURNS && f->call.class_name != ROXI_NONE && !f->started)
            say_method(out, names, f, simple);
    }
}

static void say_growth(FILE *out, const struct roxi_finding *f)
{
    static const char *const words[] = {
        [ROXI_THREADS] = "threads at once",
        [ROXI_MEMORY] = "MB of memory",
        [ROXI_FILES] = "open files",
    };
    if (is_share_of_time(f))
        fprintf(out, "%.1f %% of the time collecting garbage", f->here / 10.0);
    else
        fprintf(out, "%" PRIu32 " %s", f->here, words[f->resource]);
}

static void say_thrown(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                       bool simple)
{
    const char *name = roxi_symbols_text(names, f->thrown);
    const char *last = simple ? strrchr(name, '.') : NULL;
    text_print(out, last ? last + 1 : name);
}

static void say_exception(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                          bool simple)
{
    say_thrown(out, names, f, simple);
    fprintf(out, " thrown %" PRIu32 " time%s", f->here, plural(f->here));
    if (f->throwers <= 1)
        return;
    fprintf(out, " in %" PRIu32 " roles, first ", f->throwers);
    if (f->throw_first > 1)
        fprintf(out, "in %" PRIu32 " of them at one packet", f->throw_first);
    else
        fputs("here", out);
}

static void say_first(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                      bool simple)
{
    fputs(f->there || f->again ? "made an exception of class " : "made its first ", out);
    say_thrown(out, names, f, simple);
    if (f->here > 1)
        fprintf(out, ", and exceptions of %" PRIu32 " more class%s", f->here - 1,
                f->here == 2 ? "" : "es");
    fputs(f->at_end ? ", right before it ended" : "", out);
}

static void say_waiters(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f)
{
    const bool own = roxi_same_member(f->waiters, f->who);
    fputs(own ? "other threads of " : "", out);
    roxi_print_member(out, names, f->waiters);
    fputs(own ? " wait" : " waits", out);
}

/* `f->stack`: which of its threads is waited for, or what it does in normal runs. */
static void say_waited_for(FILE *out, const struct roxi_symbols *names,
                           const struct roxi_finding *f, bool alone, bool simple)
{
    say_waiters(out, names, f);
    fprintf(out, " for it: %" PRIu32 " packets", f->here);
    say_typical(out, f, alone);
    if (!f->stack)
        fputs("; which of its threads should answer is not known", out);
    if (f->usually) {
        fputs("; normal runs are often in ", out);
        roxi_print_call(out, names, f->call, simple);
        fputs(" then", out);
    }
}

static void say_unanswered(FILE *out, const struct roxi_symbols *names,
                           const struct roxi_finding *f, bool simple)
{
    if (!f->here)
        fputs("never", out);
    else
        fprintf(out, "only %" PRIu32 " packet%s", f->here, plural(f->here));
    fputs(" in ", out);
    roxi_print_call(out, names, f->call, simple);
    fputs(" while ", out);
    say_waiters(out, names, f);
    fprintf(out, " (%" PRIu32 " packets), typically in %.0f of as many", f->waits,
            round(f->elsewhere));
}

/* What is said of its threads, if it is of some, behind the numbers. */
static void say_threads(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                        bool simple)
{
    const bool gone = f->about == ROXI_ABOUT_GONE;
    if (f->started) {
        fputs(", started", out);
        say_method(out, names, f, simple);
    }
    if (f->siblings)
        fprintf(out, ", and %s %" PRIu32 " other kind%s %s", gone ? "those of" : "more of",
                f->siblings, plural(f->siblings), gone ? "with it" : "on the same call stack");
    if (f->ends_at.role == ROXI_NONE)
        return;
    fputs("; waits for ", out);
    if (roxi_same_member(f->ends_at, f->who))
        fputs("another of its threads", out);
    else
        roxi_print_member(out, names, f->ends_at);
}

/* The number of this run, in words. False: there is nothing to compare it with. */
static bool say_number(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                       bool alone, bool simple)
{
    switch (f->about) {
    case ROXI_ABOUT_DURATION:
    case ROXI_ABOUT_PEERS:
        if (f->kind == ROXI_BAD_END) {
            fputs("did not end in an orderly way (killed, crashed, or its log is not whole)", out);
            return false;
        }
        say_duration(out, names, f, simple);
        return true;
    case ROXI_ABOUT_GROWTH:
        say_growth(out, f);
        return true;
    case ROXI_ABOUT_GONE:
        fprintf(out, "the last such thread ended %" PRIu32 " packets before its JVM", f->here);
        return true;
    case ROXI_ABOUT_EXCEPTION:
        say_exception(out, names, f, simple);
        return true;
    case ROXI_ABOUT_FIRST:
        say_first(out, names, f, simple);
        return false;
    case ROXI_ABOUT_UNANSWERED:
        say_unanswered(out, names, f, simple);
        return false;
    case ROXI_ABOUT_COVERED:
        roxi_code_say_covered(out, names, f, alone, simple);
        return false;
    case ROXI_ABOUT_MISSED:
        roxi_code_say_missed(out, names, f, simple);
        return true;
    case ROXI_ABOUT_CEASED:
        roxi_code_say_ceased(out, names, f, simple);
        return true;
    case ROXI_ABOUT_PAIR:
    case ROXI_ABOUT_OFTEN:
    case ROXI_ABOUT_PAUSE:
        break;
    }
    roxi_called_say(out, names, f, alone, simple);
    return false;
}

void roxi_finding_say(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                      size_t normal, bool simple)
{
    const bool alone = normal == 1;
    if (f->deadlock)
        fputs("in a deadlock, ", out);
    if (f->waited_for) {
        say_waited_for(out, names, f, alone, simple);
    } else if (say_number(out, names, f, alone, simple)) {
        say_typical(out, f, alone);
        say_threads(out, names, f, simple);
    }
}

static void say_like_ends(FILE *out, const struct roxi_finding *f, size_t normal)
{
    if (f->like == 0)
        fprintf(out, "unlike all %zu normal runs", normal);
    else
        fprintf(out, "so did %zu of %zu normal runs", f->like, normal);
}

static void say_like_other(FILE *out, const struct roxi_finding *f)
{
    if (f->kind == ROXI_BAD_END)
        fputs(f->like ? "so did the other run" : "unlike the other run", out);
    else if (f->like)
        fprintf(out, "the other run has as %s", f->less ? "few" : "many");
    else
        fprintf(out, "the other run has %s", f->less ? "more" : "fewer");
}

static void say_like_first(FILE *out, const struct roxi_finding *f, size_t normal, bool alone)
{
    const char *which = f->there ? "one there" : "one";
    if (alone)
        fprintf(out, "the other run %s %s", f->like ? "made" : "did not make", which);
    else if (f->like)
        fprintf(out, "%zu of %zu normal runs made %s", f->like, normal, which);
    else
        fprintf(out, "none of %zu normal runs made %s", normal, which);
}

static size_t compared_with(const struct roxi_finding *f, size_t normal)
{
    return f->compared ? f->compared : normal;
}

void roxi_finding_say_like(FILE *out, const struct roxi_finding *f, size_t all_normal)
{
    const size_t normal = compared_with(f, all_normal);
    const bool fewer = f->less || f->about == ROXI_ABOUT_UNANSWERED;
    if (normal == 0)
        fputs("there is no normal run", out);
    else if (f->about == ROXI_ABOUT_FIRST)
        say_like_first(out, f, normal, all_normal == 1);
    else if (f->about == ROXI_ABOUT_COVERED)
        roxi_code_say_like(out, f, normal, all_normal == 1);
    else if (all_normal == 1)
        say_like_other(out, f);
    else if (f->kind == ROXI_BAD_END)
        say_like_ends(out, f, normal);
    else if (f->like == 0)
        fprintf(out, "none of %zu normal runs has as %s", normal, fewer ? "few" : "many");
    else
        fprintf(out, "%zu of %zu normal runs %s as %s", f->like, normal,
                f->like == 1 ? "has" : "have", fewer ? "few" : "many");
}

void roxi_print_frame(FILE *out, const struct roxi_profiles *p, uint32_t frame)
{
    const struct roxi_frame f = roxi_symbols_frame_at(p->symbols, frame);
    const char *file = roxi_profiles_source(p, f.class_name);
    text_print(out, roxi_symbols_text(p->symbols, f.class_name));
    if (f.method) {
        putc('.', out);
        text_print(out, roxi_symbols_text(p->symbols, f.method));
    }
    putc('(', out);
    if (f.line == IX_LINE_NATIVE)
        fputs("Native Method", out);
    else
        text_print(out, file ? file : "Unknown Source");
    if (f.line > 0)
        fprintf(out, ":%" PRId32, f.line);
    putc(')', out);
}

/* ---- where and when ---- */

static void say_thread(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f)
{
    if (f->thread != ROXI_NONE) {
        fputs(", thread ", out);
        roxi_print_thread(out, names, f->thread);
    }
}

void roxi_finding_say_place(FILE *out, const struct roxi_symbols *names,
                            const struct roxi_finding *f)
{
    roxi_print_member(out, names, f->who);
    say_thread(out, names, f);
}

void roxi_finding_say_who(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f)
{
    roxi_print_member(out, names, f->who);
    if (f->waited_for || f->about == ROXI_ABOUT_GROWTH || f->about == ROXI_ABOUT_GONE ||
        f->kind == ROXI_TURNS)
        say_thread(out, names, f);
}

void roxi_finding_say_where(FILE *out, const struct roxi_symbols *names,
                            const struct roxi_finding *f)
{
    roxi_print_member(out, names, f->who);
    roxi_print_compared(out, names, f->who, f->as);
    say_thread(out, names, f);
}

void roxi_finding_say_when(FILE *out, const struct roxi_profile *run, const struct roxi_finding *f)
{
    if (!f->packet)
        return;
    const bool ends = (f->less && f->about != ROXI_ABOUT_PAIR) || f->about == ROXI_ABOUT_GONE ||
                      f->kind == ROXI_EARLY || f->kind == ROXI_BAD_END;
    fprintf(out, ", %s packet %" PRIu64 " (%.1f s)", ends ? "until" : "since", f->packet,
            (double)roxi_history_since(&run->history, f->packet) / 1e9);
}

/* Is this the frame to look at: the called method if it is the application's, else its caller? */
static bool is_marked(const struct roxi_symbols *s, const struct roxi_finding *f, uint32_t stack)
{
    const struct roxi_frame at = roxi_symbols_top(s, stack);
    const struct roxi_call look = roxi_finder_to_look_at(s, &f->call);
    return (f->kind == ROXI_IN_CALL || f->about == ROXI_ABOUT_FIRST || roxi_finding_is_of_code(f) ||
            roxi_finding_is_of_calls(f)) &&
           at.class_name == look.class_name && at.method == look.method;
}

/* -1: memory ran out. */
static int show_frame(FILE *out, const struct roxi_profiles *p, uint32_t frame, bool marked,
                      bool narrow)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    roxi_print_frame(t.out, p, frame);
    char *text = ix_text_close(&t);
    if (!text)
        return -1;
    char *file =
        narrow && strlen(text) > roxi_wrap_columns() - PATH_INDENT ? strrchr(text, '(') : NULL;
    const size_t len = file ? (size_t)(file - text) : strlen(text);
    fprintf(out, "%*s%.*s", PATH_INDENT, marked ? "> " : "", (int)len, text);
    if (file)
        fprintf(out, "\n%*s%s", PATH_INDENT + 4, "", file);
    putc('\n', out);
    free(text);
    return 0;
}

/* How many frames there are down to the application's outermost one: those that call it, such as
 * an executor's, say nothing. All of them, if none is the application's. */
static uint32_t frames_to_show(const struct roxi_symbols *s, uint32_t stack)
{
    uint32_t count = 0, own = 0;
    for (; stack; stack = roxi_symbols_stack_at(s, stack).parent) {
        count++;
        if (!roxi_is_platform(roxi_symbols_text(s, roxi_symbols_top(s, stack).class_name)))
            own = count;
    }
    return own ? own : count;
}

int roxi_finding_show_path(FILE *out, const struct roxi_profiles *p, const struct roxi_finding *f,
                           uint32_t frames, bool narrow)
{
    const struct roxi_symbols *s = p->symbols;
    const uint32_t depth = roxi_symbols_stack_at(s, f->stack).depth;
    uint32_t before = 0, n = 0, marked = f->stack; /* the innermost: methods call themselves */
    for (; marked && !is_marked(s, f, marked); marked = roxi_symbols_stack_at(s, marked).parent)
        before++;
    const uint32_t left_out = before > frames - 3 ? before - (frames - 3) : 0;
    const uint32_t own = frames_to_show(s, f->stack);
    const uint32_t end = frames + left_out < own ? frames + left_out : own;
    for (uint32_t at = f->stack; n < end; at = roxi_symbols_stack_at(s, at).parent, n++) {
        if (n >= 2 && n < 2 + left_out) {
            if (n == 2)
                fprintf(out, "       ... %" PRIu32 " more\n", left_out);
            continue;
        }
        if (show_frame(out, p, roxi_symbols_stack_at(s, at).frame, at == marked, narrow) != 0)
            return -1;
    }
    if (depth > n)
        fprintf(out, "       ... %" PRIu32 " caller%s\n", depth - n, depth - n == 1 ? "" : "s");
    return 0;
}

/* ---- JSON ---- */

/* Everything about a finding in a sentence: to be freed; NULL: memory ran out. */
static char *sentence(const struct roxi_profiles *p, const struct roxi_profile *run,
                      const struct roxi_finding *f, size_t normal)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return NULL;
    roxi_finding_say_where(t.out, p->symbols, f);
    roxi_finding_say_when(t.out, run, f);
    fputs(": ", t.out);
    roxi_finding_say(t.out, p->symbols, f, normal, false);
    fputs("; ", t.out);
    roxi_finding_say_like(t.out, f, normal);
    return ix_text_close(&t);
}

static int put_frame(FILE *out, const struct roxi_profiles *p, uint32_t frame)
{
    struct ix_text t;
    if (ix_text_open(&t) != 0)
        return -1;
    roxi_print_frame(t.out, p, frame);
    char *text = ix_text_close(&t);
    if (!text)
        return -1;
    roxi_json_string(out, text);
    free(text);
    return 0;
}

static int put_path(struct roxi_json *j, const struct roxi_profiles *p, uint32_t stack)
{
    int result = 0;
    roxi_json_key(j, "path");
    roxi_json_open(j, '[');
    for (; stack && result == 0; stack = roxi_symbols_stack_at(p->symbols, stack).parent)
        result = put_frame(roxi_json_value(j), p, roxi_symbols_stack_at(p->symbols, stack).frame);
    roxi_json_close(j);
    return result;
}

int roxi_finding_json(struct roxi_json *j, const struct roxi_profiles *p,
                      const struct roxi_profile *run, const struct roxi_finding *f, size_t normal)
{
    const struct roxi_symbols *s = p->symbols;
    const double since = (double)roxi_history_since(&run->history, f->packet);
    char *text = sentence(p, run, f, normal);
    if (!text)
        return -1;
    roxi_json_put_string(j, "kind", roxi_finding_kind(f));
    roxi_json_put_string(j, "role", roxi_symbols_text(s, f->who.role));
    roxi_json_put_string(j, "node", f->who.node ? roxi_symbols_text(s, f->who.node) : NULL);
    roxi_json_put_string(j, "thread",
                         f->thread == ROXI_NONE ? NULL : roxi_symbols_text(s, f->thread));
    const int result = put_path(j, p, f->stack);
    roxi_json_put_number(j, "packet", f->packet ? (double)f->packet : NAN);
    roxi_json_put_number(j, "since_ns", f->packet ? since : NAN);
    roxi_json_put_count(j, "here", f->here);
    roxi_json_put_number(j, "elsewhere", round(f->elsewhere * 1e6) / 1e6);
    roxi_json_put_count(j, "normal_runs", compared_with(f, normal));
    roxi_json_put_count(j, "normal_runs_like_this", f->like);
    roxi_json_put_number(j, "share", f->share);
    roxi_json_put_string(j, "text", text);
    free(text);
    return result;
}
