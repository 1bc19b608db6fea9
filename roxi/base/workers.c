/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

struct work {
    roxi_job *run;
    void *user;
    size_t count;
    atomic_size_t next; /* the next job to start */
};

struct worker {
    struct work *work;
    size_t number;
    pthread_t thread;
};

static size_t processors(void)
{
#ifdef _OPENMP
    return (size_t)omp_get_max_threads();
#else
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
#endif
}

size_t roxi_workers(size_t wanted, size_t jobs)
{
    const size_t most = wanted ? wanted : processors();
    return most < jobs ? most : jobs ? jobs : 1;
}

static void *work_on(void *argument)
{
    const struct worker *me = argument;
    struct work *work = me->work;
    for (size_t job; (job = atomic_fetch_add(&work->next, 1)) < work->count;)
        work->run(work->user, me->number, job);
    return NULL;
}

void roxi_workers_run(size_t workers, size_t count, roxi_job *run, void *user)
{
    struct work work = {.run = run, .user = user, .count = count};
    struct worker first = {.work = &work};
    struct worker *others = workers > 1 ? calloc(workers - 1, sizeof *others) : NULL;
    size_t made = 0;
    for (; others && made < workers - 1; made++) {
        others[made] = (struct worker){.work = &work, .number = made + 1};
        if (pthread_create(&others[made].thread, NULL, work_on, &others[made]) != 0)
            break;
    }
    work_on(&first);
    for (size_t i = 0; i < made; i++)
        pthread_join(others[i].thread, NULL);
    free(others);
}
