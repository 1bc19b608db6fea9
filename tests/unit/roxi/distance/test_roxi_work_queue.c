/* SPDX-License-Identifier: Apache-2.0 */
/* The list of work of a comparison: every stack of every group once, in order, wherever it begins;
 * and that items add up to the same bits whoever computes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "roxi/distance/compare.h"
#include "roxi/distance/engine.h"
#include "roxi/distance/work_queue.h"
#include "roxi/mpi/launch.h"
#include "tests/support/engine_support.h"

enum { EXECUTIONS = 14, GROUPS = 5, RANKS = 3 };

/* Groups that grow fourfold, from up to `few` new stacks an execution on; the last group is in no
 * execution. */
static struct roxi_profiles *make_groups(uint32_t few)
{
    struct roxi_profiles *p = roxi_profiles_new();
    assert_non_null(p);
    for (size_t e = 0; e < EXECUTIONS; e++) {
        struct roxi_tally seen = {0};
        for (uint32_t g = 0; g < GROUPS; g++) {
            const uint32_t group = roxi_profiles_group(p, 0, g);
            for (size_t i = g < GROUPS - 1 && draw(9) ? draw(few << 2 * g) : 0; i > 0; i--)
                roxi_tally_add(&seen, roxi_pair(group, make_stack(p->symbols, draw(12), 90, 0)),
                               1 + draw(9));
        }
        assert_int_equal(roxi_profiles_add(p, "x", &seen, NULL), 0);
        roxi_tally_free(&seen);
    }
    return p;
}

/* The largest has more than 1,000 stacks. */
static struct roxi_profiles *make_profiles(void)
{
    return make_groups(4);
}

static struct roxi_compare_options options(void)
{
    return (struct roxi_compare_options){.strategy = roxi_strategy_find("gap"), .match_reward = 1};
}

static void sizes_are_those_of_groups(void **state)
{
    (void)state;
    struct roxi_profiles *p = make_profiles();
    bool fresh[EXECUTIONS] = {[2] = true, [11] = true};
    struct roxi_work_queue s;
    size_t cursor[EXECUTIONS] = {0};
    assert_int_equal(roxi_work_queue_init(&s, p, fresh, NULL, true), 0);
    assert_int_equal(s.groups, GROUPS);
    for (uint32_t number = 0; number < GROUPS; number++) {
        struct roxi_group g;
        size_t new = 0;
        assert_int_equal(roxi_group_gather(&g, p, number, cursor), 0);
        for (size_t m = 0; m < g.members; m++)
            new += fresh[g.execution[m]];
        assert_int_equal(s.group[number].members, g.members);
        assert_int_equal(s.group[number].stacks, g.stacks);
        assert_int_equal(s.group[number].fresh, new);
        assert_int_equal(s.group[number].items, g.start[g.members]);
        roxi_group_release(&g);
    }
    roxi_work_queue_free(&s);
    roxi_profiles_free(p);
}

/* A group may be gathered without those before it. */
static void groups_are_left_out(void **state)
{
    (void)state;
    struct roxi_profiles *p = make_profiles();
    size_t all[EXECUTIONS] = {0}, some[EXECUTIONS] = {0};
    for (uint32_t number = 0; number < GROUPS; number++) {
        struct roxi_group want, got;
        assert_int_equal(roxi_group_gather(&want, p, number, all), 0);
        if (number % 2) {
            assert_int_equal(roxi_group_gather(&got, p, number, some), 0);
            assert_int_equal(got.members, want.members);
            assert_int_equal(got.stacks, want.stacks);
            assert_memory_equal(got.local, want.local,
                                want.start[want.members] * sizeof *want.local);
            roxi_group_release(&got);
        }
        roxi_group_release(&want);
    }
    roxi_profiles_free(p);
}

static bool never(void *user)
{
    (void)user;
    return false;
}

/* From a position on: all there is, once, in order, in parts of no more than there may be. */
static void list_is_complete(void **state)
{
    (void)state;
    struct roxi_profiles *p = make_profiles();
    for (uint32_t group = 0; group < GROUPS; group++) {
        struct roxi_checkpoint c = {
            .interrupted = never, .group = group, .stack = group == 3 ? 64 : 0};
        struct roxi_compare_options o = options();
        struct roxi_work_queue s;
        struct roxi_work_item item;
        o.checkpoint = &c;
        assert_int_equal(roxi_work_queue_init(&s, p, o.fresh, o.checkpoint, true), 0);
        s.item_work = s.work / 50; /* as with many processes */
        assert_int_equal(roxi_work_queue_open(&s, NULL), 1);
        uint64_t next = group, stack = c.stack, parts = 0;
        for (; roxi_work_queue_take(&s, &item); parts++) {
            assert_int_equal(item.group, next);
            assert_int_equal(item.from, stack);
            assert_false(item.whole);
            assert_in_range(item.to - item.from, s.group[next].stacks ? 1 : 0,
                            ROXI_WORK_ITEM_STACKS);
            stack = item.to == s.group[next].stacks ? 0 : item.to;
            assert_int_equal(stack % ROXI_LANES, 0);
            next += stack == 0;
        }
        assert_int_equal(next, GROUPS);
        assert_true(roxi_work_queue_done(&s));
        assert_true(parts > 20 || group > 3);
        assert_int_equal(roxi_work_queue_open(&s, NULL), 0);
        roxi_work_queue_free(&s);
    }
    roxi_profiles_free(p);
}

static bool after_three(void *user)
{
    return ++*(int *)user > 3;
}

/* A checkpoint that is due ends the round, not the list. */
static void rounds_end_at_checkpoints(void **state)
{
    (void)state;
    struct roxi_profiles *p = make_profiles();
    int asked = 0;
    struct roxi_checkpoint c = {.interrupted = after_three, .user = &asked};
    struct roxi_compare_options o = options();
    struct roxi_work_queue s;
    struct roxi_work_item item;
    size_t taken = 0;
    o.checkpoint = &c;
    assert_int_equal(roxi_work_queue_init(&s, p, o.fresh, o.checkpoint, true), 0);
    s.item_work = s.work / 50;
    assert_int_equal(roxi_work_queue_open(&s, NULL), 1);
    while (roxi_work_queue_take(&s, &item))
        taken++;
    assert_int_equal(taken, 4); /* the first one unasked */
    assert_false(roxi_work_queue_done(&s));
    asked = 0;
    assert_int_equal(roxi_work_queue_open(&s, NULL), 1);
    assert_true(roxi_work_queue_take(&s, &item));
    roxi_work_queue_free(&s);
    roxi_profiles_free(p);
}

/* What is not exact is taken group by group. */
static void inexact_groups_are_whole(void **state)
{
    (void)state;
    struct roxi_profiles *p = make_profiles();
    const struct roxi_compare_options o = options();
    struct roxi_work_queue s;
    struct roxi_work_item item;
    assert_int_equal(roxi_work_queue_init(&s, p, o.fresh, o.checkpoint, false), 0);
    s.item_work = s.work / 50;
    assert_int_equal(roxi_work_queue_open(&s, NULL), 1);
    for (size_t g = 0; g < GROUPS; g++) {
        assert_true(roxi_work_queue_take(&s, &item));
        assert_int_equal(item.to, s.group[g].stacks);
    }
    assert_false(roxi_work_queue_take(&s, &item));
    roxi_work_queue_free(&s);
    roxi_profiles_free(p);
}

struct expected {
    const struct roxi_profiles *profiles;
    const struct roxi_engine *engine;
    size_t *cursor;
    uint32_t number;
};

/* A group's ranges, each computed by a process that is drawn; the sum of all of them is the group.
 */
static int same_in_parts(void *user, uint32_t group, const struct roxi_matrix *want)
{
    struct expected *x = user;
    struct roxi_group g;
    struct roxi_work *work[RANKS];
    struct roxi_matrix part[RANKS];
    assert_int_equal(group, x->number);
    assert_int_equal(roxi_group_gather(&g, x->profiles, x->number++, x->cursor), 0);
    for (size_t r = 0; r < RANKS; r++) {
        work[r] = g.members ? roxi_engine_open(x->engine, &g) : NULL;
        assert_int_equal(roxi_matrix_new(&part[r], want->n), 0);
    }
    for (size_t from = 0, to; from < g.stacks; from = to) {
        const size_t r = draw(RANKS);
        to = from + ROXI_LANES * (1 + draw(rounds(40)));
        to = to < g.stacks ? to : g.stacks;
        assert_int_equal(roxi_engine_add(work[r], from, to, &part[r]), 0);
    }
    for (size_t i = 0; i < want->n * want->n; i++)
        assert_true(part[0].cells[i] + part[1].cells[i] + part[2].cells[i] == want->cells[i]);
    for (size_t r = 0; r < RANKS; r++) {
        roxi_engine_close(work[r]);
        roxi_matrix_free(&part[r]);
    }
    roxi_group_release(&g);
    return 0;
}

static void parts_add_up(void **state)
{
    (void)state;
    struct roxi_profiles *p = make_groups(INSTRUMENTED ? 1 : 4);
    for (size_t i = 0; i < SEQUENCES; i++) {
        struct roxi_compare_options o = options();
        struct roxi_engine engine;
        size_t cursor[EXECUTIONS] = {0};
        o.strategy = roxi_strategy_find(names[i]);
        o.diagonal_computed = i % 2;
        assert_int_equal(roxi_engine_init(&engine, p, &o, NULL), 1);
        struct expected x = {p, &engine, cursor, 0};
        assert_int_equal(roxi_compare_groups(p, &o, same_in_parts, &x, NULL), 0);
        assert_int_equal(x.number, GROUPS);
    }
    roxi_profiles_free(p);
}

static void launched_by(const char *count, const char *mine, const char *n, const char *m,
                        unsigned want_count, unsigned want_mine)
{
    setenv(count, n, 1);
    setenv(mine, m, 1);
    const struct roxi_launch l = roxi_launched();
    assert_int_equal(l.count, want_count);
    assert_int_equal(l.mine, want_mine);
}

static void launches_are_seen(void **state)
{
    (void)state;
    static const char *const variables[] = {
        "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK",
        "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
    setenv("SLURM_NTASKS", "8", 1); /* of the job, not of this program */
    assert_int_equal(roxi_launched().count, 1);
    launched_by("SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "8", "5", 8, 5);
    launched_by("PMI_SIZE", "PMI_RANK", "3", "0", 3, 0);
    launched_by("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "x", "", 3, 0);
    launched_by("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "1", "0", 1, 0);
    launched_by("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "2", "1", 2, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_groups), cmocka_unit_test(groups_are_left_out),
        cmocka_unit_test(list_is_complete),          cmocka_unit_test(rounds_end_at_checkpoints),
        cmocka_unit_test(inexact_groups_are_whole),  cmocka_unit_test(parts_add_up),
        cmocka_unit_test(launches_are_seen),
    };
    random_state = 20261121;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
