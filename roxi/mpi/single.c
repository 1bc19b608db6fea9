/* SPDX-License-Identifier: Apache-2.0 */
/* mpi.h without MPI: a single process, which neither agrees nor shares work with others. */
#include "roxi/mpi/launch.h"
#include "roxi/mpi/mpi.h"

int roxi_mpi_start(int argc, char **argv, struct ix_error *err)
{
    (void)argc, (void)argv;
    const struct roxi_launch launch = roxi_launched();
    if (launch.count == 1)
        return 0;
    if (launch.mine != 0)
        return 1;
    return ix_fail(
        err,
        "started %u times at once (by mpirun?), but this roxi was built without MPI and "
        "would compute all of it each time; build it with 'make MPI=1', or start it once",
        launch.count);
}

unsigned roxi_mpi_processes(void)
{
    return 1;
}

unsigned roxi_mpi_process(void)
{
    return 0;
}

unsigned roxi_mpi_threads(void)
{
    return 0;
}

int roxi_mpi_agree(const struct roxi_view *mine, struct ix_error *err)
{
    (void)err;
    return mine ? 0 : -1;
}

void roxi_mpi_call(const void *bytes, size_t len)
{
    (void)bytes, (void)len;
}

bool roxi_mpi_called(void *bytes, size_t len)
{
    (void)bytes, (void)len;
    return false;
}

int roxi_mpi_serve(roxi_take *take, void *user, struct ix_error *err)
{
    (void)take, (void)user, (void)err;
    return 0;
}

void roxi_mpi_served(bool give_up)
{
    (void)give_up;
}

bool roxi_mpi_ask(bool interrupted, struct roxi_work_item *item)
{
    (void)interrupted, (void)item;
    return false;
}

void roxi_mpi_sum(double *cells, size_t n)
{
    (void)cells, (void)n;
}

int roxi_mpi_end(int status, const char *command, const char *message)
{
    (void)command, (void)message;
    return status;
}
