/* How far ahead of their sending the packets' target times lie (--lead). Pure.
 *
 * Automatic: a high quantile of the delays with which requests have come to the VMs lately, and a
 * margin. Delays are counted in classes, an eighth of an octave wide; every IXOR_LEAD_HALF_LIFE_NS
 * all counts are halved. A network that gets slow is felt as soon as a hundredth of what is counted
 * says so, within a second or two; one that gets fast after some minutes.
 */
#ifndef IXOR_LEAD_H
#define IXOR_LEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IXOR_LEAD_AUTO UINT64_MAX   /* as an option's value */
#define IXOR_LEAD_FIRST_NS 2000000u /* automatic, before anything is known */
#define IXOR_LEAD_MIN_NS 500000u
#define IXOR_LEAD_MAX_NS 100000000u
#define IXOR_LEAD_HALF_LIFE_NS 15000000000ull

/* 1 us to 1 s. */
#define IXOR_LEAD_CLASSES 160

struct ixor_lead {
    uint64_t fixed_ns; /* IXOR_LEAD_AUTO: automatic; 0: no target times at all */
    uint64_t ns;       /* automatic: the lead now */
    uint64_t most_ns;  /* automatic: not longer */
    uint64_t halved_ns, looked_ns;
    double counts[IXOR_LEAD_CLASSES], total;
};

/* Packets will be gap_ns apart: an automatic lead is not longer (but IXOR_LEAD_MIN_NS), because
 * agents take the newest request that waits, so that a packet would be overtaken before its time.
 */
void ixor_lead_init(struct ixor_lead *l, uint64_t fixed_ns, uint64_t gap_ns);

/* A request came this long after its packet's sending had begun; 0 or more, below a second or it
 * counts as one. O(1). */
void ixor_lead_feed(struct ixor_lead *l, uint64_t delay_ns);

/* The lead of a packet that is sent to so many VMs now (monotonic clock). Automatic: 0 for one VM,
 * which has nobody to agree with and need not wait and wake twice. O(1), and O(classes) each 50 ms. */
uint64_t ixor_lead_now(struct ixor_lead *l, size_t vms, uint64_t now_ns);

#endif
