/* SPDX-License-Identifier: Apache-2.0 */
/* Of threads that are in no code of the application, such as those of a pool that wait for work,
 * what started them tells whose they are, where logs have that. */
#include "roxi/explain/finder.h"

/* The call stack that started most of the finding's threads; 0: not known. */
static uint32_t starter_of(const struct roxi_finder *f, const struct roxi_finding *x)
{
    const struct roxi_use *u = &f->run->use;
    for (size_t i = 0; i < u->started_count; i++)
        if (roxi_finder_is_theirs(f, x, u->started[i].group))
            return roxi_use_starter(u, u->started[i].group);
    return 0;
}

/* Is it of what threads do, in this run? */
static bool is_of_threads(const struct roxi_finding *x)
{
    return x->stack && x->thread != ROXI_NONE && !x->usually && !x->waited_for &&
           (x->about == ROXI_ABOUT_DURATION || x->about == ROXI_ABOUT_GROWTH ||
            x->about == ROXI_ABOUT_GONE);
}

int roxi_tell_starters(struct roxi_finder *f)
{
    const struct roxi_symbols *s = f->profiles->symbols;
    for (size_t i = 0; i < f->out->count; i++) {
        struct roxi_finding *x = &f->out->list[i];
        if (!is_of_threads(x) || !roxi_is_outside(s, x->stack))
            continue;
        const uint32_t starter = starter_of(f, x);
        if (!starter || roxi_is_outside(s, starter))
            continue;
        x->stack = starter;
        x->call = roxi_finder_innermost(s, starter);
        x->started = true;
    }
    return 0;
}
