/* What is kept of an execution: how often each call stack was seen in each group, a group being a
 * role and a (normalised) thread name; and, if it was asked for, what else it shows (aspects.h).
 * Everything later computed depends on this alone. */
#ifndef ROXI_PROFILE_H
#define ROXI_PROFILE_H

#include "roxi/aspects.h"
#include "roxi/symbols.h"
#include "roxi/tally.h"
#include "schema/error.h"

struct roxi_item {
    uint32_t group, stack;
    uint64_t count; /* snapshots of threads, 1 or more */
};

struct roxi_profile {
    char *name;
    struct roxi_item *items; /* ascending by group, then stack; each pair once */
    size_t count;
    uint64_t total; /* sum of the items' counts */
    struct roxi_aspect_item *aspects; /* owned, as roxi_aspects_settle leaves them; NULL: nobody
                                         asked for them */
    size_t aspect_count;
};

struct roxi_profiles {
    struct roxi_symbols *symbols;
    struct roxi_tally groups; /* keys: roxi_pair(role's string, thread name's string) */
    struct roxi_profile *executions;
    size_t count, cap;
};

struct roxi_profiles *roxi_profiles_new(void);    /* NULL: memory ran out */
void roxi_profiles_free(struct roxi_profiles *p); /* p may be NULL */

/* The number of a group, given on first use; ROXI_NONE: memory ran out. */
uint32_t roxi_profiles_group(struct roxi_profiles *p, uint32_t role, uint32_t thread);

void roxi_profile_release(struct roxi_profile *profile);

/* Makes *profile, which is uninitialised, of items in any order in which a pair may occur more than
 * once; `items` is taken over, also if this fails. -1: memory ran out. */
int roxi_profile_make(struct roxi_profile *profile, const char *name, struct roxi_item *items,
                      size_t count);
/* The tally's keys, which are roxi_pair(group, stack), as items, to be freed. NULL: memory ran out. */
struct roxi_item *roxi_profile_items(const struct roxi_tally *seen);

/* Appends an execution; the tally's keys are roxi_pair(group, stack). The tally stays the caller's.
 * -1: memory ran out. */
int roxi_profiles_add(struct roxi_profiles *p, const char *name, const struct roxi_tally *seen,
                      struct ix_error *err);

#endif
