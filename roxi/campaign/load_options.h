/* SPDX-License-Identifier: Apache-2.0 */
/* How the logs of a campaign are read. */
#ifndef ROXI_LOAD_OPTIONS_H
#define ROXI_LOAD_OPTIONS_H

#include "roxi/campaign/log_symbols.h"

#define ROXI_ALL_VMS 0u /* as min_vms: as many JVMs as answered anything in the run */

struct roxi_load_options {
    uint32_t min_vms;
    const char *rules; /* a file of rules for names; NULL: the built-in rules */
    enum roxi_granularity granularity;
    bool features;    /* also gather the other features of runs (features.h) */
    bool explain;     /* print on stderr what the rules did to names; forces one thread */
    unsigned threads; /* 0: as many as there are processors (limited by OMP_NUM_THREADS) */
};

#endif
