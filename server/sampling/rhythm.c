/* SPDX-License-Identifier: Apache-2.0 */
#include "server/sampling/rhythm.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "server/base/random.h"

int ixor_rhythm_check(const struct ixor_rhythm_options *o, struct ix_error *err)
{
    if (o->random && o->jitter_ns)
        return ix_fail(err, "--random has no beat that --jitter could move; give one of them");
    if (o->jitter_ns > o->every_ns / 2)
        return ix_fail(err, "option --jitter: more than half of --every; packets would change "
                            "places");
    if (o->burst <= 1)
        return 0;
    if (o->random)
        return ix_fail(err, "--random and --burst exclude each other");
    if (o->burst_ns < IXOR_EVERY_MIN_NS)
        return ix_fail(err, "option --burst: the interval is too short; at least 1ms");
    /* The first of the next burst comes at least burst_ns after the last of this one. */
    if (o->burst > (o->every_ns - 2 * o->jitter_ns) / o->burst_ns)
        return ix_fail(err, "option --burst: %u packets do not fit between two beats of --every",
                       o->burst);
    return 0;
}

static uint64_t gap(struct ixor_rhythm *r)
{
    if (!r->options.random)
        return r->options.every_ns;
    const double ns = -log1p(-ixor_random_part(&r->state)) * (double)r->options.every_ns;
    return ns < IXOR_EVERY_MIN_NS ? IXOR_EVERY_MIN_NS : (uint64_t)ns;
}

/* The next beat's first packet. */
static void next_beat(struct ixor_rhythm *r)
{
    const uint64_t jitter = r->options.jitter_ns;
    r->nth = 0;
    r->beat_ns += gap(r);
    r->begin_ns = r->beat_ns;
    if (jitter)
        r->begin_ns += (uint64_t)(ixor_random_part(&r->state) * (double)(2 * jitter)) - jitter;
    r->due_ns = r->begin_ns;
}

void ixor_rhythm_start(struct ixor_rhythm *r, const struct ixor_rhythm_options *o, uint64_t now_ns)
{
    *r = (struct ixor_rhythm){.options = *o, .beat_ns = now_ns, .state = o->seed};
    next_beat(r);
}

/* Skips beats that have passed completely, any number in one step. */
static void skip_beats(struct ixor_rhythm *r, uint64_t now_ns)
{
    if (now_ns <= r->beat_ns)
        return;
    if (r->options.random)
        r->beat_ns = now_ns;
    else
        r->beat_ns += (now_ns - r->beat_ns) / r->options.every_ns * r->options.every_ns;
}

bool ixor_rhythm_step(struct ixor_rhythm *r, uint64_t now_ns)
{
    const bool burst = r->options.burst > 1;
    while (burst && ++r->nth < r->options.burst) {
        r->due_ns = r->begin_ns + r->nth * r->options.burst_ns;
        if (r->due_ns > now_ns)
            return true;
    }
    skip_beats(r, now_ns);
    do
        next_beat(r);
    while (r->due_ns <= now_ns);
    return burst;
}

bool ixor_rhythm_is_random(const struct ixor_rhythm_options *o)
{
    return o->random || o->jitter_ns;
}

/* " NAME VALUE", nothing rounded. */
static void add_time(char *text, const char *name, uint64_t ns)
{
    const size_t len = strlen(text);
    const uint64_t us = ns / 1000;
    if (ns % 1000)
        snprintf(text + len, IXOR_RHYTHM_TEXT - len, " %s%" PRIu64 ".%03" PRIu64 "us", name, us,
                 ns % 1000);
    else if (us % 1000)
        snprintf(text + len, IXOR_RHYTHM_TEXT - len, " %s%" PRIu64 "us", name, us);
    else
        snprintf(text + len, IXOR_RHYTHM_TEXT - len, " %s%" PRIu64 "ms", name, us / 1000);
}

bool ixor_rhythm_words(const struct ixor_rhythm_options *o, char text[IXOR_RHYTHM_TEXT])
{
    char burst[32];
    text[0] = '\0';
    if (!ixor_rhythm_is_random(o))
        return false;
    snprintf(text, IXOR_RHYTHM_TEXT, "--seed %" PRIu64 "%s", o->seed, o->random ? " --random" : "");
    add_time(text, "--every ", o->every_ns);
    if (o->jitter_ns)
        add_time(text, "--jitter ", o->jitter_ns);
    if (o->burst > 1) {
        snprintf(burst, sizeof burst, "--burst %u@", o->burst);
        add_time(text, burst, o->burst_ns);
    }
    return true;
}
