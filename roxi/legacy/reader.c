/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/legacy/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/base/text_number.h"
#include "schema/base/grow.h"
#include "schema/tracelog/tracelog.h"

/* The largest process id on any system; those of Windows are 32 bits, unsigned. */
#define PID_MAX UINT32_MAX

struct text_reader {
    struct text_lines *lines;
    struct text_block block;
    struct text_known known;
    size_t threads_cap, methods_cap, classes_cap;
    struct ix_span line; /* the current one */
    struct ix_out head;  /* the first block's first three lines, each with its LF */
    size_t head_check;   /* how much of it this block has matched so far */
    struct ix_out who;   /* role, RMI log, JVM, unescaped */
    size_t rmi_log, jvm; /* offsets in `who` */
    int who_count;       /* how many of the three were read */
    uint64_t pid;
    bool has_pid, has_block;
    char *torn;
};

/* The parser's functions return 1 when done, 0 at the end of the input, -1 on error. */

static int malformed(const struct text_reader *r, const char *expected, struct ix_error *err)
{
    char quoted[TEXT_QUOTE_SIZE];
    return ix_fail(err, "%s:%" PRIu64 ": found '%s', expected %s", text_lines_name(r->lines),
                   text_lines_number(r->lines), text_quote(quoted, r->line), expected);
}

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "out of memory");
}

static int next_line(struct text_reader *r, struct ix_error *err)
{
    return text_lines_next(r->lines, &r->line, err);
}

static int number_line(struct text_reader *r, uint64_t max, uint64_t *value, const char *expected,
                       struct ix_error *err)
{
    int rc = next_line(r, err);
    if (rc == 1 && !text_decimal(r->line, max, value))
        return malformed(r, expected, err);
    return rc;
}

/* A part of the current line. */
struct escaped {
    struct ix_span raw;
    enum text_kind kind;
    const char *expected; /* for the message about anything else */
};

/* Appends it unescaped; *place is where. */
static int take_text(const struct text_reader *r, struct ix_out *out, struct escaped text,
                     size_t *place, struct ix_error *err)
{
    size_t at = out->len;
    const char *wrong = text_unescape(out, text.raw, text.kind);
    if (wrong) {
        char quoted[TEXT_QUOTE_SIZE];
        return ix_fail(err, "%s:%" PRIu64 ": found %s in '%s', expected %s",
                       text_lines_name(r->lines), text_lines_number(r->lines), wrong,
                       text_quote(quoted, text.raw), text.expected);
    }
    *place = at;
    return out->failed ? no_memory(err) : 1;
}

static int text_line(struct text_reader *r, size_t *place, const char *expected,
                     struct ix_error *err)
{
    int rc = next_line(r, err);
    const struct escaped text = {r->line, TEXT_FREE, expected};
    return rc == 1 ? take_text(r, &r->known.text, text, place, err) : rc;
}

/* ---- who wrote the log: the same three lines in every block ---- */

/* 1 if the current line equals the corresponding line of the first block, 0 if this is the first
 * block. */
static int repeated(struct text_reader *r, const char *what, struct ix_error *err)
{
    if (!r->has_block) {
        ix_put_bytes(&r->head, r->line.text, r->line.len);
        ix_put_u8(&r->head, '\n');
        return r->head.failed ? no_memory(err) : 0;
    }
    const char *want = (const char *)r->head.data + r->head_check;
    size_t left = r->head.len - r->head_check;
    if (r->line.len >= left || memcmp(want, r->line.text, r->line.len) != 0 ||
        want[r->line.len] != '\n')
        return malformed(r, what, err);
    r->head_check += r->line.len + 1;
    return 1;
}

static int read_role(struct text_reader *r, struct ix_error *err)
{
    static const char expected[] = "<role><TAB><RMI log file or nothing>";
    const char *tab = memchr(r->line.text, '\t', r->line.len);
    if (!tab)
        return malformed(r, expected, err);
    size_t role_len = (size_t)(tab - r->line.text), role;
    const struct escaped name = {{r->line.text, role_len}, TEXT_ROLE, expected};
    const struct escaped rmi = {{tab + 1, r->line.len - role_len - 1}, TEXT_FREE, expected};
    int rc = take_text(r, &r->who, name, &role, err);
    return rc == 1 ? take_text(r, &r->who, rmi, &r->rmi_log, err) : rc;
}

static int read_identity(struct text_reader *r, struct ix_error *err)
{
    int rc = repeated(r, "the process id of the first block", err);
    if (rc == 0 && !text_decimal(r->line, PID_MAX, &r->pid))
        return malformed(r, "a process id", err);
    r->has_pid = true;
    if (rc < 0 || (rc = next_line(r, err)) != 1)
        return rc;
    rc = repeated(r, "the role and RMI log of the first block", err);
    if (rc == 0 && read_role(r, err) < 0)
        return -1;
    if (r->who_count < 2)
        r->who_count = 2;
    if (rc < 0 || (rc = next_line(r, err)) != 1)
        return rc;
    rc = repeated(r, "the virtual machine of the first block", err);
    const struct escaped jvm = {r->line, TEXT_FREE, "the virtual machine"};
    if (rc == 0 && take_text(r, &r->who, jvm, &r->jvm, err) < 0)
        return -1;
    r->who_count = 3;
    return rc < 0 ? -1 : 1;
}

/* ---- threads ---- */

/* Appends to the known frames; read_stack keeps or removes them. */
static int read_frame(struct text_reader *r, struct ix_error *err)
{
    struct text_known *k = &r->known;
    int rc = next_line(r, err);
    if (rc != 1)
        return rc;
    struct text_frame *frames =
        ix_grow(k->frames, &k->frame_cap, k->frame_count + 1, sizeof *frames);
    if (!frames)
        return no_memory(err);
    k->frames = frames;
    struct text_frame *frame = &frames[k->frame_count];
    struct ix_span fields[2];
    if (!text_fields(r->line, fields, 2) || !text_hex(fields[0], &frame->method) ||
        !text_signed(fields[1], IX_LINE_NATIVE, &frame->line) || frame->line > INT32_MAX)
        return malformed(r, "<method id, hex> <line: -3 or more>", err);
    k->frame_count++;
    return 1;
}

static int parse_stack(struct text_reader *r, uint64_t count, uint32_t *stack, struct ix_error *err)
{
    int rc = 1;
    for (uint64_t i = 0; rc == 1 && i < count; i++)
        rc = read_frame(r, err);
    if (rc != 1)
        return rc;
    *stack = text_known_stack(&r->known, count);
    return *stack ? 1 : no_memory(err);
}

/* Lines that often are the same as some before. */
struct recurring {
    uint64_t count;
    struct text_map *known;
    int (*parse)(struct text_reader *r, uint64_t count, uint32_t *number, struct ix_error *err);
};

/* What the next lines are: found if they were met before, else parsed and noted. If they are not
 * all there, or not right, then parsing them one by one shows where. */
static int read_known(struct text_reader *r, const struct recurring *lines, uint32_t *number,
                      struct ix_error *err)
{
    struct ix_span ahead;
    if (!text_lines_ahead(r->lines, lines->count, &ahead))
        return lines->parse(r, lines->count, number, err);
    const struct text_digest digest = text_digest_of(ahead);
    *number = text_known_find(lines->known, digest);
    if (*number) {
        text_lines_skip(r->lines, ahead, lines->count);
        return 1;
    }
    int rc = lines->parse(r, lines->count, number, err);
    if (rc == 1 && text_known_note(lines->known, digest, *number) != 0)
        return no_memory(err);
    return rc;
}

static int read_stack(struct text_reader *r, struct text_thread *t, struct ix_error *err)
{
    uint64_t count = 0;
    int rc = number_line(r, UINT32_MAX, &count, "a number of frames", err);
    t->first_frame_line = text_lines_number(r->lines) + 1;
    t->stack = 0;
    const struct recurring frames = {count, &r->known.stack_lines, parse_stack};
    if (rc == 1 && count)
        rc = read_known(r, &frames, &t->stack, err);
    r->block.frame_count += count;
    return rc;
}

enum { WHO_LINES = 5 };

static int parse_who(struct text_reader *r, uint64_t count, uint32_t *number, struct ix_error *err)
{
    struct text_who who;
    (void)count;
    int rc = next_line(r, err);
    if (rc == 1 && !text_hex(r->line, &who.id))
        return malformed(r, "a thread identifier, hex", err);
    if (rc == 1)
        rc = text_line(r, &who.name, "a thread name", err);
    if (rc == 1)
        rc = text_line(r, &who.group, "a group name", err);
    if (rc == 1)
        rc = text_line(r, &who.parent, "a parent name", err);
    if (rc == 1)
        rc = number_line(r, UINT64_MAX, &who.start, "a logical start", err);
    if (rc != 1)
        return rc;
    *number = text_known_thread(&r->known, who);
    return *number ? 1 : no_memory(err);
}

static int read_thread(struct text_reader *r, struct ix_error *err)
{
    struct text_block *b = &r->block;
    struct text_thread *threads =
        ix_grow(b->threads, &r->threads_cap, b->thread_count + 1, sizeof *threads);
    if (!threads)
        return no_memory(err);
    b->threads = threads;
    struct text_thread *t = &threads[b->thread_count];
    uint64_t status = 0;
    const struct recurring who = {WHO_LINES, &r->known.thread_lines, parse_who};
    int rc = read_known(r, &who, &t->who, err);
    if (rc == 1)
        rc = number_line(r, UINT32_MAX, &status, "a thread status", err);
    if (rc == 1)
        rc = read_stack(r, t, err);
    t->status = (uint32_t)status;
    b->thread_count += rc == 1;
    return rc;
}

/* ---- methods and classes ---- */

static int read_method(struct text_reader *r, struct ix_error *err)
{
    static const char expected[] = "<class id, hex> <method id, hex> <name> <descriptor>";
    struct text_block *b = &r->block;
    int rc = next_line(r, err);
    if (rc != 1)
        return rc;
    struct text_method *methods =
        ix_grow(b->methods, &r->methods_cap, b->method_count + 1, sizeof *methods);
    if (!methods)
        return no_memory(err);
    b->methods = methods;
    struct text_method *m = &methods[b->method_count];
    struct ix_span fields[4];
    if (!text_fields(r->line, fields, 4) || !text_hex(fields[0], &m->class_id) ||
        !text_hex(fields[1], &m->id))
        return malformed(r, expected, err);
    m->line_number = text_lines_number(r->lines);
    rc = take_text(r, &b->text, (struct escaped){fields[2], TEXT_FIELD, expected}, &m->name, err);
    if (rc == 1)
        rc = take_text(r, &b->text, (struct escaped){fields[3], TEXT_FIELD, expected},
                       &m->descriptor, err);
    b->method_count += rc == 1;
    return rc;
}

static int read_class(struct text_reader *r, struct ix_error *err)
{
    static const char expected[] = "<class id, hex> <class name> <source file>";
    struct text_block *b = &r->block;
    int rc = next_line(r, err);
    if (rc != 1)
        return rc;
    struct text_class *classes =
        ix_grow(b->classes, &r->classes_cap, b->class_count + 1, sizeof *classes);
    if (!classes)
        return no_memory(err);
    b->classes = classes;
    struct text_class *c = &classes[b->class_count];
    struct ix_span fields[3];
    if (!text_fields(r->line, fields, 3) || !text_hex(fields[0], &c->id))
        return malformed(r, expected, err);
    c->line_number = text_lines_number(r->lines);
    rc = take_text(r, &b->text, (struct escaped){fields[1], TEXT_FIELD, expected}, &c->name, err);
    if (rc == 1)
        rc = take_text(r, &b->text, (struct escaped){fields[2], TEXT_FIELD, expected}, &c->source,
                       err);
    b->class_count += rc == 1;
    return rc;
}

/* ---- blocks ---- */

static int read_packet(struct text_reader *r, struct ix_error *err)
{
    struct text_block *b = &r->block;
    uint64_t before = b->packet;
    int rc = number_line(r, INT64_MAX, &b->packet, "a packet number", err);
    if (rc == 1 && b->packet <= before)
        return malformed(
            r, before ? "a packet number above the one before" : "a packet number, 1 or more", err);
    if (rc == 1)
        rc = next_line(r, err);
    if (rc == 1 && !text_signed(r->line, INT64_MIN, &b->counter))
        return malformed(r, "a counter value, ns", err);
    return rc;
}

/* Reads as many items as the next line states. */
static int read_counted(struct text_reader *r, const char *what,
                        int (*read_one)(struct text_reader *, struct ix_error *),
                        struct ix_error *err)
{
    uint64_t count = 0;
    int rc = number_line(r, UINT32_MAX, &count, what, err);
    for (uint64_t i = 0; rc == 1 && i < count; i++)
        rc = read_one(r, err);
    return rc;
}

/* Reads everything after the first line, which has been read. */
static int read_block(struct text_reader *r, struct ix_error *err)
{
    int rc = read_identity(r, err);
    if (rc == 1)
        rc = read_packet(r, err);
    if (rc == 1)
        rc = read_counted(r, "a number of threads", read_thread, err);
    if (rc == 1)
        rc = read_counted(r, "a number of methods", read_method, err);
    if (rc == 1)
        rc = read_counted(r, "a number of classes", read_class, err);
    return rc;
}

static int end_torn(struct text_reader *r, struct ix_error *err)
{
    if (asprintf(&r->torn,
                 "%s:%" PRIu64 ": the log is cut off within the block that begins at "
                 "line %" PRIu64 "; what is before that block counts",
                 text_lines_name(r->lines), text_lines_number(r->lines),
                 r->block.line_number) < 0) {
        r->torn = NULL;
        return no_memory(err);
    }
    return 0;
}

int text_reader_next(struct text_reader *r, const struct text_block **block, struct ix_error *err)
{
    struct text_block *b = &r->block;
    b->thread_count = b->frame_count = b->method_count = b->class_count = 0;
    ix_out_clear(&b->text);
    r->head_check = 0;
    int rc = next_line(r, err);
    b->line_number = text_lines_number(r->lines);
    if (rc == 0 && !text_lines_cut(r->lines))
        return 0;
    if (rc == 1)
        rc = read_block(r, err);
    if (rc == 0)
        return end_torn(r, err);
    if (rc < 0)
        return -1;
    r->has_block = true;
    *block = b;
    return 1;
}

struct text_reader *text_reader_new(struct text_lines *lines, struct ix_error *err)
{
    struct text_reader *r = calloc(1, sizeof *r);
    if (!r) {
        text_lines_close(lines);
        no_memory(err);
        return NULL;
    }
    r->lines = lines;
    r->block.known = &r->known;
    return r;
}

void text_reader_free(struct text_reader *r)
{
    if (!r)
        return;
    free(r->block.threads);
    free(r->block.methods);
    free(r->block.classes);
    ix_out_free(&r->block.text);
    text_known_free(&r->known);
    ix_out_free(&r->head);
    ix_out_free(&r->who);
    free(r->torn);
    text_lines_close(r->lines);
    free(r);
}

const char *text_reader_torn(const struct text_reader *r)
{
    return r->torn;
}

struct text_identity text_reader_identity(const struct text_reader *r)
{
    const char *who = (const char *)r->who.data;
    return (struct text_identity){
        .has_pid = r->has_pid,
        .pid = r->pid,
        .role = r->who_count >= 2 ? who : NULL,
        .rmi_log = r->who_count >= 2 ? who + r->rmi_log : NULL,
        .jvm = r->who_count == 3 ? who + r->jvm : NULL,
    };
}

const char *text_reader_name(const struct text_reader *r)
{
    return text_lines_name(r->lines);
}
