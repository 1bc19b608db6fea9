/* SPDX-License-Identifier: Apache-2.0 */
#include "server/launch/disturbance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/random.h"
#include "server/base/units.h"

/* ---- as text ---- */

static int set_cpu(struct ixor_disturbance *d, char *value, struct ix_error *err)
{
    uint64_t percent;
    const size_t len = strlen(value);
    if (!len || value[len - 1] != '%')
        return ix_fail(err, "'cpu=%s': expected a percentage of one processor, as in cpu=25%%",
                       value);
    value[len - 1] = '\0';
    if (ixor_parse_count(value, 1, IXOR_CPU_MAX, &percent, err) != 0)
        return -1;
    d->cpu = (unsigned)percent;
    return 0;
}

static int set_hogs(struct ixor_disturbance *d, const char *value, struct ix_error *err)
{
    uint64_t hogs;
    if (ixor_parse_count(value, 1, IXOR_HOGS_MAX, &hogs, err) != 0)
        return -1;
    d->hogs = (unsigned)hogs;
    return 0;
}

static int set_one(struct ixor_disturbance *d, char *word, struct ix_error *err)
{
    const bool cpu = strncmp(word, "cpu=", 4) == 0, hogs = strncmp(word, "hogs=", 5) == 0;
    if ((cpu && d->cpu) || (hogs && d->hogs) || (d->pause && strcmp(word, "pause") == 0))
        return ix_fail(err, "'%s': given twice", word);
    if (cpu)
        return set_cpu(d, word + 4, err);
    if (hogs)
        return set_hogs(d, word + 5, err);
    d->pause = true;
    return strcmp(word, "pause") == 0
               ? 0
               : ix_fail(err, "'%s' is none of cpu=N%%, hogs=N and pause", word);
}

int ixor_disturbance_parse(const char *text, struct ixor_disturbance *d, struct ix_error *err)
{
    char *copy = strdup(text), *rest = copy;
    *d = (struct ixor_disturbance){0};
    if (!copy)
        return ix_fail(err, "out of memory");
    int bad = 0;
    for (char *word; !bad && (word = strsep(&rest, ","));)
        bad = set_one(d, word, err);
    free(copy);
    return bad;
}

bool ixor_disturbance_any(const struct ixor_disturbance *d)
{
    return d->cpu || d->hogs || d->pause;
}

void ixor_disturbance_words(const struct ixor_disturbance *d, char text[IXOR_DISTURBANCE_TEXT])
{
    char cpu[24] = "", hogs[24] = "";
    if (d->cpu)
        snprintf(cpu, sizeof cpu, ",cpu=%u%%", d->cpu);
    if (d->hogs)
        snprintf(hogs, sizeof hogs, ",hogs=%u", d->hogs);
    char all[IXOR_DISTURBANCE_TEXT];
    snprintf(all, sizeof all, "%s%s%s", cpu, hogs, d->pause ? ",pause" : "");
    snprintf(text, IXOR_DISTURBANCE_TEXT, "%s", all[0] ? all + 1 : "");
}

/* ---- pauses ---- */

static uint64_t length(uint64_t *state)
{
    static const double longest = (double)IXOR_PAUSE_MAX_NS / IXOR_PAUSE_MIN_NS;
    return (uint64_t)(IXOR_PAUSE_MIN_NS * pow(longest, ixor_random_part(state)));
}

struct ixor_pause ixor_pause_next(uint64_t *state)
{
    const uint64_t after = length(state), lasts = length(state);
    return (struct ixor_pause){after, lasts, ixor_random_part(state)};
}
