/* SPDX-License-Identifier: Apache-2.0 */
/* What a campaign's catalogue lists: its runs, their JVMs, and where their logs are. */
#ifndef ROXI_LISTING_H
#define ROXI_LISTING_H

#include <stddef.h>
#include <stdint.h>

#include "schema/catalogue/catalogue.h"

struct roxi_listed_vm {
    char *role, *host, *jvm;
    char *log; /* a path that can be opened */
    int64_t pid, started_ns;
    uint64_t reported; /* the last packet that its log must have (log_end.h) */
};

struct roxi_listed_execution {
    int64_t id;
    char *name;
    enum ix_verdict verdict;
    int64_t begin_ns, end_ns;   /* 0: not known */
    struct roxi_listed_vm *vms; /* ordered by role, then by catalogue order */
    size_t vm_count, vm_cap;
};

struct roxi_listing {
    struct roxi_listed_execution *executions; /* in the catalogue's order */
    size_t count, cap;
};

/* Reads everything in one transaction, even while a server writes to the catalogue. `execution`
 * NULL: all runs, at least one; otherwise that run, which must exist. -1 with a message, which
 * lists the nearest names if there is no such run, and nothing to free. */
int roxi_listing_read(struct roxi_listing *listing, const char *campaign, const char *execution,
                      struct ix_error *err);
/* The name of the run that a user means: the name itself, or what follows a dot in it, as
 * "elects#2" of "org.acme.QuorumTest.elects#2", if that is so of one run only. The caller frees it.
 * NULL with a message, which lists the nearest names. For those who would only find out after they
 * have read all logs, too. O(runs). */
char *roxi_listing_name(const char *campaign, const char *said, struct ix_error *err);
/* The run of that name; NULL: there is none. O(runs). */
const struct roxi_listed_execution *roxi_listing_find(const struct roxi_listing *listing,
                                                      const char *name);
void roxi_listing_free(struct roxi_listing *listing);

#endif
