/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of exceptions, where logs have them, that are thrown at places where normal runs throw
 * none of that class. Where several roles throw the same, it is a finding of the first one. */
#include <math.h>

#include "roxi/explain/finder.h"

/* An exception is no sample of something that lasts: one is evidence, as much as a call that lasts
 * for three units more than typical; a hundred are not much more. */
#define ONE_COUNTS 3.0
#define MOST_COUNT 100.0

/* Runs whose logs have no exceptions cannot tell; they count as those without this one, since a run
 * in which nothing is thrown looks the same. */
static bool is_usual(const struct roxi_finder *f, const struct roxi_thrown *t)
{
    size_t count;
    for (size_t r = 0; r < f->ranking->n; r++)
        if (f->normal[r] &&
            roxi_use_thrown(&f->profiles->executions[r].use, t->class_name, t->stack, &count))
            return true;
    return false;
}

/* What several roles threw. */
struct throwers {
    struct roxi_thrown first; /* of the role that threw it first; the count is of all roles */
    uint32_t roles;
    uint32_t at_first; /* of these, those that threw it first at the same packet */
};

static struct throwers throwers_of(const struct roxi_use *u, const struct roxi_thrown *t)
{
    size_t count;
    const struct roxi_thrown *list = roxi_use_thrown(u, t->class_name, t->stack, &count);
    struct throwers all = {.first = list[0], .roles = (uint32_t)count, .at_first = 1};
    for (size_t i = 1; i < count; i++) {
        const uint64_t thrown = all.first.count + list[i].count;
        if (list[i].packet == all.first.packet) {
            all.at_first++;
        } else if (list[i].packet < all.first.packet) {
            all.first = list[i];
            all.at_first = 1;
        }
        all.first.count = thrown;
    }
    return all;
}

static int tell(struct roxi_finder *f, const struct throwers *all)
{
    const struct roxi_thrown *t = &all->first;
    struct roxi_finding x =
        roxi_finding_of(ROXI_ABOUT_EXCEPTION, (struct roxi_member){.role = t->role});
    roxi_finder_set_threads(f, &x, t->group);
    x.thrown = t->class_name;
    x.stack = t->stack;
    x.packet = t->packet;
    x.throwers = all->roles;
    x.throw_first = all->at_first;
    x.here = roxi_capped(t->count);
    const double z = ONE_COUNTS * (1 + log10(fmin((double)t->count, MOST_COUNT)) / 2);
    x.weight = roxi_excess_evidence(z - 1);
    return roxi_finder_add(f, &x);
}

int roxi_produce_exceptions(struct roxi_finder *f)
{
    const struct roxi_use *u = &f->run->use;
    int result = 0;
    for (size_t i = 0; i < u->thrown_count && result == 0; i++) {
        const struct roxi_thrown *t = &u->thrown[i], *before = i ? t - 1 : NULL;
        if ((before && before->class_name == t->class_name && before->stack == t->stack) ||
            is_usual(f, t))
            continue;
        const struct throwers all = throwers_of(u, t);
        result = tell(f, &all);
    }
    return result;
}
