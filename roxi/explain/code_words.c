/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/code_words.h"

#include <inttypes.h>
#include <stdlib.h>

#include "roxi/rank/words.h"

static void say_method(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                       bool simple)
{
    const struct roxi_call of = {f->call.class_name, f->call.method, ROXI_NONE, ROXI_NONE};
    roxi_print_call(out, names, of, simple);
}

static int32_t line_of(const struct roxi_symbols *names, uint32_t stack)
{
    return roxi_symbols_top(names, stack).line;
}

static int by_line(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The line that is shown beside it is one of them. */
static void say_lines(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f)
{
    int32_t lines[1 + ROXI_FINDING_LINES] = {line_of(names, f->stack)};
    if (!f->line_count)
        return;
    for (uint32_t i = 0; i < f->line_count; i++)
        lines[i + 1] = line_of(names, f->lines[i]);
    qsort(lines, f->line_count + 1, sizeof *lines, by_line);
    for (uint32_t i = 0; i <= f->line_count; i++)
        fprintf(out, "%s%" PRId32,
                i == 0              ? ", lines "
                : i < f->line_count ? ", "
                                    : " and ",
                lines[i]);
}

void roxi_code_say_covered(FILE *out, const struct roxi_symbols *names,
                           const struct roxi_finding *f, bool alone, bool simple)
{
    fputs(f->part_of_line ? "executed a part of a line in " : "executed code in ", out);
    say_method(out, names, f, simple);
    say_lines(out, names, f);
    if (f->here > 1)
        fprintf(out, ", and %" PRIu32 " more block%s of its class,", f->here - 1,
                f->here == 2 ? "" : "s");
    if (f->like)
        fputs(" that few normal runs do", out);
    else
        fputs(alone ? " that the other run does not" : " that normal runs do not", out);
}

void roxi_code_say_like(FILE *out, const struct roxi_finding *f, size_t normal, bool alone)
{
    if (alone)
        fprintf(out, "the other run %s", f->like ? "did" : "did not");
    else if (f->like)
        fprintf(out, "%zu of %zu normal runs did", f->like, normal);
    else
        fprintf(out, "none of %zu normal runs did", normal);
}

void roxi_code_say_missed(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                          bool simple)
{
    fputs("did not reach a part of ", out);
    say_method(out, names, f, simple);
    fprintf(out, " for %" PRIu32 " packets in which it executed other parts", f->here);
}

void roxi_code_say_ceased(FILE *out, const struct roxi_symbols *names, const struct roxi_finding *f,
                          bool simple)
{
    fputs("stopped executing a part of ", out);
    say_method(out, names, f, simple);
    fprintf(out, ", before anything else: %" PRIu32 " packets without it", f->here);
}
