#include "server/rhythm_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "server/command.h"
#include "server/units.h"

#define EVERY_DEFAULT "100ms"
#define BURST_MAX 10000u
#define JITTER_PERCENT_MAX 50

bool ixor_rhythm_option(struct ixor_rhythm_texts *texts, int c, const char *value)
{
    switch (c) {
    case 'E': texts->every = value; return true;
    case 'J': texts->jitter = value; return true;
    case 'R': texts->random = true; return true;
    case 'B': texts->burst = value; return true;
    case 'S': texts->seed = value; return true;
    default: return false;
    }
}

static int parse_every(const char *text, uint64_t *ns, struct ix_error *err)
{
    if (ixor_parse_duration(text, ns, err) != 0)
        return -1;
    if (*ns < IXOR_EVERY_MIN_NS)
        return ix_fail(err, "'%s' is too short; at least 1ms", text);
    return 0;
}

static int parse_jitter(const char *text, uint64_t every_ns, uint64_t *ns, struct ix_error *err)
{
    const size_t len = strlen(text);
    if (!len || text[len - 1] != '%')
        return ixor_parse_duration(text, ns, err);
    char *end;
    const double percent = strtod(text, &end);
    if (len == 1 || end != text + len - 1 || !(percent >= 0 && percent <= JITTER_PERCENT_MAX))
        return ix_fail(err, "'%s' is no percentage of --every from 0%% to %d%%", text,
                       JITTER_PERCENT_MAX);
    *ns = (uint64_t)((double)every_ns * percent / 100);
    return 0;
}

static int parse_burst(const char *text, struct ixor_rhythm_options *o, struct ix_error *err)
{
    char count[24];
    const size_t len = strcspn(text, "@");
    uint64_t n;
    if (!text[len] || len >= sizeof count)
        return ix_fail(err, "'%s': expected N@TIME, as in 5@2ms", text);
    memcpy(count, text, len);
    count[len] = '\0';
    if (ixor_parse_count(count, 1, BURST_MAX, &n, err) != 0)
        return -1;
    o->burst = (unsigned)n;
    return ixor_parse_duration(text + len + 1, &o->burst_ns, err);
}

static int choose_seed(uint64_t *seed, struct ix_error *err)
{
    uint32_t bits; /* short enough to be typed */
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return ix_fail(err, "no random numbers; give a --seed");
    *seed = bits;
    return 0;
}

static bool needs_seed(const struct ixor_rhythm_options *o)
{
    return o->random || o->jitter_ns;
}

int ixor_rhythm_parse(const struct ixor_rhythm_texts *texts, struct ixor_rhythm_options *o,
                      struct ix_error *err)
{
    *o = (struct ixor_rhythm_options){.random = texts->random};
    if (parse_every(texts->every ? texts->every : EVERY_DEFAULT, &o->every_ns, err) != 0)
        return ixor_bad_value("every", err);
    if (texts->jitter && parse_jitter(texts->jitter, o->every_ns, &o->jitter_ns, err) != 0)
        return ixor_bad_value("jitter", err);
    if (texts->burst && parse_burst(texts->burst, o, err) != 0)
        return ixor_bad_value("burst", err);
    if (texts->seed && ixor_parse_count(texts->seed, 0, INT64_MAX, &o->seed, err) != 0)
        return ixor_bad_value("seed", err);
    if (ixor_rhythm_check(o, err) != 0)
        return IXOR_USAGE;
    if (!texts->seed && needs_seed(o) && choose_seed(&o->seed, err) != 0)
        return IXOR_FAILED;
    return IXOR_OK;
}

void ixor_rhythm_say(const struct ixor_rhythm_texts *texts, const struct ixor_rhythm_options *o)
{
    if (!texts->seed && needs_seed(o))
        ixor_say("--seed %llu takes packets at the same random times again",
                 (unsigned long long)o->seed);
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
    if (!needs_seed(o))
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
