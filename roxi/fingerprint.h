/* What an execution's distances depend on, in 128 bits: its name and, by role, thread and call stack
 * as texts, how often each was seen. Independent of the numbers that a dictionary happened to give,
 * so it can be compared with one of another day. (XXH3: not proof against forgery, nor meant to be.)
 */
#ifndef ROXI_FINGERPRINT_H
#define ROXI_FINGERPRINT_H

#include "roxi/profile.h"

struct roxi_fingerprint {
    uint64_t low, high;
};

/* One for each execution, to be freed; NULL: memory ran out. O(stacks of the dictionary + items log
 * items). */
struct roxi_fingerprint *roxi_fingerprints(const struct roxi_profiles *p);

/* Of all executions, in their order. 0: memory ran out. */
uint64_t roxi_fingerprint_all(const struct roxi_profiles *p);

/* Of the order that groups and call stacks have in this dictionary: what refers to them by number is
 * good only where it is the same. 0: memory ran out. */
uint64_t roxi_order_fingerprint(const struct roxi_profiles *p);

#endif
