/* SPDX-License-Identifier: Apache-2.0 */
/* JVMs that only build: under 'ixor run -- mvn test', Maven's own JVM is recorded beside that of
 * the tests. What it does says nothing of the system under test, and varies with the machine. */
#ifndef ROXI_BUILDS_H
#define ROXI_BUILDS_H

#include "roxi/campaign/load_list.h"

/* Does the log's JVM have a build tool as its main class, and was nothing seen in it that is not of
 * the tool or the platform? Tests may run in such a JVM. Numbers are those of `p`. O(items x depth)
 * if it has, else O(items). */
bool roxi_only_builds(const struct roxi_load_log *log, const struct roxi_profiles *p);

#endif
