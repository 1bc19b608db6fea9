/* The logs of a campaign's executions, read by several workers at a time: what load.h promises, from
 * the lists of executions and logs on.
 *
 * 1. Unless every packet counts: which packets each log has, and of these which ones count in each
 *    execution.
 * 2. Each log is counted on its own; a worker interns what it meets in a dictionary of its own.
 * 3. The dictionaries become one, in the order of the logs (translation.h), and the logs' counts the
 *    profiles of their executions.
 *
 * So numbers, profiles, warnings and errors are the same for every number of workers. */
#ifndef ROXI_LOAD_LOGS_H
#define ROXI_LOAD_LOGS_H

#include "roxi/load.h"
#include "roxi/packets.h"
#include "roxi/translation.h"

/* One VM's log. */
struct roxi_load_log {
    char *role, *path;             /* owned */
    enum roxi_vm_end ended;        /* as the catalogue has it */
    uint32_t role_string;          /* of the result's dictionary; if aspects are wanted */
    struct roxi_packets answered;  /* until it is known which packets count */
    char *unreadable, *torn;       /* owned sentences; NULL: it is not */
    struct roxi_item *items;       /* owned; in the worker's numbers */
    size_t item_count, worker;
    struct roxi_aspect_item *aspects; /* owned; likewise; NULL: not wanted, or unreadable */
    size_t aspect_count;
    uint64_t first_packet, last_packet; /* if aspects are wanted; 0: it has none */
    struct roxi_extent extent; /* of the worker's dictionary behind this log */
};

struct roxi_load_execution {
    int64_t id;
    char *name;                 /* owned */
    size_t first, count;        /* its logs */
    struct roxi_packets chosen; /* if not all count: those that do */
    uint64_t packets;           /* that any VM answered; 0 if that was not asked for */
};

struct roxi_load_list {
    struct roxi_load_execution *executions; /* all owned */
    size_t count, cap;
    struct roxi_load_log *logs; /* the executions' in order */
    size_t log_count, log_cap;
};
void roxi_load_list_free(struct roxi_load_list *list);

/* The profiles of all executions. NULL: a message, of the first log in order that cannot be read
 * although it can be opened, or memory ran out. *reached: how many logs were counted as they should,
 * without one that was not before them. */
struct roxi_profiles *roxi_load_logs(struct roxi_load_list *list,
                                     const struct roxi_load_options *options,
                                     const struct roxi_rules *rules, size_t *reached,
                                     struct ix_error *err);

#endif
