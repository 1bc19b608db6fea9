/* SPDX-License-Identifier: Apache-2.0 */
/* A finding: one thing in which a run departs from the runs that it is compared with. It says what,
 * where, since when, how much here and elsewhere, how sure that is, and how much it matters.
 *
 * Findings are made of what the ranking holds against a run (rank/score.h) and of what its threads
 * did, packet after packet (campaign/history.h):
 *
 * 1. The run's parts are taken in the order of their evidence. The calls on one call stack depart
 *    together, so what a finding has shown already is not shown again: a part becomes a finding
 *    only if most of its packets are not in a call stack of an earlier one, and the call stack with
 *    most of them is not that of an earlier one. Nor is it one if it is what a JVM did not do
 *    because it had ended. Of the calls on its call stack that depart about as much it names the
 *    innermost of the same library. Its evidence is measured from the normal runs that do most of
 *    it, too, not only from the typical one (usual.h, roxi_usual_edge).
 * 2. What the ranking does not look at is compared with the normal runs alone: how many threads of
 *    a template there were, what the process used, which exceptions were made or thrown
 *    (campaign/use.h), how long before their JVM the threads of a template ended, and how often
 *    methods were called, and for how long not (called.h), and which code was executed (covered.c).
 * 3. Threads that wait are followed to the thread at the end of their chain (roxi/waits/chains.h),
 *    or to its JVM where no more is known: what makes others wait is a finding, with their
 *    evidence.
 * 4. A finding of a method that nobody wrote, such as a lambda's (rank/generated.h), names a call
 *    further in on its call stack that somebody did write, if there is one.
 * 5. Findings are then put in order. A thread that waits for another thread, as its executing
 *    frames tell, is more often a consequence than a cause, so its evidence counts half. If it
 *    waits in the network, and nothing tells for which JVM, a fifth counts, if another JVM departs
 *    at about then. Evidence halves with the time since the first departure, because causes come
 *    before consequences. For the first place it halves five times as fast: that is for the cause.
 *    What is no consequence of it comes before it: a JVM that was killed, or an exception that was
 *    made, before anything else departed. Code that is no longer executed comes after what tells
 *    why: a thread that stands in its class, or what another JVM does other than usual since then
 *    or before. A thread that waits for another JVM comes after that one.
 * 6. If the first finding waits for what is not known, normal runs may tell what is done elsewhere
 *    meanwhile (meanwhile.h). If that is missing in this run, it comes before it.
 * 7. Threads that are in no code of the application are shown with the call stack that started
 *    them, where logs have that; methods that were called too often, or no longer, with one on
 *    which they were seen. */
#ifndef ROXI_FINDING_H
#define ROXI_FINDING_H

#include "roxi/rank/score.h"
#include "roxi/waits/chains.h"

/* What a finding is about. */
enum roxi_about {
    ROXI_ABOUT_DURATION,  /* `kind`: what the ranking holds against the run */
    ROXI_ABOUT_GROWTH,    /* there is more of `resource` */
    ROXI_ABOUT_EXCEPTION, /* `thrown`, at the place in `stack` */
    ROXI_ABOUT_FIRST,     /* `thrown`, of which `stack` made the JVM's first */
    ROXI_ABOUT_PEERS,     /* it does `call` more than its peers; kind ROXI_IN_CALL */
    ROXI_ABOUT_GONE,      /* the threads of `thread` had ended before their JVM did */
    ROXI_ABOUT_PAIR,    /* `call` was called more often than `beside`, or, if `less`, less often */
    ROXI_ABOUT_OFTEN,   /* `call` was called more often than in normal runs */
    ROXI_ABOUT_PAUSE,   /* `call` was not called for so many packets in a row; `packet` is 0 if it
                           never was */
    ROXI_ABOUT_COVERED, /* code was executed that hardly a normal run executes: `here` blocks, the
                           first in `stack`, which is `call` alone */
    ROXI_ABOUT_MISSED,  /* code that normal runs execute all the time was not executed for `here`
                           packets in which other code of its method was; in `stack`, likewise */
    ROXI_ABOUT_CEASED,  /* code that normal runs execute all the time was not executed for `here`
                           packets, and was the first to cease; in `stack`, likewise */
    ROXI_ABOUT_UNANSWERED, /* `waiters` wait, and `call`, which normal runs are in then, is missing
                            */
};

/* Of what a JVM can have more, at most at once. */
enum roxi_resource {
    ROXI_THREADS,    /* of `thread` */
    ROXI_MEMORY,     /* resident, in MB */
    ROXI_FILES,      /* open descriptors */
    ROXI_COLLECTING, /* garbage, in thousandths of the time */
};

/* What a thread does in a call stack, as its state or the frames at its executing end tell. */
enum roxi_doing {
    ROXI_RUNNING,
    ROXI_SLEEPING,
    ROXI_WAITING, /* for another thread: a lock, a monitor, a queue, a thread's end */
    ROXI_ON_NETWORK,
    ROXI_ON_FILE,
    ROXI_BLOCKED, /* on entering a monitor; frames do not tell, its state does */
};

enum { ROXI_FINDING_LINES = 4 };

struct roxi_finding {
    enum roxi_about about;
    enum roxi_duration_kind kind; /* if about none: ROXI_DURATION_KINDS */
    enum roxi_resource resource;  /* if about growth */
    uint32_t thrown;              /* if about an exception, or a first one: its class, a string */
    uint32_t serial;              /* if about a first one: ascends with time within a packet */
    bool at_end;            /* if about a first one: its thread, or its JVM, ended badly or early
                               then */
    bool there;             /* if about a first one: its class is not unusual, but to make one there
                               is; `like` are the runs that did */
    bool again;             /* if about a first one: the role had made one of the class before, on
                               another call stack */
    uint32_t counted;       /* if about a first one: the class that was added to `here` last */
    uint32_t throwers;      /* of an exception: roles that threw it there */
    uint32_t throw_first;   /* and how many of them did at `packet`, `who` among them */
    uint32_t locus;         /* if about a duration: where the ranking looks at it (durations.h);
                               ROXI_NONE: it does not, the finding follows from another one */
    bool less;              /* shorter than typical */
    bool stay;              /* the longest stay of one thread on one call stack (durations.h) */
    int64_t stay_ns;        /* and how long that was; 0: not known */
    struct roxi_member who; /* the one that did it */
    struct roxi_member as;  /* the same, or the peer whose work it did (rank/peers.h) */
    uint32_t thread;        /* template, a string; ROXI_NONE: not of threads, or there is none */
    uint32_t stack;         /* that took most of it here; 0, the empty stack: none */
    struct roxi_call call;  /* if the kind is ROXI_IN_CALL or ROXI_TURNS, or if started */
    struct roxi_call beside; /* if about a pair: a method of the same class, which in normal runs is
                                called as often; `here` and `elsewhere` are the calls of either */
    bool at_least; /* if about calls: the JVM has not counted all of those of the method that was
                      called more often */
    bool part_of_line; /* if about code: of the line in `stack`, normal runs execute another part */
    uint32_t lines[ROXI_FINDING_LINES]; /* and other lines of the method, as `stack` */
    uint32_t line_count;
    enum roxi_doing doing; /* in `stack`, or, if `started`, in their own */
    bool started;          /* `stack` is the one that started most of the threads, which are in no
                              code of the application themselves */
    uint64_t packet;       /* from which on it departs; 0: not known */
    uint64_t latest;       /* if about code that ceased: it has departed by then */
    uint32_t siblings;     /* other templates of threads of the member, each with less evidence: of
                              growth, that have grown on the same call stack; of threads that are gone,
                              that ended at about the same packet */
    uint32_t here;    /* packets, for several threads, of all of them together; or how much of the
                         resource, or how many exceptions, or
                         classes of them */
    double elsewhere; /* the typical number; if about peers, that of the peers */
    size_t like;      /* of the normal runs: those that have as much, or as little */
    double share;     /* of the run's evidence, at most 1; 0: the score does not look at it */
    double weight;    /* by which findings are ordered */
    /* Of who waits for whom (roxi/waits/chains.h); all false if it is not known: */
    bool waited_for; /* what it does is not unusual by itself, but threads of `waiters` wait for it:
                        `here` and `elsewhere` are of them */
    bool deadlock;   /* its threads are part of one */
    bool follows;    /* what its threads wait for explains it */
    struct roxi_member waiters; /* if waited_for, or unanswered */
    struct roxi_member peer;    /* if of talks (durations.h): to whom, or from whom, most of it was;
                                   role 0: not known */
    bool usually; /* waited_for, and `stack` is what it does then in normal runs (0: not known) */
    uint32_t
        waits; /* if unanswered: packets at which they wait; `here` and `elsewhere` are of those */
    size_t compared; /* with so many normal runs only, of which `like` are, because the others do
                        not tell, or have not been looked at; 0: with all */
    struct roxi_member ends_at; /* what its threads wait for; role ROXI_NONE: not known */
};

/* How long the run was, in packets, as in the normal runs. */
struct roxi_lasted {
    double packets, typical; /* 0: not known */
    bool apart;              /* much longer than all of those, or much shorter */
};

struct roxi_findings {
    struct roxi_finding *list; /* the first is what to look at first; owned */
    size_t count, cap;
    size_t normal; /* runs that they are compared with */
    struct roxi_lasted lasted;
    struct waits_chains chains; /* of the run; empty if they are not known; owned */
};

/* Of a run whose history was kept. `normal`, by run: those to count as normal; the run itself is
 * never one. `campaign`: has the run's logs, to follow who waits for whom; NULL: that is not done.
 * -1 with a message; nothing is left to free. O(parts x (spans + runs)), and O(threads x packets)
 * for the logs. */
int roxi_findings_make(struct roxi_findings *f, const struct roxi_ranking *r, size_t run,
                       const bool *normal, const char *campaign, struct ix_error *err);
/* The same; `logs`: the run's, or NULL: who waits for whom is not followed. Of several runs it can
 * be called at the same time. */
int roxi_findings_find(struct roxi_findings *f, const struct roxi_ranking *r, size_t run,
                       const bool *normal, const struct roxi_listed_execution *logs,
                       struct ix_error *err);
void roxi_findings_free(struct roxi_findings *f);

/* Did a JVM end badly, or before the others? */
static inline bool roxi_finding_is_end(const struct roxi_finding *x)
{
    return (x->kind == ROXI_EARLY || x->kind == ROXI_BAD_END) && !x->less;
}

/* Is it of how often methods were called? */
static inline bool roxi_finding_is_of_calls(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_PAIR || x->about == ROXI_ABOUT_OFTEN ||
           x->about == ROXI_ABOUT_PAUSE;
}

/* Is it of code that is executed, or no longer? */
static inline bool roxi_finding_is_of_code(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_COVERED || x->about == ROXI_ABOUT_MISSED ||
           x->about == ROXI_ABOUT_CEASED;
}

/* Does its thread wait: for another one, or for the network? */
static inline bool roxi_finding_is_idle(const struct roxi_finding *x)
{
    return x->doing == ROXI_WAITING || x->doing == ROXI_ON_NETWORK;
}

/* Does a thread wait for longer than typical? */
static inline bool roxi_finding_waits(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_DURATION && x->kind == ROXI_IN_CALL && !x->less && x->stack &&
           !x->waited_for && !x->deadlock && roxi_finding_is_idle(x);
}

/* ... and is it not known for what? */
static inline bool roxi_finding_waits_unknown(const struct roxi_finding *x)
{
    return roxi_finding_waits(x) && !x->follows && x->ends_at.role == ROXI_NONE;
}

/* A finding of a member, of which nothing more is said yet: no code, no threads, no place in the
 * ranking. */
static inline struct roxi_finding roxi_finding_of(enum roxi_about about, struct roxi_member who)
{
    return (struct roxi_finding){.about = about,
                                 .kind = ROXI_DURATION_KINDS,
                                 .locus = ROXI_NONE,
                                 .who = who,
                                 .as = who,
                                 .thread = ROXI_NONE,
                                 .call = roxi_no_call,
                                 .beside = roxi_no_call,
                                 .ends_at = {.role = ROXI_NONE}};
}

/* What a thread does in a call stack, as its frames tell. O(depth). */
enum roxi_doing roxi_doing_in(const struct roxi_symbols *s, uint32_t stack);

#endif
