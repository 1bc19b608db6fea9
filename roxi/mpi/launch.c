/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/mpi/launch.h"

#include <stddef.h>
#include <stdlib.h>

/* A small number; 0 if it is not one. */
static unsigned number(const char *name)
{
    const char *text = getenv(name);
    return text && text[0] >= '0' && text[0] <= '9' ? (unsigned)strtoul(text, NULL, 10) : 0;
}

struct roxi_launch roxi_launched(void)
{
    /* mpirun's variables come first: srun may have started mpirun itself, and srun's variables
     * remain. SLURM_NTASKS would be that of the complete job. */
    static const struct {
        const char *count, *mine;
    } known[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                 {"PMI_SIZE", "PMI_RANK"},
                 {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const unsigned count = number(known[i].count);
        if (count)
            return (struct roxi_launch){count, number(known[i].mine)};
    }
    return (struct roxi_launch){1, 0};
}
