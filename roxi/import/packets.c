/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/packets.h"

#include <stdlib.h>

#include "schema/base/idmap.h"

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_jvm_and_time(const void *left, const void *right)
{
    const struct dump_moment *a = left, *b = right;
    int order = compare(a->jvm, b->jvm);
    if (order == 0)
        order = compare(a->real_ns, b->real_ns);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

static int by_jvm_and_order(const void *left, const void *right)
{
    const struct dump_moment *a = left, *b = right;
    const int order = compare(a->jvm, b->jvm);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

static int by_time(const void *left, const void *right)
{
    const struct dump_moment *a = left, *b = right;
    const int order = compare(a->real_ns, b->real_ns);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

static int by_jvm_and_packet(const void *left, const void *right)
{
    const struct dump_moment *a = left, *b = right;
    const int order = compare(a->jvm, b->jvm);
    return order ? order : (a->packet > b->packet) - (a->packet < b->packet);
}

static int by_length(const void *a, const void *b)
{
    return compare(*(const int64_t *)a, *(const int64_t *)b);
}

/* The median of the times between two dumps of a JVM; 0: there are none. -1: out of memory. */
static int64_t typical_interval(struct dump_moment *moments, size_t count)
{
    size_t n = 0;
    int64_t *lengths = malloc((count + 1) * sizeof *lengths);
    if (!lengths)
        return -1;
    qsort(moments, count, sizeof *moments, by_jvm_and_time);
    for (size_t i = 1; i < count; i++)
        if (moments[i].jvm == moments[i - 1].jvm && moments[i].real_ns > moments[i - 1].real_ns)
            lengths[n++] = moments[i].real_ns - moments[i - 1].real_ns;
    if (n)
        qsort(lengths, n, sizeof *lengths, by_length);
    const int64_t median = n ? lengths[n / 2] : 0;
    free(lengths);
    return median;
}

/* A packet ends when a dump comes too late for it, or is of a JVM that it has already. */
static int number_by_time(struct dump_moment *moments, size_t count, struct dump_rhythm *rhythm)
{
    struct ix_idmap last = {0}; /* by JVM: its last packet */
    int64_t begin = 0;
    int result = 0;
    qsort(moments, count, sizeof *moments, by_time);
    for (size_t i = 0; i < count && result == 0; i++) {
        const uint32_t before = ix_idmap_get(&last, moments[i].jvm);
        const bool late =
            rhythm->interval_ns && moments[i].real_ns - begin > rhythm->interval_ns / 2;
        if (i == 0 || late || before == rhythm->packets) {
            rhythm->packets++;
            begin = moments[i].real_ns;
        }
        moments[i].packet = rhythm->packets;
        result = ix_idmap_put(&last, moments[i].jvm, (uint32_t)rhythm->packets);
    }
    ix_idmap_free(&last);
    return result;
}

static void number_by_order(struct dump_moment *moments, size_t count, struct dump_rhythm *rhythm)
{
    qsort(moments, count, sizeof *moments, by_jvm_and_order);
    for (size_t i = 0; i < count; i++) {
        const bool first = i == 0 || moments[i].jvm != moments[i - 1].jvm;
        moments[i].packet = first ? 1 : moments[i - 1].packet + 1;
        if (moments[i].packet > rhythm->packets)
            rhythm->packets = moments[i].packet;
    }
}

int dump_packets(struct dump_moment *moments, size_t count, struct dump_rhythm *rhythm)
{
    *rhythm = (struct dump_rhythm){0};
    for (size_t i = 0; i < count; i++)
        rhythm->by_order |= !moments[i].real_ns;
    if (rhythm->by_order) {
        number_by_order(moments, count, rhythm);
        return 0;
    }
    rhythm->interval_ns = typical_interval(moments, count);
    if (rhythm->interval_ns < 0 || number_by_time(moments, count, rhythm) != 0)
        return -1;
    qsort(moments, count, sizeof *moments, by_jvm_and_packet);
    return 0;
}
