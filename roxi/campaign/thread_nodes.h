/* SPDX-License-Identifier: Apache-2.0 */
/* Of which node each thread of a campaign is (docs/names.md), for who does not load its call
 * stacks. As roxi_load finds it with the default rules. */
#ifndef ROXI_THREAD_NODES_H
#define ROXI_THREAD_NODES_H

#include "schema/base/error.h"

struct roxi_thread_nodes;

/* Reads what threads are called in all runs; if these are runs of tests, in those of the test of
 * which `run` is one. A log that cannot be opened is left out, without a warning. NULL with a
 * message. O(bytes of all logs), of which most are skipped. */
struct roxi_thread_nodes *roxi_thread_nodes_learn(const char *campaign, const char *run,
                                                  struct ix_error *err);
void roxi_thread_nodes_free(struct roxi_thread_nodes *n); /* n may be NULL */

/* The node of a thread by its name and group; "": of none. It lives as long as `n`. NULL with a
 * message. A known thread costs one look-up. */
const char *roxi_thread_nodes_of(struct roxi_thread_nodes *n, const char *name, const char *group,
                                 struct ix_error *err);

#endif
