/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/evaluate/inspection_effort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 90 % of the failures, rounded up. */
static size_t most_of(size_t failures)
{
    return failures - failures / 10;
}

/* The expected position of the i-th of `failed` failures among `size` runs in random order. */
static double place_of(size_t i, double failed, double size)
{
    return (double)i * (size + 1) / (failed + 1);
}

/* ---- orders by a score ---- */

struct scored {
    double score;
    bool failed;
};

static int by_score(const void *a, const void *b)
{
    const struct scored *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

/* Runs with the same score, and what comes before them. */
struct tie {
    size_t before, found;
    size_t size, failed;
};

/* The sum of the precisions at the tie's failures: each of its positions holds a failure with
 * the same probability, and the other failures are spread evenly before it. */
static double precisions(struct tie t)
{
    const double share = (double)t.failed / (double)t.size;
    const double rise = t.size > 1 ? (double)(t.failed - 1) / (double)(t.size - 1) : 0;
    double sum = 0;
    for (size_t i = 0; t.failed && i < t.size; i++)
        sum += share * ((double)(t.found + 1) + (double)i * rise) / (double)(t.before + i + 1);
    return sum;
}

static double reach(struct tie t, size_t target)
{
    return (double)t.before + place_of(target - t.found, (double)t.failed, (double)t.size);
}

static bool is_in(struct tie t, size_t target)
{
    return t.found < target && target <= t.found + t.failed;
}

/* `order`: runs in descending order of score. `reached` NULL: no curve. */
static struct roxi_inspection_effort measure(const struct scored *order, size_t n, size_t failures,
                                             double *reached)
{
    const size_t most = most_of(failures);
    struct roxi_inspection_effort e = {0};
    struct tie t = {0};
    for (size_t next = 0; next < n; t.before = next, t.found += t.failed) {
        t.size = t.failed = 0;
        for (; next < n && order[next].score >= order[t.before].score; next++, t.size++)
            t.failed += order[next].failed;
        e.precision += precisions(t) / (double)failures;
        if (is_in(t, failures))
            e.all = reach(t, failures);
        if (is_in(t, most))
            e.ninety = reach(t, most);
        for (size_t i = 1; reached && i <= t.failed; i++)
            reached[t.found + i] = reach(t, t.found + i);
    }
    return e;
}

struct roxi_inspection_effort roxi_inspection_effort_random(size_t n, size_t failures)
{
    const struct tie all = {.size = n, .failed = failures};
    return (struct roxi_inspection_effort){.all = reach(all, failures),
                                           .ninety = reach(all, most_of(failures)),
                                           .precision = precisions(all) / (double)failures};
}

void roxi_inspection_effort_random_curve(size_t n, size_t failures, double *reached)
{
    const struct tie all = {.size = n, .failed = failures};
    reached[0] = 0;
    for (size_t i = 1; i <= failures; i++)
        reached[i] = reach(all, i);
}

static int rank(const double *score, const bool *failed, size_t n,
                struct roxi_inspection_effort *out, double *reached)
{
    struct scored *order = calloc(n + 1, sizeof *order);
    size_t failures = 0;
    if (!order)
        return -1;
    for (size_t i = 0; i < n; i++) {
        order[i] = (struct scored){score[i], failed[i]};
        failures += failed[i];
    }
    qsort(order, n, sizeof *order, by_score);
    if (reached)
        reached[0] = 0;
    *out = measure(order, n, failures, reached);
    free(order);
    return 0;
}

int roxi_inspection_effort_ranked(const double *score, const bool *failed, size_t n,
                                  struct roxi_inspection_effort *out)
{
    return rank(score, failed, n, out, NULL);
}

int roxi_inspection_effort_ranked_curve(const double *score, const bool *failed, size_t n,
                                        double *reached)
{
    struct roxi_inspection_effort e;
    return rank(score, failed, n, &e, reached);
}

/* Small clusters first, treated as a ranking. */
static int rank_by_size(const struct roxi_labelled *l, struct roxi_inspection_effort *out,
                        double *reached)
{
    size_t *size = calloc(l->k + 1, sizeof *size);
    double *score = calloc(l->n + 1, sizeof *score);
    int result = size && score ? 0 : -1;
    for (size_t i = 0; result == 0 && i < l->n; i++)
        size[l->cluster[i]]++;
    for (size_t i = 0; result == 0 && i < l->n; i++)
        score[i] = -(double)size[l->cluster[i]];
    if (result == 0)
        result = rank(score, l->failed, l->n, out, reached);
    free(size);
    free(score);
    return result;
}

int roxi_inspection_effort_small(const struct roxi_labelled *l, struct roxi_inspection_effort *out)
{
    return rank_by_size(l, out, NULL);
}

int roxi_inspection_effort_small_curve(const struct roxi_labelled *l, double *reached)
{
    struct roxi_inspection_effort e;
    return rank_by_size(l, &e, reached);
}

/* ---- adaptive sampling ---- */

/* Clusters with the same size and number of failures. */
struct lot {
    size_t size, failed, clusters;
};

/* In the order of inspection, if sizes determine it. */
static int by_size(const void *a, const void *b)
{
    const struct lot *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->failed > y->failed) - (x->failed < y->failed);
}

/* Groups clusters that are alike; NULL: out of memory. */
static struct lot *lots_of(const struct roxi_labelled *l, size_t *count)
{
    struct lot *lots = calloc(l->k + 1, sizeof *lots);
    size_t n = 0;
    if (!lots)
        return NULL;
    for (size_t i = 0; i < l->n; i++) {
        lots[l->cluster[i]].size++;
        lots[l->cluster[i]].failed += l->failed[i];
        lots[l->cluster[i]].clusters = 1;
    }
    qsort(lots, l->k, sizeof *lots, by_size);
    for (size_t i = 0; i < l->k; i++) {
        if (n && by_size(&lots[n - 1], &lots[i]) == 0)
            lots[n - 1].clusters++;
        else
            lots[n++] = lots[i];
    }
    *count = n;
    return lots;
}

/* What may have happened before the wanted failure is found: for each number of failures found
 * so far, below `target`, the probability, and the probability times the expected number of
 * inspected runs. */
struct path {
    size_t target;
    double *chance, *looked; /* owned */
};

/* Adds a cluster with failures that has been inspected by now with probability u. */
static void pass(struct path *p, struct lot c, double u)
{
    const double hit = u * (double)c.failed / (double)c.size, miss = u - hit;
    for (size_t r = p->target; r-- > 0;) {
        const double chance = p->chance[r], looked = p->looked[r];
        if (r + c.failed < p->target) {
            p->chance[r + c.failed] += hit * chance;
            p->looked[r + c.failed] += hit * (looked + chance * (double)c.size);
        }
        p->chance[r] = (1 - hit) * chance;
        p->looked[r] = (1 - hit) * looked + miss * chance;
    }
}

/* The expected number of inspected runs, times probability, if the wanted failure is in cluster
 * c, which is inspected now, after `passed` clusters without failures. */
static double found_in(const struct path *p, struct lot c, double passed)
{
    const double size = (double)c.size, failed = (double)c.failed;
    double sum = 0;
    for (size_t r = p->target > c.failed ? p->target - c.failed : 0; r < p->target; r++) {
        /* The first inspected run finds one failure; the others are in random order. */
        const double within = 1 + (double)(p->target - r - 1) * size / failed;
        sum += p->looked[r] + p->chance[r] * (passed + within);
    }
    return sum * failed / size;
}

/* Nodes and weights of Gauss-Legendre quadrature on 0 to 1, exact for polynomials up to degree 2
 * m - 1. */
static void quadrature(size_t m, double *node, double *weight)
{
    const double pi = acos(-1.0);
    for (size_t i = 0; i < m; i++) {
        double z = cos(pi * ((double)i + 0.75) / ((double)m + 0.5)), slope = 1;
        for (int round = 0; round < 10; round++) { /* Newton's method converges in five */
            double p = 1, before = 0;
            for (size_t j = 0; j < m; j++) {
                const double k = (double)j, next = ((2 * k + 1) * z * p - k * before) / (k + 1);
                before = p;
                p = next;
            }
            slope = (double)m * (z * p - before) / (z * z - 1);
            z -= p / slope;
        }
        node[i] = (1 - z) / 2;
        weight[i] = 1 / ((1 - z * z) * slope * slope);
    }
}

/* More nodes than three times the square root of the degree gain nothing that a double can show,
 * because the integrand is concentrated in an interval of such a width (up to some 1,700 failing
 * clusters). */
enum { NODES = 128 };

static size_t nodes_for(size_t degree)
{
    const size_t exact = degree / 2 + 1, enough = 8 + (size_t)(3 * sqrt((double)degree));
    const size_t m = exact < enough ? exact : enough;
    return m < NODES ? m : NODES;
}

/* Clusters that are inspected in random order among themselves. */
struct class
{
    const struct lot *lots;
    size_t count;
    size_t failing; /* number of clusters with failures, */
    double clean;   /* and without */
};

/* The expectation over the order of the class, as if each cluster had a random time from 0 to 1:
 * at the time u of cluster c, each other cluster has been inspected with probability u. In u
 * this is a polynomial, whose degree is at most the number of failing clusters. Overwrites
 * `scratch`. */
static double found_in_class(const struct path *p, struct path *scratch, const struct class *k)
{
    double node[NODES], weight[NODES], sum = 0;
    const size_t m = nodes_for(k->failing);
    quadrature(m, node, weight);
    for (size_t c = 0; c < k->count; c++) {
        for (size_t i = 0; k->lots[c].failed && i < m; i++) {
            memcpy(scratch->chance, p->chance, p->target * sizeof *p->chance);
            memcpy(scratch->looked, p->looked, p->target * sizeof *p->looked);
            for (size_t d = 0; d < k->count; d++)
                for (size_t n = d == c; k->lots[d].failed && n < k->lots[d].clusters; n++)
                    pass(scratch, k->lots[d], node[i]);
            sum += weight[i] * (double)k->lots[c].clusters *
                   found_in(scratch, k->lots[c], k->clean * node[i]);
        }
    }
    return sum;
}

/* All clusters of the class have been inspected. */
static void pass_class(struct path *p, const struct class *k)
{
    for (size_t d = 0; d < k->count; d++)
        for (size_t n = 0; k->lots[d].failed && n < k->lots[d].clusters; n++)
            pass(p, k->lots[d], 1);
    for (size_t r = 0; r < p->target; r++)
        p->looked[r] += k->clean * p->chance[r];
}

/* The class that begins with the first lot. */
static struct class next_class(const struct lot *lots, size_t count, enum roxi_visit visit)
{
    struct class k = {.lots = lots};
    while (k.count < count && (visit == ROXI_VISIT_RANDOM || lots[k.count].size == lots->size)) {
        if (lots[k.count].failed)
            k.failing += lots[k.count].clusters;
        else
            k.clean += (double)lots[k.count].clusters;
        k.count++;
    }
    return k;
}

struct search {
    const struct lot *lots;
    size_t count;
    enum roxi_visit visit;
    size_t n, failures;
};

/* The expected number of runs inspected until `target` failures are found. */
static double look_for(const struct search *s, struct path *p, struct path *scratch, size_t target)
{
    double sum = 0;
    memset(p->chance, 0, s->failures * sizeof *p->chance);
    memset(p->looked, 0, s->failures * sizeof *p->looked);
    p->target = scratch->target = target;
    p->chance[0] = 1;
    for (size_t at = 0; at < s->count;) {
        const struct class k = next_class(s->lots + at, s->count - at, s->visit);
        sum += found_in_class(p, scratch, &k);
        pass_class(p, &k);
        at += k.count;
    }
    /* The rest in random order: the position of a failure there is linear in the number of
     * inspected runs. */
    for (size_t r = 0; r < target; r++) {
        const double step = (double)(target - r) / (double)(s->failures - r + 1);
        sum += p->looked[r] + step * ((double)(s->n + 1) * p->chance[r] - p->looked[r]);
    }
    return sum;
}

/* `reached` NULL: sets `out` alone, else the curve alone. */
static int adapt(const struct roxi_labelled *l, enum roxi_visit visit,
                 struct roxi_inspection_effort *out, double *reached)
{
    struct search s = {.visit = visit, .n = l->n};
    for (size_t i = 0; i < l->n; i++)
        s.failures += l->failed[i];
    struct lot *lots = lots_of(l, &s.count);
    double *cells = calloc(4 * s.failures + 1, sizeof *cells);
    const int result = lots && cells ? 0 : -1;
    if (result == 0) {
        struct path p = {.chance = cells, .looked = cells + s.failures};
        struct path scratch = {.chance = cells + 2 * s.failures, .looked = cells + 3 * s.failures};
        s.lots = lots;
        for (size_t i = 0; reached && i <= s.failures; i++)
            reached[i] = i ? look_for(&s, &p, &scratch, i) : 0;
        if (!reached)
            *out = (struct roxi_inspection_effort){
                .all = look_for(&s, &p, &scratch, s.failures),
                .ninety = look_for(&s, &p, &scratch, most_of(s.failures)),
                .precision = NAN};
    }
    free(lots);
    free(cells);
    return result;
}

int roxi_inspection_effort_adaptive(const struct roxi_labelled *l, enum roxi_visit visit,
                                    struct roxi_inspection_effort *out)
{
    return adapt(l, visit, out, NULL);
}

int roxi_inspection_effort_adaptive_curve(const struct roxi_labelled *l, enum roxi_visit visit,
                                          double *reached)
{
    return adapt(l, visit, NULL, reached);
}
