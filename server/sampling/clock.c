/* SPDX-License-Identifier: Apache-2.0 */
#include "server/sampling/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RATE (IXOR_CLOCK_RATE_PPB * 1e-9)
#define WANDER (IXOR_CLOCK_WANDER_PPB * 1e-9)
/* Assumed rate difference of two crystals, before measuring. */
#define LIKELY_RATE 100e-6
/* An agent answers within microseconds; an answer delayed by a pause is useless. */
#define STAY_MAX_NS 1000000000
#define ROUNDING_NS 2

/* Bounds of the rate at which the offset changes. */
struct rates {
    double low, high;
};

void ixor_clock_init(struct ixor_clock *c, bool same)
{
    *c = (struct ixor_clock){.same = same, .known = same};
}

static bool possible(const struct ixor_exchange *x)
{
    const int64_t times[] = {x->t1, x->t2, x->t3, x->t4};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (times[i] < 0 || times[i] > IXOR_CLOCK_TIME_MAX)
            return false;
    int64_t stay = x->t3 - x->t2;
    return x->t4 >= x->t1 && stay >= 0 && stay <= STAY_MAX_NS;
}

/* Two intervals bound the mean rate between them; the rate at any moment differs by at most the
 * wander. */
static struct rates rates_of(const struct ixor_clock *c)
{
    struct rates r = {-RATE, RATE};
    for (size_t i = 0; i + 1 < c->count; i++) {
        for (size_t k = i + 1; k < c->count; k++) {
            double time = (double)(c->seen[k].at_ns - c->seen[i].at_ns);
            double low = (double)(c->seen[k].low - c->seen[i].high) / time - WANDER;
            double high = (double)(c->seen[k].high - c->seen[i].low) / time + WANDER;
            r.low = fmax(r.low, low);
            r.high = fmin(r.high, high);
        }
    }
    return r;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts; for an even count the lower or upper of the two middle values. */
static double median(double *values, size_t count, bool upper)
{
    qsort(values, count, sizeof *values, ascending);
    return values[upper ? count / 2 : (count - 1) / 2];
}

/* The median width of the intervals (half of them, rounded up, are no wider), and the least. */
static int64_t median_width(const struct ixor_clock *c, int64_t *least)
{
    double width[IXOR_CLOCK_WINDOW];
    for (size_t i = 0; i < c->count; i++)
        width[i] = (double)(c->seen[i].high - c->seen[i].low);
    const double middle = median(width, c->count, false);
    *least = (int64_t)width[0];
    return (int64_t)middle;
}

/* The median slope (Theil 1950, Sen 1968) between the middles of the narrower half; 0 while these
 * scatter too much for the time they span: unmeasured clocks are better than that. */
static double likely_rate(const struct ixor_clock *c)
{
    int64_t least, widest = median_width(c, &least);
    size_t best[IXOR_CLOCK_WINDOW], n = 0, slopes = 0;
    double slope[IXOR_CLOCK_WINDOW * IXOR_CLOCK_WINDOW / 2];
    for (size_t i = 0; i < c->count; i++)
        if (c->seen[i].high - c->seen[i].low <= widest)
            best[n++] = i;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            double low = (double)(c->seen[best[k]].low - c->seen[best[i]].low);
            double high = (double)(c->seen[best[k]].high - c->seen[best[i]].high);
            double time = (double)(c->seen[best[k]].at_ns - c->seen[best[i]].at_ns);
            slope[slopes++] = (low + high) / 2 / time;
        }
    }
    if (!slopes || (double)(widest - least) / 2 >
                       LIKELY_RATE * (double)(c->seen[best[n - 1]].at_ns - c->seen[best[0]].at_ns))
        return 0;
    return median(slope, slopes, true);
}

/* Extrapolates all intervals to the newest one's time and intersects them; false if that is
 * empty. */
static bool cut(const struct ixor_clock *c, const struct rates *r, double *low, double *high)
{
    const size_t last = c->count - 1;
    *low = -INFINITY; /* relative to the newest one's lower end */
    *high = INFINITY;
    for (size_t i = 0; i < c->count; i++) {
        double age = (double)(c->seen[last].at_ns - c->seen[i].at_ns);
        *low = fmax(*low, (double)(c->seen[i].low - c->seen[last].low) + r->low * age);
        *high = fmin(*high, (double)(c->seen[i].high - c->seen[last].low) + r->high * age);
    }
    return *low <= *high;
}

/* Fits the line to the intervals; false if they contradict each other. */
static bool draw(struct ixor_clock *c)
{
    double low, high;
    struct rates r = rates_of(c);
    if (r.low > r.high || !cut(c, &r, &low, &high))
        return false;
    double rate = fmin(fmax(likely_rate(c), r.low), r.high);
    c->line = (struct ixor_clock_line){
        .at_ns = c->seen[c->count - 1].at_ns,
        .offset_ns = c->seen[c->count - 1].low + llrint((low + high) / 2),
        .error_ns = (int64_t)ceil((high - low) / 2) + ROUNDING_NS,
        .drift = rate,
        .growth = fmax(r.high - rate, rate - r.low),
    };
    return true;
}

static void forget_all_but_newest(struct ixor_clock *c)
{
    c->seen[0] = c->seen[c->count - 1];
    c->count = 1;
    c->jumps++;
}

bool ixor_clock_feed(struct ixor_clock *c, const struct ixor_exchange *x)
{
    if (!possible(x))
        return false;
    if (c->count && x->t2 <= c->seen[c->count - 1].at_ns)
        return true;
    if (c->count == IXOR_CLOCK_WINDOW)
        memmove(&c->seen[0], &c->seen[1], --c->count * sizeof c->seen[0]);
    size_t n = c->count++;
    c->seen[n].at_ns = x->t2;
    c->seen[n].low = x->t1 - x->t2;
    /* True when the answer left; extrapolated back to when the probe arrived. */
    c->seen[n].high = x->t4 - x->t3 + (int64_t)ceil((double)(x->t3 - x->t2) * RATE);
    c->exchanges++;
    if (c->seen[n].low > c->seen[n].high) { /* the server's clock was stopped meanwhile */
        c->count = 0;
        c->jumps++;
        c->same = c->known = false;
        return true;
    }
    if (!draw(c)) {
        forget_all_but_newest(c);
        draw(c);
    }
    c->known = true;
    if (c->same && llabs(c->line.offset_ns) > c->line.error_ns)
        c->same = false;
    return true;
}

bool ixor_clock_read(const struct ixor_clock *c, int64_t vm_ns, struct ixor_reading *r)
{
    if (!c->known || vm_ns < 0 || vm_ns > IXOR_CLOCK_TIME_MAX)
        return false;
    *r = (struct ixor_reading){0};
    if (c->same)
        return true;
    double away = (double)(vm_ns - c->line.at_ns);
    r->offset_ns = c->line.offset_ns + llrint(c->line.drift * away);
    r->error_ns = c->line.error_ns + (int64_t)ceil(c->line.growth * fabs(away));
    return true;
}

uint64_t ixor_clock_target(const struct ixor_clock *c, uint64_t server_ns)
{
    struct ixor_reading r;
    int64_t vm_ns = (int64_t)server_ns - (c->same ? 0 : c->line.offset_ns);
    /* Takes the offset where the line is known, then at the time that gives: drift makes the
     * remaining difference less than a nanosecond. */
    if (!ixor_clock_read(c, vm_ns, &r))
        return 0;
    vm_ns = (int64_t)server_ns - r.offset_ns;
    return vm_ns > 0 ? (uint64_t)vm_ns : 0;
}

int64_t ixor_clock_drift_ppb(const struct ixor_clock *c)
{
    return c->same ? 0 : llrint(c->line.drift * 1e9);
}
