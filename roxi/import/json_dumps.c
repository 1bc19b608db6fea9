/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/json_dumps.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_number.h"
#include "roxi/import/date.h"
#include "roxi/import/place.h"
#include "schema/tracelog/intern.h"
#include "schema/tracelog/thread_state.h"

bool dump_is_json(const char *begin, size_t len)
{
    size_t at = 0;
    while (at < len && isspace((unsigned char)begin[at]))
        at++;
    return at < len && begin[at] == '{' && memmem(begin + at, len - at, "\"threadDump\"", 12);
}

/* A text, empty if there is none. Jansson's texts are valid UTF-8. */
static struct ix_span text_of(const json_t *value)
{
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    return (struct ix_span){text, json_is_string(value) ? json_string_length(value) : 0};
}

/* A number, which some versions write as a text. */
static bool number_of(const json_t *value, uint64_t *number)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *number = (uint64_t)json_integer_value(value);
        return true;
    }
    return text_decimal(text_of(value), UINT64_MAX, number);
}

/* ---- which dumps there are ---- */

/* Counts the lines up to the next document, at which the file is then. False: there is none. */
static bool skip_space(FILE *in, uint64_t *line)
{
    int c;
    while ((c = getc_unlocked(in)) != EOF && isspace(c))
        *line += c == '\n';
    if (c != EOF)
        ungetc(c, in);
    return c != EOF;
}

/* The number of lines that end between two places; the file is at the second one afterwards. */
static uint64_t lines_between(FILE *in, uint64_t from, uint64_t to)
{
    uint64_t lines = 0;
    if (fseeko(in, (off_t)from, SEEK_SET) != 0)
        return 0;
    for (; from < to; from++)
        lines += getc_unlocked(in) == '\n';
    return lines;
}

static int check_size(FILE *in, const char *name, struct ix_error *err)
{
    if (fseeko(in, 0, SEEK_END) != 0 || ftello(in) < 0)
        return ix_fail(err, "cannot read '%s': %s", name, strerror(errno));
    if (ftello(in) > (off_t)DUMP_JSON_MAX)
        return ix_fail(err,
                       "'%s' is larger than %u MiB, more than is read as JSON; dump with 'jcmd PID "
                       "Thread.print', or divide the file",
                       name, DUMP_JSON_MAX >> 20);
    return fseeko(in, 0, SEEK_SET) == 0 ? 0 : ix_fail(err, "cannot read '%s'", name);
}

static bool ran_out; /* of memory, in jansson */

static void *allocate(size_t size)
{
    void *got = malloc(size);
    ran_out |= !got;
    return got;
}

/* Reads the next document; *document is NULL if it is damaged, and *why says how. jansson 2.14
 * takes some failed allocations for damage, or loses a character. 0, or -1 with a message. */
static int load(FILE *in, const char *name, json_t **document, json_error_t *why,
                struct ix_error *err)
{
    ran_out = false;
    json_set_alloc_funcs(allocate, free);
    *document = json_loadf(in, JSON_DISABLE_EOF_CHECK, why);
    if (!ran_out && !ferror(in))
        return 0;
    json_decref(*document);
    *document = NULL;
    return ran_out ? ix_fail(err, "out of memory") : ix_fail(err, "cannot read '%s'", name);
}

static int make_head(struct dump_head *head, const json_t *document)
{
    const json_t *dump = json_object_get(document, "threadDump");
    const struct ix_span version = text_of(json_object_get(dump, "runtimeVersion"));
    head->real_ns = dump_date_parse(text_of(json_object_get(dump, "time")));
    if (!number_of(json_object_get(dump, "processId"), &head->pid) || head->pid > INT32_MAX)
        head->pid = 0;
    head->torn = !json_is_array(json_object_get(dump, "threadContainers"));
    return asprintf(&head->jvm, "Java %.*s", (int)version.len, version.text) < 0 ? -1 : 0;
}

static int heads(FILE *in, const char *name,
                 int (*each)(void *user, struct dump_head *head, struct ix_error *err), void *user,
                 struct ix_error *err)
{
    uint64_t line = 1;
    json_error_t why;
    int result = check_size(in, name, err);
    while (result == 0 && skip_space(in, &line)) {
        struct dump_head head = {.offset = (uint64_t)ftello(in), .line = line};
        json_t *document;
        if (load(in, name, &document, &why, err) != 0)
            return -1;
        const bool is_over = !document;
        if (is_over)
            head.torn = true;
        else if (make_head(&head, document) != 0)
            result = ix_fail(err, "out of memory");
        if (document)
            line += lines_between(in, head.offset, (uint64_t)ftello(in));
        json_decref(document);
        if (result == 0)
            result = each(user, &head, err);
        if (is_over)
            break;
    }
    return result;
}

/* ---- one dump ---- */

struct body {
    const struct dump_sink *sink;
    struct ix_intern objects;
    struct ix_error *err;
};

/* "a.B@1f8bf1ab" */
static int put_lock(struct body *b, enum ix_lock_kind kind, int32_t depth, const json_t *value)
{
    bool added;
    struct ix_span text = text_of(value);
    const char *at = text.len ? memrchr(text.text, '@', text.len) : NULL;
    if (!at)
        return 0;
    const uint32_t object = ix_intern(&b->objects, text.text, text.len, &added);
    if (object == IX_INTERN_FAILED)
        return ix_fail(b->err, "out of memory");
    const struct dump_lock lock = {.kind = kind,
                                   .object = (uint64_t)object + 1,
                                   .class_name = {text.text, (size_t)(at - text.text)},
                                   .depth = depth};
    return b->sink->lock(b->sink->user, &lock, b->err);
}

static int put_locks(struct body *b, const json_t *thread)
{
    const json_t *monitor, *object;
    size_t i, k;
    const json_t *parked = json_object_get(json_object_get(thread, "parkBlocker"), "object");
    if (put_lock(b, IX_LOCK_ENTERS, -1, json_object_get(thread, "blockedOn")) != 0 ||
        put_lock(b, IX_LOCK_WAITS, -1, json_object_get(thread, "waitingOn")) != 0 ||
        put_lock(b, IX_LOCK_PARKED, -1, parked) != 0)
        return -1;
    json_array_foreach(json_object_get(thread, "monitorsOwned"), i, monitor)
    {
        uint64_t depth;
        if (!number_of(json_object_get(monitor, "depth"), &depth) || depth > INT32_MAX)
            continue;
        json_array_foreach(json_object_get(monitor, "locks"), k, object)
        {
            if (put_lock(b, IX_LOCK_OWNS, (int32_t)depth, object) != 0)
                return -1;
        }
    }
    return 0;
}

/* *native: the executing method is. 0, 1: a frame cannot be read, or -1. */
static int put_frames(struct body *b, const json_t *stack, bool *native)
{
    size_t i;
    const json_t *value;
    json_array_foreach(stack, i, value)
    {
        struct dump_frame frame;
        if (!dump_place_parse(text_of(value), &frame))
            return 1;
        if (i == 0)
            *native = frame.line == IX_LINE_NATIVE;
        if (b->sink->frame(b->sink->user, &frame, b->err) != 0)
            return -1;
    }
    return 0;
}

/* JDK 21 does not say which threads are virtual, but their entry does. */
static bool is_virtual(const json_t *thread, const json_t *stack)
{
    struct dump_frame entry;
    const size_t count = json_array_size(stack);
    static const char name[] = "java.lang.VirtualThread";
    return json_is_true(json_object_get(thread, "virtual")) ||
           (count && dump_place_parse(text_of(json_array_get(stack, count - 1)), &entry) &&
            entry.class_name.len == sizeof name - 1 &&
            memcmp(entry.class_name.text, name, sizeof name - 1) == 0);
}

static int put_thread(struct body *b, const json_t *value)
{
    const json_t *stack = json_object_get(value, "stack");
    struct dump_thread thread = {.name = text_of(json_object_get(value, "name")),
                                 .priority = IX_PRIORITY_UNKNOWN,
                                 .flags = IX_THREAD_DAEMON_UNKNOWN};
    const bool known = number_of(json_object_get(value, "tid"), &thread.id);
    bool native = false;
    if (is_virtual(value, stack))
        thread.flags = IX_THREAD_VIRTUAL | IX_THREAD_DAEMON;
    if (b->sink->thread(b->sink->user, &thread, b->err) != 0)
        return -1;
    const int frames = put_frames(b, stack, &native);
    if (frames < 0 || put_locks(b, value) != 0)
        return -1;
    const uint32_t state = dump_state_parse(text_of(json_object_get(value, "state")), native);
    return b->sink->end(b->sink->user, state ? state : IX_THREAD_ALIVE,
                        known && frames == 0 && json_is_array(stack) ? DUMP_WHOLE : DUMP_TORN,
                        b->err);
}

static int put_dump(struct body *b, const json_t *document)
{
    size_t i, k;
    const json_t *container, *thread;
    const json_t *dump = json_object_get(document, "threadDump");
    json_array_foreach(json_object_get(dump, "threadContainers"), i, container)
    {
        json_array_foreach(json_object_get(container, "threads"), k, thread)
        {
            if (put_thread(b, thread) != 0)
                return -1;
        }
    }
    return 0;
}

static int body(FILE *in, const char *name, uint64_t offset, uint64_t line,
                struct dump_text_facts *facts, const struct dump_sink *sink, struct ix_error *err)
{
    struct body b = {.sink = sink, .err = err};
    json_error_t why;
    (void)line;
    (void)facts;
    if (offset > INT64_MAX || fseeko(in, (off_t)offset, SEEK_SET) != 0)
        return ix_fail(err, "cannot read '%s': %s", name, strerror(errno));
    json_t *document;
    if (load(in, name, &document, &why, err) != 0)
        return -1;
    if (!document)
        return ix_fail(err, "'%s' cannot be read any more: %s", name, why.text);
    const int result = put_dump(&b, document);
    ix_intern_free(&b.objects);
    json_decref(document);
    return result;
}

const struct dump_format dump_format_json = {heads, body};
