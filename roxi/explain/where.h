/* SPDX-License-Identifier: Apache-2.0 */
/* How often the place of a known fault is named, by findings and, to compare with, by two plainer
 * orders. For each failed run with a known fault (truth.h) an order names up to five places; right
 * are those of the role or node that has the fault. */
#ifndef ROXI_EXPLAIN_WHERE_H
#define ROXI_EXPLAIN_WHERE_H

#include "roxi/explain/finding.h"
#include "roxi/explain/truth.h"

enum roxi_order {
    ROXI_BY_FINDING,  /* as roxi explain */
    ROXI_BY_EVIDENCE, /* the places that the ranking holds against the run, the greatest part first;
                         their classes are those of the call that departs; they have no moment */
    ROXI_BY_DWELL,    /* threads, by how many times longer than is typical they stayed in one call
                         stack (dwell.h) */
    ROXI_ORDERS
};

/* What an order names. */
struct roxi_named {
    struct roxi_member who;
    uint32_t stack;        /* 0: none */
    struct roxi_call call; /* used without a stack; class_name ROXI_NONE: none */
    uint64_t packet;       /* 0: not known */
};

struct roxi_hits {
    bool first, three;            /* the role or node is right: first, among three */
    bool class_three, class_five; /* a class to blame is on the stack of a place that is right */
    bool timed, in_time;          /* the first one's moment is known; it is within 500 ms */
};

struct roxi_where_run {
    const struct roxi_fault *fault;
    struct roxi_hits hits[ROXI_ORDERS];
    bool explained;            /* there is a finding */
    struct roxi_finding first; /* the first one */
};

struct roxi_where_sum {
    size_t first, three, class_three, class_five, timed, in_time; /* runs */
};

struct roxi_where {
    struct roxi_where_run *runs; /* in the order of the truth; owned */
    size_t count, with_class;    /* runs; those whose fault has classes */
    size_t passed, claimed;      /* runs that passed by the truth; those of them that are worth a
                                    look (rank/likeness.h) */
    size_t normal;               /* runs that count as normal */
    struct roxi_where_sum sums[ROXI_ORDERS];
};

/* Of a ranking of runs whose histories were kept if they have faults. `normal`, by run; `failed`,
 * by run: those that have findings even if they are not worth a look; `campaign` as of
 * roxi_findings_make. -1 with a message; nothing is left to free. O(faults x (findings, spans log
 * spans + spans x normal runs)) at most. */
int roxi_where_make(struct roxi_where *w, const struct roxi_truth *t, const struct roxi_ranking *r,
                    const bool *normal, const bool *failed, const char *campaign,
                    struct ix_error *err);
void roxi_where_free(struct roxi_where *w);

#endif
