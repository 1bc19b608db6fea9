/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of methods that were called much less often than in any normal run, or not at all: one
 * for each role. Such as those of a thread that has ended, or of a queue that nobody fills. */
#include <math.h>

#include "roxi/explain/called.h"
#include "roxi/explain/finder.h"
#include "roxi/explain/usual.h"
#include "roxi/rank/typical.h"

/* Chosen on sample systems (docs/why-measured.md): */
#define MUCH_LESS 0.25 /* of the typical number, at most */
#define RESOLUTION 4.0 /* as in the ranking */
#define COUNTS 0.5     /* evidence: it is more often a consequence */

/* The evidence that it was called too rarely. `busier`: at most 1, how often methods of the role
 * are called at all. *like: normal runs in which it was called as rarely. */
static double evidence_of(const struct roxi_called_table *t, const struct roxi_called_row *row,
                          double busier, double *work, size_t *like)
{
    const double expected = row->typical * busier;
    *like = 0;
    if (expected < ROXI_CALLED_FEW || row->own > MUCH_LESS * expected || row->at_least[0])
        return 0;
    for (size_t r = 1; r < t->runs; r++) {
        *like += row->calls[r] <= row->own;
        work[r - 1] = -roxi_scaled(row->calls[r]); /* so that less is more */
    }
    if (roxi_usual_is_common(*like, t->runs - 1))
        return 0;
    const double own = -roxi_scaled(row->own / busier);
    const struct roxi_usual usual = roxi_usual_of(work, t->runs - 1, own);
    return roxi_usual_evidence(&usual, t->runs - 1, own, RESOLUTION);
}

/* The packet before which it was last told that the method was called; 0: never. */
static uint64_t last_call(const struct roxi_finder *f, const struct roxi_called_row *row)
{
    const struct roxi_history *h = &f->run->history;
    for (size_t i = h->told_count; i-- > 0;)
        if (roxi_called_find(f->called, h->told[i].role, h->told[i].stack) == row)
            return h->told[i].packet;
    return 0;
}

static int look_at_role(struct roxi_finder *f, size_t from, size_t to, double *work)
{
    const struct roxi_called_table *t = f->called;
    const double busier = fmin(1, roxi_called_busier(t, from, to, work));
    const struct roxi_called_row *least = NULL;
    double most = 0;
    size_t like = 0;
    for (size_t i = from; i < to; i++) {
        size_t as_few;
        const double evidence = evidence_of(t, &t->rows[i], busier, work, &as_few);
        if (evidence > most) {
            most = evidence;
            least = &t->rows[i];
            like = as_few;
        }
    }
    if (!least)
        return 0;
    struct roxi_finding x = roxi_called_finding(least, ROXI_ABOUT_OFTEN);
    x.less = true;
    x.packet = last_call(f, least);
    x.like = like;
    x.weight = COUNTS * most;
    return roxi_finder_add(f, &x) ? 0 : -1;
}

int roxi_produce_seldom(struct roxi_finder *f)
{
    return roxi_called_by_role(f->called, f, look_at_role);
}
