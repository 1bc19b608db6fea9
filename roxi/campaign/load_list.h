/* SPDX-License-Identifier: Apache-2.0 */
/* The runs and logs of a campaign while they are loaded, and what is known of each. */
#ifndef ROXI_LOAD_LIST_H
#define ROXI_LOAD_LIST_H

#include "roxi/campaign/load_options.h"
#include "roxi/campaign/packets.h"
#include "roxi/campaign/profile.h"
#include "roxi/campaign/traffic.h"
#include "roxi/campaign/translation.h"
#include "schema/tracelog/intern.h"

/* One JVM's log. */
struct roxi_load_log {
    char *role, *path;            /* owned */
    bool is_over, bad_end;        /* by the catalogue: it ended; but not orderly */
    uint64_t reported;            /* the last packet that it must have (log_end.h) */
    uint32_t role_string;         /* in the result's dictionary */
    struct roxi_packets answered; /* until it is known which packets count */
    struct ix_intern names;       /* of threads, each once, until they are learnt from */
    bool only_builds;             /* builds.h; it is left out if the run has others */
    char *unreadable, *torn; /* owned messages; NULL: it is not. torn: also if its end is missing */
    struct roxi_item *items; /* owned; numbered by the worker's dictionary */
    size_t item_count, worker;
    struct roxi_use use;         /* numbered likewise; owned */
    struct roxi_traffic traffic; /* until the run's logs are joined; owned */
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
    bool interrupted; /* as in struct roxi_profile */
    bool test_failed; /* a test, which failed, */
    char *failure;    /* and with what; NULL: it is not known; owned */
};

struct roxi_load_list {
    struct roxi_load_execution *executions; /* all owned */
    size_t count, cap;
    struct roxi_load_log *logs; /* in the order of the runs */
    size_t log_count, log_cap;
};
void roxi_load_list_free(struct roxi_load_list *list);

/* Forgets what was read of JVMs that only build, if their run has others. */
void roxi_load_list_leave_out(struct roxi_load_list *list);

/* Which packets count in each run, by min_vms and to_the_end; releases what each log answered.
 * 0, or -1: memory ran out. */
int roxi_load_list_choose(struct roxi_load_list *list, const struct roxi_load_options *o);

/* Sets whose histories are kept. */
void roxi_load_list_histories(struct roxi_load_list *list, const struct roxi_load_options *o);

#endif
