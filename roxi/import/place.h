/* SPDX-License-Identifier: Apache-2.0 */
/* Frames as Java and its tools print them, such as "java.lang.Thread.run(Thread.java:840)",
 * with or without modules and class loaders: "java.base/java.lang.Thread.run(Thread.java:840)",
 * "java.lang.Thread.run(java.base@17.0.15/Thread.java:840)", "app//a.B.run(B.java:1)". */
#ifndef ROXI_IMPORT_PLACE_H
#define ROXI_IMPORT_PLACE_H

#include "roxi/import/dump.h"

/* False: the text is no frame. What is found points into the text; there is no descriptor. */
bool dump_place_parse(struct ix_span text, struct dump_frame *frame);

/* JVMTI's bits for a state in the words of jstack, or in those of java.lang.Thread.State alone;
 * `native`: the executing method is native. 0: there is no such state. */
uint32_t dump_state_parse(struct ix_span words, bool native);

#endif
