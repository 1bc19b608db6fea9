/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/coverage/layout.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

static bool find_instructions(struct ixa_layout *l)
{
    struct ixa_instruction i;
    for (uint32_t pc = 0; pc < l->length; pc += i.length) {
        if (!ixa_instruction_read(l->code, l->length, pc, &i))
            return false;
        l->places[pc].is_start = true;
    }
    l->places[l->length].is_start = true;
    return true;
}

static bool find_leaders(struct ixa_layout *l)
{
    struct ixa_instruction i;
    l->places[0].is_leader = true;
    for (uint32_t pc = 0; pc < l->length; pc += i.length) {
        i = ixa_layout_instruction(l, pc);
        for (uint32_t t = 0; t < i.target_count; t++)
            if (!ixa_layout_leader(l, ixa_instruction_target(&i, t)))
                return false;
        if (i.splits && pc + i.length < l->length)
            l->places[pc + i.length].is_leader = true;
    }
    return true;
}

bool ixa_layout_begin(struct ixa_layout *l, const uint8_t *code, uint32_t length)
{
    if (ix_grow_list(&l->places, &l->capacity, (size_t)length + 1, sizeof *l->places) != 0) {
        ixa_layout_free(l);
        return false;
    }
    memset(l->places, 0, ((size_t)length + 1) * sizeof *l->places);
    l->code = code;
    l->length = length;
    return find_instructions(l) && find_leaders(l);
}

bool ixa_layout_leader(struct ixa_layout *l, int64_t pc)
{
    if (pc < 0 || pc >= l->length || !l->places[pc].is_start)
        return false;
    l->places[pc].is_leader = true;
    return true;
}

bool ixa_layout_end(struct ixa_layout *l)
{
    _Static_assert(IXA_PROBE_LENGTH % 4 == 0, "the padding of switches stays the same");
    uint32_t probes = 0;
    for (uint32_t pc = 0; pc <= l->length; pc++) {
        l->places[pc].to = pc + probes * IXA_PROBE_LENGTH;
        probes += l->places[pc].is_leader;
    }
    const uint32_t length = l->places[l->length].to;
    return length <= IXA_CODE_MAX && (length <= IXA_COMPILED_MAX || l->length > IXA_COMPILED_MAX);
}

void ixa_layout_free(struct ixa_layout *l)
{
    free(l->places);
    *l = (struct ixa_layout){0};
}

struct ixa_place *ixa_layout_at(const struct ixa_layout *l, uint32_t pc)
{
    return pc <= l->length && l->places[pc].is_start ? &l->places[pc] : NULL;
}

uint32_t ixa_layout_own(const struct ixa_place *p)
{
    return p->to + (p->is_leader ? IXA_PROBE_LENGTH : 0);
}

struct ixa_instruction ixa_layout_instruction(const struct ixa_layout *l, uint32_t pc)
{
    struct ixa_instruction i;
    ixa_instruction_read(l->code, l->length, pc, &i);
    return i;
}
