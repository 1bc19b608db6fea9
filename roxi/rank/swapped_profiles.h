/* SPDX-License-Identifier: Apache-2.0 */
/* Executions under the names that their roles have after exchanges (role_swap.h). */
#ifndef ROXI_SWAPPED_PROFILES_H
#define ROXI_SWAPPED_PROFILES_H

#include "roxi/rank/role_swap.h"

/* What is equal, and the dictionary, still belong to `p`, which must outlive the result. Groups
 * keep their numbers; there may be more, and some that no execution has. NULL: memory ran out.
 * O(groups, and what the renamed executions hold). */
struct roxi_profiles *roxi_swapped_profiles(const struct roxi_profiles *p,
                                            const struct roxi_role_swaps *peers);
/* `renamed` may be NULL. */
void roxi_swapped_profiles_free(struct roxi_profiles *renamed, const struct roxi_profiles *p);

#endif
