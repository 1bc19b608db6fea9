/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `jfr print --json`: whatever it is, what is copied of it is at most as long. */
#include <stdint.h>
#include <stdlib.h>

#include "roxi/import/jfr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = NULL;
    size_t len = 0;
    if (size == 0)
        return 0;
    FILE *in = fmemopen((void *)data, size, "r"), *out = open_memstream(&text, &len);
    if (!in || !out)
        abort();
    dump_jfr_copy(in, out);
    fclose(in);
    if (fclose(out) != 0 || len > size)
        abort();
    free(text);
    return 0;
}
