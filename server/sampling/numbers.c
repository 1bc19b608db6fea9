/* SPDX-License-Identifier: Apache-2.0 */
#include "server/sampling/numbers.h"

#include <stdio.h>

/* Skipped after a crash: packets that the last server sent but could not record. */
#define CRASH_GAP_NS INT64_C(10000000000)
/* A clock that is wrong by years must not let any number pass. */
#define ELAPSED_MAX_NS (INT64_C(31) * 24 * 3600 * 1000000000)

/* How many packets there was time for. */
static uint64_t packets_in(const struct ixor_rhythm_options *rhythm, int64_t ns)
{
    return (uint64_t)ns / rhythm->every_ns * (rhythm->burst > 1 ? rhythm->burst : 1) + 1;
}

uint64_t ixor_numbers_gap(const struct ixor_rhythm_options *rhythm)
{
    return packets_in(rhythm, CRASH_GAP_NS);
}

static int64_t elapsed(int64_t since_ns, int64_t now_ns)
{
    const int64_t ns = now_ns - since_ns;
    return ns < CRASH_GAP_NS ? CRASH_GAP_NS : ns > ELAPSED_MAX_NS ? ELAPSED_MAX_NS : ns;
}

int ixor_numbers_begin(struct ix_catalogue *c, const struct ixor_rhythm_options *rhythm,
                       bool after_crash, int64_t now_ns, struct ixor_numbers *n,
                       struct ix_error *err)
{
    int64_t highest = 0, last = 0, sent_ns = now_ns;
    *n = (struct ixor_numbers){0};
    if (ix_catalogue_last_packet(c, INT64_MAX, &highest, err) != 0)
        return -1;
    last = highest;
    if (highest > IXOR_NUMBER_MAX) {
        if (ix_catalogue_last_packet(c, IXOR_NUMBER_MAX, &last, err) != 0)
            return -1;
    }
    if (after_crash && ix_catalogue_last_sent(c, last, &sent_ns, err) != 0)
        return -1;
    n->last = n->ceiling = (uint64_t)last;
    if (after_crash) {
        n->last += ixor_numbers_gap(rhythm);
        n->ceiling += packets_in(rhythm, elapsed(sent_ns, now_ns));
    }
    if (highest > last)
        snprintf(n->warning, sizeof n->warning,
                 "the catalogue has a packet number %lld, which nobody can have sent; it is "
                 "ignored, and packets go on from %llu",
                 (long long)highest, (unsigned long long)n->last);
    return 0;
}
