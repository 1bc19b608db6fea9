/* Folded stacks (Brendan Gregg): a line for each call stack, its frames from the thread's entry on
 * with ';' between them, a blank and how often it was seen. The format knows neither escapes nor
 * comments; as in perf's scripts, ';' in names becomes ':' and a blank '_', for a name that ends in
 * a blank and a number would be taken for a second count. */
#include <inttypes.h>
#include <stdlib.h>

#include "roxi/export.h"
#include "schema/grow.h"

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

static const char *instead(char c)
{
    return c == ';' ? ":" : c == ' ' ? "_" : NULL;
}

/* Never nothing: a frame is between two ';'. */
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

/* The frames of a stack, the executing one first; *cut: there were callers. */
static int unfold(struct export *x, uint32_t stack, size_t *depth, bool *cut)
{
    struct state *state = x->state;
    for (*depth = 0; stack > IX_STACK_CUT; stack = export_stack_at(&x->dictionary, stack).parent) {
        uint32_t *frames =
            ix_grow(state->frames, &state->frames_cap, *depth + 1, sizeof *frames);
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
        return 0; /* no frame at all is no line */
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
    .end = end,
    .release = release,
};
