/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/live_series.h"

#include <stdlib.h>
#include <string.h>

/* The place of a JVM, or of the first one above it. */
static size_t place_of(const struct ixor_series_set *set, int64_t vm)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (set->at[middle].vm < vm)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct ixor_series *ixor_series_known(struct ixor_series_set *set, int64_t vm)
{
    const size_t place = place_of(set, vm);
    return place < set->count && set->at[place].vm == vm ? &set->at[place] : NULL;
}

static struct ixor_series *find_or_add(struct ixor_series_set *set, int64_t vm)
{
    struct ixor_series *known = ixor_series_known(set, vm);
    if (known)
        return known;
    const size_t place = place_of(set, vm);
    if (set->count == set->room) {
        const size_t more = set->room ? set->room * 2 : 16;
        struct ixor_series *bigger = reallocarray(set->at, more, sizeof *bigger);
        if (!bigger)
            return NULL;
        set->at = bigger;
        set->room = more;
    }
    memmove(&set->at[place + 1], &set->at[place], (set->count - place) * sizeof *set->at);
    set->count++;
    set->at[place] = (struct ixor_series){.vm = vm};
    return &set->at[place];
}

/* What is new, the newest first. */
struct fresh {
    struct ixor_point points[IXOR_LIVE_POINTS];
    size_t count;
    int64_t begin_ns; /* of the newest */
};

static int take_row(void *user, const struct ix_snapshot_row *row)
{
    struct fresh *f = user;
    if (f->count == 0)
        f->begin_ns = row->begin_ns;
    f->points[f->count++] =
        (struct ixor_point){row->packet, row->begin_mono_ns, row->stop_ns, row->threads};
    return 0;
}

static void append(struct ixor_series *s, const struct fresh *f)
{
    const size_t all = s->count + f->count;
    const size_t drop = all > IXOR_LIVE_POINTS ? all - IXOR_LIVE_POINTS : 0;
    memmove(s->points, s->points + drop, (s->count - drop) * sizeof *s->points);
    s->count -= drop;
    for (size_t i = f->count; i-- > 0;)
        s->points[s->count++] = f->points[i];
}

struct ixor_series *ixor_series_update(struct ixor_series_set *set, struct ix_catalogue *c,
                                       int64_t vm, bool with_points, struct ix_error *err)
{
    struct fresh f = {.count = 0};
    struct ixor_series *s = find_or_add(set, vm);
    if (s && with_points && !s->points) {
        s->points = calloc(IXOR_LIVE_POINTS, sizeof *s->points);
        s->last = s->taken = 0; /* read it from the beginning */
    }
    if (!s || (with_points && !s->points)) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    const int64_t limit = s->points ? IXOR_LIVE_POINTS : 1;
    int64_t more = 0;
    if (ix_catalogue_recent_snapshots(c, vm, s->last, limit, take_row, &f, err) != 0)
        return NULL;
    if (f.count == 0)
        return s;
    more = (int64_t)f.count;
    if (more == limit && ix_catalogue_snapshots_above(c, vm, s->last, &more, err) != 0)
        return NULL;
    s->taken += more;
    s->last = f.points[0].packet;
    s->last_begin_ns = f.begin_ns;
    s->last_threads = f.points[0].threads;
    if (s->points)
        append(s, &f);
    return s;
}

void ixor_series_set_free(struct ixor_series_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->at[i].points);
    free(set->at);
    *set = (struct ixor_series_set){0};
}
