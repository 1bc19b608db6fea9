/* Executions under the names that their roles have after exchanges (peers.h). */
#ifndef ROXI_RENAMED_H
#define ROXI_RENAMED_H

#include "roxi/peers.h"

/* What is equal, and the dictionary, still belong to `p`, which must outlive the result. Groups keep
 * their numbers; there may be more, and some that no execution has. NULL: memory ran out. O(groups, and
 * what the renamed executions hold). */
struct roxi_profiles *roxi_renamed(const struct roxi_profiles *p, const struct roxi_peers *peers);
/* `renamed` may be NULL. */
void roxi_renamed_free(struct roxi_profiles *renamed, const struct roxi_profiles *p);

#endif
