/* SPDX-License-Identifier: Apache-2.0 */
/* What every message must do: come out the same after being encoded and decoded again. */
#ifndef IX_TESTS_ROUND_TRIP_H
#define IX_TESTS_ROUND_TRIP_H

#include <stdlib.h>
#include <string.h>

#include "schema/protocol/protocol.h"

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Encodes `first`, decodes that into `second` and wants the bytes of its encoding to be the same.
 */
#define CHECK_ROUND_TRIP(name, message, number)                                                    \
    static void check_##name(const uint8_t *payload, size_t size)                                  \
    {                                                                                              \
        static message first, second;                                                              \
        struct ix_error err;                                                                       \
        struct ix_message_frame frame;                                                             \
        struct ix_out once = {0}, twice = {0};                                                     \
        if (ix_decode_##name(payload, size, &first, &err) != 0) {                                  \
            require(memchr(err.text, '\0', sizeof err.text) && err.text[0] != '\0');               \
            return;                                                                                \
        }                                                                                          \
        ix_encode_##name(&once, &first);                                                           \
        require(ix_next_message(once.data, once.len, &frame, &err) == 1 &&                         \
                frame.type == (number) && frame.size == once.len);                                 \
        require(ix_decode_##name(frame.payload, frame.payload_size, &second, &err) == 0);          \
        ix_encode_##name(&twice, &second);                                                         \
        require(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);            \
        require(frame.payload_size <= size); /* encoded the shortest way, nothing added */         \
        ix_out_free(&once);                                                                        \
        ix_out_free(&twice);                                                                       \
    }

#endif
