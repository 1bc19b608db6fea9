/* SPDX-License-Identifier: Apache-2.0 */
/* Which code is of libraries. What a library executes, and how often its methods are called, says
 * little of why: its caller is to blame, and there are very many of them. A widely used package is
 * a library to a program of another one: to a test of one's own code ZooKeeper is a library, to
 * ZooKeeper's own tests it is not. */
#ifndef ROXI_LIBRARY_H
#define ROXI_LIBRARY_H

#include "roxi/campaign/profile.h"

/* What is a library to a role of a run. */
struct roxi_library {
    const struct roxi_profiles *profiles;
    const struct roxi_profile *run;
    uint32_t role;
    bool known; /* false at first: the program is looked for when it is needed */
    uint32_t program;
};

/* The class with which the program of the role begins, such as its main class, or the test's: that
 * of the outermost frame that is neither of the Java platform nor of what runs tests, of a thread
 * "main", or else of another one in which a test runs. A string; ROXI_NONE: no call stack of the
 * run tells. The first time O(frames of the role). */
uint32_t roxi_library_program(struct roxi_library *l);
/* Is the class, a string, of a library to the program? So it is if its package is widely used, and
 * the program is not of the same library (schema/base/library.h). */
bool roxi_library_has(struct roxi_library *l, uint32_t class_name);

#endif
