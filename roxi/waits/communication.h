/* SPDX-License-Identifier: Apache-2.0 */
/* The communication graph of a campaign: which roles have connections to which, and for how long
 * threads waited on them; in a typical run, and in one run compared with the others.
 *
 * Its parties are the roles. Where no JVM of a run has the other end of a connection, they are
 * addresses: with the port for a service, without it for clients. An edge goes from the party that
 * has connected to the party that has accepted; a write that waits for a client makes an edge in
 * the other direction. */
#ifndef ROXI_WAITS_COMMUNICATION_H
#define ROXI_WAITS_COMMUNICATION_H

#include "roxi/waits/connections.h"
#include "schema/waits/graph.h"

/* A wait has grown if it is this many times that of a typical run, this many packets longer, and
 * longer than in this share of the other runs. Fewer packets may be chance. */
#define WAITS_GROWN_TIMES 2
#define WAITS_GROWN_PACKETS 10
#define WAITS_GROWN_SHARE 0.9
/* So have messages, if there are this many times as many, this many more, and more than in the same
 * share of the other runs. */
#define WAITS_MORE_TIMES 3
#define WAITS_MORE_MESSAGES 100

/* With fewer other runs that passed, all other runs are compared with. */
#define WAITS_PASSED_LEAST 3

struct waits_party {
    const char *name; /* the dictionary's */
    bool outside;     /* the name is an address; else a role */
    size_t jvms;      /* of the role, in the run that has most */
};

struct waits_amount {
    double connections; /* in the whole run, one after the other or at a time */
    double messages;    /* segments with data, both ways */
    double waits;       /* packets, summed over the threads that waited on one of them */
};

struct waits_edge {
    size_t from, to;                   /* parties */
    struct waits_amount here, typical; /* typical: medians of the other runs */
    double pace;                       /* median of the other runs: threads that wait at a packet */
    double longer;  /* share of the other runs in which threads waited for less long than here */
    bool grown;     /* in the run, against the others: waits, */
    bool more;      /* and messages */
    uint64_t since; /* the packet since which they have waited more; 0: not a single one */
};

/* All zero: empty. */
struct waits_communication {
    struct waits_party *parties; /* owned, as are the other lists */
    size_t party_count, party_cap;
    struct waits_edge *edges; /* after finish: longest waits first */
    size_t edge_count, edge_cap;
    struct waits_cell *cells; /* amounts, by run */
    size_t cell_count, cell_cap;
    struct waits_stretch *stretches; /* of waits, in the run itself */
    size_t stretch_count, stretch_cap;
    uint64_t *packets; /* of the run itself */
    size_t packet_count;
    size_t runs;          /* the other ones */
    bool passed;          /* all of them passed */
    size_t messages_told; /* how many of them have messages recorded */
    bool told_here;       /* so has the run itself */
    size_t jvms, telling; /* in all runs, and how many tell their connections */
    size_t unknown;       /* connections whose other end may be one of several */
    struct roxi_symbols *names;
    struct ix_idmap party_of[2], edge_of; /* roles, addresses; pairs of parties */
};

/* Adds a run: first the other runs, then (add_here) the run itself, if there is one. -1: out of
 * memory. */
int waits_communication_add(struct waits_communication *g, const struct waits_connections *run);
int waits_communication_add_here(struct waits_communication *g,
                                 const struct waits_connections *run);
/* After the last run. -1: out of memory. O(n log n). */
int waits_communication_finish(struct waits_communication *g);
void waits_communication_free(struct waits_communication *g);

#endif
