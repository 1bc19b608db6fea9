/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of exceptions that normal runs make rarely or never, where logs have the first ones of
 * each class: of a class that they hardly make in whatever role, or of one that may be as common as
 * NullPointerException, at a place where they hardly make it (made.h). One that was caught and
 * swallowed is there, too. */
#include <string.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/made.h"
#include "roxi/explain/usual.h"

/* An exception tells much in few words, but of a consequence as often as of the cause. */
#define WEIGHT 0.1

/* The last packets of a JVM or a thread, in which it makes what it ends with. */
#define LAST 2

/* The normal runs whose logs have first exceptions, or those on each call stack. */
static size_t count_telling(const struct roxi_finder *f, bool places)
{
    size_t n = 0;
    for (size_t r = 0; r < f->ranking->n; r++) {
        const struct roxi_use *u = &f->profiles->executions[r].use;
        n += f->normal[r] && (places ? u->tells_places : u->tells_firsts);
    }
    return n;
}

/* Does a run make one of the class on the same call stack? */
static bool makes_on_stack(const struct roxi_use *u, const struct roxi_first *first)
{
    for (size_t i = 0; i < u->first_count; i++)
        if (u->firsts[i].class_name == first->class_name && u->firsts[i].stack == first->stack)
            return true;
    return false;
}

/* How many normal runs do. */
static size_t count_on_stack(const struct roxi_finder *f, const struct roxi_first *first)
{
    size_t like = 0;
    for (size_t r = 0; r < f->ranking->n; r++)
        like += f->normal[r] && makes_on_stack(&f->profiles->executions[r].use, first);
    return like;
}

/* How many normal runs make one of the class. */
static size_t count_like(const struct roxi_finder *f, uint32_t class_name)
{
    size_t like = 0;
    for (size_t r = 0; r < f->ranking->n; r++)
        if (f->normal[r])
            like += roxi_use_earliest(&f->profiles->executions[r].use, class_name) != NULL;
    return like;
}

/* Is it a finding of the end of threads, of which this is one? */
static bool is_gone(const struct roxi_finder *f, const struct roxi_finding *x,
                    const struct roxi_first *first)
{
    return x->about == ROXI_ABOUT_GONE && first->group != ROXI_NONE &&
           roxi_finder_is_theirs(f, x, first->group);
}

/* Did its thread end early then, or its JVM badly or early? */
static bool is_at_end(const struct roxi_finder *f, const struct roxi_first *first)
{
    for (size_t i = 0; i < f->out->count; i++) {
        const struct roxi_finding *x = &f->out->list[i];
        if ((roxi_finding_is_end(x) || is_gone(f, x, first)) && x->who.role == first->role &&
            first->packet + LAST > x->packet && first->packet <= x->packet + LAST)
            return true;
    }
    return false;
}

/* What the ranking holds against the run; NULL: nothing that is an exception. */
static const struct roxi_part *part_of(const struct roxi_finder *f)
{
    const struct roxi_ranking *r = f->ranking;
    for (size_t i = r->first[f->number]; i < r->first[f->number + 1]; i++)
        if (roxi_durations_is_first(r->durations, r->parts[i].item))
            return &r->parts[i];
    return NULL;
}

/* What is thrown is often wrapped in others at once: the first one tells most. */
static struct roxi_finding *known(const struct roxi_finder *f, size_t from,
                                  const struct roxi_finding *x)
{
    for (size_t i = from; i < f->out->count; i++) {
        struct roxi_finding *y = &f->out->list[i];
        if (roxi_same_member(y->who, x->who) && y->packet == x->packet)
            return y;
    }
    return NULL;
}

/* Had the role made one of the class before? */
static bool is_again(const struct roxi_use *u, const struct roxi_first *first)
{
    for (size_t i = 0; i < u->first_count; i++) {
        const struct roxi_first *x = &u->firsts[i];
        if (x->class_name == first->class_name && x->role == first->role &&
            (x->packet < first->packet ||
             (x->packet == first->packet && x->serial < first->serial)))
            return true;
    }
    return false;
}

/* `telling`: the normal runs of which it is known. */
static int tell(struct roxi_finder *f, size_t from, const struct roxi_first *first, bool there,
                size_t like, size_t telling)
{
    struct roxi_finding x =
        roxi_finding_of(ROXI_ABOUT_FIRST, (struct roxi_member){.role = first->role});
    roxi_finder_set_threads(f, &x, first->group);
    x.thrown = first->class_name;
    x.stack = first->stack;
    x.call = roxi_finder_innermost(f->profiles->symbols, first->stack);
    x.weight = WEIGHT;
    x.packet = first->packet;
    x.serial = first->serial;
    x.at_end = is_at_end(f, first);
    x.there = there;
    x.again = is_again(&f->run->use, first);
    x.counted = first->class_name;
    x.here = 1;
    x.like = like;
    x.compared = telling;
    struct roxi_finding *same = known(f, from, &x);
    if (!same)
        return roxi_finder_add(f, &x);
    /* They are ordered by class, so those of one class come one after the other. */
    x.here = same->here + (same->counted != x.counted);
    x.like = x.like < same->like ? x.like : same->like;
    if (x.serial < same->serial)
        *same = x;
    same->here = x.here;
    same->like = x.like;
    same->counted = first->class_name;
    return 0;
}

/* The first one of these findings has what the score holds against the run for all of them; not one
 * that is told only because of where it was made. */
static void share(const struct roxi_finder *f, size_t from)
{
    const struct roxi_part *part = part_of(f);
    struct roxi_finding *first = NULL;
    for (size_t i = from; i < f->out->count; i++) {
        struct roxi_finding *x = &f->out->list[i];
        if (!x->there && (!first || x->packet < first->packet))
            first = x;
    }
    if (part && first)
        first->share = roxi_ranking_share(f->ranking, f->number, part);
}

/* Does the JVM make it itself as it links code that runs for the first time? It tries whether a
 * method is there, and nothing is wrong if it is not. */
static bool is_of_linking(const struct roxi_symbols *s, uint32_t stack)
{
    static const char package[] = "java.lang.invoke.";
    if (!stack)
        return false;
    const struct roxi_frame f = roxi_symbols_top(s, stack);
    return strncmp(roxi_symbols_text(s, f.class_name), package, sizeof package - 1) == 0;
}

/* What exceptions are compared with. */
struct comparing {
    struct roxi_made made;
    size_t telling, placing; /* normal runs whose logs have first exceptions; at each place */
    size_t from;             /* the first finding of an exception */
};

static int tell_if_rare(struct roxi_finder *f, const struct comparing *c,
                        const struct roxi_first *first)
{
    const size_t of_class = count_like(f, first->class_name);
    if (is_of_linking(f->profiles->symbols, first->stack))
        return 0;
    if (!roxi_usual_is_common(of_class, c->telling))
        return tell(f, c->from, first, false, of_class, c->telling);
    size_t there = roxi_made_runs(&c->made, first);
    if (c->placing && !roxi_usual_is_common(there, c->placing))
        return tell(f, c->from, first, true, there, c->placing);
    /* Where logs have only the first one of each class, its place is chance, but not at an end. */
    there = is_at_end(f, first) ? count_on_stack(f, first) : c->telling;
    return roxi_usual_is_common(there, c->telling)
               ? 0
               : tell(f, c->from, first, true, there, c->telling);
}

int roxi_produce_firsts(struct roxi_finder *f)
{
    const struct roxi_use *u = &f->run->use;
    struct comparing c = {.telling = count_telling(f, false),
                          .placing = u->tells_places ? count_telling(f, true) : 0,
                          .from = f->out->count};
    if (!c.telling || !u->first_count)
        return 0;
    int result = roxi_made_count(&c.made, f->profiles, f->normal);
    for (size_t i = 0; i < u->first_count && result == 0; i++)
        result = tell_if_rare(f, &c, &u->firsts[i]);
    roxi_made_free(&c.made);
    share(f, c.from);
    return result;
}
