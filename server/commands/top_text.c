/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/top_text.h"

#include <stdbool.h>
#include <string.h>

#include "server/base/units.h"

/* Lines besides those of the JVMs. */
#define OTHER_LINES 5

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

void ixor_top_print(FILE *out, const json_t *state, unsigned lines, const char *end)
{
    const json_t *e = json_object_get(state, "execution"), *vms = json_object_get(e, "vms");
    const size_t room = lines > OTHER_LINES ? lines - OTHER_LINES : 0;
    put_head(out, state, end);
    if (!json_is_object(e)) {
        fprintf(out, "no run yet\n");
        return;
    }
    put_execution(out, e, end);
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
    if (more > 0 && lines > OTHER_LINES + json_array_size(vms))
        fputc('\n', out);
}
