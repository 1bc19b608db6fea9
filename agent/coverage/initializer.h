/* SPDX-License-Identifier: Apache-2.0 */
/* A class's initializer, <clinit>. */
#ifndef IX_AGENT_INITIALIZER_H
#define IX_AGENT_INITIALIZER_H

#include "agent/coverage/class_file.h"

/* May there be objects of the class before its initializer has ended, as of a singleton or an enum?
 * It makes one, or one of a nested class, which may be derived from it, or calls a static method of
 * its own. What other classes do meanwhile is not looked at. True if its code is not understood.
 * O(its length). */
bool ixa_initializer_makes_objects(const struct ixa_class_file *c);

#endif
