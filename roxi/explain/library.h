/* SPDX-License-Identifier: Apache-2.0 */
/* Which code is of libraries. How often a method of a library was called says little of why: its
 * caller is to blame, and there are very many of them. A widely used package is a library to a role
 * whose program is not of one itself. Where a library's program runs, such as a server that is what
 * is tested, or a build tool that loads the tests, everything is taken for the application. */
#ifndef ROXI_EXPLAIN_LIBRARY_H
#define ROXI_EXPLAIN_LIBRARY_H

#include "roxi/explain/finder.h"

/* Is the class, a string, of a library to a role? O(items of the run), if its package is one. */
bool roxi_library_has(const struct roxi_finder *f, uint32_t role, uint32_t class_name);

#endif
