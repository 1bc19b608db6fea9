/* Whether this process is one of several that something like mpirun started at once. */
#ifndef ROXI_LAUNCH_H
#define ROXI_LAUNCH_H

struct roxi_launch {
    unsigned count, mine; /* 1 and 0: it was started as programs usually are */
};

/* By the variables that mpirun (Open MPI), mpiexec (MPICH, Intel), and srun (SLURM) set. In a SLURM
 * batch script, outside of srun, a program is one alone. */
struct roxi_launch roxi_launched(void);

#endif
