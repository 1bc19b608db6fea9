/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format of Protocol Buffers, as far as messages of numbers, strings and messages need
 * it: https://protobuf.dev/programming-guides/encoding/. As the format requires, fields with
 * their default value, 0 or "", are left out, except elements of lists. */
#ifndef ROXI_PROTOBUF_H
#define ROXI_PROTOBUF_H

#include "schema/base/bytes.h"

enum roxi_wire { ROXI_WIRE_VARINT = 0, ROXI_WIRE_LENGTH = 2 };

static inline void roxi_pb_tag(struct ix_out *out, unsigned field, enum roxi_wire wire)
{
    ix_put_varint(out, (uint64_t)field << 3 | (unsigned)wire);
}

/* For int64, uint64 and bool; negative numbers as two's complement. */
static inline void roxi_pb_number(struct ix_out *out, unsigned field, uint64_t value)
{
    if (value == 0)
        return;
    roxi_pb_tag(out, field, ROXI_WIRE_VARINT);
    ix_put_varint(out, value);
}

/* A string, a message, or a packed list of numbers; written even if empty. */
static inline void roxi_pb_bytes(struct ix_out *out, unsigned field, const void *data, size_t size)
{
    roxi_pb_tag(out, field, ROXI_WIRE_LENGTH);
    ix_put_string(out, data, size);
}

#endif
