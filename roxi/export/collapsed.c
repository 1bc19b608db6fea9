/* SPDX-License-Identifier: Apache-2.0 */
/* Folded stacks (Brendan Gregg): a line for each call stack with its frames from the thread's
 * entry on, separated by ';', a blank, and the count. The format has neither escapes nor
 * comments. As in perf's scripts, ';' in names becomes ':' and a blank becomes '_', because a
 * name that ends in a blank and a number would be read as a second count. */
#include <inttypes.h>
#include <stdlib.h>

#include "roxi/export/export.h"
#include "schema/base/grow.h"

struct state {
    struct export_counts counts;
    uint32_t *frames; /* of the stack being written */
    size_t frames_cap;
};

static int snapshot(struct export *x, const struct ix_snapshot *s, struct ix_error *err)
{
    struct state *state = x->state;
    return export_count(x, &state->counts, s, x->options->no_threads ? 0 : EXPORT_BY_THREAD, err);
}

static int vm_end(struct export *x, struct ix_error *err)
{
    (void)err;
    export_count_end(&((struct state *)x->state)->counts);
    return 0;
}

static const char *instead(char c)
{
    return c == ';' ? ":" : c == ' ' ? "_" : NULL;
}

/* Always writes something, because there must be a frame between two ';'. */
static void put_name(FILE *out, const char *name)
{
    export_print(out, *name ? name : "-", instead);
}

static void put_frame(const struct export *x, uint32_t frame)
{
    struct export_place place = export_place_of(&x->dictionary, frame);
    int32_t line = export_frame_at(&x->dictionary, frame).line;
    put_name(x->out, place.class_name);
    putc('.', x->out);
    put_name(x->out, place.method);
    if (line > 0)
        fprintf(x->out, ":%" PRId32, line);
}

/* The frames of a stack, the executing one first; *cut: callers were cut off. */
static int unfold(struct export *x, uint32_t stack, size_t *depth, bool *cut)
{
    struct state *state = x->state;
    for (*depth = 0; stack > IX_STACK_CUT; stack = export_stack_at(&x->dictionary, stack).parent) {
        uint32_t *frames = ix_grow(state->frames, &state->frames_cap, *depth + 1, sizeof *frames);
        if (!frames)
            return -1;
        state->frames = frames;
        frames[(*depth)++] = export_stack_at(&x->dictionary, stack).frame;
    }
    *cut = stack == IX_STACK_CUT;
    return 0;
}

static int put_stack(struct export *x, uint32_t group, uint32_t stack, uint64_t count)
{
    const struct state *state = x->state;
    const char *between = "";
    size_t depth;
    bool cut;
    if (unfold(x, stack, &depth, &cut) != 0)
        return -1;
    if (!x->options->no_threads) {
        struct export_group g = export_group_at(&state->counts, group);
        put_name(x->out, export_text(&x->dictionary, g.role));
        putc(';', x->out);
        put_name(x->out, export_text(&x->dictionary, g.thread));
        between = ";";
    } else if (depth == 0) {
        return 0; /* a stack without frames gets no line */
    }
    if (cut) {
        fprintf(x->out, "%s[callers_cut_off]", between);
        between = ";";
    }
    for (; depth > 0; between = ";") {
        fputs(between, x->out);
        put_frame(x, state->frames[--depth]);
    }
    fprintf(x->out, " %" PRIu64 "\n", count);
    return 0;
}

static int end(struct export *x, struct ix_error *err)
{
    const struct state *state = x->state;
    const struct roxi_tally *seen = &state->counts.seen;
    for (size_t i = 0; i < seen->n; i++) {
        uint64_t key = roxi_tally_key(seen, i);
        if (put_stack(x, (uint32_t)(key >> 32), (uint32_t)key, seen->counts[i]) != 0)
            return ix_fail(err, "out of memory");
    }
    return 0;
}

static void release(void *user)
{
    struct state *state = user;
    export_counts_free(&state->counts);
    free(state->frames);
}

const struct export_format export_collapsed = {
    .name = "collapsed",
    .takes = EXPORT_TAKES_LINES | EXPORT_TAKES_THREADS,
    .state_size = sizeof(struct state),
    .snapshot = snapshot,
    .vm_end = vm_end,
    .end = end,
    .release = release,
};
