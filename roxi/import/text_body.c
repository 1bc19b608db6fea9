/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/text_body.h"

#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_number.h"
#include "roxi/import/place.h"
#include "roxi/import/text_heads.h"
#include "schema/tracelog/thread_state.h"

struct body {
    struct dump_text_facts *facts;
    const struct dump_sink *sink;
    struct ix_error *err;
    bool titled; /* the dump's title has been read */

    bool in_thread;
    uint64_t id;
    enum dump_end how;
    uint32_t state;
    bool has_state, native; /* native: the executing method is */
    int32_t depth;          /* of the frame read last; -1: none yet */
    bool blank;             /* there was a blank line behind its frames */
    bool synchronizers;     /* what follows is locked ownable synchronizers */
};

static struct ix_span behind(struct ix_span line, size_t len)
{
    return (struct ix_span){line.text + len, line.len - len};
}

/* ---- threads ---- */

static int end_thread(struct body *b)
{
    if (!b->in_thread)
        return 0;
    b->in_thread = false;
    if (b->native && b->state & IX_THREAD_RUNNABLE)
        b->state |= IX_THREAD_IN_NATIVE;
    return b->sink->end(b->sink->user, b->state, b->how, b->err);
}

static int begin_thread(struct body *b, const struct dump_thread *thread)
{
    if (end_thread(b) != 0)
        return -1;
    b->in_thread = true;
    b->id = thread->id;
    b->how = DUMP_WHOLE;
    b->state = IX_THREAD_ALIVE;
    b->has_state = b->native = b->blank = b->synchronizers = false;
    b->depth = -1;
    return b->sink->thread(b->sink->user, thread, b->err);
}

/* The number behind `words`; `none` if it is not there. */
static uint64_t attribute(const char *text, const char *words, uint64_t none)
{
    uint64_t number;
    const char *at = strstr(text, words);
    if (!at)
        return none;
    at += strlen(words);
    return text_decimal((struct ix_span){at, strspn(at, "0123456789")}, UINT64_MAX, &number)
               ? number
               : none;
}

/* A thread that no name was given to: roxi prints virtual-ID. */
static bool is_unnamed(struct ix_span name, uint64_t id)
{
    static const char words[] = "virtual-";
    uint64_t number;
    const size_t len = sizeof words - 1;
    return dump_text_begins(name, words) &&
           text_decimal((struct ix_span){name.text + len, name.len - len}, UINT64_MAX, &number) &&
           number == id;
}

/* "NAME" #ID daemon prio=5 ... tid=0x... nid=... waiting on condition [0x...]; names may contain
 * quotation marks, the rest has none. 0: the line is not that, or not of a Java thread. */
static int take_head(struct body *b, struct ix_span line)
{
    const char *quote = line.len > 1 ? memrchr(line.text + 1, '"', line.len - 1) : NULL;
    if (!quote || *line.text != '"' || !strstr(quote, " tid="))
        return 0;
    const uint64_t priority = attribute(quote, " prio=", 0);
    struct dump_thread thread = {
        .id = attribute(quote, " #", 0),
        .name = {line.text + 1, (size_t)(quote - line.text - 1)},
        .priority = priority >= 1 && priority <= 10 ? (int32_t)priority : IX_PRIORITY_UNKNOWN,
        .flags = strstr(quote, " daemon ") ? IX_THREAD_DAEMON : 0,
    };
    /* Threads of the JVM have no number; its compilers and the like have one, but no Java stack. */
    if (!strstr(quote, " #") || strstr(quote, "[0x0000000000000000]"))
        return end_thread(b);
    if (is_unnamed(thread.name, thread.id)) {
        thread.name.len = 0;
        thread.flags |= IX_THREAD_VIRTUAL;
    }
    dump_text_facts_thread(b->facts, &thread);
    return begin_thread(b, &thread);
}

/* The stack that follows is of a virtual thread, not of the one that carries it. */
static int take_mounted(struct body *b, struct ix_span line)
{
    const struct dump_thread thread = {.id = attribute(line.text, " #", 0),
                                       .name = {line.text, 0},
                                       .priority = IX_PRIORITY_UNKNOWN,
                                       .flags = IX_THREAD_VIRTUAL | IX_THREAD_DAEMON};
    const bool torn = b->how == DUMP_TORN;
    if (begin_thread(b, &thread) != 0)
        return -1;
    b->state |= IX_THREAD_RUNNABLE;
    b->has_state = true;
    if (torn)
        b->how = DUMP_TORN;
    return 0;
}

/* A state that no thread's line precedes is of a thread whose line cannot be read. */
static int take_state(struct body *b, struct ix_span words)
{
    static const struct dump_thread nobody = {.priority = IX_PRIORITY_UNKNOWN};
    if (b->in_thread && (b->has_state || b->blank)) {
        if (begin_thread(b, &nobody) != 0)
            return -1;
        b->how = DUMP_TORN;
    }
    const uint32_t state = dump_state_parse(words, false);
    b->has_state = true;
    if (state)
        b->state = state;
    return 0;
}

/* ---- frames and locks ---- */

static int take_frame(struct body *b, struct ix_span text)
{
    struct dump_frame frame;
    if (b->blank || b->synchronizers || !dump_place_parse(text, &frame)) {
        b->how = DUMP_TORN;
        return 0;
    }
    b->depth++;
    dump_text_facts_frame(b->facts, b->id, (uint32_t)b->depth, text, &frame);
    if (b->depth == 0)
        b->native = frame.line == IX_LINE_NATIVE;
    return b->sink->frame(b->sink->user, &frame, b->err);
}

/* "<0x000000071a2b3c4d> (a java.lang.Object)"; 0 as the object: it is not that. */
static struct dump_lock object_of(struct ix_span text)
{
    static const char article[] = " (a ";
    struct dump_lock lock = {.depth = -1};
    const char *from = text.len ? memchr(text.text, '<', text.len) : NULL;
    const char *to = from ? strchr(from, '>') : NULL;
    if (!to || to - from < 4 || from[1] != '0' || from[2] != 'x' ||
        !text_hex((struct ix_span){from + 3, (size_t)(to - from - 3)}, &lock.object))
        return lock;
    const char *name = strstr(to, article);
    const char *end = text.text + text.len;
    if (!name || end[-1] != ')') {
        lock.object = 0;
        return lock;
    }
    name += sizeof article - 1;
    lock.class_name = (struct ix_span){name, (size_t)(end - 1 - name)};
    /* (a java.lang.Class for a.B) */
    const char *of = memmem(name, lock.class_name.len, " for ", 5);
    if (of)
        lock.class_name.len = (size_t)(of - name);
    return lock;
}

/* What follows "\t- ". */
static int take_lock(struct body *b, struct ix_span text)
{
    static const struct {
        const char *words;
        enum ix_lock_kind kind;
    } kinds[] = {
        {"locked ", IX_LOCK_OWNS},
        {"waiting to lock ", IX_LOCK_ENTERS},
        {"waiting to re-lock ", IX_LOCK_ENTERS},
        {"waiting on ", IX_LOCK_WAITS},
        {"parking to wait for ", IX_LOCK_PARKED},
    };
    struct dump_lock lock = object_of(text);
    if (!lock.object)
        return 0;
    lock.kind = IX_LOCK_OWNS_SYNCHRONIZER;
    if (!b->synchronizers) {
        size_t i = 0;
        while (i < sizeof kinds / sizeof *kinds && !dump_text_begins(text, kinds[i].words))
            i++;
        if (i == sizeof kinds / sizeof *kinds)
            return 0;
        lock.kind = kinds[i].kind;
        lock.depth = lock.kind == IX_LOCK_OWNS ? b->depth : -1;
    }
    return b->sink->lock(b->sink->user, &lock, b->err);
}

/* ---- lines ---- */

/* Does the stack trace of an exception follow, which looks as the frames of a thread do? */
static bool begins_trace(struct ix_span line)
{
    return strstr(line.text, "Exception") || strstr(line.text, "Error") ||
           dump_text_begins(line, "Caused by:");
}

static int take_line(struct body *b, struct ix_span line)
{
    static const char state[] = "   java.lang.Thread.State: ", at[] = "\tat ", lock[] = "\t- ";
    if (line.len && *line.text == '"')
        return take_head(b, line);
    if (dump_text_begins(line, state))
        return take_state(b, behind(line, sizeof state - 1));
    if (!b->in_thread)
        return 0;
    if (dump_text_begins(line, at))
        return take_frame(b, behind(line, sizeof at - 1));
    if (dump_text_begins(line, lock))
        return take_lock(b, behind(line, sizeof lock - 1));
    if (dump_text_begins(line, "   Mounted virtual thread #"))
        return take_mounted(b, line);
    if (dump_text_begins(line, "   Locked ownable synchronizers:"))
        b->synchronizers = true;
    else if (line.len == 4 && dump_text_begins(line, "\t..."))
        b->how = b->how == DUMP_TORN ? DUMP_TORN : DUMP_CUT;
    else if (!line.len)
        b->blank = true;
    else if (begins_trace(line))
        b->how = DUMP_TORN;
    return 0;
}

int dump_text_body(struct dump_lines *lines, struct dump_text_facts *facts,
                   const struct dump_sink *sink, struct ix_error *err)
{
    struct body b = {.facts = facts, .sink = sink, .err = err};
    struct ix_span line;
    int more;
    dump_text_facts_begin(facts);
    while ((more = dump_lines_next(lines, &line, err)) > 0) {
        const bool title = dump_text_begins(line, DUMP_TEXT_TITLE);
        if (b.titled && (title || dump_text_is_end(line) || dump_text_is_origin(line)))
            break;
        if (!b.titled && dump_text_facts_take(facts, line, err) != 0)
            return -1;
        if (b.titled && take_line(&b, line) != 0)
            return -1;
        b.titled |= title;
    }
    return more < 0 ? -1 : end_thread(&b);
}
