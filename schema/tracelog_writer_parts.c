#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/grow.h"
#include "schema/tracelog_parts.h"
#include "schema/tracelog_writer_internal.h"

size_t ix_log_writer_memory(const struct ix_log_writer *w)
{
    const struct ix_intern *tables[] = {&w->strings, &w->classes, &w->methods, &w->frames,
                                        &w->stacks};
    size_t bytes = w->thread_cap * sizeof *w->threads + w->entries_cap * sizeof *w->entries +
                   w->run.cap + w->snapshot.cap + w->output.ready.cap + w->facts.locks.cap +
                   w->facts.exceptions.cap;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        bytes += tables[i]->keys.cap + tables[i]->ends_cap * sizeof *tables[i]->ends +
                 tables[i]->slot_count * sizeof *tables[i]->slots;
    for (int type = 0; type <= IX_LOG_THREAD; type++)
        bytes += w->pending[type].cap;
    return bytes;
}

/* ---- The limit -------------------------------------------------------------------------------- */

void ix_log_limit(struct ix_log_writer *w, uint64_t bytes)
{
    w->parts.limit = bytes;
}

static void remove_oldest(struct ix_log_writer *w)
{
    struct ix_writer_parts *parts = &w->parts;
    char *path = ix_part_path(w->output.path, parts->first);
    if (path)
        unlink(path); /* somebody else may have done it */
    free(path);
    parts->bytes -= parts->sizes[0];
    parts->first++;
    memmove(parts->sizes, parts->sizes + 1, (parts->next - parts->first) * sizeof *parts->sizes);
}

void ix_writer_make_room(struct ix_log_writer *w, uint64_t more)
{
    const struct ix_writer_parts *parts = &w->parts;
    while (parts->limit && parts->first < parts->next &&
           parts->bytes + w->output.bytes + more > parts->limit)
        remove_oldest(w);
}

/* ---- The next part ---------------------------------------------------------------------------- */

void ix_writer_forget(struct ix_log_writer *w)
{
    ix_intern_free(&w->strings);
    ix_intern_free(&w->classes);
    ix_intern_free(&w->methods);
    ix_intern_free(&w->frames);
    ix_intern_free(&w->stacks);
    for (int type = 0; type <= IX_LOG_THREAD; type++)
        ix_out_free(&w->pending[type]);
    ix_out_free(&w->run);
    ix_out_free(&w->snapshot);
    ix_facts_out_free(&w->facts);
    free(w->threads);
    free(w->entries);
    w->threads = NULL;
    w->entries = NULL;
    w->thread_count = w->thread_cap = w->entries_cap = 0;
    w->before = (struct ix_snapshot){0};
}

/* Says once more who writes, and which part this is. */
static int repeat_meta(struct ix_log_writer *w)
{
    struct ix_in in = ix_in_of(w->meta.data, w->meta.len);
    while (ix_in_left(&in)) {
        const struct ix_span key = ix_get_string(&in, IX_LOG_STRING_MAX);
        const struct ix_span value = ix_get_string(&in, IX_LOG_STRING_MAX);
        if (ix_writer_meta(w, key.text, key.len, value.text, value.len) < 0)
            return -1;
    }
    char part[16];
    const int len = snprintf(part, sizeof part, "%u", w->parts.next);
    return ix_writer_meta(w, IX_LOG_PART_KEY, strlen(IX_LOG_PART_KEY), part, (size_t)len);
}

static int end_part(struct ix_log_writer *w)
{
    struct ix_writer_parts *parts = &w->parts;
    struct ix_error err;
    const size_t count = parts->next - parts->first;
    uint64_t *sizes = ix_grow(parts->sizes, &parts->cap, count + 1, sizeof *sizes);
    if (!sizes)
        return ix_writer_fail_memory(w);
    parts->sizes = sizes;
    sizes[count] = w->output.bytes;
    if (ix_output_next(&w->output, parts->next, &err) < 0)
        return ix_writer_fail(w, "%s", err.text);
    parts->bytes += sizes[count];
    parts->next++;
    return 0;
}

int ix_log_next_part(struct ix_log_writer *w)
{
    if (w->failed)
        return -1;
    if (!w->output.path)
        return ix_writer_refuse(w, "a further part of a log that has no path");
    if (ix_writer_stage(w) < 0 || ix_writer_flush(w) < 0 || end_part(w) < 0)
        return -1;
    ix_writer_forget(w);
    return repeat_meta(w) < 0 || ix_writer_stage(w) < 0 ? -1 : ix_writer_flush(w);
}
