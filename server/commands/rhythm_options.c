/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/rhythm_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "server/base/command.h"
#include "server/base/units.h"

#define EVERY_PRESET "100ms; 20ms with --tests" /* as the next two: */
#define EVERY_DEFAULT_NS 100000000
#define EVERY_OF_TESTS_NS 20000000 /* most tests take less than a second */
#define BURST_MAX 10000u
#define JITTER_PERCENT_MAX 50

static int set_every(void *target, const char *value, struct ix_error *err)
{
    struct ixor_rhythm_choice *r = target;
    if (ixor_parse_duration(value, &r->options.every_ns, err) != 0)
        return -1;
    if (r->options.every_ns < IXOR_EVERY_MIN_NS)
        return ix_fail(err, "'%s' is too short; at least 1ms", value);
    return 0;
}

static int set_jitter(void *target, const char *value, struct ix_error *err)
{
    struct ixor_rhythm_choice *r = target;
    const size_t len = strlen(value);
    char *end;
    r->jitter_percent = 0;
    if (!len || value[len - 1] != '%')
        return ixor_parse_duration(value, &r->options.jitter_ns, err);
    r->jitter_percent = strtod(value, &end);
    if (len > 1 && end == value + len - 1 && r->jitter_percent >= 0 &&
        r->jitter_percent <= JITTER_PERCENT_MAX)
        return 0;
    return ix_fail(err, "'%s' is not a percentage of --every from 0%% to %d%%", value,
                   JITTER_PERCENT_MAX);
}

static int set_burst(void *target, const char *value, struct ix_error *err)
{
    struct ixor_rhythm_choice *r = target;
    char count[24];
    const size_t len = strcspn(value, "@");
    uint64_t n;
    if (!value[len] || len >= sizeof count)
        return ix_fail(err, "'%s': expected N@TIME, as in 5@2ms", value);
    memcpy(count, value, len);
    count[len] = '\0';
    if (ixor_parse_count(count, 1, BURST_MAX, &n, err) != 0)
        return -1;
    r->options.burst = (unsigned)n;
    return ixor_parse_duration(value + len + 1, &r->options.burst_ns, err);
}

static int set_seed(void *target, const char *value, struct ix_error *err)
{
    struct ixor_rhythm_choice *r = target;
    r->seeded = true;
    return ixor_parse_count(value, 0, INT64_MAX, &r->options.seed, err);
}

struct ix_option_group ixor_rhythm_group(struct ixor_rhythm_choice *r)
{
    static const struct ix_option rows[] = {
        {IX_OPTION_CALL, "every", .value = "TIME", .help = "take a snapshot this often",
         .preset = EVERY_PRESET, .set = set_every},
        {IX_OPTION_CALL, "jitter", .value = "TIME|N%",
         .help = "move each by a random time of up to this much, either way; N% of --every, at "
                 "most 50%",
         .set = set_jitter},
        {IX_OPTION_FLAG, "random", .help = "at random moments instead, --every apart on average",
         .offset = offsetof(struct ixor_rhythm_choice, options.random)},
        {IX_OPTION_CALL, "burst", .value = "N@TIME",
         .help = "N snapshots TIME apart, instead of one", .set = set_burst},
        {IX_OPTION_CALL, "seed", .value = "N",
         .help = "seed of the random times; without it ixor chooses one and prints it",
         .set = set_seed},
    };
    *r = (struct ixor_rhythm_choice){0};
    return IX_OPTION_GROUP(rows, r);
}

static int choose_seed(uint64_t *seed, struct ix_error *err)
{
    uint32_t bits; /* short enough to type */
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return ix_fail(err, "no random numbers; give a --seed");
    *seed = bits;
    return 0;
}

int ixor_rhythm_finish(struct ixor_rhythm_choice *r, struct ix_error *err)
{
    struct ixor_rhythm_options *o = &r->options;
    if (!o->every_ns)
        o->every_ns = r->of_tests ? EVERY_OF_TESTS_NS : EVERY_DEFAULT_NS;
    if (r->jitter_percent > 0)
        o->jitter_ns = (uint64_t)((double)o->every_ns * r->jitter_percent / 100);
    if (ixor_rhythm_check(o, err) != 0)
        return IXOR_USAGE;
    if (!r->seeded && (r->pauses || ixor_rhythm_is_random(o)) && choose_seed(&o->seed, err) != 0)
        return IXOR_FAILED;
    return IXOR_OK;
}

void ixor_rhythm_notice(const struct ixor_rhythm_choice *r)
{
    if (r->seeded)
        return;
    if (r->pauses)
        ixor_notice("--seed %llu reproduces the random times, those of pauses too",
                    (unsigned long long)r->options.seed);
    else if (ixor_rhythm_is_random(&r->options))
        ixor_notice("--seed %llu takes packets at the same random times again",
                    (unsigned long long)r->options.seed);
}
