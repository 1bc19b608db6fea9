/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/coverage/initializer.h"

#include <string.h>

#include "agent/coverage/big_endian.h"
#include "agent/coverage/instructions.h"

enum { INVOKESTATIC = 0xb8, NEW = 0xbb };

/* The class, or one that is nested in it? */
static bool is_own(struct ix_span name, struct ix_span own)
{
    return name.len >= own.len && memcmp(name.text, own.text, own.len) == 0 &&
           (name.len == own.len || name.text[own.len] == '$');
}

static bool makes_object(const struct ixa_class_file *c, const struct ixa_instruction *i,
                         struct ix_span own)
{
    if (*i->at == NEW)
        return is_own(ixa_class_name(c, ixa_u2_at(i->at + 1)), own);
    if (*i->at != INVOKESTATIC)
        return false;
    const struct ix_span owner = ixa_owner_name(c, ixa_u2_at(i->at + 1));
    return owner.len == own.len && is_own(owner, own);
}

/* Of the content of a Code attribute. */
static bool code_makes_object(const struct ixa_class_file *c, struct ix_in in)
{
    struct ixa_instruction i;
    const struct ix_span own = ixa_class_name(c, c->this_class);
    ix_get_bytes(&in, 4); /* max_stack, max_locals */
    const uint32_t length = ixa_get_u4(&in);
    const uint8_t *code = ix_get_bytes(&in, length);
    for (uint32_t pc = 0; code && pc < length; pc += i.length)
        if (!ixa_instruction_read(code, length, pc, &i) || makes_object(c, &i, own))
            return true;
    return !code;
}

bool ixa_initializer_makes_objects(const struct ixa_class_file *c)
{
    struct ix_in methods = ixa_class_file_methods(c);
    for (unsigned i = 0; i < c->method_count; i++) {
        const struct ixa_member m = ixa_get_member(c, &methods);
        struct ix_in in = m.attributes;
        if (!ixa_span_is(m.name, "<clinit>"))
            continue;
        for (unsigned k = 0; k < m.attribute_count; k++) {
            const struct ixa_attribute a = ixa_get_attribute(c, &in);
            if (ixa_span_is(a.name, "Code") && code_makes_object(c, a.content))
                return true;
        }
    }
    return false;
}
