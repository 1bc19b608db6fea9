/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/coverage/instructions.h"

#include "agent/coverage/big_endian.h"

enum { TABLESWITCH = 0xaa, LOOKUPSWITCH = 0xab };

/* What the instructions are, by opcode: a length in bytes, or one of these. NO is also for jsr, ret
 * and jsr_w. */
enum {
    NO = 0,
    JU = 10, /* three bytes, with the distance to a target */
    JW,      /* five */
    SW,      /* a switch */
    WI,      /* changes the instruction that follows it */
    EN,      /* of one byte, and nothing goes on behind it */
};

/* clang-format off */
static const uint8_t kinds[256] = {
    /* 0 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 1 */ 2, 3, 2, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1,
    /* 2 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 3 */ 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1,
    /* 4 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 5 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 6 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 7 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 8 */ 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 9 */ 1, 1, 1, 1, 1, 1, 1, 1, 1,JU,JU,JU,JU,JU,JU,JU,
    /* a */JU,JU,JU,JU,JU,JU,JU,JU,NO,NO,SW,SW,EN,EN,EN,EN,
    /* b */EN,EN, 3, 3, 3, 3, 3, 3, 3, 5, 5, 3, 2, 3, 1,EN,
    /* c */ 3, 3, 1, 1,WI, 4,JU,JU,JW,NO,NO,NO,NO,NO,NO,NO,
};
/* clang-format on */

/* Loads and stores of variables have a second byte of their number, iinc has two bytes more. */
static bool read_wide(struct ixa_instruction *i, uint32_t left)
{
    enum { ILOAD = 0x15, ALOAD = 0x19, ISTORE = 0x36, ASTORE = 0x3a, IINC = 0x84 };
    const uint8_t opcode = left >= 2 ? i->at[1] : 0;
    if ((opcode >= ILOAD && opcode <= ALOAD) || (opcode >= ISTORE && opcode <= ASTORE))
        i->length = 4;
    else if (opcode == IINC)
        i->length = 6;
    return i->length != 0 && i->length <= left;
}

static bool read_switch(struct ixa_instruction *i, uint32_t left)
{
    const bool table = *i->at == TABLESWITCH;
    const uint32_t head = table ? 12 : 8, each = table ? 4 : 8;
    i->padding = 3 - i->pc % 4;
    if (left < 1 + i->padding + head)
        return false;
    const uint8_t *numbers = i->at + 1 + i->padding;
    int64_t cases = (int32_t)ixa_u4_at(numbers + 4);
    if (table) /* from a first value to a last one, one at least */
        cases = (int32_t)ixa_u4_at(numbers + 8) - cases + 1;
    if (cases < table || cases > left / each)
        return false;
    i->target_count = (uint32_t)cases + 1; /* the first is for all other values */
    i->length = 1 + i->padding + head + (uint32_t)cases * each;
    return i->length <= left;
}

bool ixa_instruction_read(const uint8_t *code, uint32_t length, uint32_t pc,
                          struct ixa_instruction *i)
{
    if (pc >= length)
        return false;
    const uint8_t kind = kinds[code[pc]];
    *i = (struct ixa_instruction){.at = code + pc, .pc = pc, .splits = kind >= JU && kind != WI};
    switch (kind) {
    case NO:
        return false;
    case JU:
        i->length = 3;
        i->target_count = 1;
        break;
    case JW:
        i->length = 5;
        i->target_count = 1;
        break;
    case EN:
        i->length = 1;
        break;
    case SW:
        return read_switch(i, length - pc);
    case WI:
        return read_wide(i, length - pc);
    default:
        i->length = kind;
    }
    return i->length <= length - pc;
}

/* Where in the instruction a target stands. */
static uint32_t target_at(const struct ixa_instruction *i, uint32_t target)
{
    if (target == 0)
        return 1 + i->padding;
    return i->padding + (*i->at == TABLESWITCH ? 9 + 4 * target : 5 + 8 * target);
}

int64_t ixa_instruction_target(const struct ixa_instruction *i, uint32_t target)
{
    const uint8_t *at = i->at + target_at(i, target);
    return i->pc + (int64_t)(kinds[*i->at] == JU ? (int16_t)ixa_u2_at(at) : (int32_t)ixa_u4_at(at));
}

bool ixa_instruction_aim(const struct ixa_instruction *i, uint8_t *copy, uint32_t target,
                         int32_t distance)
{
    uint8_t *at = copy + target_at(i, target);
    if (kinds[*i->at] != JU) {
        ixa_u4_to(at, (uint32_t)distance);
        return true;
    }
    ixa_u2_to(at, (uint32_t)distance);
    return distance >= INT16_MIN && distance <= INT16_MAX;
}
