/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks in writing: whatever is accepted prints as something that reads back as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/distance/stack_string.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *printed(const struct roxi_symbols *symbols, uint32_t stack)
{
    struct ix_out out = {0};
    roxi_stack_print(&out, symbols, stack);
    ix_put_u8(&out, 0);
    if (out.failed)
        abort();
    return (char *)out.data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ix_error err;
    uint32_t stack, again;
    char *text = strndup((const char *)data, size);
    struct roxi_symbols *symbols = roxi_symbols_new();
    if (!text || !symbols)
        abort();
    if (roxi_stack_parse(symbols, text, &stack, &err) == 0) {
        char *round = printed(symbols, stack);
        if (roxi_stack_parse(symbols, round, &again, &err) != 0 || again != stack)
            abort();
        free(round);
    } else if (!err.text[0]) {
        abort();
    }
    roxi_symbols_free(symbols);
    free(text);
    return 0;
}
