/* SPDX-License-Identifier: Apache-2.0 */
/* Peers that exchanged their names, and executions under the names after that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "roxi/rank/score.h"
#include "roxi/rank/swapped_profiles.h"

static void test_stems(void **state)
{
    (void)state;
    static const struct {
        const char *role;
        size_t stem;
    } roles[] = {
        {"Server 1", 7},
        {"server12", 6},
        {"node-3", 5},
        {"Client A", 7},
        {"worker_b", 7},
        {"Server", 0},
        {"Commander", 0},
        {"42", 0},
        {"A", 0},
        {"Plan B2", 6},
        {"NodeA", 0},
        {"", 0},
        {"\xc3\xa4"
         "A",
         0},
    };
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        assert_int_equal(roxi_role_stem(roles[i].role), roles[i].stem);
}

/* What a server does in an execution: 0 it is not there, 1 it leads, 2 it follows, 3 half of each.
 */
enum { ABSENT, LEADS, FOLLOWS, HALF, PACKETS = 1000 };

static uint32_t string(struct roxi_profiles *p, const char *text)
{
    return roxi_symbols_string(p->symbols, text, strlen(text));
}

static struct roxi_feature_item *add_thread(struct roxi_profiles *p, struct roxi_feature_item *at,
                                            const char *role, const char *thread, uint64_t count)
{
    if (!count)
        return at;
    const uint32_t group = roxi_profiles_group(p, string(p, role), string(p, thread));
    *at = (struct roxi_feature_item){ROXI_STATES, group, ROXI_STATE_WAITING, 0, count};
    return at + 1;
}

static struct roxi_feature_item *add_server(struct roxi_profiles *p, struct roxi_feature_item *at,
                                            const char *role, int does, uint64_t noise)
{
    const uint64_t led = does == LEADS ? PACKETS : does == HALF ? PACKETS / 2 : 0;
    if (does == ABSENT)
        return at;
    at = add_thread(p, at, role, "main", PACKETS + noise);
    at = add_thread(p, at, role, "lead", led);
    at = add_thread(p, at, role, "accept", led);
    at = add_thread(p, at, role, "follow", PACKETS - led);
    *at = (struct roxi_feature_item){ROXI_ENDS, string(p, role), ROXI_ORDERLY, 0, 1 + noise % 2};
    return at + 1;
}

/* An execution of `count` servers; each shows one stack in its thread main. */
static void add_execution(struct roxi_profiles *p, const int *does, size_t count)
{
    static const char *const roles[] = {"S 1", "S 2", "S 3"};
    const size_t e = p->count;
    struct roxi_tally seen = {0};
    for (size_t i = 0; i < count; i++)
        if (does[i])
            roxi_tally_add(
                &seen, roxi_pair(roxi_profiles_group(p, string(p, roles[i]), string(p, "main")), 0),
                10 * (uint64_t)does[i]);
    assert_int_equal(roxi_profiles_add(p, "run", &seen, NULL), 0);
    roxi_tally_free(&seen);
    struct roxi_feature_item *items = calloc(5 * count, sizeof *items), *end = items;
    for (size_t i = 0; i < count; i++)
        end = add_server(p, end, roles[i], does[i], e);
    p->executions[e].features = items;
    p->executions[e].feature_count = roxi_features_merge(items, (size_t)(end - items));
}

static const char *text(const struct roxi_profiles *p, uint32_t string)
{
    return roxi_symbols_text(p->symbols, string);
}

static const int usual[] = {FOLLOWS, FOLLOWS, LEADS};

static struct roxi_profiles *servers(const int last[3])
{
    struct roxi_profiles *p = roxi_profiles_new();
    for (int i = 0; i < 6; i++)
        add_execution(p, usual, 3);
    add_execution(p, last, 3);
    return p;
}

static void test_another_leader(void **state)
{
    (void)state;
    struct roxi_profiles *p = servers((int[]){LEADS, FOLLOWS, FOLLOWS});
    struct roxi_role_swaps peers;
    assert_int_equal(roxi_role_swaps_find(&peers, p, NULL), 0);
    assert_int_equal(peers.count, 2);
    assert_int_equal(peers.list[0].execution, 6);
    assert_string_equal(text(p, peers.list[0].role), "S 1");
    assert_string_equal(text(p, peers.list[0].as), "S 3");
    assert_string_equal(text(p, peers.list[1].role), "S 3");
    assert_string_equal(text(p, peers.list[1].as), "S 1");
    assert_string_equal(text(p, roxi_role_swaps_role(&peers, 6, peers.list[0].as)), "S 1");
    assert_int_equal(roxi_role_swaps_role(&peers, 5, peers.list[0].as), peers.list[0].as);
    roxi_role_swaps_free(&peers);
    roxi_profiles_free(p);
}

/* Half of the time as a leader, beside another one or instead of it; two leaders; one that is gone:
 * all of that is as unusual as it was. */
static void test_no_exchange(void **state)
{
    (void)state;
    static const int last[][3] = {{HALF, FOLLOWS, HALF},     {HALF, FOLLOWS, LEADS},
                                  {LEADS, FOLLOWS, LEADS},   {LEADS, FOLLOWS, ABSENT},
                                  {FOLLOWS, FOLLOWS, LEADS}, {FOLLOWS, FOLLOWS, FOLLOWS}};
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
        struct roxi_profiles *p = servers(last[i]);
        struct roxi_role_swaps peers;
        assert_int_equal(roxi_role_swaps_find(&peers, p, NULL), 0);
        assert_int_equal(peers.count, 0);
        roxi_role_swaps_free(&peers);
        roxi_profiles_free(p);
    }
}

/* Where leaders take turns, no execution is far from what is typical. */
static void test_turns(void **state)
{
    (void)state;
    struct roxi_profiles *p = roxi_profiles_new();
    for (int i = 0; i < 9; i++) {
        int does[3] = {FOLLOWS, FOLLOWS, FOLLOWS};
        does[i % 3] = LEADS;
        add_execution(p, does, 3);
    }
    struct roxi_role_swaps peers;
    assert_int_equal(roxi_role_swaps_find(&peers, p, NULL), 0);
    assert_int_equal(peers.count, 0);
    roxi_role_swaps_free(&peers);
    /* Of the reference it is always the first one. */
    const bool reference[9] = {true, false, false, true, false, false, true, false, false};
    assert_int_equal(roxi_role_swaps_find(&peers, p, reference), 0);
    assert_int_equal(peers.count, 12);
    roxi_role_swaps_free(&peers);
    roxi_profiles_free(p);
}

static void test_renamed(void **state)
{
    (void)state;
    struct roxi_profiles *p = servers((int[]){LEADS, FOLLOWS, FOLLOWS});
    struct roxi_role_swaps peers;
    assert_int_equal(roxi_role_swaps_find(&peers, p, NULL), 0);
    struct roxi_profiles *r = roxi_swapped_profiles(p, &peers);
    assert_non_null(r);
    assert_int_equal(r->count, 7);
    assert_ptr_equal(r->executions[0].items, p->executions[0].items);
    const struct roxi_profile *x = &r->executions[6], *like = &p->executions[0];
    assert_int_equal(x->total, p->executions[6].total);
    assert_int_equal(x->count, 3);
    for (size_t i = 0; i < x->count; i++) {
        assert_int_equal(x->items[i].group, like->items[i].group);
        assert_int_equal(x->items[i].count, like->items[i].count);
    }
    assert_int_equal(x->feature_count, like->feature_count);
    for (size_t i = 0; i < x->feature_count; i++) {
        assert_int_equal(x->features[i].feature, like->features[i].feature);
        assert_int_equal(x->features[i].place, like->features[i].place);
    }
    roxi_swapped_profiles_free(r, p);
    roxi_role_swaps_free(&peers);
    roxi_profiles_free(p);
}

/* The ranking sees nothing in it, unless names are kept. */
static void test_ranked(void **state)
{
    (void)state;
    struct roxi_profiles *p = servers((int[]){LEADS, FOLLOWS, FOLLOWS});
    struct roxi_score_options options = {.features = 1u << ROXI_STATES, .neighbours = 3};
    struct roxi_ranking r;
    assert_int_equal(roxi_score(p, &options, &r, NULL), 0);
    assert_true(roxi_ranked(&r) != p);
    assert_true(r.score[6] < 3);
    roxi_ranking_free(&r);
    options.named = true;
    assert_int_equal(roxi_score(p, &options, &r, NULL), 0);
    assert_ptr_equal(roxi_ranked(&r), p);
    assert_true(r.score[6] > 3);
    roxi_ranking_free(&r);
    roxi_profiles_free(p);
}

static void test_too_many(void **state)
{
    (void)state;
    for (int count = ROXI_ROLE_SWAP_PEERS_MAX; count <= ROXI_ROLE_SWAP_PEERS_MAX + 1; count++) {
        struct roxi_profiles *p = roxi_profiles_new();
        for (int e = 0; e < 3; e++) {
            struct roxi_tally seen = {0};
            assert_int_equal(roxi_profiles_add(p, "run", &seen, NULL), 0);
            struct roxi_feature_item *at = calloc((size_t)count, sizeof *at);
            p->executions[e].features = at;
            for (int i = 0; i < count; i++) {
                char role[16];
                snprintf(role, sizeof role, "S%d", i);
                /* The last execution has another leader. */
                at = add_thread(p, at, role, i == (e == 2) ? "lead" : "follow", PACKETS);
            }
            p->executions[e].feature_count = (size_t)count;
            roxi_features_merge(p->executions[e].features, (size_t)count);
        }
        struct roxi_role_swaps peers;
        assert_int_equal(roxi_role_swaps_find(&peers, p, NULL), 0);
        assert_int_equal(peers.count, count == ROXI_ROLE_SWAP_PEERS_MAX ? 2 : 0);
        roxi_role_swaps_free(&peers);
        roxi_profiles_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stems),       cmocka_unit_test(test_another_leader),
        cmocka_unit_test(test_no_exchange), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_renamed),     cmocka_unit_test(test_ranked),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
