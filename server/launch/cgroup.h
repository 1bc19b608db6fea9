/* SPDX-License-Identifier: Apache-2.0 */
/* A control group of version 2 (cgroups(7)) in which a command and all that it starts get less
 * processor time. */
#ifndef IXOR_CGROUP_H
#define IXOR_CGROUP_H

#include "schema/base/error.h"

/* Finds where this process may make such a group, in its own group or one above it, and tries it
 * out. Returns the path of a group to be made, which the caller frees; NULL with what to do: there
 * is no cgroup v2, or no permission. `percent` of one processor, above 0. */
char *ixor_cgroup_find(unsigned percent, struct ix_error *err);
/* The same with the texts of /proc/self/mountinfo and /proc/self/cgroup; exposed for tests. */
char *ixor_cgroup_find_in(const char *mountinfo, const char *own, unsigned percent,
                          struct ix_error *err);

/* Makes the group. 0 or -1. */
int ixor_cgroup_make(const char *dir, unsigned percent, struct ix_error *err);
/* Moves this process into it. Async-signal-safe. 0, or -1 with errno. */
int ixor_cgroup_join(const char *dir);
/* Removes the group, and ends what is left in it; waits for that, a second at most. Nothing happens
 * if it does not exist. 0 or -1. */
int ixor_cgroup_remove(const char *dir);

#endif
