/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a log in the original's layout: an error or a trace log; and what a trace log is as
 * text, it stays when that is read and written once more. */
#include <stdint.h>

#include "tests/support/text_support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ix_error err = {""};
    struct outcome first = convert_text(data, size, &err);
    struct bytes text = log_to_text(first.log, &err);
    struct outcome second = convert_text(text.data, text.size, &err);
    if (second.status != 0 || second.blocks != first.blocks)
        abort();
    struct bytes again = log_to_text(second.log, &err);
    if (first.blocks && (text.size != again.size || memcmp(text.data, again.data, text.size) != 0))
        abort();
    free(again.data);
    free(second.log.data);
    free(text.data);
    free(first.log.data);
    return 0;
}
