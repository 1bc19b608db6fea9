/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's distances depend on, in 128 bits: its name and, by role, thread and call stack as
 * texts, how often each was seen. Independent of the dictionary's numbers, so it can be compared
 * with a fingerprint made at another time. (XXH3: not meant to resist forgery.) */
#ifndef ROXI_FINGERPRINT_H
#define ROXI_FINGERPRINT_H

#include "roxi/campaign/profile.h"

struct roxi_fingerprint {
    uint64_t low, high;
};

/* One for each run; the caller frees the array. NULL: out of memory. O(stacks of the dictionary
 * + items log items). */
struct roxi_fingerprint *roxi_fingerprints(const struct roxi_profiles *p);

/* Of all runs, in their order. 0: out of memory. */
uint64_t roxi_fingerprint_all(const struct roxi_profiles *p);

/* Of the order of groups and call stacks in this dictionary: data that refers to them by number
 * is valid only with the same order. 0: out of memory. */
uint64_t roxi_order_fingerprint(const struct roxi_profiles *p);

#endif
