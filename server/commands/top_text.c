/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/top_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "server/base/units.h"

/* Lines besides those of the JVMs. */
#define OTHER_LINES 5
/* At most so many on who waits for whom, and a third of the JVMs'. */
#define WAITS_LINES 7

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int64_t number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

/* Exactly `width` characters: truncated, or padded with blanks. */
static void put_name(FILE *out, const char *name, unsigned width)
{
    unsigned done = 0;
    bool safe;
    for (size_t size; *name && done < width; name += size, done++) {
        size = ixor_text_character(name, &safe);
        if (safe)
            fwrite(name, 1, size, out);
        else
            fputc('?', out);
    }
    fprintf(out, "%*s", (int)(width - done), "");
}

static void put_duration(FILE *out, int64_t ns)
{
    char text[IXOR_UNIT_TEXT];
    ixor_duration_text(ns, text);
    fprintf(out, " %7s", text);
}

/* ---- the parts ---- */

static void put_head(FILE *out, const json_t *state, const char *end)
{
    fputs("ixor ", out);
    put_name(out, text_of(state, "campaign"), IXOR_TOP_WIDTH - 6);
    fputs(end, out);
}

static void put_execution(FILE *out, const json_t *e, const char *end)
{
    char lost[IXOR_UNIT_TEXT], p50[IXOR_UNIT_TEXT], p99[IXOR_UNIT_TEXT];
    const json_t *series = json_object_get(e, "series");
    const int64_t requests = number_of(e, "requests");
    ixor_share_text((uint64_t)number_of(e, "lost"), (uint64_t)requests, lost);
    ixor_duration_text(number_of(series, "skew_p50_ns"), p50);
    ixor_duration_text(number_of(series, "skew_p99_ns"), p99);
    put_name(out, text_of(e, "name"), 20);
    fprintf(out, " %-8s %lld of %lld JVMs running, packet %lld%s",
            number_of(e, "end_ns") < 0 ? "running" : text_of(e, "verdict"),
            (long long)number_of(e, "running"), (long long)number_of(e, "vm_count"),
            (long long)number_of(e, "last_packet"), end);
    fprintf(out, "%lld packets, %lld snapshots, %s lost, skew p50 %s p99 %s%s",
            (long long)number_of(e, "packets"), (long long)number_of(e, "taken"), lost, p50, p99,
            end);
}

static void put_vm(FILE *out, const json_t *vm)
{
    char lost[IXOR_UNIT_TEXT];
    const json_t *stops = json_object_get(vm, "stops");
    ixor_percent_text((uint64_t)number_of(vm, "lost"), (uint64_t)number_of(vm, "requests"), lost);
    put_name(out, text_of(vm, "role"), 16);
    fprintf(out, " %7lld ", (long long)number_of(vm, "pid"));
    put_name(out, text_of(vm, "state"), 9);
    fprintf(out, " %8lld %7lld %5s %4lld", (long long)number_of(vm, "last_packet"),
            (long long)number_of(vm, "taken"), lost, (long long)number_of(vm, "threads"));
    put_duration(out, number_of(stops, "p50_ns"));
    put_duration(out, number_of(stops, "p99_ns"));
}

/* ---- who waits for whom ---- */

/* A line that is cut at the screen's width. */
struct line {
    char text[8 * IXOR_TOP_WIDTH];
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(l->text + l->size, sizeof l->text - l->size, format, args);
    va_end(args);
    if (n > 0)
        l->size += (size_t)n;
    if (l->size >= sizeof l->text)
        l->size = sizeof l->text - 1;
}

static void put_line(FILE *out, const struct line *l, const char *end)
{
    put_name(out, l->text, IXOR_TOP_WIDTH);
    fputs(end, out);
}

/* store "handler"; the address of what is outside. */
static void add_party(struct line *l, const json_t *party)
{
    const json_t *thread = json_object_get(party, "thread");
    add(l, "%s", json_is_string(json_object_get(party, "role")) ? text_of(party, "role") : "?");
    if (json_is_string(thread))
        add(l, " \"%s\"", json_string_value(thread));
}

static void add_chain(struct line *l, const json_t *chain)
{
    size_t i;
    const json_t *element;
    json_array_foreach(chain, i, element)
    {
        if (i)
            add(l, " -> ");
        add_party(l, element);
    }
}

/* The longest chain to this end; NULL: none is in the answer. */
static const json_t *chain_to(const json_t *waits, const json_t *end)
{
    const json_t *chain, *longest = NULL;
    size_t i;
    json_array_foreach(json_object_get(waits, "chains"), i, chain)
    {
        const json_t *last = json_array_get(chain, json_array_size(chain) - 1);
        if (json_equal(json_object_get(last, "vm"), json_object_get(end, "vm")) &&
            json_equal(json_object_get(last, "thread"), json_object_get(end, "thread")) &&
            json_array_size(chain) > json_array_size(longest))
            longest = chain;
    }
    return longest;
}

static void put_ring(FILE *out, const json_t *ring, const char *end)
{
    struct line l = {.size = 0};
    add(&l, "deadlock: ");
    add_chain(&l, ring);
    add(&l, " -> ");
    add_party(&l, json_array_get(ring, 0));
    put_line(out, &l, end);
}

static void put_end(FILE *out, const json_t *waits, const json_t *party, const char *end)
{
    struct line l = {.size = 0}, longest = {.size = 0};
    add(&l, "%lld wait for ", (long long)number_of(party, "waited_for_by"));
    add_party(&l, party);
    add(&l, ": %s", text_of(party, "state"));
    put_line(out, &l, end);
    add(&longest, "  ");
    add_chain(&longest, chain_to(waits, party));
    put_line(out, &longest, end);
}

/* At most `lines` lines; how many there are. Nothing if nobody waits for anybody. */
static unsigned put_waits(FILE *out, const json_t *waits, unsigned lines, const char *end)
{
    const json_t *rings = json_object_get(waits, "deadlocks");
    const json_t *ends = json_object_get(waits, "least_progressed");
    const size_t ring_count = json_array_size(rings), end_count = json_array_size(ends);
    const char *error = text_of(waits, "error");
    unsigned used = 1;
    if (lines < 3 || (ring_count + end_count == 0 && !*error))
        return 0;
    if (*error) {
        struct line l = {.size = 0};
        add(&l, "Who waits for whom: %s", error);
        put_line(out, &l, end);
        return 1;
    }
    fprintf(out, "Who waits for whom at packet %lld:%s", (long long)number_of(waits, "packet"),
            end);
    for (size_t i = 0; i < ring_count && used < lines; i++, used++)
        put_ring(out, json_array_get(rings, i), end);
    for (size_t i = 0; i < end_count && used + 2 <= lines; i++, used += 2)
        put_end(out, waits, json_array_get(ends, i), end);
    return used;
}

/* ---- the whole ---- */

void ixor_top_print(FILE *out, const json_t *state, unsigned lines, const char *end)
{
    const json_t *e = json_object_get(state, "execution"), *vms = json_object_get(e, "vms");
    size_t room = lines > OTHER_LINES ? lines - OTHER_LINES : 0;
    put_head(out, state, end);
    if (!json_is_object(e)) {
        fprintf(out, "no run yet\n");
        return;
    }
    put_execution(out, e, end);
    const unsigned waits = room / 3 < WAITS_LINES ? (unsigned)room / 3 : WAITS_LINES;
    const bool over = number_of(e, "end_ns") >= 0;
    const unsigned used = over ? 0 : put_waits(out, json_object_get(state, "waits"), waits, end);
    room -= used;
    fprintf(out, "%-16s %7s %-9s %8s %7s %5s %4s %7s %7s%s", "ROLE", "PID", "STATE", "PACKET",
            "TAKEN", "LOST%", "THR", "STOP50", "STOP99", end);
    size_t shown = 0;
    for (; shown < json_array_size(vms) && shown < room; shown++) {
        put_vm(out, json_array_get(vms, shown));
        fputs(end, out);
    }
    const int64_t more = number_of(e, "vm_count") - (int64_t)shown;
    if (more > 0)
        fprintf(out, "and %lld more", (long long)more);
    if (more > 0 && lines > OTHER_LINES + used + json_array_size(vms))
        fputc('\n', out);
}
