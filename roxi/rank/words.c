/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/words.h"

#include <inttypes.h>
#include <math.h>

#include "roxi/base/json.h"
#include "roxi/base/text_escape.h"

static size_t reasons(const struct roxi_ranking *r, size_t run)
{
    const size_t n = r->first[run + 1] - r->first[run];
    return n < ROXI_REASONS ? n : ROXI_REASONS;
}

struct reason {
    const struct roxi_part *part;
    struct roxi_place place;
    struct roxi_call call; /* if the place is of calls */
    const char *role;
    const char *as; /* NULL: it was compared under its own name */
};

static struct reason reason_at(const struct roxi_ranking *r, size_t run, size_t number)
{
    const struct roxi_symbols *names = r->durations->profiles->symbols;
    struct reason x = {.part = &r->parts[r->first[run] + number]};
    x.place = roxi_durations_place(r->durations, x.part->place);
    x.call = roxi_durations_item(r->durations, x.part->item).call;
    const uint32_t role = roxi_ranking_role(r, run, x.place.role);
    x.role = roxi_symbols_text(names, role);
    x.as = role == x.place.role ? NULL : roxi_symbols_text(names, x.place.role);
    return x;
}

/* "Class.method", or the class alone where methods are not compared. */
static void print_method(FILE *out, const struct roxi_symbols *names, uint32_t class_name,
                         uint32_t method)
{
    text_print(out, roxi_symbols_text(names, class_name));
    if (method) {
        putc('.', out);
        text_print(out, roxi_symbols_text(names, method));
    }
}

static void print_what(FILE *out, const struct roxi_symbols *names, const struct reason *x)
{
    switch (x->place.kind) {
    case ROXI_TOOK_PART:
        fputs(" answered", out);
        break;
    case ROXI_GAP:
        fputs(" lost in a row", out);
        break;
    case ROXI_EARLY_BY:
        fputs(" of others after its last one", out);
        break;
    default:
        fputs(" in ", out);
        print_method(out, names, x->call.class_name, x->call.method);
        if (x->call.called == ROXI_NONE)
            break;
        fputs(" calling ", out);
        print_method(out, names, x->call.called_class, x->call.called);
    }
}

void roxi_rank_explain(FILE *out, const struct roxi_ranking *r, size_t run)
{
    const struct roxi_symbols *names = r->durations->profiles->symbols;
    for (size_t i = 0; i < reasons(r, run); i++) {
        const struct reason x = reason_at(r, run, i);
        fputs(i ? "; " : "", out);
        text_print(out, x.role);
        if (x.as) {
            fputs(" as ", out);
            text_print(out, x.as);
        }
        fprintf(out, ": %" PRIu32 " packet%s", x.part->packets, x.part->packets == 1 ? "" : "s");
        print_what(out, names, &x);
        fprintf(out, " (typically %.0f)", round(x.part->typical));
    }
}

static const char *kind_word(enum roxi_duration_kind kind)
{
    static const char *const words[ROXI_DURATION_KINDS] = {"call", "answered", "gap", "early"};
    return words[kind];
}

static void put_call(struct roxi_json *j, const struct roxi_symbols *names, const struct reason *x)
{
    const bool is_call = x->place.kind == ROXI_IN_CALL;
    const bool calls = is_call && x->call.called != ROXI_NONE;
    roxi_json_put_string(j, "class",
                         is_call ? roxi_symbols_text(names, x->call.class_name) : NULL);
    roxi_json_put_string(j, "method", is_call ? roxi_symbols_text(names, x->call.method) : NULL);
    roxi_json_put_string(j, "called-class",
                         calls ? roxi_symbols_text(names, x->call.called_class) : NULL);
    roxi_json_put_string(j, "called", calls ? roxi_symbols_text(names, x->call.called) : NULL);
}

void roxi_rank_explain_json(FILE *out, const struct roxi_ranking *r, size_t run)
{
    struct roxi_json j = {.out = out};
    roxi_json_open(&j, '[');
    for (size_t i = 0; i < reasons(r, run); i++) {
        const struct reason x = reason_at(r, run, i);
        roxi_json_open(&j, '{');
        roxi_json_put_string(&j, "kind", kind_word(x.place.kind));
        roxi_json_put_string(&j, "role", x.role);
        if (x.as)
            roxi_json_put_string(&j, "as", x.as);
        put_call(&j, r->durations->profiles->symbols, &x);
        roxi_json_put_count(&j, "packets", x.part->packets);
        roxi_json_put_number(&j, "typical", x.part->typical);
        roxi_json_put_number(&j, "part", x.part->part);
        roxi_json_close(&j);
    }
    roxi_json_close(&j);
}
