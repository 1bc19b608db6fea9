/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps as text and as JSON: each dump that is found can be read, what is read keeps the
 * promises of dump.h, and what is refused has a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/import/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DUMPS = 64 };

struct found {
    const uint8_t *data;
    size_t size;
    struct {
        uint64_t offset, line;
    } dumps[DUMPS];
    size_t count;
    uint64_t last; /* where the last dump begins */
    bool in_thread;
    size_t bytes; /* of names: so that all of them are read */
};

static int take_head(void *user, struct dump_head *head, struct ix_error *err)
{
    struct found *f = user;
    (void)err;
    if (head->offset > f->size || head->line == 0 || (!head->jvm && !head->torn) ||
        (head->packet && (!head->execution || !head->role)))
        abort();
    if (!head->torn && f->count < DUMPS) {
        f->dumps[f->count].offset = head->offset;
        f->dumps[f->count++].line = head->line;
    }
    free(head->execution);
    free(head->role);
    free(head->jvm);
    return 0;
}

static size_t read_all(struct ix_span text)
{
    size_t sum = 0;
    for (size_t i = 0; i < text.len; i++)
        sum += (unsigned char)text.text[i];
    return sum;
}

static int take_thread(void *user, const struct dump_thread *thread, struct ix_error *err)
{
    struct found *f = user;
    (void)err;
    if (f->in_thread || thread->priority == 0 || thread->priority > 10)
        abort();
    f->in_thread = true;
    f->bytes += read_all(thread->name) + read_all(thread->group);
    return 0;
}

static int take_frame(void *user, const struct dump_frame *frame, struct ix_error *err)
{
    struct found *f = user;
    (void)err;
    if (!f->in_thread || !frame->class_name.len || !frame->method.len || frame->line < -3)
        abort();
    f->bytes += read_all(frame->class_name) + read_all(frame->method) +
                read_all(frame->descriptor) + read_all(frame->source);
    return 0;
}

static int take_lock(void *user, const struct dump_lock *lock, struct ix_error *err)
{
    struct found *f = user;
    (void)err;
    if (!f->in_thread || !lock->object || lock->kind > IX_LOCK_LAST || lock->depth < -1)
        abort();
    f->bytes += read_all(lock->class_name);
    return 0;
}

static int take_end(void *user, uint32_t state, enum dump_end how, struct ix_error *err)
{
    struct found *f = user;
    (void)state;
    (void)err;
    if (!f->in_thread || how > DUMP_TORN)
        abort();
    f->in_thread = false;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct found f = {.data = data, .size = size};
    struct ix_error err = {""};
    const struct dump_sink sink = {&f, take_thread, take_frame, take_lock, take_end};
    if (size == 0)
        return 0;
    FILE *in = fmemopen((void *)data, size, "r");
    struct dump_text_facts *facts = dump_text_facts_new();
    if (!in || !facts)
        abort();
    const struct dump_format *format = dump_format_of(in);
    if (format->heads(in, "input", take_head, &f, &err) != 0 && !err.text[0])
        abort();
    for (size_t i = 0; i < f.count; i++) {
        clearerr(in);
        if (format->body(in, "input", f.dumps[i].offset, f.dumps[i].line, facts, &sink, &err) !=
                0 ||
            f.in_thread)
            abort();
    }
    dump_text_facts_free(facts);
    fclose(in);
    return 0;
}
