/* SPDX-License-Identifier: Apache-2.0 */
/* pprof's profile.proto, compressed (https://github.com/google/pprof/tree/main/proto): a sample
 * for each call stack of each thread of each run. Its value is the number of snapshots in which
 * it was seen; its labels are execution, role and thread. A location is a frame, a function is a
 * method. */
#include <stdlib.h>
#include <string.h>

#include "roxi/base/gzip.h"
#include "roxi/base/protobuf.h"
#include "roxi/base/text_escape.h"
#include "roxi/export/export.h"
#include "schema/base/text_memory.h"

/* Field numbers in profile.proto. */
enum profile_field {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13,
};
enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_STR = 2 };
enum mapping_field {
    MAPPING_ID = 1,
    MAPPING_FILENAME = 5,
    MAPPING_HAS_FUNCTIONS = 7,
    MAPPING_HAS_FILENAMES = 8,
    MAPPING_HAS_LINE_NUMBERS = 9,
};
enum location_field { LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_LINE = 4 };
enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum function_field {
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILENAME = 4,
};

/* Location and function 1 stand for callers that were cut off; those of the dictionary follow. */
enum { CUT_ID = 1, FIRST_ID = 2, MAPPING = 1 };

enum { PIECE = 65536 }; /* enough bytes to compress at once */

struct state {
    struct export_counts counts;
    int64_t begin_ns, end_ns; /* wall clock; 0 unknown */
    struct roxi_gzip *gzip;
    struct ix_intern strings;        /* the profile's table */
    struct ix_out text, part, inner; /* scratch buffers */
    struct ix_out message;           /* bytes waiting to be compressed */
    bool no_memory;
};

static int snapshot(struct export *x, const struct ix_snapshot *s, struct ix_error *err)
{
    struct state *state = x->state;
    if (s->real_ns > 0 && (!state->begin_ns || s->real_ns < state->begin_ns))
        state->begin_ns = s->real_ns;
    if (s->real_ns > state->end_ns)
        state->end_ns = s->real_ns;
    return export_count(x, &state->counts, s, EXPORT_BY_THREAD | EXPORT_BY_EXECUTION, err);
}

static int vm_end(struct export *x, struct ix_error *err)
{
    (void)err;
    export_count_end(&((struct state *)x->state)->counts);
    return 0;
}

/* ---- strings ---- */

/* Strings in Protocol Buffers are UTF-8: other bytes become U+FFFD. */
static void put_text(struct ix_out *out, const char *text)
{
    for (size_t left = strlen(text); left;) {
        size_t size = text_utf8_length(text, left), taken = size ? size : 1;
        ix_put_bytes(out, size ? text : "\xEF\xBF\xBD", size ? size : 3);
        text += taken;
        left -= taken;
    }
}

/* The number of the string in state->text. */
static uint64_t string_number(struct state *state)
{
    bool added;
    uint32_t number = ix_intern(&state->strings, state->text.data, state->text.len, &added);
    state->no_memory |= number == IX_INTERN_FAILED || state->text.failed;
    ix_out_clear(&state->text);
    return number;
}

static uint64_t string(struct state *state, const char *text)
{
    put_text(&state->text, text);
    return string_number(state);
}

/* ---- messages ---- */

/* Compresses the message so far, if there is enough of it. */
static void flush(struct state *state, size_t enough)
{
    state->no_memory |= state->message.failed;
    if (state->message.len < enough)
        return;
    if (!state->no_memory)
        roxi_gzip_write(state->gzip, state->message.data, state->message.len);
    ix_out_clear(&state->message);
}

/* Writes state->part as a field of the profile. */
static void put_part(struct state *state, enum profile_field field)
{
    roxi_pb_bytes(&state->message, field, state->part.data, state->part.len);
    state->no_memory |= state->part.failed;
    ix_out_clear(&state->part);
    flush(state, PIECE);
}

/* Writes state->inner as a field of state->part. */
static void put_inner(struct state *state, unsigned field)
{
    roxi_pb_bytes(&state->part, field, state->inner.data, state->inner.len);
    state->no_memory |= state->inner.failed;
    ix_out_clear(&state->inner);
}

static void put_value_type(struct state *state, enum profile_field field, const char *type)
{
    roxi_pb_number(&state->part, VALUE_TYPE_TYPE, string(state, type));
    roxi_pb_number(&state->part, VALUE_TYPE_UNIT, string(state, "count"));
    put_part(state, field);
}

static void put_label(struct export *x, const char *key, uint32_t text)
{
    struct state *state = x->state;
    roxi_pb_number(&state->inner, LABEL_KEY, string(state, key));
    roxi_pb_number(&state->inner, LABEL_STR, string(state, export_text(&x->dictionary, text)));
    put_inner(state, SAMPLE_LABEL);
}

static void put_sample(struct export *x, uint64_t key, uint64_t count)
{
    struct state *state = x->state;
    uint32_t stack = (uint32_t)key;
    for (; stack > IX_STACK_CUT; stack = export_stack_at(&x->dictionary, stack).parent)
        ix_put_varint(&state->inner, FIRST_ID + export_stack_at(&x->dictionary, stack).frame);
    if (stack == IX_STACK_CUT)
        ix_put_varint(&state->inner, CUT_ID);
    put_inner(state, SAMPLE_LOCATION_ID);
    ix_put_varint(&state->inner, count);
    put_inner(state, SAMPLE_VALUE);
    struct export_group g = export_group_at(&state->counts, (uint32_t)(key >> 32));
    put_label(x, "execution", g.execution);
    put_label(x, "role", g.role);
    put_label(x, "thread", g.thread);
    put_part(state, PROFILE_SAMPLE);
}

/* States the campaign as the program: without a mapping, readers search for a program to get
 * names from. */
static void put_mapping(struct export *x)
{
    struct state *state = x->state;
    roxi_pb_number(&state->part, MAPPING_ID, MAPPING);
    roxi_pb_number(&state->part, MAPPING_FILENAME, string(state, x->options->campaign));
    roxi_pb_number(&state->part, MAPPING_HAS_FUNCTIONS, true);
    roxi_pb_number(&state->part, MAPPING_HAS_FILENAMES, true);
    roxi_pb_number(&state->part, MAPPING_HAS_LINE_NUMBERS, true);
    put_part(state, PROFILE_MAPPING);
}

static void put_location(struct state *state, uint64_t id, uint64_t function, int32_t line)
{
    roxi_pb_number(&state->inner, LINE_FUNCTION_ID, function);
    roxi_pb_number(&state->inner, LINE_LINE, line > 0 ? (uint64_t)line : 0);
    roxi_pb_number(&state->part, LOCATION_ID, id);
    roxi_pb_number(&state->part, LOCATION_MAPPING_ID, MAPPING);
    put_inner(state, LOCATION_LINE);
    put_part(state, PROFILE_LOCATION);
}

static void put_function(struct export *x, uint32_t number)
{
    struct state *state = x->state;
    const struct export_dictionary *d = &x->dictionary;
    struct export_method m = export_method_at(d, number);
    struct export_class c = export_class_at(d, m.class_number);
    roxi_pb_number(&state->part, FUNCTION_ID, FIRST_ID + (uint64_t)number);
    for (int with_descriptor = 0; with_descriptor < 2; with_descriptor++) {
        put_text(&state->text, export_text(d, c.name));
        ix_put_bytes(&state->text, ".", 1);
        put_text(&state->text, export_text(d, m.name));
        if (with_descriptor)
            put_text(&state->text, export_text(d, m.descriptor));
        roxi_pb_number(&state->part, with_descriptor ? FUNCTION_SYSTEM_NAME : FUNCTION_NAME,
                       string_number(state));
    }
    roxi_pb_number(&state->part, FUNCTION_FILENAME, string(state, export_text(d, c.source)));
    put_part(state, PROFILE_FUNCTION);
}

/* A comment with the same text as the provenance in other formats. */
static void put_comment(struct export *x)
{
    struct state *state = x->state;
    struct ix_text t;
    if (ix_text_open(&t) != 0) {
        state->no_memory = true;
        return;
    }
    putc('{', t.out);
    export_origin(t.out, x->options);
    putc('}', t.out);
    char *text = ix_text_close(&t);
    if (text)
        roxi_pb_number(&state->message, PROFILE_COMMENT, string(state, text));
    else
        state->no_memory = true;
    free(text);
}

static void put_strings(struct state *state)
{
    size_t begin = 0;
    for (uint32_t i = 0; i < state->strings.count && !state->no_memory; i++) {
        size_t end = state->strings.ends[i];
        const uint8_t *text = state->strings.keys.data;
        roxi_pb_bytes(&state->message, PROFILE_STRING_TABLE, text ? text + begin : NULL,
                      end - begin);
        begin = end;
        flush(state, PIECE);
    }
}

static void put_profile(struct export *x)
{
    struct state *state = x->state;
    const struct roxi_tally *seen = &state->counts.seen;
    string(state, ""); /* must be number 0 */
    put_value_type(state, PROFILE_SAMPLE_TYPE, "snapshots");
    for (size_t i = 0; i < seen->n; i++)
        put_sample(x, roxi_tally_key(seen, i), seen->counts[i]);
    put_mapping(x);
    put_location(state, CUT_ID, CUT_ID, 0);
    for (uint32_t i = 0; i < x->dictionary.frames.count; i++) {
        struct export_frame f = export_frame_at(&x->dictionary, i);
        put_location(state, FIRST_ID + (uint64_t)i, FIRST_ID + (uint64_t)f.method, f.line);
    }
    roxi_pb_number(&state->part, FUNCTION_ID, CUT_ID);
    roxi_pb_number(&state->part, FUNCTION_NAME, string(state, "[callers cut off]"));
    put_part(state, PROFILE_FUNCTION);
    for (uint32_t i = 0; i < x->dictionary.methods.count; i++)
        put_function(x, i);
    roxi_pb_number(&state->message, PROFILE_TIME_NANOS, (uint64_t)state->begin_ns);
    roxi_pb_number(&state->message, PROFILE_DURATION_NANOS,
                   (uint64_t)(state->end_ns - state->begin_ns));
    put_value_type(state, PROFILE_PERIOD_TYPE, "packets");
    roxi_pb_number(&state->message, PROFILE_PERIOD, 1);
    put_comment(x);
    put_strings(state);
    flush(state, 0);
}

static int end(struct export *x, struct ix_error *err)
{
    struct state *state = x->state;
    state->gzip = roxi_gzip_new(x->out);
    if (!state->gzip)
        return ix_fail(err, "out of memory");
    put_profile(x);
    if (state->no_memory)
        return ix_fail(err, "out of memory");
    roxi_gzip_finish(state->gzip);
    return 0;
}

static void release(void *user)
{
    struct state *state = user;
    export_counts_free(&state->counts);
    roxi_gzip_free(state->gzip);
    ix_intern_free(&state->strings);
    ix_out_free(&state->text);
    ix_out_free(&state->part);
    ix_out_free(&state->inner);
    ix_out_free(&state->message);
}

const struct export_format export_pprof = {
    .name = "pprof",
    .keeps = EXPORT_SOURCES | EXPORT_DESCRIPTORS | EXPORT_LINES,
    .state_size = sizeof(struct state),
    .snapshot = snapshot,
    .vm_end = vm_end,
    .end = end,
    .release = release,
};
