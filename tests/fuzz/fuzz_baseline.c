/* SPDX-License-Identifier: Apache-2.0 */
/* Files of roxi baseline: what is unpacked is within the directory, and what is refused has a
 * message. */
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/staging.h"
#include "roxi/baseline/baseline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_directory(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        abort();
    for (const struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, "campaign.db") != 0 && strcmp(e->d_name, "runs") != 0 &&
            strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            abort();
    closedir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct roxi_staging staging;
    struct ix_error err = {""};
    if (size == 0)
        return 0;
    FILE *in = fmemopen((void *)data, size, "r");
    if (!in || roxi_staging_make(&staging, "/tmp/fuzz_baseline/unpacked", &err) != 0)
        abort();
    if (baseline_unpack_stream(in, "input", staging.path, &err) != 0 && !err.text[0])
        abort();
    check_directory(staging.path);
    roxi_staging_abandon(&staging);
    fclose(in);
    return 0;
}
