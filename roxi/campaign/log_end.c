/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/campaign/log_end.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int roxi_log_reported(struct ix_catalogue *c, const struct ix_vm *vm, uint64_t *reported,
                      struct ix_error *err)
{
    int64_t packet = 0;
    *reported = 0;
    if (strcmp(vm->ended, "running") == 0)
        return 0;
    if (ix_catalogue_vm_reported(c, vm->id, &packet, err) != 0)
        return -1;
    if (packet > 0)
        *reported = (uint64_t)packet;
    return 0;
}

int roxi_log_end(const struct ix_log_reader *log, const char *path, uint64_t last,
                 uint64_t reported, char **problem)
{
    const char *torn = ix_log_torn(log);
    char end[48] = "has no packets";
    *problem = NULL;
    if (!torn && last >= reported)
        return 0;
    if (last)
        snprintf(end, sizeof end, "ends with packet %" PRIu64, last);
    if (torn)
        *problem = strdup(torn);
    else if (asprintf(problem,
                      "'%s' %s, but its JVM has reported packets up to %" PRIu64
                      ": the end of the log is missing",
                      path, end, reported) < 0)
        *problem = NULL;
    return *problem ? 0 : -1;
}
