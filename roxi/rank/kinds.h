/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of durations that the ranking compares (durations.h), and in what they differ: a table
 * with a row for each. Some are no durations but numbers, of which so many count as a packet. */
#ifndef ROXI_KINDS_H
#define ROXI_KINDS_H

#include <stdbool.h>
#include <stdint.h>

enum roxi_duration_kind {
    ROXI_IN_CALL,  /* packets x threads in a call */
    ROXI_OUTSIDE,  /* packets x threads of a template that were in no call of the application */
    ROXI_TURNS,    /* no duration: how often threads of a template ran */
    ROXI_ANSWERED, /* packets answered by the role's JVMs */
    ROXI_LOST,     /* the longest series of packets that a JVM lost */
    ROXI_EARLY,    /* packets that others answered after a JVM's last one;
                      if it ended in an orderly way, at most those that it lacks of the usual */
    ROXI_BAD_END,  /* no duration: for each JVM that did not end orderly, ROXI_BAD_END_PACKETS */
    ROXI_OPENED,   /* no duration: connections that the role's JVMs opened */
    ROXI_SENT_OUT, /* no duration: messages that the role's JVMs sent over connections that they had
                      opened, */
    ROXI_SENT_BACK, /* and over those that others had */
    ROXI_OWED,    /* the longest time for which another JVM had sent it something, and nothing came
                     back */
    ROXI_UNREAD,  /* the longest time for which something had arrived that it did not read */
    ROXI_GARBAGE, /* no duration: milliseconds for which a JVM collected garbage */
    ROXI_COVERED, /* no duration: for each class of which the role executed code that no other run
                     does, ROXI_COVERED_PACKETS; fewer if others do (rare.h) */
    ROXI_FIRSTS, /* no duration: 1 for each class of exceptions of which a JVM made one, in whatever
                    role (campaign/use.h) */
    ROXI_DURATION_KINDS,
};
enum {
    ROXI_BAD_END_PACKETS = 100, /* a JVM that crashed is worth a look before what is merely slow */
    ROXI_COVERED_PACKETS = 16,  /* docs/ranking-measured.md */
};

struct roxi_duration_traits {
    const char *name;   /* in JSON */
    uint32_t of_packet; /* so many of it count as a packet; 1: it is packets */
    bool of_threads;    /* of a role's or a node's threads; else of a role's JVMs */
    bool only_more;     /* less than typical does not count */
    bool one_event;     /* depends on chance more than a sum does (model.h) */
    bool told_apart;    /* departures.c does not tell of it: explain/ has a producer for it alone */
};
extern const struct roxi_duration_traits roxi_traits[ROXI_DURATION_KINDS];

/* Is it about what goes over connections? */
static inline bool roxi_is_of_talks(enum roxi_duration_kind kind)
{
    return kind >= ROXI_OPENED && kind <= ROXI_UNREAD;
}
static inline bool roxi_is_sent(enum roxi_duration_kind kind)
{
    return kind == ROXI_SENT_OUT || kind == ROXI_SENT_BACK;
}

#endif
