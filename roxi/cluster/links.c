/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/cluster/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- memory ---- */

/* Merging reads cells along rows, which are contiguous, and along columns, whose cells are a
 * page or more apart: large pages need far fewer address translations. The memory is not
 * cleared. */
static int64_t *new_cells(size_t cells)
{
    enum { LARGE_PAGE = 2 << 20 };
    const size_t bytes = cells * sizeof(int64_t);
    if (bytes < LARGE_PAGE)
        return malloc(bytes + sizeof(int64_t));
    const size_t whole = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    int64_t *memory = aligned_alloc(LARGE_PAGE, whole);
    if (memory)
        madvise(memory, whole, MADV_HUGEPAGE); /* without huge pages normal ones do */
    return memory;
}

/* ---- rounding ---- */

/* How many bits a number needs. */
static int bits_of(uint64_t number)
{
    return number ? 64 - __builtin_clzll(number) : 0;
}

/* How many bits a cell may have. Average: the sum over up to n^2/4 pairs of two clusters stays
 * within 62 bits. Ward: a fraction's numerator is at most n^4/16 cells and a denominator n^3/4;
 * their product stays within 126 bits. */
static int bits_for(size_t n, enum roxi_linkage linkage)
{
    enum { MOST = 37 };
    int pairs = bits_of((uint64_t)n * n / 4), bits = MOST;
    if (linkage >= ROXI_AVERAGE && 62 - pairs < bits)
        bits = 62 - pairs;
    int ward = 125 - (7 * pairs + 1) / 2;
    if (linkage == ROXI_WARD && ward < bits)
        bits = ward;
    return bits;
}

/* The number that is summed: for Ward's, squared distances (or half of them). */
static double summand(const struct roxi_links *l, double apart)
{
    bool square = l->linkage == ROXI_WARD && l->measure == ROXI_ON_DISTANCE;
    return square ? apart * apart : apart;
}

/* Near this number doubles are 1 apart, so for numbers from -2^51 to 2^51 adding it rounds to
 * the nearest integer, ties to even. Unlike llrint, this vectorises. */
#define ROUNDER 0x1.8p52

static int round_cells(struct roxi_links *l, const struct roxi_condensed *apart,
                       struct ix_error *err)
{
    enum { LEAST = 16 };
    size_t cells = roxi_condensed_cells(apart);
    int bits = bits_for(l->n, l->linkage), exponent;
    double most = l->measure == ROXI_ON_COSINE ? 2 : 0, least = 0;
    for (size_t i = 0; i < cells; i++) {
        double cell = apart->cells[i], size = fabs(summand(l, cell));
        most = size > most ? size : most;
        least = cell < least ? cell : least;
    }
    if (l->linkage == ROXI_WARD && least < 0)
        return ix_fail(err, "Ward's linkage is not defined where distances are negative; choose "
                            "another strategy or another linkage");
    if (l->linkage == ROXI_WARD && bits < LEAST)
        return ix_fail(err, "%zu runs are too many for Ward's linkage", l->n);
    if (frexp(most, &exponent) == 0.5) /* most <= 2^exponent */
        exponent--;
    l->unit = ldexp(1, exponent - bits);
    double scale = ldexp(1, bits - exponent);
    for (size_t i = 0; i < cells; i++) {
        double rounded = summand(l, apart->cells[i]) * scale + ROUNDER;
        l->link[i] = (int64_t)(rounded - ROUNDER);
    }
    return 0;
}

int roxi_links_new(struct roxi_links *l, const struct roxi_condensed *apart,
                   enum roxi_linkage linkage, struct ix_error *err)
{
    size_t n = apart->n;
    *l =
        (struct roxi_links){.linkage = linkage, .measure = apart->measure, .n = n, .live_count = n};
    l->link = new_cells(roxi_condensed_cells(apart));
    l->size = calloc(n + 1, sizeof *l->size);
    l->within = calloc(n + 1, sizeof *l->within);
    l->spread = calloc(n + 1, sizeof *l->spread);
    l->live = calloc(n + 1, sizeof *l->live);
    bool made = l->link && l->size && l->within && l->spread && l->live;
    int result = made ? 0 : ix_fail(err, "out of memory");
    for (size_t i = 0; result == 0 && i < n; i++) {
        l->live[i] = i;
        l->size[i] = 1;
    }
    if (result == 0)
        result = round_cells(l, apart, err);
    if (result != 0)
        roxi_links_free(l);
    return result;
}

void roxi_links_free(struct roxi_links *l)
{
    free(l->link);
    free(l->size);
    free(l->within);
    free(l->spread);
    free(l->live);
    *l = (struct roxi_links){0};
}

/* ---- linkages ---- */

/* Ward's, divided by 2: a b / (a + b) times the squared distance of the centres, which is the
 * mean over the pairs between the clusters minus half the means over the ordered pairs within
 * each. */
static struct roxi_linked ward(const struct roxi_links *l, size_t a, size_t b)
{
    __int128 of_a = (__int128)l->size[a], of_b = (__int128)l->size[b];
    return (struct roxi_linked){.above = *roxi_links_cell(l, a, b) * of_a * of_b -
                                         of_b * of_b * l->within[a] - of_a * of_a * l->within[b],
                                .below = (l->size[a] + l->size[b]) * l->size[a] * l->size[b]};
}

struct roxi_linked roxi_links_of(const struct roxi_links *l, size_t a, size_t b)
{
    if (l->linkage == ROXI_WARD)
        return ward(l, a, b);
    uint64_t pairs = l->linkage == ROXI_AVERAGE ? l->size[a] * l->size[b] : 1;
    return (struct roxi_linked){.above = *roxi_links_cell(l, a, b), .below = pairs};
}

int roxi_linked_compare(struct roxi_linked x, struct roxi_linked y)
{
    __int128 left = x.above * (__int128)y.below, right = y.above * (__int128)x.below;
    return (left > right) - (left < right);
}

double roxi_links_height(const struct roxi_links *l, struct roxi_linked linked)
{
    double mean = (double)linked.above / (double)linked.below * l->unit;
    if (l->linkage != ROXI_WARD)
        return mean;
    /* Twice the mean is the square of Ward's distance; twice again if cells are halves. */
    double squared = (l->measure == ROXI_ON_COSINE ? 4 : 2) * mean;
    return squared > 0 ? sqrt(squared) : 0;
}

/* ---- searching: the ones before x lie apart in memory, the ones behind it side by side ---- */

static size_t nearest_pair(const struct roxi_links *l, size_t x)
{
    size_t nearest = x;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < l->live_count; i++) {
        size_t y = l->live[i];
        if (y == x)
            continue;
        int64_t now = *roxi_links_cell(l, x, y);
        if (now < least || nearest == x) {
            least = now;
            nearest = y;
        }
    }
    return nearest;
}

/* The factor 1 / size of x is the same for all candidates, so it is left out. */
static size_t nearest_average(const struct roxi_links *l, size_t x)
{
    size_t nearest = x;
    int64_t least = 0;
    uint64_t of_least = 1;
    for (size_t i = 0; i < l->live_count; i++) {
        size_t y = l->live[i];
        if (y == x)
            continue;
        int64_t now = *roxi_links_cell(l, x, y);
        uint64_t size = l->size[y];
        if (nearest == x || (__int128)now * of_least < (__int128)least * size) {
            least = now;
            of_least = size;
            nearest = y;
        }
    }
    return nearest;
}

/* Ward's in doubles with an error bound: each of the three terms is off by less than 2^-51 of
 * itself, and combining them adds less than 2^-50 of their sum. */
struct about {
    double value, error;
};

static struct about about_ward(const struct roxi_links *l, size_t x, size_t y)
{
    double of_x = (double)l->size[x], of_y = (double)l->size[y],
           weight = of_x * of_y / (of_x + of_y);
    double between = (double)*roxi_links_cell(l, x, y) / (of_x * of_y);
    double within = l->spread[x] + l->spread[y];
    return (struct about){weight * (between - within), weight * (between + within) * 0x1p-48};
}

/* Computes exactly only where the approximation cannot decide. */
static size_t nearest_ward(const struct roxi_links *l, size_t x)
{
    size_t nearest = x;
    struct about least = {0};
    for (size_t i = 0; i < l->live_count; i++) {
        size_t y = l->live[i];
        if (y == x)
            continue;
        struct about now = about_ward(l, x, y);
        bool nearer = now.value + now.error < least.value - least.error;
        bool unclear = !nearer && now.value - now.error <= least.value + least.error;
        if (nearest == x || nearer ||
            (unclear && roxi_linked_compare(ward(l, x, y), ward(l, x, nearest)) < 0)) {
            least = now;
            nearest = y;
        }
    }
    return nearest;
}

size_t roxi_links_nearest(const struct roxi_links *l, size_t x)
{
    switch (l->linkage) {
    case ROXI_AVERAGE:
        return nearest_average(l, x);
    case ROXI_WARD:
        return nearest_ward(l, x);
    default:
        return nearest_pair(l, x);
    }
}

/* ---- merging ---- */

static int64_t joined(enum roxi_linkage linkage, int64_t x, int64_t y)
{
    switch (linkage) {
    case ROXI_SINGLE:
        return x < y ? x : y;
    case ROXI_COMPLETE:
        return x > y ? x : y;
    default:
        return x + y;
    }
}

void roxi_links_merge(struct roxi_links *l, size_t a, size_t b)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->live_count; i++) {
        size_t c = l->live[i];
        if (c == b)
            continue;
        l->live[kept++] = c;
        if (c != a)
            *roxi_links_cell(l, a, c) =
                joined(l->linkage, *roxi_links_cell(l, a, c), *roxi_links_cell(l, b, c));
    }
    l->live_count = kept;
    l->within[a] += l->within[b] + *roxi_links_cell(l, a, b);
    l->size[a] += l->size[b];
    l->spread[a] = (double)l->within[a] / ((double)l->size[a] * (double)l->size[a]);
}

const char *roxi_linkage_name(enum roxi_linkage linkage)
{
    static const char *const words[] = {"single", "complete", "average", "ward"};
    return words[linkage];
}
