/* SPDX-License-Identifier: Apache-2.0 */
#include "server/sampling/lead.h"

#include <math.h>

#define CLASSES_PER_OCTAVE 8
#define SHORTEST_NS 1000.0
#define QUANTILE 0.99
/* With fewer delays than this the first guess is kept, unless they are longer. */
#define ENOUGH 20
/* For waking up, and for a next packet slower than those before. */
#define MARGIN_NS 300000.0
#define MARGIN_SHARE 0.25
#define LOOK_NS 50000000u

static uint64_t between(uint64_t least, uint64_t ns, uint64_t most)
{
    return ns < least ? least : ns > most ? most : ns;
}

void ixor_lead_init(struct ixor_lead *l, uint64_t fixed_ns, uint64_t gap_ns)
{
    *l = (struct ixor_lead){.fixed_ns = fixed_ns,
                            .most_ns = between(IXOR_LEAD_MIN_NS, gap_ns, IXOR_LEAD_MAX_NS)};
    l->ns = between(IXOR_LEAD_MIN_NS, IXOR_LEAD_FIRST_NS, l->most_ns);
}

void ixor_lead_feed(struct ixor_lead *l, uint64_t delay_ns)
{
    double octaves = delay_ns > SHORTEST_NS ? log2((double)delay_ns / SHORTEST_NS) : 0;
    double class = floor(octaves * CLASSES_PER_OCTAVE);
    l->counts[class < IXOR_LEAD_CLASSES ? (int)class : IXOR_LEAD_CLASSES - 1] += 1;
    l->total += 1;
}

/* The upper end of the class in which the quantile lies. A single delay is ignored: the JVM may
 * just have been starting. */
static double quantile(const struct ixor_lead *l)
{
    double above = 0, few = fmax(1, (1 - QUANTILE) * l->total);
    int i = IXOR_LEAD_CLASSES;
    while (i > 1 && above + l->counts[i - 1] <= few)
        above += l->counts[--i];
    return SHORTEST_NS * exp2((double)i / CLASSES_PER_OCTAVE);
}

static void halve(struct ixor_lead *l, uint64_t now_ns)
{
    if (!l->halved_ns)
        l->halved_ns = now_ns;
    if (now_ns - l->halved_ns < IXOR_LEAD_HALF_LIFE_NS)
        return;
    l->halved_ns = now_ns;
    l->total /= 2;
    for (int i = 0; i < IXOR_LEAD_CLASSES; i++)
        l->counts[i] /= 2;
}

static uint64_t wanted(const struct ixor_lead *l)
{
    double ns = quantile(l) * (1 + MARGIN_SHARE) + MARGIN_NS;
    if (l->total < ENOUGH && ns < IXOR_LEAD_FIRST_NS)
        ns = IXOR_LEAD_FIRST_NS;
    return between(IXOR_LEAD_MIN_NS, (uint64_t)ns, l->most_ns);
}

uint64_t ixor_lead_now(struct ixor_lead *l, size_t vms, uint64_t now_ns)
{
    if (l->fixed_ns != IXOR_LEAD_AUTO)
        return l->fixed_ns;
    if (l->total > 0 && now_ns - l->looked_ns >= LOOK_NS) {
        halve(l, now_ns);
        l->ns = wanted(l);
        l->looked_ns = now_ns;
    }
    return vms > 1 ? l->ns : 0;
}
