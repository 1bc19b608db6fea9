/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers things by their content: the same bytes always get the same index, new ones the next.
 *
 * One open-addressing table (linear probing, at most three quarters full) serves every kind of
 * definition of a trace log: strings are keys of variable length, tuples of integers keys of fixed
 * length. Lookup is O(1) expected. An all-zero struct is an empty table. */
#ifndef IX_SCHEMA_TRACELOG_INTERN_H
#define IX_SCHEMA_TRACELOG_INTERN_H

#include <stdbool.h>

#include "schema/base/bytes.h"

struct ix_intern_slot {
    uint32_t hash;
    uint32_t index_plus_1; /* 0: the slot is free */
};

struct ix_intern {
    size_t key_size;    /* length of every key, or 0 if lengths vary; set before first use */
    uint32_t count;     /* keys so far; their indices are 0 to count - 1 */
    struct ix_out keys; /* the concatenated keys, in order of index */
    size_t *ends;       /* where each key ends in `keys`; only if key_size is 0 */
    size_t ends_cap;
    struct ix_intern_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
};

#define IX_INTERN_FAILED UINT32_MAX

/* The key's index; *added: assigned by this call. IX_INTERN_FAILED if memory or indices ran out. */
uint32_t ix_intern(struct ix_intern *table, const void *key, size_t len, bool *added);

/* The key's index, or IX_INTERN_FAILED if it has none. */
uint32_t ix_intern_find(const struct ix_intern *table, const void *key, size_t len);

void ix_intern_free(struct ix_intern *table);

#endif
