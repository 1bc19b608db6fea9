/* SPDX-License-Identifier: Apache-2.0 */
/* What the findings of code that is executed, or no longer, have in common (covered.c, missed.c,
 * ceased.c). */
#ifndef ROXI_EXPLAIN_CODE_H
#define ROXI_EXPLAIN_CODE_H

#include "roxi/explain/finder.h"

enum {
    ROXI_CODE_RUNS = 100,  /* normal ones that are looked at, at most */
    ROXI_CODE_REGULAR = 10 /* packets in which code is executed, at least, in 9 of 10 of them */
};
/* Chosen on sample systems (docs/why-measured.md): */
#define ROXI_CODE_STARTING 0.1 /* what counts of what a JVM does, or does not, as it starts, */
#define ROXI_CODE_ASKER 0.5    /* of a JVM that asks others: it deals with answers */
#define ROXI_CODE_LESS 0.3     /* of one that is asked less: it has less to do */
#define ROXI_CODE_OTHERS 0.05  /* of a role's other classes: mostly of the same event */

/* By run: those normal ones that are looked at, evenly chosen from those that tell which code they
 * executed; `pauses`: and when they did not. To be freed; NULL: memory ran out. O(runs). */
bool *roxi_code_runs(const struct roxi_finder *f, bool pauses);

/* Has the role opened connections and sent more over them than others, unless they are its peers,
 * over those that they have opened to it? It mostly deals with what others answer. O(talks, roles).
 */
bool roxi_code_asks(const struct roxi_finder *f, uint32_t role);

/* Had the role executed less than half of what it executes in the run? It was starting, and how it
 * was started may differ. O(blocks). */
bool roxi_code_is_starting(const struct roxi_use *u, uint32_t role, uint64_t packet);

/* Does the role get less than three tenths of the messages a packet in so many packets from this
 * one on? O(messages). */
bool roxi_code_gets_less(const struct roxi_history *h, uint32_t role, uint64_t packet,
                         uint64_t packets);

/* How many packets more count, of those in which code is not executed. O(1). */
double roxi_code_more(const struct roxi_history *h);

/* A finding of a block in a role, which is in `stack`, without numbers. */
struct roxi_finding roxi_code_finding(const struct roxi_finder *f, enum roxi_about about,
                                      uint32_t role, uint32_t stack);

/* The evidence of a class: such a share of the greatest weight of what has been found, or what it
 * counts at least. O(findings). */
double roxi_code_weight(const struct roxi_findings *f, double share);

#endif
