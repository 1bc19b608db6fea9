/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/tracelog/reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "schema/tracelog/edits.h"
#include "schema/tracelog/facts.h"
#include "schema/tracelog/files.h"
#include "schema/tracelog/source.h"
#include "schema/tracelog/tables.h"

#define CHECKSUM_SIZE 4
/* Type, and the longest varint. */
#define RECORD_HEAD_MAX 11

struct ix_log_reader {
    struct ix_files files; /* those still to be read */
    char *name;            /* of the one being read */
    struct ix_source source;
    uint64_t consumed; /* bytes of those that have been read */
    uint32_t part;
    struct ix_tables tables;
    uint64_t record; /* offset of the record being read */

    struct ix_snapshot last; /* all zero before a part's first */
    struct ix_list list;     /* the last one's threads */
    struct ix_edited edited;
    struct ix_facts_in facts;
    uint64_t last_packet;
    bool any; /* in any part */

    uint64_t slice; /* bytes a call; 0: no bound */
    uint64_t until; /* the current call reads up to there */
    bool paused;    /* the last one came to no snapshot */
    bool over;      /* ... because there is none any more */

    bool ended; /* this file */
    bool torn;
    struct ix_error how_torn;
    bool broken; /* a rule is broken: `why` says which, and every further call repeats it */
    struct ix_error why;
};

/* ---- The end of a log -------------------------------------------------------------------------
 */

/* Ends the reading of a file at a place that cannot be trusted; always 0. Only the first such place
 * in a log is reported. */
__attribute__((format(printf, 2, 3))) static int torn(struct ix_log_reader *r, const char *format,
                                                      ...)
{
    r->ended = true;
    if (r->torn)
        return 0;
    va_list args;
    va_start(args, format);
    vsnprintf(r->how_torn.text, sizeof r->how_torn.text, format, args);
    va_end(args);
    r->torn = true;
    return 0;
}

static int cut_short(struct ix_log_reader *r, const char *in_what)
{
    return torn(r, "'%s' ends in the middle of %s at byte %llu of %llu", r->name, in_what,
                (unsigned long long)r->source.offset,
                (unsigned long long)ix_source_size(&r->source));
}

static int distrusted(struct ix_log_reader *r, const char *why)
{
    uint64_t rest = ix_source_size(&r->source) - r->source.offset;
    return torn(r, "'%s': %s at byte %llu: the rest (%llu bytes) is not read", r->name, why,
                (unsigned long long)r->source.offset, (unsigned long long)rest);
}

static int fill(struct ix_log_reader *r, size_t want, struct ix_error *err)
{
    if (ix_source_fill(&r->source, want) == 0)
        return 0;
    return ix_fail(err, "cannot read '%s' at byte %llu: %s", r->name,
                   (unsigned long long)r->source.offset, strerror(errno));
}

/* ---- Opening and closing ----------------------------------------------------------------------
 */

/* The original's layout begins with a process id alone on its line. */
static bool looks_like_text(const struct ix_source *source)
{
    size_t digits = 0;
    while (digits < source->left && isdigit(source->at[digits]))
        digits++;
    return digits > 0 && digits < source->left && source->at[digits] == '\n';
}

static int read_header(struct ix_log_reader *r, struct ix_error *err)
{
    if (fill(r, IX_LOG_HEADER_SIZE, err) < 0)
        return -1;
    size_t left = r->source.left;
    if (left && memcmp(r->source.at, IX_LOG_MAGIC,
                       left < IX_LOG_MAGIC_SIZE ? left : IX_LOG_MAGIC_SIZE) != 0)
        return ix_fail(err, "'%s' is not a trace log%s", r->name,
                       looks_like_text(&r->source)
                           ? "; it looks like the text layout, which 'roxi import' reads"
                           : "");
    /* A JVM that was killed while starting leaves this. */
    if (left < IX_LOG_HEADER_SIZE)
        return cut_short(r, "its header");
    struct ix_in in = ix_in_of(r->source.at + IX_LOG_MAGIC_SIZE, 4);
    unsigned major = ix_get_u16(&in);
    unsigned minor = ix_get_u16(&in);
    if (major != IX_LOG_MAJOR)
        return ix_fail(err, "'%s' is a trace log of version %u.%u; this program reads version %d",
                       r->name, major, minor, IX_LOG_MAJOR);
    ix_source_skip(&r->source, IX_LOG_HEADER_SIZE);
    return 0;
}

/* A reader of nothing yet; NULL if memory ran out. */
static struct ix_log_reader *reader_new(const char *name, struct ix_error *err)
{
    struct ix_log_reader *r = calloc(1, sizeof *r);
    if (r) {
        r->source.fd = -1;
        if (ix_tables_init(&r->tables) == 0)
            return r;
        ix_log_reader_close(r);
    }
    ix_fail(err, "cannot read '%s': memory ran out", name);
    return NULL;
}

static int cannot_open(const char *name, struct ix_error *err)
{
    return ix_fail(err, "cannot open '%s': %s", name,
                   errno == ESPIPE ? "not a regular file" : strerror(errno));
}

/* Opens the next file, which has its own numbers: 1; 0 after the last; -1 on failure. */
static int next_file(struct ix_log_reader *r, struct ix_error *err)
{
    struct ix_source source;
    char *name;
    const int found = ix_files_next(&r->files, &source, &name);
    if (found < 0)
        cannot_open(name ? name : r->files.path, err);
    if (found <= 0) {
        free(name);
        return found;
    }
    if (r->name) {
        r->consumed += r->source.offset;
        r->part++;
        ix_source_close(&r->source);
        free(r->name);
    }
    r->name = name;
    r->source = source;
    r->last = (struct ix_snapshot){0};
    r->ended = false;
    ix_tables_clear(&r->tables);
    ix_facts_in_begin(&r->facts);
    return read_header(r, err) < 0 ? -1 : 1;
}

struct ix_log_reader *ix_log_open(const char *path, struct ix_error *err)
{
    struct ix_log_reader *r = reader_new(path, err);
    if (!r)
        return NULL;
    int opened = ix_files_open(&r->files, path);
    if (opened < 0)
        cannot_open(path, err);
    else
        opened = next_file(r, err);
    if (opened == 0) /* there were parts only, and meanwhile they have been removed */
        ix_fail(err, "cannot open '%s': %s", path, strerror(ENOENT));
    if (opened == 1)
        return r;
    ix_log_reader_close(r);
    return NULL;
}

struct ix_log_reader *ix_log_open_memory(const void *data, size_t size, const char *name,
                                         struct ix_error *err)
{
    struct ix_log_reader *r = reader_new(name, err);
    if (!r)
        return NULL;
    ix_source_memory(&r->source, data, size);
    r->name = strdup(name);
    if (!r->name)
        ix_fail(err, "cannot read '%s': memory ran out", name);
    else if (read_header(r, err) == 0)
        return r;
    ix_log_reader_close(r);
    return NULL;
}

void ix_log_reader_close(struct ix_log_reader *r)
{
    if (!r)
        return;
    ix_source_close(&r->source);
    ix_files_close(&r->files);
    ix_facts_in_free(&r->facts);
    ix_tables_free(&r->tables);
    free(r->list.at);
    free(r->list.moved);
    free(r->edited.set);
    free(r->edited.gone);
    free(r->name);
    free(r);
}

/* ---- Records ----------------------------------------------------------------------------------
 */

static int read_snapshot(struct ix_log_reader *r, struct ix_in in, struct ix_error *err)
{
    struct ix_edit_base base = {&r->last, r->tables.thread_count, r->tables.stack_count};
    struct ix_snapshot s;
    if (ix_get_snapshot(in, &base, &r->list, &r->edited, &s, err) < 0)
        return -1;
    if (r->any && s.packet <= r->last_packet)
        return ix_fail(err, "packet %llu comes after packet %llu", (unsigned long long)s.packet,
                       (unsigned long long)r->last_packet);
    r->last = s;
    r->last_packet = s.packet;
    r->any = true;
    return 0;
}

/* Finds the next complete record: 1; 0 at the end; -1 if reading fails. */
static int next_record(struct ix_log_reader *r, uint8_t *type, struct ix_in *payload,
                       struct ix_error *err)
{
    struct ix_source *source = &r->source;
    if (fill(r, RECORD_HEAD_MAX, err) < 0)
        return -1;
    r->record = source->offset;
    if (source->left == 0) {
        r->ended = true;
        return 0;
    }
    size_t seen = source->left < RECORD_HEAD_MAX ? source->left : RECORD_HEAD_MAX;
    struct ix_in head = ix_in_of(source->at, seen);
    *type = ix_get_u8(&head);
    uint64_t len = ix_get_varint(&head);
    if (head.failed && seen < RECORD_HEAD_MAX)
        return cut_short(r, "a record");
    if (head.failed || len > IX_LOG_PAYLOAD_MAX)
        return distrusted(r, "a record's length is wrong");
    size_t head_size = seen - ix_in_left(&head);
    size_t size = head_size + len;
    if (fill(r, size + CHECKSUM_SIZE, err) < 0)
        return -1;
    if (source->left < size + CHECKSUM_SIZE)
        return cut_short(r, "a record");
    struct ix_in sum = ix_in_of(source->at + size, CHECKSUM_SIZE);
    if (ix_get_u32(&sum) != (uint32_t)XXH3_64bits(source->at, size))
        return distrusted(r, "checksum wrong");
    *payload = ix_in_of(source->at + head_size, len);
    ix_source_skip(source, size + CHECKSUM_SIZE);
    return 1;
}

static int fail_for_good(struct ix_log_reader *r, struct ix_error *err)
{
    r->broken = true;
    return ix_fail(err, "%s", r->why.text);
}

static int take_record(struct ix_log_reader *r, uint8_t type, struct ix_in payload,
                       struct ix_error *err)
{
    const struct ix_fact_base base = {
        .threads = r->tables.thread_count,
        .classes = r->tables.class_count,
        .methods = r->tables.method_count,
        .frames = r->tables.frame_count,
        .stacks = r->tables.stack_count,
        .string_count = r->tables.string_count,
        .strings = r->tables.strings,
    };
    int status = 0;
    if (type == IX_LOG_SNAPSHOT)
        status = read_snapshot(r, payload, err);
    else if (type >= IX_LOG_META && type <= IX_LOG_THREAD)
        status = ix_tables_define(&r->tables, type, payload, err);
    else if (type >= IX_FACT_FIRST && type <= IX_FACT_LAST)
        status = ix_get_facts(&r->facts, type, payload, &base, err);
    if (status < 0)
        ix_fail_in(err, "'%s', record at byte %llu", r->name, (unsigned long long)r->record);
    return status;
}

/* Takes the packet of a snapshot's record; skips all others. Always 0. */
static int take_packet(struct ix_log_reader *r, uint8_t type, struct ix_in payload,
                       struct ix_error *err)
{
    (void)err;
    if (type == IX_LOG_SNAPSHOT)
        r->last.packet = ix_get_varint(&payload);
    return 0;
}

/* Takes the definitions of threads, too. */
static int take_names(struct ix_log_reader *r, uint8_t type, struct ix_in payload,
                      struct ix_error *err)
{
    return type == IX_LOG_STRING || type == IX_LOG_THREAD ? take_record(r, type, payload, err)
                                                          : take_packet(r, type, payload, err);
}

typedef int take_fn(struct ix_log_reader *r, uint8_t type, struct ix_in payload,
                    struct ix_error *err);

/* Takes this file's records up to the next snapshot: 1; 0 at the file's end; IX_LOG_MORE; -1 on
 * failure. */
static int next_of_file(struct ix_log_reader *r, take_fn *take, struct ix_error *err)
{
    while (!r->ended) {
        uint8_t type;
        struct ix_in payload;
        if (ix_log_reader_offset(r) >= r->until)
            return IX_LOG_MORE;
        const int found = next_record(r, &type, &payload, err);
        if (found <= 0)
            return found;
        if (take(r, type, payload, err) < 0)
            return -1;
        if (type == IX_LOG_SNAPSHOT)
            return 1;
    }
    return 0;
}

/* The same in all files: 0 after the last one. */
static int next_of_all(struct ix_log_reader *r, take_fn *take, struct ix_error *err)
{
    int found = 0, opened = 1;
    if (r->broken)
        return fail_for_good(r, err);
    r->until = r->slice ? ix_log_reader_offset(r) + r->slice : UINT64_MAX;
    while (opened == 1 && (found = next_of_file(r, take, &r->why)) == 0)
        opened = next_file(r, &r->why);
    return found < 0 || opened < 0 ? fail_for_good(r, err) : found;
}

int ix_log_next(struct ix_log_reader *r, struct ix_snapshot *snapshot, struct ix_error *err)
{
    if (!r->paused) {
        ix_facts_in_clear(&r->facts);
        r->tables.redefined_count = 0;
    }
    const int found = next_of_all(r, take_record, err);
    r->paused = found != 1;
    r->over = found == 0;
    if (found == 1)
        *snapshot = r->last;
    return found;
}

void ix_log_slice(struct ix_log_reader *r, uint64_t bytes)
{
    r->slice = bytes;
}

uint64_t ix_log_reader_memory(const struct ix_log_reader *r)
{
    return sizeof *r + r->source.cap + ix_tables_memory(&r->tables) +
           (r->list.cap + r->list.moved_cap) * sizeof *r->list.at +
           (r->edited.set_cap + r->edited.gone_cap) * sizeof *r->edited.set +
           ix_facts_in_memory(&r->facts);
}

bool ix_log_grown(struct ix_log_reader *r)
{
    if (r->broken || r->source.offset < IX_LOG_HEADER_SIZE || !ix_source_grown(&r->source))
        return false;
    r->ended = r->torn = false;
    return true;
}

bool ix_log_unread(const struct ix_log_reader *r)
{
    return !r->broken && (ix_source_unread(&r->source) || r->files.has_last ||
                          r->files.at < r->files.parts.count);
}

int ix_log_next_packet(struct ix_log_reader *r, uint64_t *packet, struct ix_error *err)
{
    const int found = next_of_all(r, take_packet, err);
    if (found == 1)
        *packet = r->last.packet;
    return found;
}

int ix_log_next_names(struct ix_log_reader *r, uint64_t *packet, struct ix_error *err)
{
    r->tables.redefined_count = 0;
    const int found = next_of_all(r, take_names, err);
    if (found == 1)
        *packet = r->last.packet;
    return found;
}

struct ix_changes ix_log_changes(const struct ix_log_reader *r)
{
    return (struct ix_changes){.set = r->edited.set,
                               .set_count = r->edited.set_count,
                               .gone = r->edited.gone,
                               .gone_count = r->edited.gone_count,
                               .redefined = r->tables.redefined,
                               .redefined_count = r->tables.redefined_count};
}

struct ix_facts ix_log_facts(const struct ix_log_reader *r)
{
    const struct ix_facts *facts = &r->facts.facts;
    if (!r->over)
        return *facts;
    return (struct ix_facts){
        .exceptions = facts->exceptions,
        .exception_count = facts->exception_count,
        .exceptions_dropped = facts->exceptions_dropped,
        .firsts = facts->firsts,
        .first_count = facts->first_count,
        .firsts_dropped = facts->firsts_dropped,
        .invocations = facts->invocations,
        .invocation_count = facts->invocation_count,
        .covered = facts->covered,
        .covered_count = facts->covered_count,
    };
}

uint32_t ix_log_part(const struct ix_log_reader *r)
{
    return r->part;
}

const char *ix_log_torn(const struct ix_log_reader *r)
{
    return r->torn ? r->how_torn.text : NULL;
}

uint64_t ix_log_reader_offset(const struct ix_log_reader *r)
{
    return r->consumed + r->source.offset;
}

/* ---- What is defined --------------------------------------------------------------------------
 */

const char *ix_log_meta_value(const struct ix_log_reader *r, const char *key)
{
    uint32_t index = ix_intern_find(&r->tables.meta_keys, key, strlen(key));
    return index == IX_INTERN_FAILED ? NULL : r->tables.meta[index].value;
}

bool ix_log_meta_at(const struct ix_log_reader *r, size_t i, const char **key, const char **value)
{
    if (i >= r->tables.meta_keys.count)
        return false;
    *key = r->tables.meta[i].key;
    *value = r->tables.meta[i].value;
    return true;
}

struct ix_class ix_log_class_at(const struct ix_log_reader *r, uint32_t class_number)
{
    const struct ix_tables *t = &r->tables;
    const struct ix_class_def *def = &t->classes[class_number];
    return (struct ix_class){.name = t->strings[def->name], .source = t->strings[def->source]};
}

struct ix_method ix_log_method_at(const struct ix_log_reader *r, uint32_t method)
{
    const struct ix_tables *t = &r->tables;
    const struct ix_method_def *def = &t->methods[method];
    return (struct ix_method){.class_number = def->class_number,
                              .name = t->strings[def->name],
                              .descriptor = t->strings[def->descriptor]};
}

struct ix_frame ix_log_frame_at(const struct ix_log_reader *r, uint32_t frame)
{
    return r->tables.frames[frame];
}

uint32_t ix_log_stack_frame(const struct ix_log_reader *r, uint32_t stack)
{
    return r->tables.stacks[stack].frame;
}

uint32_t ix_log_stack_parent(const struct ix_log_reader *r, uint32_t stack)
{
    return r->tables.stacks[stack].parent;
}

struct ix_thread ix_log_thread_at(const struct ix_log_reader *r, uint32_t thread)
{
    const struct ix_tables *t = &r->tables;
    const struct ix_thread_def *def = &t->threads[thread];
    return (struct ix_thread){.number = thread,
                              .start = def->start,
                              .id = def->id,
                              .name = t->strings[def->name],
                              .group = t->strings[def->group],
                              .parent = t->strings[def->parent],
                              .priority = def->priority,
                              .flags = def->flags};
}

uint32_t ix_log_class_count(const struct ix_log_reader *r)
{
    return r->tables.class_count;
}

uint32_t ix_log_method_count(const struct ix_log_reader *r)
{
    return r->tables.method_count;
}

uint32_t ix_log_frame_count(const struct ix_log_reader *r)
{
    return r->tables.frame_count;
}

uint32_t ix_log_stack_count(const struct ix_log_reader *r)
{
    return r->tables.stack_count;
}

uint32_t ix_log_thread_count(const struct ix_log_reader *r)
{
    return r->tables.thread_count;
}
