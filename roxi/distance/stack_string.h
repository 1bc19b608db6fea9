/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks as people write them: frames joined by ';', the entry frame first.
 *
 * A frame is `Class.method(parameters)return:line`, as in a.b.C.run(I[Ljava/lang/String;)V:12,
 * with the JVM's descriptor (JVMS 4.3.3), including the ';' in it. Without `:line` the line is
 * unknown (-1). A token without '(' is a class alone: no method, no descriptor, line unknown.
 * The empty string is the empty stack.
 *
 * Class and method names may contain any character: '\', ';', '(', and in a method's name '.',
 * are preceded by '\'; LF and CR are written as \n and \r; the same holds for '\', LF and CR in
 * a descriptor. What is printed reads back as the same frame if its descriptor is valid (or it
 * is a class alone).
 */
#ifndef ROXI_STACK_STRING_H
#define ROXI_STACK_STRING_H

#include "roxi/campaign/symbols.h"
#include "schema/base/bytes.h"
#include "schema/base/error.h"

/* Parses a stack into the dictionary. -1 with a message that gives the column (in bytes, from
 * 1). */
int roxi_stack_parse(struct roxi_symbols *s, const char *text, uint32_t *stack,
                     struct ix_error *err);

/* Append the text, without a terminator; sets out->failed if out of memory. */
void roxi_frame_print(struct ix_out *out, const struct roxi_symbols *s, uint32_t frame);
void roxi_stack_print(struct ix_out *out, const struct roxi_symbols *s, uint32_t stack);

#endif
