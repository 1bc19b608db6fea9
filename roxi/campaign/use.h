/* SPDX-License-Identifier: Apache-2.0 */
/* What the JVMs of a run used, and which exceptions were made and thrown in them. */
#ifndef ROXI_USE_H
#define ROXI_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The threads of a group (profile.h) in one JVM. */
struct roxi_most {
    uint32_t group;
    uint32_t threads; /* the most at once */
    uint32_t gone;    /* packets that count after the last one had ended; 0: it lasted to the end */
    uint64_t turns;   /* how often they ran, in all JVMs; 0: not known */
};

/* The most that a JVM of a role used of each; only where logs have records of the process. */
struct roxi_process_use {
    uint32_t role;          /* a string of the dictionary */
    uint64_t megabytes;     /* resident */
    uint64_t files;         /* open descriptors */
    uint64_t collecting;    /* thousandths of the time in which garbage was collected; */
    uint64_t collecting_ns; /* and how long that was */
};

/* All exceptions of a class that were thrown at one place in the JVMs of a role; only where logs
 * have records of exceptions. */
struct roxi_thrown {
    uint32_t role, class_name; /* strings of the dictionary */
    uint32_t stack;            /* the frame that threw them, alone */
    uint32_t group;            /* of the first one's thread; ROXI_NONE: not known */
    uint64_t packet;           /* the first packet after the first one, else the JVM's last */
    uint64_t count;
};

/* The first exception of a class that a JVM of a role made on a call stack; only where logs have
 * records of them. JVMs that the agent came to later, and older logs, have only the first one of
 * each class. */
struct roxi_first {
    uint32_t role, class_name; /* strings of the dictionary */
    uint32_t stack;            /* that made it; 0: not known */
    uint32_t group;            /* of the thread; ROXI_NONE: not known */
    uint64_t packet;           /* the first packet after it, else the JVM's last */
    uint32_t serial;           /* ascends with time among those of a packet and a JVM */
};

/* Threads of a group that a call stack started; only where logs have records of that. */
struct roxi_started {
    uint32_t group, stack;
    uint64_t threads;
};

/* How often a method was called in the JVMs of a role; only where logs have records of that. A
 * method that is called very often is counted to some number only (schema/tracelog/tracelog.md). */
struct roxi_called {
    uint32_t role;  /* a string of the dictionary */
    uint32_t stack; /* the method alone */
    bool at_least;  /* it was called more often than that, or may have been */
    uint64_t count;
};

/* A basic block of code that was executed in a JVM of a role; only where logs have records of that.
 */
struct roxi_covered {
    uint32_t role;  /* a string of the dictionary */
    uint32_t stack; /* the method and the line that the block begins in, alone; without that line if
                       lines are not compared */
    uint32_t block; /* of the class, in the order of its code; 0 if lines are not compared */
    uint32_t packet; /* the first packet after it was executed, else the JVM's last */
};

/* The same, of runs whose history is kept (history.h): when it was executed, and when not. Lines
 * are compared. */
struct roxi_executed {
    uint32_t role, stack, block; /* as there */
    uint32_t active;             /* packets since the first one, but for its pauses */
    uint32_t missed; /* of its pauses, the most packets in which other blocks of its method were
                        executed; 0: none */
    uint32_t missed_from;           /* since this packet */
    uint32_t longest, longest_from; /* the longest of its pauses, and since when */
    uint32_t resumed;               /* the longest of those after which it was executed again */
};

/* What the JVMs of a role sent over their connections with those of another one; only where logs
 * have records of traffic. */
struct roxi_talk {
    uint32_t role, peer;  /* strings of the dictionary; peer 0: no JVM of the run, or not known */
    bool accepted;        /* over connections that the peer has opened; false: the role has */
    uint64_t connections; /* in the whole run, one after the other or at a time */
    uint64_t sent;        /* messages: segments with data */
    uint32_t waits; /* the most packets in a row in which the role had sent something over one of
                       them, and nothing came back; */
    uint64_t waits_from; /* since this packet */
    uint32_t unread; /* the most in a row in which something had arrived that it did not read, */
    uint64_t unread_from; /* likewise */
};

/* All zero: empty. Lists are owned. */
struct roxi_use {
    struct roxi_most *most; /* each group once; after roxi_use_order ascending by it */
    size_t most_count, most_cap;
    struct roxi_process_use *processes; /* each role once */
    size_t process_count, process_cap;
    struct roxi_thrown *thrown; /* after roxi_use_order each role, class and place once, ascending
                                   by class, place and role */
    size_t thrown_count, thrown_cap;
    struct roxi_first
        *firsts; /* after roxi_use_order each class, role and call stack once, ascending by them */
    size_t first_count, first_cap;
    struct roxi_started *started; /* after roxi_use_order each group and call stack once, ascending
                                     by them */
    size_t started_count, started_cap;
    struct roxi_called
        *called; /* after roxi_use_order each role and method once, ascending by them */
    size_t called_count, called_cap;
    struct roxi_covered *covered; /* after roxi_use_order each role, place and block once, ascending
                                     by them */
    size_t covered_count, covered_cap;
    struct roxi_executed *executed; /* likewise */
    size_t executed_count, executed_cap;
    struct roxi_talk *talks; /* each role, peer and direction once */
    size_t talk_count, talk_cap;
    bool tells_firsts;  /* they were recorded, be there any or not, */
    bool tells_places;  /* on each call stack */
    bool tells_called;  /* how often methods were called was recorded, */
    bool tells_covered; /* and which code was executed, */
    bool tells_pauses;  /* and when: there is something in `executed` */
};
void roxi_use_free(struct roxi_use *u);

/* Each adds to what is there already. -1: memory ran out. O(1) amortised; of processes
 * O(roles); of talks O(pairs of roles); of exceptions, methods and blocks O(log n), amortised, and
 * memory for twice as many as differ. */
int roxi_use_add_most(struct roxi_use *u, struct roxi_most most);
int roxi_use_add_process(struct roxi_use *u, const struct roxi_process_use *process);
int roxi_use_add_thrown(struct roxi_use *u, const struct roxi_thrown *thrown);
int roxi_use_add_first(struct roxi_use *u, const struct roxi_first *first);
int roxi_use_add_talk(struct roxi_use *u, const struct roxi_talk *talk);
int roxi_use_add_called(struct roxi_use *u, const struct roxi_called *called);
int roxi_use_add_covered(struct roxi_use *u, const struct roxi_covered *covered);
int roxi_use_add_executed(struct roxi_use *u, const struct roxi_executed *executed);
int roxi_use_add_started(struct roxi_use *u, const struct roxi_started *started);

/* Of what is the same one entry remains, with the most of each number. O(n log n). */
void roxi_use_order(struct roxi_use *u);
/* After that; NULL: there were none. O(log n). */
const struct roxi_most *roxi_use_most(const struct roxi_use *u, uint32_t group);
/* After that: the call stack that started most threads of a group; 0: not known. O(n). */
uint32_t roxi_use_starter(const struct roxi_use *u, uint32_t group);
/* After that: those of a class that were thrown at a place, one a role; NULL: none. O(log n). */
const struct roxi_thrown *roxi_use_thrown(const struct roxi_use *u, uint32_t class_name,
                                          uint32_t stack, size_t *count);
/* After that: the earliest exception of a class, of all roles; NULL: none. O(log n + those of the
 * class). */
const struct roxi_first *roxi_use_earliest(const struct roxi_use *u, uint32_t class_name);
/* After that: a block in a role; NULL: it was not executed, or that is not known. O(log n). */
const struct roxi_executed *roxi_use_executed(const struct roxi_use *u, uint32_t role,
                                              uint32_t stack, uint32_t block);

#endif
