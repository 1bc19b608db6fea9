/* The messages about logs on any bytes. The first byte picks a decoder for the rest as its payload.
 * What is accepted must come out the same after being encoded and decoded again. */
#include <stdlib.h>
#include <string.h>

#include "schema/transfer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

CHECK_ROUND_TRIP(log_offer, struct ix_log_offer, IX_LOG_OFFER)
CHECK_ROUND_TRIP(log_accept, struct ix_log_accept, IX_LOG_ACCEPT)
CHECK_ROUND_TRIP(log_data, struct ix_log_data, IX_LOG_DATA)
CHECK_ROUND_TRIP(log_done, struct ix_log_done, IX_LOG_DONE)
CHECK_ROUND_TRIP(log_stored, struct ix_log_stored, IX_LOG_STORED)
CHECK_ROUND_TRIP(log_wanted, struct ix_log_name, IX_LOG_WANTED)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const checks[])(const uint8_t *, size_t) = {
        check_log_offer, check_log_accept, check_log_data,
        check_log_done,  check_log_stored, check_log_wanted,
    };
    if (size)
        checks[data[0] % 6](data + 1, size - 1);
    return 0;
}
