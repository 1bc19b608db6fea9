/* SPDX-License-Identifier: Apache-2.0 */
/* The order of findings: by evidence, with causes before what they lead to (finding.h, 5). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/explain/finder.h"
#include "roxi/rank/library.h"

/* Chosen on sample systems, each time without the one that it was measured on
 * (docs/why-measured.md): */
#define WAITING_COUNTS 0.5     /* evidence of threads that wait for another thread */
#define CONSEQUENCE_COUNTS 0.5 /* of what is known to follow from something else */
#define OUTSIDE_COUNTS 0.5     /* of threads that are in no code of the application */
#define LIBRARY_COUNTS 0.1     /* of what is only known of code, and of how often it was called */
#define NETWORK_COUNTS 0.2     /* of threads that wait for another JVM, it is not known which */
#define AS_STRONG 0.2          /* share of their evidence that another JVM's must have for that */
#define AS_EARLY 10            /* packets after them at which it departs at the latest */
#define HALF_LIFE 40.0         /* packets after the first departure in which evidence halves */
#define EXACT_HALF_LIFE 8.0    /* the same of code that is executed: it is known since when */
#define FIRST_HALF_LIFE 10.0   /* and halves once more, for the first place */
#define UNTIMED_COUNTS 0.5     /* for the first place: evidence of what does not tell since when */
#define FIRST_LESS_COUNTS 0.5  /* likewise: of what is less, as most causes have that effect */
#define BEHIND 0.99            /* of that one's evidence */
#define OF_SCORE 0.08          /* share of the score of what leads to code that is not executed */
#define TOLD_LATE 8      /* packets after which it may be told how often a method was called */
#define NEVER UINT64_MAX /* the packet of a first departure, if nothing tells when */
#define NOTABLE 0.5      /* share of the greatest evidence that makes a departure the first one, */
#define NOTABLE_EVIDENCE 1.0 /* or so much of it where the greatest is of code that is executed */

/* ---- evidence ---- */

/* Is it known only roughly since when? */
static bool is_told_late(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_PAIR || x->about == ROXI_ABOUT_OFTEN;
}

static bool is_timed(const struct roxi_finding *x)
{
    return x->packet && x->kind != ROXI_TURNS && x->kind != ROXI_OPENED && !roxi_is_sent(x->kind) &&
           !is_told_late(x);
}

static bool tells_when(const struct roxi_finding *x)
{
    return is_timed(x) && !x->less;
}

/* When one is unlike its peers it may still be as in normal runs. `exceptions`: with those that are
 * the first of their class, or at their place; and with what is not answered, which is told since
 * it was asked. */
static uint64_t first_departure(const struct roxi_findings *f, bool exceptions)
{
    double greatest = 0, of_others = 0; /* of all, and of all but code that is executed */
    uint64_t first = NEVER;
    for (size_t i = 0; i < f->count; i++) {
        const struct roxi_finding *x = &f->list[i];
        greatest = fmax(greatest, tells_when(x) ? x->weight : 0);
        if (tells_when(x) && !roxi_finding_is_of_code(x))
            of_others = fmax(of_others, x->weight);
    }
    const double notable = NOTABLE * fmin(greatest, fmax(of_others, NOTABLE_EVIDENCE / NOTABLE));
    for (size_t i = 0; i < f->count; i++)
        if (tells_when(&f->list[i]) && f->list[i].about != ROXI_ABOUT_PEERS &&
            (exceptions ||
             (f->list[i].about != ROXI_ABOUT_FIRST && f->list[i].kind != ROXI_OWED)) &&
            f->list[i].weight >= notable && f->list[i].packet < first)
            first = f->list[i].packet;
    return first;
}

static int by_weight(const void *a, const void *b)
{
    const struct roxi_finding *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->packet != y->packet)
        return x->packet < y->packet ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

/* For another thread? One that is blocked may be so by threads of normal load. */
static bool is_waiting(const struct roxi_finding *x)
{
    return x->doing == ROXI_WAITING || (x->doing == ROXI_BLOCKED && x->ends_at.role != ROXI_NONE);
}

static bool is_of_library(const struct roxi_finder *f, const struct roxi_finding *x)
{
    struct roxi_library l = {.profiles = f->profiles, .run = f->run, .role = x->who.role};
    return roxi_library_has(&l, x->call.class_name);
}

/* A consequence counts less than its cause. */
static void discount(const struct roxi_finder *f, struct roxi_finding *x)
{
    if (x->deadlock)
        return;
    if ((roxi_finding_is_of_calls(x) || roxi_finding_is_of_code(x)) && is_of_library(f, x))
        x->weight *= LIBRARY_COUNTS;
    if (x->follows)
        x->weight *= CONSEQUENCE_COUNTS;
    else if (x->kind == ROXI_OUTSIDE || x->kind == ROXI_TURNS)
        x->weight *= OUTSIDE_COUNTS;
    else if (x->kind == ROXI_IN_CALL && !x->less && is_waiting(x))
        x->weight *= WAITING_COUNTS;
}

/* Is there a wait of the thread for another JVM? */
static bool crosses(const struct waits_chains *c, const struct roxi_span *span)
{
    for (size_t i = waits_chains_first(c, span->jvm, span->thread);
         i < c->count && c->list[i].jvm == span->jvm && c->list[i].thread == span->thread; i++)
        if (c->list[i].end_jvm != span->jvm)
            return true;
    return false;
}

/* Do the logs tell which JVMs the threads of a finding wait for? They do not of virtual threads. */
static bool tells_jvms(const struct roxi_finder *f, const struct roxi_finding *x)
{
    for (size_t i = 0; i < f->run->history.count; i++)
        if (f->templates[i] == x->thread && roxi_same_member(f->members[i], x->who) &&
            crosses(&f->out->chains, &f->run->history.spans[i]))
            return true;
    return false;
}

static bool waits_in_network(const struct roxi_finding *x)
{
    return roxi_finding_waits_unknown(x) && x->doing == ROXI_ON_NETWORK;
}

/* Does another JVM or node depart in another way, not much later and about as much? */
static bool may_follow(const struct roxi_findings *f, const struct roxi_finding *x)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct roxi_finding *y = &f->list[i];
        if (tells_when(y) && y->about != ROXI_ABOUT_FIRST && !waits_in_network(y) &&
            !roxi_same_member(y->who, x->who) && y->packet <= x->packet + AS_EARLY &&
            y->weight >= AS_STRONG * x->weight)
            return true;
    }
    return false;
}

/* Where logs do not tell which JVM a thread waits for, it is taken to be one that departs as well.
 * What waits in the network is never the reason for another one's wait, so the order in which they
 * are looked at does not matter. */
static void discount_network(struct roxi_finder *finder)
{
    struct roxi_findings *f = finder->out;
    for (size_t i = 0; i < f->count; i++)
        if (waits_in_network(&f->list[i]) && may_follow(f, &f->list[i]) &&
            !tells_jvms(finder, &f->list[i]))
            f->list[i].weight *= NETWORK_COUNTS;
}

static bool is_same_thread(const struct roxi_finding *x, const struct roxi_finding *y)
{
    return roxi_same_member(x->who, y->who) && x->thread == y->thread &&
           roxi_within(x->packet, y->packet, ROXI_BESIDE - 1);
}

/* Is it the end of the JVM that makes the exception as it ends? */
static bool is_its_end(const struct roxi_finding *exception, const struct roxi_finding *x)
{
    return exception->at_end && roxi_finding_is_end(x) && x->who.role == exception->who.role;
}

/* Is it the end of threads of the JVM of which one makes the exception as it ends? */
static bool is_their_end(const struct roxi_finding *exception, const struct roxi_finding *x)
{
    return exception->at_end && x->about == ROXI_ABOUT_GONE &&
           roxi_same_member(x->who, exception->who) &&
           roxi_within(x->packet, exception->packet, ROXI_BESIDE);
}

/* The first exception that a thread makes as it departs, or as it or its JVM ends, says why: it
 * comes right behind. */
static void put_exceptions_beside(struct roxi_findings *f)
{
    for (size_t i = 0; i < f->count; i++) {
        struct roxi_finding *x = &f->list[i];
        for (size_t k = 0; k < f->count && x->about == ROXI_ABOUT_FIRST; k++)
            if (f->list[k].about != ROXI_ABOUT_FIRST &&
                (is_same_thread(x, &f->list[k]) || is_its_end(x, &f->list[k]) ||
                 is_their_end(x, &f->list[k])))
                x->weight = fmax(x->weight, BEHIND * f->list[k].weight);
    }
}

/* What evidence is worth so long after the first departure, if it is known when that was. */
static double fading(const struct roxi_finding *x, uint64_t first, double half_life)
{
    if (first == NEVER)
        return 1;
    const uint64_t from = first + (is_told_late(x) ? TOLD_LATE : 0);
    return (tells_when(x) || is_told_late(x)) && x->packet > from
               ? exp2(-(double)(x->packet - from) / half_life)
               : 1;
}

/* A JVM that ends after something else departed mostly does so because of that. */
static double later_counts(const struct roxi_finding *x, uint64_t first)
{
    const bool ends_later =
        roxi_finding_is_end(x) && x->packet > first && x->packet - first > ROXI_BESIDE;
    return fading(x, first, roxi_finding_is_of_code(x) ? EXACT_HALF_LIFE : HALF_LIFE) *
           (ends_later ? CONSEQUENCE_COUNTS : 1);
}

/* ---- the first places ---- */

static void move_to(struct roxi_findings *f, size_t from, size_t to)
{
    const struct roxi_finding moved = f->list[from];
    if (to < from) {
        memmove(f->list + to + 1, f->list + to, (from - to) * sizeof *f->list);
        f->list[to] = moved;
    }
}

/* What tells which of two findings comes first. */
struct order {
    struct roxi_findings *findings;
    const struct roxi_symbols *symbols;
    const struct roxi_use *use;
};

/* Does x come before the finding that is first now? */
typedef bool rule(const struct order *o, const struct roxi_finding *x,
                  const struct roxi_finding *first);

/* Puts the first finding for which the rule holds before the one that is first, if there is one. */
static void put_first(const struct order *o, rule *holds)
{
    const struct roxi_findings *f = o->findings;
    for (size_t i = 1; i < f->count; i++)
        if (holds(o, &f->list[i], &f->list[0])) {
            move_to(o->findings, i, 0);
            return;
        }
}

/* The first place is for the cause, and of what departs about as much the cause came first. */
static void choose_first(struct roxi_findings *f, uint64_t first)
{
    double greatest = -1;
    size_t best = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct roxi_finding *x = &f->list[i];
        const double weight = x->weight * (x->less ? FIRST_LESS_COUNTS : 1) *
                              (is_timed(x) ? fading(x, first, FIRST_HALF_LIFE) : UNTIMED_COUNTS);
        if (weight > greatest) {
            greatest = weight;
            best = i;
        }
    }
    move_to(f, best, 0);
}

static bool ended_badly(const struct roxi_findings *f, uint32_t role)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].kind == ROXI_BAD_END && f->list[i].who.role == role)
            return true;
    return false;
}

/* Do threads wait for each other, or does a JVM stand still? Neither is a consequence. */
static bool is_standstill(const struct roxi_finding *x)
{
    return x->deadlock || (x->about == ROXI_ABOUT_DURATION && x->kind == ROXI_LOST && !x->less);
}

/* What departs before the first finding, or with it, and is no consequence of that. A JVM that is
 * killed, or crashes, is none. Since when methods are called too often is known too roughly to tell
 * that. */
static bool is_cause(const struct order *o, const struct roxi_finding *x,
                     const struct roxi_finding *first)
{
    const bool never = (first->less && !first->packet) || is_told_late(first);
    if (!x->packet || roxi_finding_is_end(first) || first->deadlock ||
        (is_standstill(first) && !x->deadlock))
        return false;
    if (roxi_finding_is_end(x))
        return (x->packet <= first->packet + ROXI_BESIDE || never) &&
               ended_badly(o->findings, x->who.role);
    return x->deadlock || (is_standstill(x) && x->packet <= first->packet + ROXI_BESIDE &&
                           first->packet <= x->packet + x->here + ROXI_ABOUT_THEN);
}

/* The exception that ended threads, or a JVM that was not killed. */
static bool is_reason_of_end(const struct order *o, const struct roxi_finding *x,
                             const struct roxi_finding *first)
{
    return x->about == ROXI_ABOUT_FIRST &&
           (is_their_end(x, first) ||
            (is_its_end(x, first) && !ended_badly(o->findings, first->who.role)));
}

/* The earliest exception in code of the application before that packet; f->count: there is none.
 * Of a JVM that took no packet it is not known when it made one. */
static size_t exception_before(const struct roxi_findings *f, uint64_t packet)
{
    size_t earliest = f->count;
    for (size_t i = 0; i < f->count; i++) {
        const struct roxi_finding *x = &f->list[i];
        if (x->about == ROXI_ABOUT_FIRST && x->call.class_name != ROXI_NONE &&
            x->packet <= packet && (x->packet || packet == NEVER)) {
            earliest = i;
            packet = x->packet;
        }
    }
    return earliest;
}

/* Is it of a class that tells of an error of the program, such as NullPointerException, and not of
 * a file, a connection or another thread? */
static bool is_error_of_program(const struct roxi_symbols *s, const struct roxi_finding *x)
{
    const char *name = roxi_symbols_text(s, x->thrown);
    return (strncmp(name, "java.lang.", 10) == 0 || strncmp(name, "java.util.", 10) == 0) &&
           strncmp(name, "java.util.concurrent.", 21) != 0 &&
           strcmp(name, "java.lang.InterruptedException") != 0;
}

/* An exception that is made before anything departs is no consequence of it. What is less than
 * typical tells no more than that the run ended. A JVM that ended badly did so on its own. */
static void put_exception_before(struct roxi_findings *f, const struct roxi_symbols *s,
                                 uint64_t first)
{
    const size_t from = exception_before(f, first);
    if (from == f->count)
        return;
    const struct roxi_finding *x = &f->list[from], *now = &f->list[0];
    const bool elsewhere =
        roxi_finding_is_end(now) && ended_badly(f, now->who.role) && now->who.role != x->who.role;
    move_to(f, from, !elsewhere && (now->less || is_error_of_program(s, x)) ? 0 : 1);
}

static bool has_code(const struct roxi_symbols *s, const struct roxi_finding *x)
{
    return x->stack && roxi_finder_innermost(s, x->stack).class_name != ROXI_NONE;
}

/* If the first finding says which JVM, but not which code, what else departs there about then comes
 * next. */
static void put_code_beside(struct roxi_findings *f, const struct roxi_symbols *s)
{
    const struct roxi_finding *first = &f->list[0];
    for (size_t i = 1; i < f->count && !has_code(s, first); i++) {
        const struct roxi_finding *x = &f->list[i];
        if (!roxi_same_member(x->who, first->who) || !has_code(s, x) ||
            (x->packet && first->packet && !roxi_within(x->packet, first->packet, ROXI_ABOUT_THEN)))
            continue;
        move_to(f, i, 1);
        return;
    }
}

/* Each thread of a deadlock is as much its cause as any other. */
static void put_deadlock_together(struct roxi_findings *f)
{
    size_t last = f->count;
    for (size_t i = 0; i < f->count; i++) {
        if (!f->list[i].deadlock)
            continue;
        last = last == f->count ? i : last + 1;
        move_to(f, i, last);
    }
}

/* Does the one ask the other, and not the other way round? */
static bool asks(const struct roxi_use *u, uint32_t role, uint32_t peer)
{
    bool does = false;
    for (size_t i = 0; i < u->talk_count; i++) {
        const struct roxi_talk *t = &u->talks[i];
        if (!t->accepted && t->role == peer && t->peer == role)
            return false;
        does = does || (!t->accepted && t->role == role && t->peer == peer);
    }
    return does;
}

/* Of code that is executed: an exception that its JVM makes in code of the application at the same
 * time says more; and so does one of a JVM that it asks, whose answer it may deal with. */
static bool is_exception_for_code(const struct order *o, const struct roxi_finding *x,
                                  const struct roxi_finding *first)
{
    return roxi_finding_is_of_code(first) && x->about == ROXI_ABOUT_FIRST &&
           x->call.class_name != ROXI_NONE && roxi_within(x->packet, first->packet, 1) &&
           (x->who.role == first->who.role || asks(o->use, first->who.role, x->who.role));
}

/* Is it of code that is no longer executed? */
static bool is_without_code(const struct roxi_finding *x)
{
    return x->about == ROXI_ABOUT_MISSED || x->about == ROXI_ABOUT_CEASED;
}

/* Is the first finding of code that is no longer executed, and x of another JVM that departs by
 * then, and has its share of the score? Then x is why. */
static bool leads_to(const struct roxi_finding *x, const struct roxi_finding *first)
{
    const uint64_t by = first->latest > first->packet ? first->latest : first->packet;
    return is_without_code(first) && x->who.role != first->who.role && x->share >= OF_SCORE &&
           x->packet && x->packet <= by && first->packet <= x->packet + ROXI_ABOUT_THEN;
}

/* Threads that are where they are not in normal runs, and not because of another JVM. */
static bool are_elsewhere(const struct order *o, const struct roxi_finding *x,
                          const struct roxi_finding *first)
{
    (void)o;
    return x->about == ROXI_ABOUT_DURATION && !x->less &&
           (x->kind == ROXI_IN_CALL || x->kind == ROXI_OUTSIDE || x->waited_for) &&
           !waits_in_network(x) && leads_to(x, first);
}

static bool have_ended(const struct order *o, const struct roxi_finding *x,
                       const struct roxi_finding *first)
{
    (void)o;
    return x->about == ROXI_ABOUT_GONE && leads_to(x, first);
}

static bool executes_other_code(const struct order *o, const struct roxi_finding *x,
                                const struct roxi_finding *first)
{
    (void)o;
    return x->about == ROXI_ABOUT_COVERED && leads_to(x, first);
}

/* Of code that is no longer executed: a thread that stands in its class, other than in the network,
 * says more. */
static bool stands_in_class(const struct order *o, const struct roxi_finding *x,
                            const struct roxi_finding *first)
{
    return is_without_code(first) && x->who.role == first->who.role &&
           x->about == ROXI_ABOUT_DURATION && x->kind == ROXI_IN_CALL && !x->less && x->stack &&
           (x->doing == ROXI_WAITING || x->doing == ROXI_BLOCKED || x->doing == ROXI_SLEEPING) &&
           roxi_finder_innermost(o->symbols, x->stack).class_name == first->call.class_name &&
           x->packet <= first->packet + ROXI_BESIDE && first->packet <= x->packet + ROXI_ABOUT_THEN;
}

/* Another JVM, for which a thread of the first finding waits. */
static bool is_waited_for(const struct order *o, const struct roxi_finding *x,
                          const struct roxi_finding *first)
{
    (void)o;
    return roxi_finding_waits(first) && x->waited_for && x->who.role == first->ends_at.role &&
           x->who.role != first->who.role && roxi_within(x->packet, first->packet, ROXI_BESIDE);
}

/* ---- the whole ---- */

int roxi_put_in_order(struct roxi_finder *finder)
{
    struct roxi_findings *f = finder->out;
    const struct order o = {f, finder->profiles->symbols, &finder->run->use};
    if (!f->count)
        return 0;
    for (size_t i = 0; i < f->count; i++)
        discount(finder, &f->list[i]);
    const uint64_t first = first_departure(f, true), departed = first_departure(f, false);
    for (size_t i = 0; i < f->count; i++)
        f->list[i].weight *= later_counts(&f->list[i], first);
    discount_network(finder);
    put_exceptions_beside(f);
    qsort(f->list, f->count, sizeof *f->list, by_weight);
    choose_first(f, first);
    put_first(&o, is_cause);
    put_first(&o, have_ended);
    put_first(&o, is_reason_of_end);
    put_exception_before(f, o.symbols, departed);
    put_first(&o, is_exception_for_code);
    put_first(&o, are_elsewhere);
    put_first(&o, executes_other_code);
    put_first(&o, stands_in_class);
    put_first(&o, is_waited_for);
    put_code_beside(f, o.symbols);
    put_deadlock_together(f);
    return 0;
}
