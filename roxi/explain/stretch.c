/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/explain/stretch.h"

#include <math.h>

void roxi_stretch_add(struct roxi_stretch *s, double more, uint64_t packet)
{
    s->sum += more;
    s->last = packet;
    if (s->sum > s->greatest) {
        s->greatest = s->sum;
        s->found = s->begin;
        s->end = packet;
    }
    if (s->sum <= 0) {
        s->sum = 0;
        s->begin = packet;
    }
}

void roxi_stretch_add_at(struct roxi_stretch *s, double number, double rate, uint64_t packet)
{
    roxi_stretch_add(s, -rate * (double)(packet - s->last), packet);
    roxi_stretch_add(s, number, packet);
}

double roxi_stretch_limit(double usual, double own, double least)
{
    usual = fmax(usual, 1);
    own = fmax(own, least * usual);
    return (own - usual) / log(own / usual);
}
