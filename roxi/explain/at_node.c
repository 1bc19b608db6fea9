/* SPDX-License-Identifier: Apache-2.0 */
/* In a JVM that several nodes share, what is of no node counts less: that is mostly the test, which
 * sees the consequences. How often methods were called is known of the JVM only; but if the threads
 * of one node are seen in the method more than all others, it is that node's. So it is, of code
 * that is executed, if they depart in its class. */
#include "roxi/explain/finder.h"

#define MOSTLY 0.5    /* of the packets in which threads are seen there, and more */
#define NODELESS 0.05 /* evidence of what is of no node */
enum { SEEN = 3 };    /* packets, at least */

/* Do all runs have a single JVM, with nodes in it? */
static bool is_shared(const struct roxi_durations *d)
{
    bool nodes = false;
    uint32_t role = 0;
    for (uint32_t i = 0; i < d->members.n; i++) {
        const struct roxi_member m = roxi_durations_member(d, i);
        if (m.role && role && m.role != role)
            return false;
        role = m.role ? m.role : role;
        nodes = nodes || m.node;
    }
    return nodes;
}

/* Adds up in how many packets threads are in the method since the finding's, by node. */
static int look(const struct roxi_finder *f, const struct roxi_finding *x, struct roxi_tally *seen)
{
    for (size_t i = 0; i < f->run->history.count; i++) {
        const struct roxi_span *span = &f->run->history.spans[i];
        const uint64_t from = span->first > x->packet ? span->first : x->packet;
        if (f->members[i].role == x->who.role && span->last >= from &&
            roxi_finder_up_to(f->profiles->symbols, span->stack, &x->call) &&
            roxi_tally_add(seen, f->members[i].node, span->last - from + 1) == ROXI_NONE)
            return -1;
    }
    return 0;
}

/* *node: 0 if it is not known. */
static int find_node(const struct roxi_finder *f, const struct roxi_finding *x, uint32_t *node)
{
    struct roxi_tally seen = {0};
    uint64_t all = 0;
    const int result = look(f, x, &seen);
    const uint32_t most = roxi_tally_most(&seen);
    for (size_t i = 0; i < seen.n; i++)
        all += seen.counts[i];
    *node = all >= SEEN && (double)seen.counts[most] > MOSTLY * (double)all
                ? (uint32_t)roxi_tally_key(&seen, most)
                : 0;
    roxi_tally_free(&seen);
    return result;
}

/* The node of which threads depart in the same class at about the same time; 0: there is none, or
 * there are several. */
static uint32_t departing_node(const struct roxi_finder *f, const struct roxi_finding *x)
{
    const struct roxi_symbols *s = f->profiles->symbols;
    const char *class_name = roxi_symbols_text(s, x->call.class_name);
    uint32_t node = 0;
    for (size_t i = 0; i < f->out->count; i++) {
        const struct roxi_finding *y = &f->out->list[i];
        if (!y->who.node || y->less || y->who.role != x->who.role ||
            y->call.class_name == ROXI_NONE || y->about == ROXI_ABOUT_COVERED ||
            !roxi_within(y->packet, x->packet, ROXI_ABOUT_THEN) ||
            !roxi_same_top_level(
                roxi_symbols_text(s, roxi_finder_to_look_at(s, &y->call).class_name), class_name))
            continue;
        if (node && node != y->who.node)
            return 0;
        node = y->who.node;
    }
    return node;
}

int roxi_find_nodes(struct roxi_finder *f)
{
    const bool shared = is_shared(f->ranking->durations);
    for (size_t i = 0; i < f->out->count && shared; i++) {
        struct roxi_finding *x = &f->out->list[i];
        if (x->who.node)
            continue;
        const bool seen = x->about == ROXI_ABOUT_COVERED ||
                          (roxi_finding_is_of_calls(x) && x->about != ROXI_ABOUT_PAUSE && !x->less);
        if (seen && find_node(f, x, &x->who.node) != 0)
            return -1;
        if (!x->who.node && x->about == ROXI_ABOUT_COVERED)
            x->who.node = departing_node(f, x);
        x->as.node = x->who.node;
        x->weight *= x->who.node ? 1 : NODELESS;
    }
    return 0;
}
