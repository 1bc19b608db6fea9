/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/place.h"

#include <ctype.h>
#include <string.h>

#include "schema/base/units.h"
#include "schema/tracelog/thread_state.h"

static struct ix_span part(const char *from, const char *to)
{
    return (struct ix_span){from, (size_t)(to - from)};
}

static bool is(struct ix_span text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.text, word, text.len) == 0;
}

/* Is this the address of a hidden class, as in a.B$$Lambda/0x7f01.run or a.B$$Lambda$1/1234.run? */
static bool is_address(const char *at, const char *end)
{
    const bool hexadecimal = end - at > 2 && at[0] == '0' && at[1] == 'x';
    const char *from = at += hexadecimal ? 2 : 0;
    while (at < end && (hexadecimal ? isxdigit((unsigned char)*at) : isdigit((unsigned char)*at)))
        at++;
    return at > from && at < end && *at == '.';
}

/* Without class loader and module, which end in a slash. */
static struct ix_span without_module(struct ix_span text)
{
    const char *from = text.text, *end = text.text + text.len;
    for (const char *at = from; at < end; at++)
        if (*at == '/' && !is_address(at + 1, end))
            from = at + 1;
    return part(from, end);
}

static void parse_source(struct ix_span text, struct dump_frame *frame)
{
    static const struct {
        const char *words;
        int32_t line;
    } without[] = {
        {"Native Method", IX_LINE_NATIVE},
        {"Compiled Code", IX_LINE_COMPILED},
        {"Unknown Source", IX_LINE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (is(text, without[i].words)) {
            frame->line = without[i].line;
            return;
        }
    const char *colon = memrchr(text.text, ':', text.len);
    uint64_t line;
    frame->source = text;
    if (colon && ix_parse_number(colon + 1, (size_t)(text.text + text.len - colon - 1), &line) &&
        line > 0 && line <= INT32_MAX) {
        frame->source = part(text.text, colon);
        frame->line = (int32_t)line;
    }
}

bool dump_place_parse(struct ix_span text, struct dump_frame *frame)
{
    *frame = (struct dump_frame){.line = IX_LINE_UNKNOWN};
    /* A method's name may have parentheses, a file's has none. */
    const char *open = text.len ? memrchr(text.text, '(', text.len) : NULL;
    const char *end = text.text + text.len;
    if (!open || end[-1] != ')')
        return false;
    const struct ix_span name = without_module(part(text.text, open));
    const char *dot = name.len ? memrchr(name.text, '.', name.len) : NULL;
    if (!dot || dot == name.text || dot + 1 == open)
        return false;
    frame->class_name = part(name.text, dot);
    frame->method = part(dot + 1, open);
    parse_source(without_module(part(open + 1, end - 1)), frame);
    return true;
}

uint32_t dump_state_parse(struct ix_span words, bool native)
{
    enum {
        WAITS = IX_THREAD_ALIVE | IX_THREAD_WAITING,
        FOREVER = WAITS | 0x10, /* JVMTI_THREAD_STATE_WAITING_INDEFINITELY */
        TIMED = WAITS | IX_THREAD_WITH_TIMEOUT,
    };
    static const struct {
        const char *words;
        uint32_t bits;
    } states[] = {
        {"NEW", 0},
        {"RUNNABLE", IX_THREAD_ALIVE | IX_THREAD_RUNNABLE},
        {"BLOCKED (on object monitor)", IX_THREAD_ALIVE | IX_THREAD_BLOCKED},
        {"BLOCKED", IX_THREAD_ALIVE | IX_THREAD_BLOCKED},
        {"WAITING (on object monitor)", FOREVER | IX_THREAD_OBJECT_WAIT},
        {"WAITING (parking)", FOREVER | IX_THREAD_PARKED},
        {"WAITING (parked)", FOREVER | IX_THREAD_PARKED},
        {"WAITING", FOREVER},
        {"TIMED_WAITING (sleeping)", TIMED | IX_THREAD_SLEEPING},
        {"TIMED_WAITING (on object monitor)", TIMED | IX_THREAD_OBJECT_WAIT},
        {"TIMED_WAITING (parking)", TIMED | IX_THREAD_PARKED},
        {"TIMED_WAITING (parked)", TIMED | IX_THREAD_PARKED},
        {"TIMED_WAITING", TIMED},
        {"TERMINATED", IX_THREAD_TERMINATED},
    };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (is(words, states[i].words))
            return states[i].bits |
                   (native && states[i].bits & IX_THREAD_RUNNABLE ? IX_THREAD_IN_NATIVE : 0);
    return 0;
}
