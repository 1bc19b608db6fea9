/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's findings are evidence of, so that runs can be compared.
 *
 * A finding is evidence of two things: of a class, the one to look at; and of what departs there: a
 * call that takes longer or shorter, an exception, more threads. Where no code of the application
 * is, a template of threads of a role stands for the class, or the role alone. Who did it does not
 * matter, because the same fault may strike any of several peers: of a role's name the last number
 * or letter does not count (rank/peers.h). The weight is that of the findings; of what a run
 * does less it is half of that, because it is mostly a consequence, and of any cause. */
#ifndef ROXI_EVIDENCE_H
#define ROXI_EVIDENCE_H

#include "roxi/explain/finding.h"

struct roxi_evidence {
    uint32_t what;               /* a number of its name; by name, after roxi_evidence_sort */
    bool of_class;               /* or else of what departs there */
    double weight;               /* above 0 */
    double most;                 /* of one finding, */
    struct roxi_finding finding; /* this one */
};

/* All zero: none. */
struct roxi_run_evidence {
    struct roxi_evidence *list; /* ascending by `what`; owned */
    size_t count, cap;
    double weight; /* of all together */
};

/* `names` gets the names. -1: memory ran out; to be freed in any case. O(findings^2). */
int roxi_evidence_gather(struct roxi_run_evidence *e, struct roxi_symbols *names,
                         const struct roxi_profiles *p, const struct roxi_findings *f);
void roxi_evidence_free(struct roxi_run_evidence *e);

/* Numbers what there is evidence of in `n` runs in the order of the names, so that nothing depends
 * on the order of the runs. -1: memory ran out. O(evidence x log evidence). */
int roxi_evidence_sort(struct roxi_run_evidence *runs, size_t n, const struct roxi_symbols *names);

/* The share of evidence that two runs have in common, from 0 to 1: the cosine of the square roots
 * of the weights (Bhattacharyya's coefficient). 0 if one of them has none. Both are sorted.
 * O(evidence). */
double roxi_evidence_shared(const struct roxi_run_evidence *a, const struct roxi_run_evidence *b);

#endif
