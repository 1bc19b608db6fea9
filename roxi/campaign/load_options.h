/* SPDX-License-Identifier: Apache-2.0 */
/* How the logs of a campaign are read. */
#ifndef ROXI_LOAD_OPTIONS_H
#define ROXI_LOAD_OPTIONS_H

#include "roxi/campaign/log_symbols.h"

/* As min_vms: */
#define ROXI_ALL_VMS 0u          /* as many JVMs as answered anything in the run */
#define ROXI_AUTO_VMS UINT32_MAX /* 2, or 1 if in no run two JVMs answered one packet */

enum {
    ROXI_USUAL_RUNS = 60,
    ROXI_USUAL_BYTES =
        128 << 20, /* of logs: a run whose logs exceed it with those before is left out */
};

struct roxi_load_options {
    uint32_t min_vms;
    bool to_the_end;   /* with ROXI_AUTO_VMS: all packets count that follow the first of these, and
                        * in a run without such a packet all. Where the others have ended, or never
                        * begun, the only JVM may show why. */
    const char *rules; /* of names: a file, "thesis", or NULL: the default (rules.h) */
    const char *test; /* only runs of this test, as roxi_test_choose; NULL: of the run whose history
                       * is kept, or of the only test */
    enum roxi_granularity granularity;
    bool explain; /* print on stderr what the rules did to names; forces one thread */
    const char *const *histories; /* names of the runs whose history is kept, then NULL; or NULL */
    bool usual_histories;  /* and those of ROXI_USUAL_RUNS more, spread evenly: what is usual */
    bool all_histories;    /* the history of every run is kept */
    const char *disturbed; /* only runs disturbed like this, "none": not; NULL: all */
    bool quiet;            /* no warnings: the same campaign was loaded before */
    unsigned threads;      /* 0: as many as there are processors (limited by OMP_NUM_THREADS) */
};

/* Is it one of those of so many runs? */
static inline bool roxi_is_usual_run(size_t run, size_t count)
{
    return count <= ROXI_USUAL_RUNS ||
           run * ROXI_USUAL_RUNS / count != (run + 1) * ROXI_USUAL_RUNS / count;
}

#endif
