/* SPDX-License-Identifier: Apache-2.0 */
/* The messages about logs on any bytes. The first byte picks a decoder for the rest as its payload.
 * What is accepted must come out the same after being encoded and decoded again. */
#include "schema/protocol/transfer.h"
#include "tests/fuzz/round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
