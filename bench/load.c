/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a campaign's logs: bench/load CAMPAIGN THREADS. Prints the time in seconds, the shortest of
 * three, the snapshots and thread stacks counted, and the size of the logs in bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "roxi/campaign/load.h"
#include "schema/catalogue/catalogue.h"
#include "schema/tracelog/reader.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct size {
    uint64_t snapshots, bytes;
};

static int add_log(void *user, const struct ix_vm *vm)
{
    struct size *size = user;
    uint64_t packet;
    struct ix_log_reader *log = ix_log_open(vm->log, NULL);
    while (log && ix_log_next_packet(log, &packet, NULL) == 1)
        size->snapshots++;
    size->bytes += log ? ix_log_reader_offset(log) : 0;
    ix_log_reader_close(log);
    return 0;
}

struct all {
    struct ix_catalogue *catalogue;
    struct size size;
};

static int add_execution(void *user, const struct ix_execution *e)
{
    struct all *all = user;
    return ix_catalogue_vms(all->catalogue, e->id, add_log, &all->size, NULL);
}

int main(int argc, char **argv)
{
    struct ix_error err = {""};
    struct roxi_load_options options = {.min_vms = 2};
    struct all all = {.catalogue = NULL};
    double best = 0;
    uint64_t stacks = 0;
    if (argc != 3) {
        fputs("usage: load CAMPAIGN THREADS\n", stderr);
        return 2;
    }
    options.threads = (unsigned)strtoul(argv[2], NULL, 10);
    for (int i = 0; i < 3; i++) {
        const double begin = now();
        struct roxi_profiles *p = roxi_load(argv[1], &options, &err);
        const double taken = now() - begin;
        best = i == 0 || taken < best ? taken : best;
        stacks = 0;
        for (size_t e = 0; p && e < p->count; e++)
            stacks += p->executions[e].total;
        roxi_profiles_free(p);
        if (!p)
            break;
    }
    if (!err.text[0])
        all.catalogue = ix_catalogue_open(argv[1], IX_CATALOGUE_READ, &err);
    if (!all.catalogue || ix_catalogue_executions(all.catalogue, add_execution, &all, &err) != 0) {
        fprintf(stderr, "bench/load: %s\n", err.text);
        return 1;
    }
    ix_catalogue_close(all.catalogue);
    printf("%.4f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", best, all.size.snapshots, stacks,
           all.size.bytes);
    return 0;
}
