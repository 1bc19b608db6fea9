/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/words.h"

#include <inttypes.h>
#include <math.h>

#include "roxi/base/text_escape.h"
#include "roxi/rank/words.h"
#include "schema/tracelog/tracelog.h"

const char *roxi_finding_kind(const struct roxi_finding *f)
{
    switch (f->kind) {
    case ROXI_IN_CALL:
        if (f->less)
            return f->here ? "shorter" : "missing-here";
        return f->like ? "longer" : "only-here";
    case ROXI_OUTSIDE:
        return "threads";
    case ROXI_ANSWERED:
        return "answered";
    case ROXI_LOST:
        return "stood-still";
    case ROXI_EARLY:
        return "ended-early";
    case ROXI_BAD_END:
    case ROXI_DURATION_KINDS:
        break;
    }
    return "ended-badly";
}

static void say_packets(FILE *out, const struct roxi_finding *f)
{
    if (f->here || !f->less)
        fprintf(out, "%" PRIu32 " packet%s ", f->here, f->here == 1 ? "" : "s");
    else
        fputs("never ", out);
}

void roxi_finding_say(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                      bool simple)
{
    switch (f->kind) {
    case ROXI_IN_CALL:
        say_packets(out, f);
        fputs("in ", out);
        roxi_print_call(out, names, f->call, simple);
        break;
    case ROXI_OUTSIDE:
        say_packets(out, f);
        fputs("outside the application's code", out);
        break;
    case ROXI_ANSWERED:
        fprintf(out, "answered %" PRIu32 " packets", f->here);
        break;
    case ROXI_LOST:
        fprintf(out, "answered none of %" PRIu32 " packets in a row", f->here);
        break;
    case ROXI_EARLY:
        fprintf(out, "ended %" PRIu32 " packets before the last JVM", f->here);
        break;
    case ROXI_BAD_END:
    case ROXI_DURATION_KINDS:
        fputs(f->less ? "ended orderly" : "did not end orderly", out);
        return;
    }
    fprintf(out, ", typically %.0f", round(f->elsewhere));
}

void roxi_finding_say_like(FILE *out, const struct roxi_finding *f, size_t normal)
{
    const char *what = f->kind == ROXI_BAD_END ? "did" : f->less ? "has as few" : "has as many";
    const char *they = f->kind == ROXI_BAD_END ? "did" : f->less ? "have as few" : "have as many";
    if (f->like == 0)
        fprintf(out, "none of %zu normal run%s %s", normal, normal == 1 ? "" : "s", what);
    else
        fprintf(out, "%zu of %zu normal runs %s", f->like, normal, f->like == 1 ? what : they);
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
