/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/export/jstack_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/export/dump.h"
#include "schema/base/grow.h"
#include "schema/base/text_memory.h"

void jstack_put_place(FILE *out, const struct ix_log_reader *log, struct ix_frame frame)
{
    const struct ix_method method = ix_log_method_at(log, frame.method);
    dump_place(out, log, frame);
    if (frame.line > 0 && *ix_log_class_at(log, method.class_number).source)
        fprintf(out, ":%" PRId32, frame.line);
    putc(')', out);
}

void jstack_facts_forget(struct jstack_facts *facts)
{
    ix_intern_free(&facts->places);
    free(facts->meanings);
    free(facts->meaning_of);
    free(facts->threads);
    *facts = (struct jstack_facts){0};
}

/* Grows the array; what is new is zero. NULL: out of memory. */
static void *extend(void *array, size_t *cap, size_t count, size_t size)
{
    const size_t before = *cap;
    char *grown = ix_grow(array, cap, count, size);
    if (grown)
        memset(grown + before * size, 0, (*cap - before) * size);
    return grown;
}

static int take_definitions(struct jstack_facts *f, const struct ix_log_reader *log)
{
    const struct ix_changes changes = ix_log_changes(log);
    if (ix_log_part(log) != f->part) {
        jstack_facts_forget(f);
        f->part = ix_log_part(log);
    }
    uint32_t *meaning_of =
        extend(f->meaning_of, &f->frame_cap, ix_log_frame_count(log), sizeof *meaning_of);
    if (!meaning_of)
        return -1;
    f->meaning_of = meaning_of;
    bool *threads = extend(f->threads, &f->thread_cap, ix_log_thread_count(log), sizeof *threads);
    if (!threads)
        return -1;
    f->threads = threads;
    for (size_t i = 0; i < changes.redefined_count; i++)
        threads[changes.redefined[i]] = false;
    return 0;
}

/* Assigns the frame the next meaning of its place. 0, or -1: out of memory. */
static int take_meaning(struct jstack_facts *f, uint32_t frame, const char *place, size_t len)
{
    bool added;
    const uint32_t at = ix_intern(&f->places, place, len, &added);
    if (at == IX_INTERN_FAILED)
        return -1;
    uint32_t *meanings = extend(f->meanings, &f->meaning_cap, (size_t)at + 1, sizeof *meanings);
    if (!meanings)
        return -1;
    f->meanings = meanings;
    f->meaning_of[frame] = ++meanings[at];
    return 0;
}

static int put_frame(struct jstack_facts *f, FILE *out, const struct ix_log_reader *log,
                     uint32_t number)
{
    const struct ix_frame frame = ix_log_frame_at(log, number);
    struct ix_text text;
    if (ix_text_open(&text) != 0)
        return -1;
    jstack_put_place(text.out, log, frame);
    char *place = ix_text_close(&text);
    const int result = place ? take_meaning(f, number, place, text.size) : -1;
    if (result == 0) {
        fprintf(out, "frame\t%s\t%" PRIu32 "\t", place, f->meaning_of[number] - 1);
        text_print(out, ix_log_method_at(log, frame.method).descriptor);
        fprintf(out, "\t%" PRId32 "\n", frame.line);
    }
    free(place);
    return result;
}

static void put_thread(struct jstack_facts *f, FILE *out, const struct ix_log_reader *log,
                       uint32_t number)
{
    const struct ix_thread t = ix_log_thread_at(log, number);
    if (!f->threads[number]) {
        fprintf(out, "thread\t#%" PRIu64 "\t", t.id);
        text_print(out, t.group);
        putc('\n', out);
    }
    f->threads[number] = true;
}

static int put_entry(struct jstack_facts *f, FILE *out, const struct ix_log_reader *log,
                     const struct ix_entry *entry)
{
    const uint64_t id = ix_log_thread_at(log, entry->thread).id;
    uint64_t depth = 0;
    put_thread(f, out, log, entry->thread);
    for (uint32_t s = entry->stack; s > IX_STACK_CUT; s = ix_log_stack_parent(log, s), depth++) {
        const uint32_t frame = ix_log_stack_frame(log, s);
        if (!f->meaning_of[frame] && put_frame(f, out, log, frame) != 0)
            return -1;
        if (f->meaning_of[frame] > 1)
            fprintf(out, "variant\t#%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\n", id, depth,
                    f->meaning_of[frame] - 1);
    }
    return 0;
}

int jstack_facts_put(struct jstack_facts *facts, FILE *out, const struct ix_log_reader *log,
                     const struct ix_snapshot *snapshot)
{
    int result = take_definitions(facts, log);
    fprintf(out, "threads\t%zu\n", snapshot->count);
    for (size_t i = 0; i < snapshot->count && result == 0; i++)
        result = put_entry(facts, out, log, &snapshot->entries[i]);
    return result;
}
