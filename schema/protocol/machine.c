/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/protocol/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void ix_machine_name(char name[IX_MACHINE_MAX + 1])
{
    char boot[40] = "", space[32];
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    bool found = f && fgets(boot, sizeof boot, f);
    if (f)
        fclose(f);
    ssize_t len = readlink("/proc/self/ns/time", space, sizeof space - 1);
    name[0] = 0;
    if (!found || len <= 0)
        return;
    space[len] = 0;
    boot[strcspn(boot, "\n")] = 0;
    snprintf(name, IX_MACHINE_MAX + 1, "%s/%s", boot, space);
}
