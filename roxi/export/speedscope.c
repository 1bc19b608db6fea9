/* SPDX-License-Identifier: Apache-2.0 */
/* speedscope's own format (https://www.speedscope.app/file-format-schema.json): a sampled
 * profile for each thread of each JVM, in the order of its packets. A sample's weight is the
 * number of consecutive packets with that stack; packets in which the thread was not live are
 * samples without frames, so that the profiles of one JVM's threads are aligned. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/json.h"
#include "roxi/export/export.h"
#include "schema/base/grow.h"

struct run {
    uint32_t stack;
    uint64_t packets;
};

/* What identifies a thread throughout a log, although each part numbers threads differently. */
struct thread_key {
    uint64_t id, start;
};

struct line {
    uint32_t name;    /* the latest */
    uint32_t of;      /* the log's thread that it shows at present; 0: none */
    struct run *runs; /* owned */
    size_t count, cap;
    uint64_t packets; /* sum of the runs' */
};

/* A thread of the log's part being read. */
struct running {
    uint32_t line; /* + 1; 0: the thread is not live, or an identical one has the line */
    uint32_t stack;
    uint64_t since; /* number of packets before it came to this stack */
};

struct state {
    struct running *running; /* owned, by the log's number */
    size_t running_count, running_cap;
    uint32_t part;
    struct ix_intern threads; /* of the JVM being read; keys: struct thread_key */
    struct line *lines;       /* owned, by thread */
    size_t line_count, line_cap;
    uint64_t packets; /* of the JVM so far */
    uint32_t *frames; /* owned: of the stack being written */
    size_t frames_cap;
    bool more_profiles;
};

static int begin(struct export *x, struct ix_error *err)
{
    (void)err;
    fprintf(x->out,
            "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
            "\"exporter\":\"roxi %s\",\"name\":",
            IXOR_VERSION);
    roxi_json_string(x->out, x->options->execution ? x->options->execution : x->options->campaign);
    fputs(",\n\"roxi\":{", x->out);
    export_origin(x->out, x->options);
    fputs("},\n\"profiles\":[", x->out);
    return 0;
}

/* ---- collecting ---- */

/* The thread's line, + 1; 0: out of memory. */
static uint32_t line_of(struct export *x, uint32_t thread)
{
    struct state *state = x->state;
    struct ix_thread t = ix_log_thread_at(x->reader, thread);
    struct thread_key key = {t.id, t.start};
    char room[EXPORT_ROOM];
    bool added;
    state->threads.key_size = sizeof key;
    uint32_t number = ix_intern(&state->threads, &key, sizeof key, &added);
    uint32_t name = export_string(&x->dictionary, export_thread_name(&t, room));
    if (number == IX_INTERN_FAILED || name == EXPORT_NONE)
        return 0;
    struct line *lines = ix_grow(state->lines, &state->line_cap, (size_t)number + 1, sizeof *lines);
    if (!lines)
        return 0;
    state->lines = lines;
    if (number == state->line_count)
        lines[state->line_count++] = (struct line){0};
    lines[number].name = name;
    return number + 1;
}

static int extend(struct line *line, uint32_t stack, uint64_t packets)
{
    if (packets == 0)
        return 0;
    line->packets += packets;
    if (line->count && line->runs[line->count - 1].stack == stack) {
        line->runs[line->count - 1].packets += packets;
        return 0;
    }
    return ix_append(line->runs, line->count, line->cap, (struct run){stack, packets});
}

/* The thread is gone or has changed: adds what it did to its line. */
static int stop(struct state *state, uint32_t thread)
{
    struct running *r = &state->running[thread];
    if (!r->line)
        return 0;
    struct line *line = &state->lines[r->line - 1];
    r->line = line->of = 0;
    if (extend(line, IX_STACK_EMPTY, r->since - line->packets) != 0)
        return -1;
    return extend(line, r->stack, state->packets - r->since);
}

static int stop_all(struct state *state)
{
    int result = 0;
    for (size_t i = 0; i < state->running_count && result == 0; i++)
        result = stop(state, (uint32_t)i);
    state->running_count = 0;
    return result;
}

/* If several threads are alike, as in imported logs, only the first one counts while it is live. */
static int start(struct export *x, uint32_t thread, uint32_t stack)
{
    struct state *state = x->state;
    if (stop(state, thread) != 0 || stack == EXPORT_NONE)
        return -1;
    const uint32_t line = line_of(x, thread);
    if (!line)
        return -1;
    const bool taken = state->lines[line - 1].of;
    if (!taken)
        state->lines[line - 1].of = thread;
    state->running[thread] = (struct running){taken ? 0 : line, stack, state->packets};
    return 0;
}

static int start_entry(struct export *x, const struct ix_entry *entry)
{
    return start(x, entry->thread, export_log_stack(&x->log, entry->stack));
}

/* Makes room for all defined threads; in a new part the numbers mean other threads. */
static int take_threads(struct export *x)
{
    struct state *state = x->state;
    if (ix_log_part(x->reader) != state->part && stop_all(state) != 0)
        return -1;
    state->part = ix_log_part(x->reader);
    const size_t want = ix_log_thread_count(x->reader);
    struct running *running = ix_grow(state->running, &state->running_cap, want, sizeof *running);
    if (!running)
        return -1;
    state->running = running;
    memset(running + state->running_count, 0, (want - state->running_count) * sizeof *running);
    state->running_count = want;
    return 0;
}

static int take_changes(struct export *x, const struct ix_snapshot *s)
{
    struct state *state = x->state;
    const struct ix_changes changes = ix_log_changes(x->reader);
    int result = 0;
    for (size_t i = 0; i < changes.gone_count && result == 0; i++)
        result = stop(state, changes.gone[i]);
    for (size_t i = 0; i < changes.set_count && result == 0; i++)
        result = start_entry(x, &s->entries[changes.set[i]]);
    for (size_t i = 0; i < changes.redefined_count && result == 0; i++)
        if (state->running[changes.redefined[i]].line)
            result = start(x, changes.redefined[i], state->running[changes.redefined[i]].stack);
    return result;
}

static int snapshot(struct export *x, const struct ix_snapshot *s, struct ix_error *err)
{
    struct state *state = x->state;
    int result = take_threads(x);
    if (result == 0 && !x->options->packet)
        result = take_changes(x, s);
    /* For a single packet, changes since the previous packet are irrelevant. */
    for (size_t i = 0; x->options->packet && i < s->count && result == 0; i++)
        result = start_entry(x, &s->entries[i]);
    state->packets++;
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}

/* ---- writing ---- */

/* Frame 0 stands for callers that were cut off; those of the dictionary follow. */
static int put_sample(struct export *x, uint32_t stack)
{
    struct state *state = x->state;
    size_t depth = 0;
    for (; stack != IX_STACK_EMPTY; depth++) {
        uint32_t *frames = ix_grow(state->frames, &state->frames_cap, depth + 1, sizeof *frames);
        if (!frames)
            return -1;
        state->frames = frames;
        if (stack == IX_STACK_CUT) {
            frames[depth] = 0;
            stack = IX_STACK_EMPTY;
        } else {
            frames[depth] = export_stack_at(&x->dictionary, stack).frame + 1;
            stack = export_stack_at(&x->dictionary, stack).parent;
        }
    }
    putc('[', x->out);
    while (depth > 0) {
        fprintf(x->out, "%" PRIu32, state->frames[--depth]);
        if (depth)
            putc(',', x->out);
    }
    putc(']', x->out);
    return 0;
}

static void put_name(struct export *x, const struct line *line)
{
    putc('"', x->out);
    roxi_json_text(x->out, x->execution->name);
    putc(' ', x->out);
    roxi_json_text(x->out, x->vm->role);
    putc(' ', x->out);
    roxi_json_text(x->out, export_text(&x->dictionary, line->name));
    putc('"', x->out);
}

static int put_profile(struct export *x, const struct line *line)
{
    struct state *state = x->state;
    fputs(state->more_profiles ? ",\n" : "\n", x->out);
    state->more_profiles = true;
    fputs("{\"type\":\"sampled\",\"name\":", x->out);
    put_name(x, line);
    fprintf(x->out, ",\"unit\":\"none\",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[",
            line->packets);
    for (size_t i = 0; i < line->count; i++) {
        if (i)
            putc(',', x->out);
        if (put_sample(x, line->runs[i].stack) != 0)
            return -1;
    }
    fputs("],\"weights\":[", x->out);
    for (size_t i = 0; i < line->count; i++)
        fprintf(x->out, "%s%" PRIu64, i ? "," : "", line->runs[i].packets);
    fputs("]}", x->out);
    return 0;
}

static void forget_lines(struct state *state)
{
    for (size_t i = 0; i < state->line_count; i++)
        free(state->lines[i].runs);
    ix_intern_free(&state->threads);
    state->threads = (struct ix_intern){0};
    state->line_count = 0;
    state->packets = 0;
}

static int vm_end(struct export *x, struct ix_error *err)
{
    struct state *state = x->state;
    int result = stop_all(state);
    state->part = 0;
    for (size_t i = 0; i < state->line_count && result == 0; i++)
        result = put_profile(x, &state->lines[i]);
    forget_lines(state);
    return result == 0 ? 0 : ix_fail(err, "out of memory");
}

static int end(struct export *x, struct ix_error *err)
{
    const struct export_dictionary *d = &x->dictionary;
    (void)err;
    fputs("],\n\"shared\":{\"frames\":[\n{\"name\":\"[callers cut off]\"}", x->out);
    for (uint32_t i = 0; i < d->frames.count; i++) {
        struct export_place place = export_place_of(d, i);
        int32_t line = export_frame_at(d, i).line;
        fputs(",\n{\"name\":\"", x->out);
        roxi_json_text(x->out, place.class_name);
        putc('.', x->out);
        roxi_json_text(x->out, place.method);
        putc('"', x->out);
        if (*place.source) {
            fputs(",\"file\":", x->out);
            roxi_json_string(x->out, place.source);
        }
        if (line > 0)
            fprintf(x->out, ",\"line\":%" PRId32, line);
        putc('}', x->out);
    }
    fputs("]}}\n", x->out);
    return 0;
}

static void release(void *user)
{
    struct state *state = user;
    forget_lines(state);
    free(state->running);
    free(state->lines);
    free(state->frames);
}

const struct export_format export_speedscope = {
    .name = "speedscope",
    .takes = EXPORT_TAKES_LINES,
    .keeps = EXPORT_SOURCES,
    .state_size = sizeof(struct state),
    .begin = begin,
    .snapshot = snapshot,
    .vm_end = vm_end,
    .end = end,
    .release = release,
};
