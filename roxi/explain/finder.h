/* SPDX-License-Identifier: Apache-2.0 */
/* What the producers of findings share: the run that is explained, what its threads did, and the
 * findings so far.
 *
 * A producer is a function that adds findings of one kind, or says more of those that are there;
 * -1: memory ran out. It has a file of its own and is a step in findings.c; order.c puts findings
 * in order. */
#ifndef ROXI_FINDER_H
#define ROXI_FINDER_H

#include "roxi/explain/called.h"

struct roxi_edge;

enum {
    ROXI_BESIDE = 5, /* packets between what belongs together: a cause and what is seen of it, or
                        two departures of which either may be the cause, or both one event */
    ROXI_ABOUT_THEN = 20, /* packets between two departures that may have the same cause */
    ROXI_HOPS = 8,        /* from JVM to JVM, are followed at most */
};

/* Are two packets at most so many apart? */
static inline bool roxi_within(uint64_t a, uint64_t b, uint64_t packets)
{
    return a <= b + packets && b <= a + packets;
}

/* How many packets two stretches have in common. */
static inline uint64_t roxi_overlap(uint64_t first, uint64_t last, uint64_t from, uint64_t to)
{
    const uint64_t begin = first > from ? first : from, end = last < to ? last : to;
    return begin <= end ? end - begin + 1 : 0;
}

struct roxi_finder {
    struct roxi_findings *out;
    const struct roxi_ranking *ranking;
    const struct roxi_profiles *profiles;
    const struct roxi_profile *run;
    size_t number;      /* of the run */
    double longer;      /* how many times the length of a typical normal run it is; at least 1 */
    double shorter;     /* the same; at most 1 */
    const bool *normal; /* by run; never the run itself */
    bool *shown;        /* by span: in the call stack of a finding; owned, as is the rest */
    struct roxi_member *members; /* by span */
    uint32_t *templates;         /* by span */
    size_t *matching;            /* spans of the finding at hand */
    size_t matching_count;
    struct roxi_edge *edges;         /* scratch: where they begin and end */
    struct roxi_called_table called; /* how often methods were called */
    double *numbers;                 /* scratch: one for each run and each row of `called` */
};

/* Each adds to f->out. */
int roxi_produce_departures(struct roxi_finder *f);
int roxi_produce_turns(struct roxi_finder *f); /* after departures */
int roxi_produce_pairs(struct roxi_finder *f);
int roxi_produce_often(struct roxi_finder *f);
int roxi_produce_pauses(struct roxi_finder *f);
int roxi_produce_covered(struct roxi_finder *f);
int roxi_produce_missed(struct roxi_finder *f);
int roxi_produce_ceased(struct roxi_finder *f);    /* after missed, whose findings it weighs */
int roxi_leave_out_failing(struct roxi_finder *f); /* after firsts and covered */
int roxi_produce_growth(struct roxi_finder *f);
int roxi_produce_exceptions(struct roxi_finder *f);
int roxi_produce_firsts(struct roxi_finder *f);
int roxi_produce_gone(struct roxi_finder *f);
int roxi_merge_gone(struct roxi_finder *f); /* after firsts, which looks at each end */
int roxi_produce_peers(struct roxi_finder *f);
int roxi_produce_waited_for(struct roxi_finder *f);
int roxi_produce_deadlocks(struct roxi_finder *f); /* after waited_for */
int roxi_relate_flows(struct roxi_finder *f);      /* after departures */
int roxi_relate_answers(struct roxi_finder *f);    /* after waited_for */
int roxi_produce_names(struct roxi_finder *f);
int roxi_find_nodes(struct roxi_finder *f); /* after all others */

/* Discounts consequences, and puts what to look at first on top. O(findings^2). */
int roxi_put_in_order(struct roxi_finder *f);
/* Of findings in order: puts before the first one what it waits for, if that is not known, but
 * other runs tell it. O(spans of the normal runs whose history was kept x log
 * packets, and methods seen x those spans). */
int roxi_find_unanswered(struct roxi_finder *f);
/* Of findings of threads that are in no code of the application: shows the call stack that started
 * most of them instead, if it is known and has some. O(findings x groups). */
int roxi_tell_starters(struct roxi_finder *f);
/* Of findings of how often methods were called: shows the call stack on which they were seen most,
 * in this run, or else in normal ones, up to the method. O(findings x call
 * stacks of 40 runs x depth). */
int roxi_tell_callers(struct roxi_finder *f);
/* *counted: false if a method that was seen to call this one is not counted any longer in this run,
 * or if none was seen and any of the role is not: the JVM may have compiled the two as one, and
 * then does not count this one either. -1: memory ran out. O(call stacks of 41 runs x depth). */
int roxi_callers_counted(const struct roxi_finder *f, const struct roxi_called_row *row,
                         bool *counted);

/* The duration of an item in a run. O(log n). */
uint32_t roxi_finder_packets(const struct roxi_durations *d, size_t run, uint32_t item);
/* Sets `matching` to the spans that a finding is of. O(spans x depth). */
void roxi_finder_match(struct roxi_finder *f, const struct roxi_finding *x);
/* ... or to those of the threads of a template. O(spans). */
void roxi_finder_match_threads(struct roxi_finder *f, struct roxi_place place);
/* Are the threads of the group those that a finding is of? O(log nodes' groups). */
bool roxi_finder_is_theirs(const struct roxi_finder *f, const struct roxi_finding *x,
                           uint32_t group);
/* The last packet of the matching spans; 0: there are none. */
uint64_t roxi_finder_last(const struct roxi_finder *f);
/* Sets *found to the template, or else the call stack, in which the matching spans have most
 * packets; 0: there are none. -1: memory ran out. */
int roxi_finder_most(const struct roxi_finder *f, bool templates, uint32_t *found);
/* What the threads of the matching spans do in a call stack: ROXI_BLOCKED if they are that in most
 * of its packets, or what the frames tell. O(spans + depth). */
enum roxi_doing roxi_finder_doing(const struct roxi_finder *f, uint32_t stack);
/* The packet from which on the matching spans exceed `limit`, in the unit of the finding's kind; of
 * what is less than typical, the last one. If hardly a normal run does it at all (`rare`), there is
 * no need to wait until they exceed it: it departs where the stretch begins in which they most do.
 * 0: not known. O(n log n). */
uint64_t roxi_finder_moment(struct roxi_finder *f, const struct roxi_finding *x, double limit,
                            bool rare);
/* The packet from which on the matching spans are of more than `rate` threads: where the stretch
 * begins in which they most exceed it; 0: there are none. O(n log n). */
uint64_t roxi_finder_onset(struct roxi_finder *f, double rate);
/* The depth of the call on the call stack, from its entry; 0: it is not there. O(depth). */
uint32_t roxi_finder_depth(const struct roxi_symbols *s, uint32_t stack, const struct roxi_call *c);
/* The part of the call stack that ends with the method, the one farthest in; 0: it is not there.
 * O(depth). */
uint32_t roxi_finder_up_to(const struct roxi_symbols *s, uint32_t stack,
                           const struct roxi_call *method);
/* Is a method of the class on the call stack? O(depth). */
bool roxi_finder_has_class(const struct roxi_symbols *s, uint32_t stack, uint32_t class_name);
/* The innermost call of the application on the call stack; class ROXI_NONE: there is none.
 * O(depth). */
struct roxi_call roxi_finder_innermost(const struct roxi_symbols *s, uint32_t stack);
/* Of a call the method to look at: the called one if it is the application's, else its caller. */
struct roxi_call roxi_finder_to_look_at(const struct roxi_symbols *s, const struct roxi_call *c);
/* Are two classes of one library, or of the application, as their names tell? */
bool roxi_finder_same_library(const struct roxi_symbols *s, uint32_t class_name, uint32_t other);
/* Of a finding of talks: sets who the other JVM is, and, if it is of something that lasts, since
 * when (talks.c). O(talks x talks of all runs). */
void roxi_finder_talk(const struct roxi_finder *f, struct roxi_finding *x);
/* Says that a finding is of the threads of a group; not if that is ROXI_NONE. */
void roxi_finder_set_threads(const struct roxi_finder *f, struct roxi_finding *x, uint32_t group);
/* -1: memory ran out. Pointers to other findings are no longer valid. */
int roxi_finder_add(struct roxi_finder *f, const struct roxi_finding *x);

/* `out`, `ranking`, `profiles`, `run`, `number` and `normal` are set; `logs` as of
 * roxi_findings_find. -1 with a message. To be closed in any case. */
int roxi_finder_open(struct roxi_finder *f, const struct roxi_listed_execution *logs,
                     struct ix_error *err);
void roxi_finder_close(struct roxi_finder *f);

#endif
