/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/called_words.h"

#include <inttypes.h>
#include <math.h>

#include "roxi/base/platform.h"
#include "roxi/rank/words.h"

static void say_times(FILE *out, const struct roxi_symbols *names, struct roxi_call call,
                      double times, bool at_least, bool simple)
{
    roxi_print_call(out, names, call, simple);
    fprintf(out, " %s%.0f time%s", at_least ? "at least " : "", times, times == 1 ? "" : "s");
}

/* The innermost caller of another class of the application; class ROXI_NONE: none was seen. */
static struct roxi_call caller_of(const struct roxi_symbols *s, const struct roxi_finding *f)
{
    struct roxi_call caller = roxi_no_call;
    for (uint32_t stack = f->stack; stack; stack = roxi_symbols_stack_at(s, stack).parent) {
        const struct roxi_frame at = roxi_symbols_top(s, stack);
        if (at.class_name == f->call.class_name ||
            roxi_is_platform(roxi_symbols_text(s, at.class_name)))
            continue;
        caller.class_name = at.class_name;
        caller.method = at.method;
        break;
    }
    return caller;
}

static void say_caller(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                       const char *which, bool simple)
{
    const struct roxi_call caller = caller_of(names, f);
    if (caller.class_name == ROXI_NONE)
        return;
    fprintf(out, "%s from ", which);
    roxi_print_call(out, names, caller, simple);
}

/* The method that was called more often comes first. */
static void say_pair(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                     bool simple)
{
    const struct roxi_call more = f->less ? f->beside : f->call;
    const struct roxi_call fewer = f->less ? f->call : f->beside;
    fputs("called ", out);
    say_times(out, names, more, f->less ? f->elsewhere : f->here, f->at_least, simple);
    fputs(" and ", out);
    say_times(out, names, fewer, f->less ? f->here : f->elsewhere, false, simple);
    fputs(", typically as often as each other", out);
    say_caller(out, names, f, f->less ? "; the latter" : "; the former", simple);
}

void roxi_called_say(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                     bool alone, bool simple)
{
    if (f->about == ROXI_ABOUT_PAIR) {
        say_pair(out, names, f, simple);
        return;
    }
    const char *there = alone ? "there" : "typically";
    if (f->about == ROXI_ABOUT_PAUSE) {
        fputs("no call of ", out);
        roxi_print_call(out, names, f->call, simple);
        fprintf(out, "%s for %" PRIu32 " packets, %s for %.0f at most", f->packet ? "" : " at all,",
                f->here, there, round(f->elsewhere));
    } else {
        fputs("called ", out);
        say_times(out, names, f->call, f->here, f->at_least, simple);
        fprintf(out, ", %s %.0f", there, round(f->elsewhere));
    }
    say_caller(out, names, f, ",", simple);
}
