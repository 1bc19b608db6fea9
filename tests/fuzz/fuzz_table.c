/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in text files: every field can be read, or a message says what is wrong. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ix_error err = {""};
    struct roxi_text_table t;
    size_t column, read = 0;
    char *text = calloc(size + 1, 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    if (roxi_text_table_parse(&t, "fuzz", text, size, &err) != 0) {
        if (!err.text[0])
            abort();
        return 0;
    }
    for (size_t row = 0; row < t.rows; row++)
        for (size_t i = 0; i < t.columns; i++)
            read += strlen(roxi_text_table_at(&t, row, i));
    if (read > size)
        abort();
    if (roxi_text_table_need(&t, "where", &column, &err) != 0 && !err.text[0])
        abort();
    roxi_text_table_free(&t);
    return 0;
}
