/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of what hand-made runs' threads wait for. */
#include <math.h>

#include "roxi/explain/finder.h"
#include "roxi/explain/words.h"
#include "tests/support/did_fixture.h"

static void make_finder(struct roxi_finder *f, struct roxi_findings *out,
                        const struct roxi_ranking *r, const bool *normal, size_t run)
{
    *out = (struct roxi_findings){0};
    *f = (struct roxi_finder){.out = out,
                              .ranking = r,
                              .profiles = profiles,
                              .run = &profiles->executions[run],
                              .number = run,
                              .normal = normal};
    assert_int_equal(roxi_finder_open(f, NULL, &err), 0);
    assert_int_equal(roxi_produce_departures(f), 0);
}

/* The greatest weight in a run that lasted so many packets, where others last a hundred and these
 * many roles take part; in it x waits for sixty. *evidence: of the run. */
static double weight_of_wait(uint64_t packets, size_t roles, double *evidence)
{
    static const struct did did[] = {{"x", WORK, 1, 40}, {"x", LOCK, 41, 100}};
    struct roxi_findings found;
    struct roxi_finder f;
    bool normal[10];
    double greatest = 0;
    for (size_t i = 0; i < 10; i++) {
        add_did("run", did, i < 9 ? 1 : 2);
        for (size_t role = 0; role < roles; role++)
            add_role(role ? "y" : "x", i < 9 ? 100 : packets, 0, 0);
    }
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    normal[9] = false;
    make_finder(&f, &found, &r, normal, 9);
    for (size_t i = 0; i < found.count; i++)
        greatest = fmax(greatest, found.list[i].weight);
    *evidence = r.evidence[9];
    roxi_finder_close(&f);
    roxi_findings_free(&found);
    roxi_ranking_free(&r);
    profiles_tear_down(NULL);
    profiles_set_up(NULL);
    return greatest;
}

/* A test in one JVM that takes more than twice as long has hung: its wait has the evidence of its
 * score, not only what is left of it in so long a run. */
static void test_hung(void **state)
{
    double evidence;
    (void)state;
    const double twice = weight_of_wait(200, 1, &evidence);
    const double hung = weight_of_wait(201, 1, &evidence);
    assert_true(hung > 1.5 * twice);
    assert_true(hung <= evidence + 1e-9);
    const double of_two = weight_of_wait(201, 2, &evidence);
    assert_true(of_two < hung);
}

/* The run of test_waited_for: x (JVM 0) waits for a lock from packet 41 on; y (JVM 1), which works
 * as ever, is at the end of the chain. */
static const struct did asks[] = {{"x", WORK, 1, 40}, {"x", LOCK, 41, 100}, {"y", WORK, 1, 100}};

static const struct roxi_finding *of_role(const struct roxi_findings *f, const char *role)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].who.role == name_number(role) && !f->list[i].less)
            return &f->list[i];
    return NULL;
}

/* Normal runs, and one that did this; what y does is of thread 7 of JVM 1. */
static void odd_with_ends(const struct did *did, size_t count)
{
    add_normal(9);
    add_did("odd", did, count);
    for (size_t i = 0; i < count; i++) {
        struct roxi_span *span = &profiles->executions[9].history.spans[i];
        if (roxi_profiles_place(profiles, span->group).role == name_number("y")) {
            span->jvm = 1;
            span->thread = 7;
        }
    }
}

/* A thread that others wait for gets their evidence, although it does nothing unusual. If it is not
 * known which one that is, the JVM gets it. */
static void waited_for(struct waits_chain chain)
{
    struct roxi_findings found;
    struct roxi_finder f;
    bool normal[10];
    odd_with_ends(asks, 3);
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    normal[9] = false;
    make_finder(&f, &found, &r, normal, 9);
    assert_null(of_role(&found, "y"));
    const double evidence = of_role(&found, "x")->weight;
    found.chains.list = malloc(sizeof chain);
    assert_non_null(found.chains.list);
    *found.chains.list = chain;
    found.chains.count = 1;
    assert_int_equal(roxi_produce_waited_for(&f), 0);
    const struct roxi_finding *y = of_role(&found, "y"), *x = of_role(&found, "x");
    assert_non_null(y);
    assert_true(y->waited_for);
    assert_true(y->deadlock == chain.ring);
    assert_string_equal(roxi_finding_kind(y), chain.ring ? "deadlock" : "waited-for");
    assert_int_equal(y->waiters.role, name_number("x"));
    assert_int_equal(y->here, 60);
    assert_int_equal(y->packet, 41);
    assert_int_equal(y->stack, chain.end_thread ? stack_number(WORK) : 0);
    assert_true((y->thread == ROXI_NONE) == !chain.end_thread);
    assert_true(y->weight == evidence);
    assert_int_equal(x->ends_at.role, name_number("y"));
    assert_true(x->follows);
    roxi_finder_close(&f);
    roxi_findings_free(&found);
    roxi_ranking_free(&r);
}

static const struct waits_chain to_y = {.jvm = 0, .end_jvm = 1, .first = 41, .last = 100};

static void test_waited_for_jvm(void **state)
{
    (void)state;
    waited_for(to_y);
}

static void test_waited_for_thread(void **state)
{
    struct waits_chain chain = to_y;
    (void)state;
    chain.end_thread = 7;
    waited_for(chain);
}

static void test_deadlock(void **state)
{
    struct waits_chain chain = to_y;
    (void)state;
    chain.end_thread = 7;
    chain.ring = true;
    waited_for(chain);
}

/* Is y, which works as ever, found to be in a deadlock from the one packet to the other? */
static bool is_found_in_deadlock(uint64_t first, uint64_t last)
{
    struct roxi_findings found;
    struct roxi_finder f;
    bool normal[10];
    profiles_tear_down(NULL);
    profiles_set_up(NULL);
    odd_with_ends(asks, 3);
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    normal[9] = false;
    make_finder(&f, &found, &r, normal, 9);
    const struct waits_chain chain = {.jvm = 1,
                                      .thread = 7,
                                      .end_jvm = 1,
                                      .end_thread = 7,
                                      .ring = true,
                                      .first = first,
                                      .last = last};
    found.chains.list = malloc(sizeof chain);
    assert_non_null(found.chains.list);
    *found.chains.list = chain;
    found.chains.count = 1;
    assert_int_equal(roxi_produce_deadlocks(&f), 0);
    const struct roxi_finding *y = of_role(&found, "y");
    if (y) {
        assert_true(y->deadlock);
        assert_int_equal(y->stack, stack_number(WORK));
        assert_int_equal(y->packet, first);
        assert_int_equal(y->here, last - first + 1);
        assert_int_equal(y->like, 9); /* they are in that call as long */
        assert_true(y->weight >= of_role(&found, "x")->weight);
    }
    roxi_finder_close(&f);
    roxi_findings_free(&found);
    roxi_ranking_free(&r);
    return y != NULL;
}

/* A deadlock is a finding, even if its threads do nothing that is unusual, and nobody waits for
 * them. A lock can be given up after a time-out. */
static void test_deadlock_of_its_own(void **state)
{
    (void)state;
    assert_true(is_found_in_deadlock(91, 100));
    assert_false(is_found_in_deadlock(92, 100));
    assert_false(is_found_in_deadlock(41, 99));
}

/* Others of the role stand in the same call, as they wait for one of a deadlock: that has a finding
 * of its own, with its call stack. */
static void test_deadlock_among_others(void **state)
{
#define ADD RUN ";a.N.add()V:1"
    static const struct did did[] = {{"x", WORK, 1, 40},
                                     {"x", LOCK, 41, 100},
                                     {"y", ADD ";a.L.sum()V:1", 41, 100},
                                     {"y", ADD ";a.S.touch()V:1", 41, 100}};
    struct roxi_findings found;
    struct roxi_finder f;
    bool normal[10];
    (void)state;
    odd_with_ends(did, 4);
    profiles->executions[9].history.spans[2].thread = 8;
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    normal[9] = false;
    make_finder(&f, &found, &r, normal, 9);
    size_t others = 0;
    for (size_t i = 0; i < found.count; i++) {
        struct roxi_finding *x = &found.list[i];
        if (x->who.role != name_number("y") || x->less)
            continue;
        x->stack = stack_number(did[2].stack);
        x->call = (struct roxi_call){name_number("a.A"), name_number("run"), name_number("a.N"),
                                     name_number("add")};
        others++;
    }
    assert_true(others > 0);
    struct waits_chain chain = to_y;
    chain.end_thread = 7;
    chain.ring = true;
    found.chains.list = malloc(sizeof chain);
    assert_non_null(found.chains.list);
    *found.chains.list = chain;
    found.chains.count = 1;
    assert_int_equal(roxi_produce_waited_for(&f), 0);
    size_t deadlocks = 0;
    for (size_t i = 0; i < found.count; i++) {
        const struct roxi_finding *x = &found.list[i];
        assert_true(x->deadlock == (x->stack == stack_number(did[3].stack)));
        deadlocks += x->deadlock;
    }
    assert_int_equal(deadlocks, 1);
    roxi_finder_close(&f);
    roxi_findings_free(&found);
    roxi_ranking_free(&r);
}

/* Whose thread is of this node. */
static void move_to_node(struct roxi_finder *f, struct roxi_findings *found, size_t span)
{
    const uint32_t node = name_number("n1");
    f->members[span].node = node;
    for (size_t i = 0; i < found->count; i++)
        if (found->list[i].stack == f->run->history.spans[span].stack)
            found->list[i].who.node = node;
}

/* A test waits for an idle reader of a node in its JVM, whose worker waits for nobody known. The
 * worker's finding explains that; the reader gets none. */
static void test_node_explains(void **state)
{
#define READ RUN ";a.R.read()V:1;java.net.SocketInputStream.read()I:-3"
#define GATE RUN ";a.G.await()V:3;java.lang.Object.wait(J)V:-3"
    static const struct did usual[] = {{"x", WORK, 1, 100}, {"x", READ, 1, 100}};
    static const struct did did[] = {
        {"x", WORK, 1, 40}, {"x", LOCK, 41, 100}, {"x", READ, 1, 100}, {"x", GATE, 51, 100}};
    struct roxi_findings found;
    struct roxi_finder f;
    bool normal[10];
    (void)state;
    for (size_t i = 0; i < 9; i++)
        add_did("normal", usual, 2);
    add_did("odd", did, 4);
    struct roxi_history *h = &profiles->executions[9].history;
    for (size_t i = 0; i < h->count; i++)
        h->spans[i].thread = h->spans[i].stack == stack_number(READ)   ? 7
                             : h->spans[i].stack == stack_number(GATE) ? 8
                                                                       : 0;
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    normal[9] = false;
    make_finder(&f, &found, &r, normal, 9);
    for (size_t i = 0; i < h->count; i++)
        if (h->spans[i].thread)
            move_to_node(&f, &found, i);
    found.chains.list = malloc(sizeof to_y);
    assert_non_null(found.chains.list);
    *found.chains.list = (struct waits_chain){.end_thread = 7, .first = 41, .last = 100};
    found.chains.count = 1;
    const size_t before = found.count;
    assert_int_equal(roxi_produce_waited_for(&f), 0);
    assert_int_equal(found.count, before);
    for (size_t i = 0; i < found.count; i++) {
        assert_int_not_equal(found.list[i].stack, stack_number(READ));
        assert_true(found.list[i].follows == (found.list[i].stack == stack_number(LOCK)));
    }
    roxi_finder_close(&f);
    roxi_findings_free(&found);
    roxi_ranking_free(&r);
}

/* Of role y all the time, in one call stack after another: what is waited for the longest is told.
 * Of y in a third of the packets only: nothing is. */
static void test_waited_for_in_turns(void **state)
{
    static const struct did turns[] = {{"x", WORK, 1, 40},  {"x", LOCK, 41, 100},
                                       {"y", WORK, 1, 40},  {"y", SPIN, 41, 60},
                                       {"y", LOOP, 61, 82}, {"y", RUN ";a.F.turn()V:1", 83, 100}};
    (void)state;
    for (uint64_t last = 100; last >= 60; last -= 40) {
        struct roxi_findings found;
        struct roxi_finder f;
        bool normal[10];
        odd_with_ends(turns, 6);
        struct roxi_ranking r = rank_all(NULL);
        memset(normal, 1, sizeof normal);
        normal[9] = false;
        make_finder(&f, &found, &r, normal, 9);
        found.chains.list = malloc(sizeof to_y);
        assert_non_null(found.chains.list);
        *found.chains.list = (struct waits_chain){
            .jvm = 0, .end_jvm = 1, .end_thread = 7, .first = 41, .last = last};
        found.chains.count = 1;
        assert_int_equal(roxi_produce_waited_for(&f), 0);
        assert_true(of_role(&found, "x")->follows == (last == 100));
        roxi_finder_close(&f);
        roxi_findings_free(&found);
        roxi_ranking_free(&r);
        profiles_tear_down(NULL);
        profiles_set_up(NULL);
    }
}

/* Threads that are blocked on a monitor whose owner waits for this one and that one: the owner is
 * told. */
static void test_owner_of_monitor(void **state)
{
    static const struct did blocks[] = {
        {"x", WORK, 1, 40}, {"x", SPIN, 41, 100}, {"y", WORK, 1, 100}};
    struct roxi_findings found;
    struct roxi_finder f;
    bool normal[10];
    (void)state;
    odd_with_ends(blocks, 3);
    for (size_t i = 0; i < 3; i++) { /* both in one JVM */
        struct roxi_span *span = &profiles->executions[9].history.spans[i];
        span->jvm = 0;
        span->blocked = span->first == 41 ? 60 : 0;
    }
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    normal[9] = false;
    make_finder(&f, &found, &r, normal, 9);
    assert_int_equal(of_role(&found, "x")->doing, ROXI_BLOCKED);
    const struct waits_chain ends[] = {
        {.owner = 7, .end_jvm = 2, .end_thread = 3, .first = 41, .last = 65},
        {.owner = 7, .end_jvm = 3, .end_thread = 3, .first = 66, .last = 100}};
    found.chains.list = malloc(sizeof ends);
    assert_non_null(found.chains.list);
    memcpy(found.chains.list, ends, sizeof ends);
    found.chains.count = 2;
    assert_int_equal(roxi_produce_waited_for(&f), 0);
    const struct roxi_finding *y = of_role(&found, "y");
    assert_non_null(y);
    assert_true(y->waited_for);
    assert_int_equal(y->here, 60);
    assert_true(of_role(&found, "x")->follows);
    assert_int_equal(of_role(&found, "x")->doing, ROXI_BLOCKED);
    roxi_finder_close(&f);
    roxi_findings_free(&found);
    roxi_ranking_free(&r);
}

/* x waits from packet 41 on for a monitor, whose owner, another thread of x, waits for y. If the
 * owner does so in normal runs, too, it is the owner that keeps x waiting; else it is y. */
static void monitor_owner_waits(const char *owners_stack, const char *told)
{
    const struct did blocks[] = {{"x", WORK, 1, 40},
                                 {"x", SPIN, 41, 100},
                                 {"x", owners_stack, 41, 100},
                                 {"y", WORK, 1, 100}};
    struct roxi_findings found;
    struct roxi_finder f;
    bool normal[10];
    odd_with_ends(blocks, 4);
    profiles->executions[9].history.spans[1].blocked = 60;
    profiles->executions[9].history.spans[2].thread = 7;
    struct roxi_ranking r = rank_all(NULL);
    memset(normal, 1, sizeof normal);
    normal[9] = false;
    make_finder(&f, &found, &r, normal, 9);
    found.chains.list = malloc(sizeof *found.chains.list);
    assert_non_null(found.chains.list);
    *found.chains.list = (struct waits_chain){.owner = 7, .end_jvm = 1, .first = 41, .last = 100};
    found.chains.count = 1;
    assert_int_equal(roxi_produce_waited_for(&f), 0);
    size_t ends = 0;
    for (size_t i = 0; i < found.count; i++) {
        if (!found.list[i].waited_for)
            continue;
        ends++;
        assert_int_equal(found.list[i].who.role, name_number(told));
        assert_int_equal(found.list[i].here, 60);
    }
    assert_int_equal(ends, 1);
    roxi_finder_close(&f);
    roxi_findings_free(&found);
    roxi_ranking_free(&r);
}

static void test_owner_waits_as_usual(void **state)
{
    (void)state;
    monitor_owner_waits(WORK, "x");
}

static void test_owner_waits_for_longer(void **state)
{
    (void)state;
    monitor_owner_waits(LOOP, "y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_node_explains, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_hung, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_waited_for_jvm, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_waited_for_thread, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_deadlock_among_others, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_deadlock, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_deadlock_of_its_own, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_waited_for_in_turns, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_owner_of_monitor, profiles_set_up, profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_owner_waits_as_usual, profiles_set_up,
                                        profiles_tear_down),
        cmocka_unit_test_setup_teardown(test_owner_waits_for_longer, profiles_set_up,
                                        profiles_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
