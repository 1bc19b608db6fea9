/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of what goes over connections, in hand-made runs. */
#include <math.h>

#include "roxi/explain/common.h"
#include "roxi/explain/finder.h"
#include "tests/support/findings_fixture.h"

#define LOCK "a.A.run()V:1;a.B.reply()V:3;java.lang.Object.wait(J)V:-3"

static void talk(struct roxi_profile *run, const char *role, const char *peer, bool accepted,
                 uint64_t sent, uint32_t waits)
{
    const struct roxi_talk t = {.role = string(role),
                                .peer = string(peer),
                                .accepted = accepted,
                                .sent = sent,
                                .waits = waits,
                                .waits_from = waits ? 50 : 0};
    assert_int_equal(roxi_use_add_talk(&run->use, &t), 0);
}

/* x asks y, which answers; both pass on to z what must be known there. The longest that x waits for
 * an answer is so many packets. */
static void add_talking_within(uint32_t waits)
{
    add_normal();
    for (size_t i = 0; i < NORMAL; i++) {
        struct roxi_profile *run = &p->executions[i];
        talk(run, "x", "y", false, 200, waits);
        talk(run, "y", "x", true, 200, 90); /* it has the last word: x owes nothing */
        talk(run, "y", "z", false, 20, 1);
    }
}

static void add_talking(void)
{
    add_talking_within(2);
}

static void send_from_40(struct roxi_profile *run, const char *role, const char *peer,
                         bool accepted)
{
    for (uint64_t packet = 2; packet <= PACKETS; packet += 2) {
        const struct roxi_sent sent = {string(role), string(peer),         accepted,
                                       packet,       packet < 42 ? 4 : 44, 0};
        assert_int_equal(roxi_history_add_sent(&run->history, sent), 0);
    }
}

static const struct roxi_finding *find(const struct roxi_findings *f, const char *kind,
                                       const char *role)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(roxi_finding_kind(&f->list[i]), kind) == 0 &&
            strcmp(roxi_symbols_text(p->symbols, f->list[i].who.role), role) == 0)
            return &f->list[i];
    return NULL;
}

/* The one that asks more often is the cause, not the one that answers as often. */
static void test_sent_more(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_talking();
    struct roxi_profile *run = add_run("storm", usual, 3);
    talk(run, "x", "y", false, 1400, 2);
    talk(run, "y", "x", true, 1600, 90);
    talk(run, "y", "z", false, 20, 1);
    send_from_40(run, "x", "y", false);
    send_from_40(run, "y", "x", true);
    roxi_history_order(&run->history);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_ptr_equal(find(&f, "sent-more", "x"), &f.list[0]);
    assert_false(f.list[0].follows);
    assert_true(f.list[1].follows);
    assert_int_equal(f.list[0].packet, 42);
    assert_int_equal(f.list[0].here, 1400);
    assert_int_equal(f.list[0].like, 0);
    assert_says(&f.list[0], true,
                "sent 1400 messages over connections that it had opened, the additional ones to y, "
                "typically 200");
    assert_says(&f.list[1], true,
                "sent 1600 messages over connections that it had accepted, the additional ones to "
                "x, typically 200");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    run->use.talks[0].sent = run->use.talks[1].sent = 10; /* fewer may be a consequence */
    assert_nothing();
}

/* y answers more because x asks more, though that is little of what x sends in all. */
static void test_who_asks(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_talking();
    for (size_t i = 0; i < NORMAL; i++)
        talk(&p->executions[i], "x", "z", false, 40000, 2);
    struct roxi_profile *run = add_run("asks", usual, 3);
    talk(run, "x", "y", false, 1400, 2);
    talk(run, "y", "x", true, 1400, 90);
    talk(run, "x", "z", false, 40000, 2);
    send_from_40(run, "y", "x", true);
    roxi_history_order(&run->history);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 2);
    assert_string_equal(roxi_symbols_text(p->symbols, f.list[0].who.role), "x");
    assert_string_equal(roxi_finding_kind(&f.list[0]), "sent-more");
    assert_int_equal(f.list[0].here, 1400);
    assert_true(fabs(f.list[0].elsewhere - 200) < 1e-6);
    assert_true(f.list[1].follows);
    roxi_findings_free(&f);
    struct roxi_common c; /* of all failed runs the same */
    bool failed[NORMAL + 1] = {false}, passed[NORMAL + 1] = {false};
    for (size_t i = 0; i <= NORMAL; i++)
        *(i == NORMAL ? &failed[i] : &passed[i]) = true;
    assert_int_equal(roxi_common_make(&c, &r, failed, passed, NULL, NULL, 0, &err), 0);
    assert_int_equal(c.count, 2);
    for (size_t i = 0; i < c.count; i++) {
        assert_int_equal(c.list[i].in, 1);
        assert_int_equal(c.list[i].in_others, 0);
    }
    roxi_common_free(&c);
    roxi_ranking_free(&r);
}

static void test_connections(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_talking();
    struct roxi_profile *run = add_run("opens", usual, 3);
    const struct roxi_talk t = {.role = string("x"), .peer = string("y"), .connections = 80};
    assert_int_equal(roxi_use_add_talk(&run->use, &t), 0);
    for (uint64_t packet = 21; packet <= PACKETS; packet++)
        assert_int_equal(roxi_history_add_sent(&run->history, (struct roxi_sent){.role = t.role,
                                                                                 .peer = t.peer,
                                                                                 .packet = packet,
                                                                                 .connections = 1}),
                         0);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_ptr_equal(find(&f, "connections", "x"), &f.list[0]);
    assert_int_equal(f.list[0].packet, 21);
    assert_says(&f.list[0], true, "opened 80 connections, the additional ones to y, typically 0");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

/* y has a thread for each connection, which mostly reads from it: x has opened them. */
static void test_readers(void **state)
{
    (void)state;
    static const struct did did[] = {
        {"x", "worker-*", WORK, {1, 1}},
        {"x", "Timer-*", IDLE, {1}},
        {"y", "worker-*", WORK, {1, 1}},
        {"y",
         "conn-*",
         "a.Conn.run()V:1;java.net.SocketInputStream.socketRead0()V:-3",
         {41, 41, 42, 42, 43, 43, 44, 44}}};
    struct roxi_ranking r;
    add_talking();
    struct roxi_profile *run = add_run("opens", did, 4);
    const struct roxi_talk t = {.role = string("x"), .peer = string("y"), .connections = 80};
    assert_int_equal(roxi_use_add_talk(&run->use, &t), 0);
    for (uint64_t packet = 41; packet <= PACKETS; packet++)
        assert_int_equal(roxi_history_add_sent(&run->history, (struct roxi_sent){.role = t.role,
                                                                                 .peer = t.peer,
                                                                                 .packet = packet,
                                                                                 .connections = 1}),
                         0);
    struct roxi_findings f = explain(&r);
    assert_ptr_equal(find(&f, "connections", "x"), &f.list[0]);
    const struct roxi_finding *readers = find(&f, "only-here", "y");
    assert_int_equal(readers->doing, ROXI_ON_NETWORK);
    assert_true(readers->follows);
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static void test_no_answer(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_talking();
    struct roxi_profile *run = add_run("lost", usual, 3);
    talk(run, "x", "y", false, 200, 40);
    talk(run, "y", "x", true, 200, 99);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_ptr_equal(find(&f, "no-answer", "y"), &f.list[0]);
    assert_int_equal(f.list[0].packet, 50);
    assert_says(&f.list[0], true, "left x without an answer for 40 packets in a row, typically 2");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static void test_unread(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_talking();
    struct roxi_profile *run = add_run("full", usual, 3);
    const struct roxi_talk t = {.role = string("y"),
                                .peer = string("x"),
                                .accepted = true,
                                .unread = 40,
                                .unread_from = 60};
    assert_int_equal(roxi_use_add_talk(&run->use, &t), 0);
    struct roxi_findings f = explain(&r);
    assert_int_equal(f.count, 1);
    assert_ptr_equal(find(&f, "unread", "y"), &f.list[0]);
    assert_int_equal(f.list[0].packet, 60);
    assert_says(&f.list[0], true,
                "did not read what had come from x for 40 packets in a row, typically 0");
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
}

static void keep_silent(struct roxi_profile *run, const char *role, const char *peer,
                        uint64_t packet, uint32_t packets)
{
    const struct roxi_silence silence = {string(role), string(peer), packet, packets};
    talk(run, role, peer, false, 0, packets);
    assert_int_equal(roxi_history_add_silence(&run->history, silence), 0);
}

/* Without the runs that were added. */
static void start_again(void)
{
    void *unused = NULL;
    tear_down(&unused);
    set_up(&unused);
}

static double score_of_wait(uint32_t packets)
{
    struct roxi_ranking r;
    add_talking();
    talk(add_run("waits", usual, 3), "x", "y", false, 200, packets);
    struct roxi_findings f = explain(&r);
    const double score = r.score[NORMAL];
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    start_again();
    return score;
}

/* The longest wait for an answer is one event, so it must be (2 sqrt(p) - 2 sqrt(2)) / 8 units. */
static void test_one_event(void **state)
{
    (void)state;
    assert_true(score_of_wait(29) == 0);
    assert_true(score_of_wait(100) > 0);
}

/* x's threads wait, and y has sent nothing for long. But if y does not answer at once in normal
 * runs either, it has nothing to send. */
static bool is_owed(uint32_t usual_waits)
{
    const struct did waits[] = {usual[0], {"x", "Timer-*", LOCK, {41, 41}}, usual[2]};
    struct roxi_ranking r;
    add_talking_within(usual_waits);
    keep_silent(add_run("waits", waits, 3), "x", "y", 41, 50);
    struct roxi_findings f = explain(&r);
    const bool follows = find(&f, "only-here", "x")->follows;
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    start_again();
    return follows;
}

static void test_nothing_to_send(void **state)
{
    (void)state;
    assert_true(is_owed(7));
    assert_false(is_owed(9));
}

/* x's threads wait from packet 41 on; its longest silence of y, and y's of z, begin at `from`.
 * Returns the role of the first finding. */
static const char *first_when_waiting(uint64_t from, uint32_t of_y, uint32_t of_z)
{
    const struct did waits[] = {usual[0], {"x", "Timer-*", LOCK, {41, 41}}, usual[2]};
    struct roxi_ranking r;
    add_talking();
    struct roxi_profile *run = add_run("waits", waits, 3);
    keep_silent(run, "x", "y", from, of_y);
    keep_silent(run, "y", "z", from, of_z);
    struct roxi_findings f = explain(&r);
    const char *first = roxi_symbols_text(p->symbols, f.list[0].who.role);
    if (strcmp(first, "x") != 0) {
        assert_string_equal(roxi_finding_kind(&f.list[0]), "no-answer");
        assert_int_equal(f.list[0].packet, 41);
        const struct roxi_finding *waiting = find(&f, "only-here", "x");
        assert_true(waiting->follows);
        assert_int_equal(waiting->ends_at.role, f.list[0].who.role);
    }
    roxi_findings_free(&f);
    roxi_ranking_free(&r);
    return first;
}

static void waiting_ends_at(const char *role, uint64_t from, uint32_t of_y, uint32_t of_z)
{
    assert_string_equal(first_when_waiting(from, of_y, of_z), role);
    start_again();
}

static void test_waiting(void **state)
{
    (void)state;
    waiting_ends_at("x", 41, 6, 5); /* hardly longer than typical */
    waiting_ends_at("y", 41, 14, 5);
    waiting_ends_at("y", 45, 14, 5);
    waiting_ends_at("x", 30, 14, 5);  /* before it waits */
    waiting_ends_at("y", 41, 18, 13); /* y waits for z, too, but not as long */
    waiting_ends_at("z", 41, 14, 13);
}

/* x waits for y, which is busy, because it asks y much more than typical, or not. */
static void test_askers(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_talking();
    struct roxi_profile *run = add_run("asks", usual, 3);
    talk(run, "x", "y", false, 1400, 2);
    r = rank();
    bool normal[NORMAL + 1];
    memset(normal, 1, sizeof normal);
    normal[NORMAL] = false;
    struct roxi_finding list[] = {{.kind = ROXI_IN_CALL,
                                   .who = {.role = string("y")},
                                   .thread = ROXI_NONE,
                                   .packet = 40,
                                   .ends_at = {.role = ROXI_NONE}},
                                  {.kind = ROXI_IN_CALL,
                                   .who = {.role = string("x")},
                                   .thread = ROXI_NONE,
                                   .packet = 41,
                                   .follows = true,
                                   .ends_at = {.role = string("y")}}};
    struct roxi_findings found = {.list = list, .count = 2, .normal = NORMAL};
    struct roxi_finder f = {.out = &found,
                            .ranking = &r,
                            .profiles = p,
                            .run = run,
                            .number = NORMAL,
                            .normal = normal};
    assert_int_equal(roxi_relate_flows(&f), 0);
    assert_true(list[0].follows);
    assert_false(list[1].follows);
    list[0].follows = false;
    list[1].follows = true;
    run->use.talks[0].sent = 300; /* more, but not much more */
    assert_int_equal(roxi_relate_flows(&f), 0);
    assert_false(list[0].follows);
    assert_true(list[1].follows);
    roxi_ranking_free(&r);
}

/* y leaves x without an answer because z leaves y without one, or because y is stopped. */
static void test_chain(void **state)
{
    (void)state;
    struct roxi_ranking r;
    add_talking();
    struct roxi_profile *run = add_run("chain", usual, 3);
    r = rank();
    const uint32_t x = string("x"), y = string("y"), z = string("z");
    for (int stopped = 0; stopped < 2; stopped++) {
        struct roxi_finding list[] = {
            {.kind = ROXI_OWED, .who = {.role = y}, .peer = {.role = x}, .packet = 44, .weight = 2},
            {.kind = ROXI_OWED, .who = {.role = z}, .peer = {.role = y}, .packet = 41, .weight = 1},
            {.kind = ROXI_LOST, .who = {.role = y}, .packet = 41}};
        struct roxi_findings found = {.list = list, .count = 2 + (size_t)stopped, .normal = NORMAL};
        struct roxi_finder f = {
            .out = &found, .ranking = &r, .profiles = p, .run = run, .number = NORMAL};
        assert_int_equal(roxi_relate_answers(&f), 0);
        assert_true(list[0].follows == !stopped);
        assert_true(list[1].weight == (stopped ? 1 : 2));
    }
    roxi_ranking_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sent_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_asks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_connections, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_readers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_answer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_askers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_chain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_waiting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_to_send, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_event, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
