/* SPDX-License-Identifier: Apache-2.0 */
/* Any log that the reader accepts (log_bytes.h) can be exported in every format; what is JSON reads
 * as such. */
#include <jansson.h>

#include "tests/fuzz/log_bytes.h"
#include "tests/support/export_support.h"

/* So that a few hostile bytes (many threads on deep stacks) do not stop the fuzzer. */
enum { FRAMES_MAX = 20000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void export_all(const uint8_t *log, size_t len, bool lines)
{
    const struct export_options options = {.max_nodes = 20, .lines = lines};
    struct ix_error err = {""};
    for (size_t i = 0; i < EXPORT_NAMES; i++) {
        struct exported e = export_bytes(export_names[i], options, log, len, &err);
        if (e.status == 0 && (i == 1 || i == 2)) {
            json_t *json =
                json_loadb(e.data, e.size, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, NULL);
            if (!json)
                abort();
            json_decref(json);
        }
        free(e.data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t len;
    uint8_t *log = log_bytes(data, size, &len);
    if (log && export_work(log, len, FRAMES_MAX) < FRAMES_MAX)
        export_all(log, len, data[0] % 4 < 2);
    free(log);
    return 0;
}
