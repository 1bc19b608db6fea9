/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the logs of a campaign's runs with several workers: implements what load.h promises,
 * given the lists of runs and logs.
 *
 * 1. Find which packets each log has, and which of them count in each run, unless every packet
 *    counts; and learn templates from the names of its threads (templates.h), if the rules say so.
 * 2. Count each log separately; each worker interns names and stacks in its own dictionary.
 * 3. Merge the dictionaries in the order of the logs (translation.h), and the logs' counts into
 *    the profiles of their runs.
 *
 * So numbers, profiles, warnings and errors are the same for every number of workers.
 */
#ifndef ROXI_LOAD_LOGS_H
#define ROXI_LOAD_LOGS_H

#include "roxi/campaign/load_options.h"
#include "roxi/campaign/packets.h"
#include "roxi/campaign/profile.h"
#include "roxi/campaign/translation.h"
#include "schema/tracelog/intern.h"

/* One JVM's log. */
struct roxi_load_log {
    char *role, *path;            /* owned */
    bool is_over, bad_end;        /* by the catalogue: it ended; but not orderly */
    bool reported;                /* the catalogue has a packet that this JVM answered */
    uint32_t role_string;         /* in the result's dictionary */
    struct roxi_packets answered; /* until it is known which packets count */
    struct ix_intern names;       /* of threads, each once, until they are learnt from */
    char *unreadable, *torn;      /* owned messages; NULL: it is not */
    struct roxi_item *items;      /* owned; numbered by the worker's dictionary */
    size_t item_count, worker;
    struct roxi_use use;         /* numbered likewise; owned */
    struct roxi_history history; /* if it is kept, numbered likewise; each JVM is number 0 */
    uint64_t packets, lost, lost_from, first_packet, last_packet; /* as in struct roxi_log_counts */
    struct roxi_extent extent; /* size of the worker's dictionary after this log */
};

struct roxi_load_execution {
    int64_t id;
    char *name;                 /* owned */
    int64_t begin_ns;           /* as in the catalogue; 0: not known */
    size_t first, count;        /* its logs */
    struct roxi_packets chosen; /* unless all count: those that do */
    uint64_t packets;           /* that any JVM answered; 0 if not requested */
    bool keeps_history;
};

struct roxi_load_list {
    struct roxi_load_execution *executions; /* all owned */
    size_t count, cap;
    struct roxi_load_log *logs; /* in the order of the runs */
    size_t log_count, log_cap;
};
void roxi_load_list_free(struct roxi_load_list *list);

/* The profiles of all runs. NULL with a message: for the first log in order that can be opened
 * but not read, or out of memory. *reached: how many logs, from the first on, were counted
 * without a failure. */
struct roxi_profiles *roxi_load_logs(struct roxi_load_list *list,
                                     const struct roxi_load_options *options,
                                     const struct roxi_rules *rules, size_t *reached,
                                     struct ix_error *err);

#endif
