/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/legacy/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "schema/base/grow.h"

/* Identifiers of one kind: maps the log's numbers to the text's identifiers, and lists those
 * that this block uses for the first time. */
struct ids {
    uint32_t *of; /* by the log's number; 0: not used yet */
    size_t cap;
    uint32_t *fresh; /* the log's numbers */
    size_t fresh_count, fresh_cap;
    uint32_t last;
};

struct row {
    struct ix_thread thread;
    struct ix_entry entry;
};

struct text_writer {
    struct ix_log_reader *log;
    struct ix_out head; /* the three lines */
    struct ix_out text; /* the block */
    struct ids methods, classes;
    uint32_t part; /* the log's part to which the numbers belong */
    struct row *rows;
    size_t rows_cap;
    bool no_memory;
};

/* ---- numbers ---- */

static void put_decimal(struct ix_out *out, uint64_t v)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + v % 10);
    while (v /= 10);
    ix_put_bytes(out, digits + at, sizeof digits - at);
}

static void put_signed(struct ix_out *out, int64_t v)
{
    if (v < 0)
        ix_put_u8(out, '-');
    put_decimal(out, v < 0 ? (uint64_t)0 - (uint64_t)v : (uint64_t)v);
}

/* Eight digits, as in the original, more if necessary. */
static void put_hex(struct ix_out *out, uint64_t v)
{
    char digits[16];
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789ABCDEF"[v & 15];
        v >>= 4;
    } while (v || at > sizeof digits - 8);
    ix_put_bytes(out, digits + at, sizeof digits - at);
}

static void put_number_line(struct ix_out *out, uint64_t v)
{
    put_decimal(out, v);
    ix_put_u8(out, '\n');
}

static void put_text_line(struct ix_out *out, const char *text)
{
    text_escape(out, text, TEXT_FREE);
    ix_put_u8(out, '\n');
}

/* ---- identifiers ---- */

/* The identifier of the log's `number`, which is below `count`. */
static uint32_t id_of(struct text_writer *w, struct ids *ids, uint32_t number, uint32_t count)
{
    if (number >= ids->cap) {
        size_t before = ids->cap;
        uint32_t *of = ix_grow(ids->of, &ids->cap, count, sizeof *of);
        if (!of) {
            w->no_memory = true;
            return 0;
        }
        memset(of + before, 0, (ids->cap - before) * sizeof *of);
        ids->of = of;
    }
    if (ids->of[number])
        return ids->of[number];
    uint32_t *fresh = ix_grow(ids->fresh, &ids->fresh_cap, ids->fresh_count + 1, sizeof *fresh);
    if (!fresh) {
        w->no_memory = true;
        return 0;
    }
    ids->fresh = fresh;
    fresh[ids->fresh_count++] = number;
    return ids->of[number] = ++ids->last;
}

/* In a new part the log's numbers have new meanings and get new identifiers. */
static void forget_numbers(struct ids *ids)
{
    if (ids->cap)
        memset(ids->of, 0, ids->cap * sizeof *ids->of);
}

static uint32_t method_id(struct text_writer *w, uint32_t method)
{
    return id_of(w, &w->methods, method, ix_log_method_count(w->log));
}

static uint32_t class_id(struct text_writer *w, uint32_t class_number)
{
    return id_of(w, &w->classes, class_number, ix_log_class_count(w->log));
}

static void put_methods(struct text_writer *w)
{
    put_number_line(&w->text, w->methods.fresh_count);
    for (size_t i = 0; i < w->methods.fresh_count; i++) {
        struct ix_method m = ix_log_method_at(w->log, w->methods.fresh[i]);
        put_hex(&w->text, class_id(w, m.class_number));
        ix_put_u8(&w->text, ' ');
        put_hex(&w->text, method_id(w, w->methods.fresh[i]));
        ix_put_u8(&w->text, ' ');
        text_escape(&w->text, m.name, TEXT_FIELD);
        ix_put_u8(&w->text, ' ');
        text_escape(&w->text, m.descriptor, TEXT_FIELD);
        ix_put_u8(&w->text, '\n');
    }
    w->methods.fresh_count = 0;
}

static void put_classes(struct text_writer *w)
{
    put_number_line(&w->text, w->classes.fresh_count);
    for (size_t i = 0; i < w->classes.fresh_count; i++) {
        struct ix_class c = ix_log_class_at(w->log, w->classes.fresh[i]);
        put_hex(&w->text, class_id(w, w->classes.fresh[i]));
        ix_put_u8(&w->text, ' ');
        text_escape(&w->text, c.name, TEXT_FIELD);
        ix_put_u8(&w->text, ' ');
        text_escape(&w->text, c.source, TEXT_FIELD);
        ix_put_u8(&w->text, '\n');
    }
    w->classes.fresh_count = 0;
}

/* ---- threads ---- */

static int by_start(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->thread.start != b->thread.start)
        return a->thread.start < b->thread.start ? -1 : 1;
    if (a->thread.id != b->thread.id)
        return a->thread.id < b->thread.id ? -1 : 1;
    int order = strcmp(a->thread.name, b->thread.name);
    if (order == 0)
        order = strcmp(a->thread.group, b->thread.group);
    if (order == 0)
        order = strcmp(a->thread.parent, b->thread.parent);
    /* keep the log's order of threads that the text cannot distinguish */
    return order ? order : a->entry.thread < b->entry.thread ? -1 : 1;
}

static int sort_rows(struct text_writer *w, const struct ix_snapshot *s)
{
    struct row *rows = ix_grow(w->rows, &w->rows_cap, s->count, sizeof *rows);
    if (!rows)
        return -1;
    w->rows = rows;
    for (size_t i = 0; i < s->count; i++)
        rows[i] = (struct row){ix_log_thread_at(w->log, s->entries[i].thread), s->entries[i]};
    qsort(rows, s->count, sizeof *rows, by_start);
    return 0;
}

/* Returns true if the stack is complete. */
static bool put_stack(struct text_writer *w, uint32_t top)
{
    uint64_t depth = 0;
    uint32_t stack = top;
    for (; stack > IX_STACK_CUT; stack = ix_log_stack_parent(w->log, stack))
        depth++;
    put_number_line(&w->text, depth);
    bool whole = stack == IX_STACK_EMPTY;
    for (stack = top; stack > IX_STACK_CUT; stack = ix_log_stack_parent(w->log, stack)) {
        struct ix_frame f = ix_log_frame_at(w->log, ix_log_stack_frame(w->log, stack));
        put_hex(&w->text, method_id(w, f.method));
        ix_put_u8(&w->text, ' ');
        put_signed(&w->text, f.line < IX_LINE_NATIVE ? IX_LINE_UNKNOWN : f.line);
        ix_put_u8(&w->text, '\n');
    }
    return whole;
}

static bool put_thread(struct text_writer *w, const struct row *row)
{
    const struct ix_thread *t = &row->thread;
    put_hex(&w->text, t->id);
    ix_put_u8(&w->text, '\n');
    put_text_line(&w->text, t->name);
    put_text_line(&w->text, t->group);
    put_text_line(&w->text, t->parent);
    put_number_line(&w->text, t->start);
    put_number_line(&w->text, row->entry.state);
    return put_stack(w, row->entry.stack);
}

/* ---- blocks ---- */

/* Call it after reading up to the first snapshot, because META comes before it. */
static void put_head(struct text_writer *w, const struct text_vm *vm)
{
    const char *rmi_log = ix_log_meta_value(w->log, "rmi-log");
    put_signed(&w->head, vm->pid);
    ix_put_u8(&w->head, '\n');
    text_escape(&w->head, vm->role, TEXT_ROLE);
    ix_put_u8(&w->head, '\t');
    put_text_line(&w->head, rmi_log ? rmi_log : "");
    put_text_line(&w->head, vm->jvm);
}

static int write_out(const struct text_writer *w, const struct ix_out *text, FILE *out,
                     struct ix_error *err)
{
    if (text->failed || w->no_memory)
        return ix_fail(err, "out of memory");
    if (fwrite(text->data, 1, text->len, out) != text->len)
        return ix_fail(err, "%s", strerror(errno));
    return 0;
}

static int put_block(struct text_writer *w, const struct ix_snapshot *s,
                     struct text_written *written)
{
    ix_out_clear(&w->text);
    ix_put_bytes(&w->text, w->head.data, w->head.len);
    w->text.failed |= w->head.failed;
    if (ix_log_part(w->log) != w->part) {
        w->part = ix_log_part(w->log);
        forget_numbers(&w->methods);
        forget_numbers(&w->classes);
    }
    put_number_line(&w->text, s->packet);
    put_signed(&w->text, s->mono_ns);
    ix_put_u8(&w->text, '\n');
    put_number_line(&w->text, s->count);
    if (sort_rows(w, s) != 0)
        return -1;
    for (size_t i = 0; i < s->count; i++)
        written->cut_stacks += !put_thread(w, &w->rows[i]);
    put_methods(w);
    put_classes(w);
    written->blocks++;
    return 0;
}

static int write_blocks(struct text_writer *w, const struct text_vm *vm, FILE *out,
                        struct text_written *written, struct ix_error *err)
{
    struct ix_snapshot snapshot;
    int rc = ix_log_next(w->log, &snapshot, err);
    if (rc < 0)
        return -1;
    put_head(w, vm);
    if (rc == 0)
        return write_out(w, &w->head, out, err);
    while (rc == 1) {
        if (put_block(w, &snapshot, written) != 0)
            return ix_fail(err, "out of memory");
        if (write_out(w, &w->text, out, err) != 0)
            return -1;
        rc = ix_log_next(w->log, &snapshot, err);
    }
    return rc;
}

int text_write_log(struct ix_log_reader *log, const struct text_vm *vm, FILE *out,
                   struct text_written *written, struct ix_error *err)
{
    struct text_writer w = {.log = log};
    *written = (struct text_written){0};
    int rc = write_blocks(&w, vm, out, written, err);
    ix_out_free(&w.head);
    ix_out_free(&w.text);
    free(w.methods.of);
    free(w.methods.fresh);
    free(w.classes.of);
    free(w.classes.fresh);
    free(w.rows);
    return rc;
}
