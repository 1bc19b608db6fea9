/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/coverage/stack_map.h"

#include "agent/coverage/big_endian.h"

/* A frame's first byte (The Java Virtual Machine Specification, 4.7.4). The first two kinds have
 * the distance to the frame before in it, the others two bytes more for it. */
enum {
    SAME = 0,         /* to 63 */
    ONE_OPERAND = 64, /* to 127 */
    DISTANCE_MAX = 63,
    ONE_OPERAND_FAR = 247,
    CHOP = 248, /* to 250: as many fewer variables as it is less than SAME_FAR */
    SAME_FAR = 251,
    APPEND = 252, /* to 254: as many more variables as it is more than SAME_FAR */
    FULL = 255,
};

/* Types with two bytes of their own: a constant; the place of the `new` that made the object */
enum { LAST_SIMPLE = 6, OBJECT, UNINITIALIZED };

static void move_type(const struct ixa_layout *l, struct ix_in *in, struct ix_out *out)
{
    const uint8_t type = ix_get_u8(in);
    ix_put_u8(out, type);
    if (type <= LAST_SIMPLE)
        return;
    const uint16_t value = ixa_get_u2(in);
    const struct ixa_place *made = type == UNINITIALIZED ? ixa_layout_at(l, value) : NULL;
    if (type > UNINITIALIZED || (type == UNINITIALIZED && !made))
        in->failed = true;
    ixa_put_u2(out, made ? ixa_layout_own(made) : value);
}

static void move_types(const struct ixa_layout *l, unsigned count, struct ix_in *in,
                       struct ix_out *out)
{
    for (unsigned i = 0; i < count && !in->failed; i++)
        move_type(l, in, out);
}

/* A number of types, and the types. */
static void move_list(const struct ixa_layout *l, struct ix_in *in, struct ix_out *out)
{
    const uint16_t count = ixa_get_u2(in);
    ixa_put_u2(out, count);
    move_types(l, count, in, out);
}

static void put_head(struct ix_out *out, uint8_t kind, uint32_t distance)
{
    const bool one = kind >= ONE_OPERAND;
    if (kind < ONE_OPERAND_FAR && distance <= DISTANCE_MAX) {
        ix_put_u8(out, (uint8_t)((one ? ONE_OPERAND : SAME) + distance));
        return;
    }
    ix_put_u8(out, kind >= ONE_OPERAND_FAR ? kind : one ? ONE_OPERAND_FAR : SAME_FAR);
    ixa_put_u2(out, distance);
}

/* The types of a frame, which follow its head. */
static void move_rest(const struct ixa_layout *l, uint8_t kind, struct ix_in *in,
                      struct ix_out *out)
{
    if ((kind >= ONE_OPERAND && kind < CHOP))
        move_type(l, in, out);
    else if (kind >= APPEND && kind < FULL)
        move_types(l, kind - SAME_FAR, in, out);
    else if (kind == FULL) {
        move_list(l, in, out);
        move_list(l, in, out);
    }
}

bool ixa_stack_map_move(const struct ixa_layout *l, struct ix_in *in, struct ix_out *out)
{
    const uint16_t count = ixa_get_u2(in);
    uint32_t next = 0, new_next = 0; /* where a frame of distance 0 is */
    ixa_put_u2(out, count);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t kind = ix_get_u8(in);
        if (kind > ONE_OPERAND + DISTANCE_MAX && kind < ONE_OPERAND_FAR)
            return false;
        const uint32_t pc = next + (kind < ONE_OPERAND_FAR ? kind % ONE_OPERAND : ixa_get_u2(in));
        const struct ixa_place *place = ixa_layout_at(l, pc);
        if (in->failed || !place)
            return false;
        put_head(out, kind, place->to - new_next);
        move_rest(l, kind, in, out);
        next = pc + 1;
        new_next = place->to + 1;
    }
    return !in->failed;
}
