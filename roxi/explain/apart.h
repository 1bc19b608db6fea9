/* SPDX-License-Identifier: Apache-2.0 */
/* Roles that only one of two campaigns has, mostly because they were renamed in between. Whatever
 * their JVMs do is "typically 0" then, or done no more, which tells nothing. */
#ifndef ROXI_APART_H
#define ROXI_APART_H

#include "roxi/base/json.h"
#include "roxi/explain/finding.h"

struct roxi_apart {
    uint32_t *roles;    /* strings: first those that only the runs have, then those of the others;
                           owned */
    size_t here, there; /* how many of either */
};

/* `of`: the runs; `others`: those that they are compared with; both by run. -1: memory ran out, and
 * nothing is left to free. O(roles of all runs + strings). */
int roxi_apart_make(struct roxi_apart *a, const struct roxi_profiles *p, const bool *of,
                    const bool *others);
void roxi_apart_free(struct roxi_apart *a);

/* Removes findings of these roles, and of what others had to do with them. O(findings x roles). */
void roxi_apart_leave_out(const struct roxi_apart *a, struct roxi_findings *f);

/* In a sentence: "Role Orders is only in runs of the second campaign, and OrderServer only in those
 * of the first; their other differences are left out." Nothing if there are none. `runs`, `others`
 * as in struct roxi_common_words. */
void roxi_apart_say(FILE *out, const struct roxi_apart *a, const struct roxi_symbols *s,
                    const char *runs, const char *others);
/* The members of an object that is open: roles_only_in_runs, roles_only_in_others. */
void roxi_apart_json(struct roxi_json *j, const struct roxi_apart *a, const struct roxi_symbols *s);

#endif
