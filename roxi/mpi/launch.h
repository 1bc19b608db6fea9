/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this process is one of several that mpirun or a similar program started together. */
#ifndef ROXI_LAUNCH_H
#define ROXI_LAUNCH_H

struct roxi_launch {
    unsigned count, mine; /* 1 and 0: started on its own */
};

/* From the environment variables that mpirun (Open MPI), mpiexec (MPICH, Intel), and srun
 * (SLURM) set. In a SLURM batch script, without srun, a program runs on its own. */
struct roxi_launch roxi_launched(void);

#endif
