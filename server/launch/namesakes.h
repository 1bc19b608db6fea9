/* SPDX-License-Identifier: Apache-2.0 */
/* JVMs of a run that have the same role at the same time, as processes of one main class do. Roxi
 * cannot tell them apart, which matters unless they are equal workers. */
#ifndef IXOR_NAMESAKES_H
#define IXOR_NAMESAKES_H

#include <stddef.h>
#include <stdint.h>

#include "schema/catalogue/catalogue.h"
#include "schema/protocol/limits.h"

struct ixor_namesakes {
    size_t count;               /* JVMs; 0: all roles differ */
    char role[IX_NAME_MAX + 1]; /* safe to print */
};

/* Finds the role of most JVMs of a run at a time. A JVM that is started again after its end, as a
 * node may be, counts once. 0 or -1. O(JVMs x JVMs of a role). */
int ixor_namesakes_find(struct ix_catalogue *c, int64_t execution, struct ixor_namesakes *found,
                        struct ix_error *err);

#endif
