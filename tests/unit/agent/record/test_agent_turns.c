/* SPDX-License-Identifier: Apache-2.0 */
/* How often threads run: asked of real threads of this kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "agent/record/turns.h"
#include "tests/support/tracelog_fixture.h"

enum { MANY = (int)IXA_TURNS_LOOKS + 8 };

/* A thread that runs once each time it is told. */
struct runner {
    pthread_t thread;
    _Atomic pid_t tid;
    sem_t go, done;
    _Atomic bool end;
};

static struct runner runners[MANY];
static struct {
    struct ixa_starts starts;
    struct ixa_turns turns;
    struct ixa_threads threads;
    struct ix_log_writer *log;
    int fd;
    uint64_t packet, unlisted; /* the key of a thread that no snapshot has */
} world = {.starts = IXA_STARTS_NONE};

/* Only the log's number of a thread is asked for. Keys are 101 and up. */
uint32_t __wrap_ixa_threads_find(const struct ixa_threads *t, uint64_t key);
uint32_t __wrap_ixa_threads_find(const struct ixa_threads *t, uint64_t key)
{
    (void)t;
    return key == world.unlisted ? 0 : (uint32_t)key - 100;
}

static void *run(void *runner)
{
    struct runner *r = runner;
    r->tid = gettid();
    sem_post(&r->done);
    for (;;) {
        while (sem_wait(&r->go) != 0)
            ;
        if (r->end)
            return NULL;
        sem_post(&r->done);
    }
}

static void wait_for(sem_t *s)
{
    while (sem_wait(s) != 0)
        ;
}

static void begin(int count)
{
    struct ixa_schedule schedule;
    ixa_schedule_init(&schedule, IXA_SHARE_WALK);
    const bool there = schedule.tasks >= 0;
    ixa_schedule_free(&schedule);
    if (!there)
        skip(); /* this /proc is not ours */
    world.packet = world.unlisted = 0;
    world.log = memory_writer(&world.fd);
    for (int i = 0; i < count; i++) {
        struct runner *r = &runners[i];
        const struct ix_thread thread = {
            (uint32_t)i + 1, (uint32_t)i + 1, 101 + (uint64_t)i, "t", "", "", 5, 0};
        assert_int_equal(ix_log_thread(world.log, &thread), 0);
        r->end = false;
        assert_int_equal(sem_init(&r->go, 0, 0) | sem_init(&r->done, 0, 0), 0);
        assert_int_equal(pthread_create(&r->thread, NULL, run, r), 0);
        wait_for(&r->done);
        ixa_starts_add(&world.starts, 101 + (uint64_t)i, (uint32_t)r->tid);
    }
    assert_int_equal(ixa_turns_start(&world.turns, &world.starts), 0);
}

static void end_runner(int i)
{
    runners[i].end = true;
    sem_post(&runners[i].go);
    assert_int_equal(pthread_join(runners[i].thread, NULL), 0);
}

static void packet(void)
{
    const struct ix_snapshot s = {.packet = ++world.packet};
    assert_int_equal(ixa_turns_write(&world.turns, &world.threads, world.log), 0);
    assert_int_equal(ix_log_snapshot(world.log, &s), 0);
}

/* Adds up what the log says of each thread, and frees all. */
static void add_up(int count, uint64_t sums[MANY + 1])
{
    struct ix_snapshot s;
    struct ix_out log = finish(world.log, world.fd);
    struct ix_log_reader *r = read_bytes(&log);
    while (ix_log_next(r, &s, NULL) == 1) {
        const struct ix_facts facts = ix_log_facts(r);
        for (size_t i = 0; i < facts.turn_count; i++) {
            assert_true(facts.turns[i].thread <= (uint32_t)count);
            sums[facts.turns[i].thread] += facts.turns[i].turns;
        }
    }
    ix_log_reader_close(r);
    ix_out_free(&log);
    ixa_turns_stop(&world.turns);
    ixa_starts_reset(&world.starts, false);
}

/* Each time until it sleeps again: otherwise it may go on without another turn. */
static void run_times(int i, int times)
{
    struct ixa_schedule schedule;
    struct ixa_watch watch;
    ixa_schedule_init(&schedule, IXA_SHARE_WALK);
    assert_true(ixa_watch_open(&schedule, &watch, runners[i].tid));
    for (int k = 0; k < times; k++) {
        while (!ixa_watch_asleep(&watch))
            sched_yield();
        sem_post(&runners[i].go);
        wait_for(&runners[i].done);
    }
    ixa_watch_close(&schedule, &watch);
    ixa_schedule_free(&schedule);
}

/* One runs a hundred times more than another; a third is in no snapshot. */
static void who_runs_more(void **state)
{
    uint64_t sums[MANY + 1] = {0};
    (void)state;
    begin(3);
    world.unlisted = 103;
    packet();
    run_times(0, 200);
    run_times(1, 2);
    run_times(2, 50);
    packet();
    for (int i = 0; i < 3; i++)
        end_runner(i);
    add_up(3, sums);
    assert_true(sums[1] >= 200);
    assert_true(sums[2] >= 2 && sums[2] < sums[1]);
    assert_int_equal(sums[3], 0);
}

/* More threads than are looked at for one packet, or opened: all have had their turn after some. */
static void all_have_their_turn(void **state)
{
    uint64_t sums[MANY + 1] = {0};
    (void)state;
    begin(MANY);
    for (int i = 0; i < MANY; i++)
        run_times(i, 3);
    for (int i = 0; i < MANY; i++)
        packet();
    assert_int_equal(world.turns.count, MANY);
    for (int i = 0; i < MANY; i++)
        end_runner(i);
    add_up(MANY, sums);
    for (int i = 1; i <= MANY; i++)
        assert_true(sums[i] >= 3);
}

/* One that is known not to have run is not looked at, so the others have their turn sooner; what it
 * did at the packet before, when its turn had not come, is still written. */
static void unchanged_is_not_looked_at(void **state)
{
    uint64_t sums[MANY + 1] = {0};
    (void)state;
    begin(MANY);
    for (int i = 0; i < MANY; i++)
        packet();
    run_times(0, 5);
    for (int i = 0; i < MANY; i++)
        ixa_turns_unchanged(&world.turns, 101 + (uint64_t)i);
    packet();
    assert_false(world.turns.list[0].due);
    const uint64_t before = world.turns.list[0].turns;
    packet(); /* nothing is said of any: all may have run, and not all have their turn */
    for (int i = 0; i < MANY; i++)
        ixa_turns_unchanged(&world.turns, 101 + (uint64_t)i);
    packet();
    assert_true(world.turns.list[0].turns >= before + 5);
    for (int i = 0; i < MANY; i++)
        assert_false(world.turns.list[i].due);
    for (int i = 0; i < MANY; i++)
        end_runner(i);
    add_up(MANY, sums);
}

/* What was read for another fact is written at once, and need not be looked at. */
static void known_is_not_looked_at(void **state)
{
    uint64_t sums[MANY + 1] = {0}, told[MANY];
    (void)state;
    begin(MANY);
    for (int i = 0; i < MANY; i++)
        packet();
    for (int i = 0; i < MANY; i++) {
        told[i] = world.turns.list[i].turns + 1000;
        ixa_turns_known(&world.turns, world.turns.list[i].key, told[i]);
    }
    packet();
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(world.turns.list[i].turns, told[i]);
        assert_false(world.turns.list[i].due);
    }
    ixa_turns_known(&world.turns, 7, 1); /* nobody's */
    for (int i = 0; i < MANY; i++)
        end_runner(i);
    add_up(MANY, sums);
    for (int i = 1; i <= MANY; i++)
        assert_true(sums[i] >= 1000);
}

/* A thread that has ended is forgotten, with its descriptor, as soon as the kernel has forgotten
 * it, which may be after it was joined; those of others stay. */
static void one_that_ends(void **state)
{
    uint64_t sums[MANY + 1] = {0};
    (void)state;
    begin(3);
    packet();
    const uint32_t before = ixa_watch_descriptors();
    end_runner(0);
    ixa_starts_end(&world.starts, 101);
    while (world.turns.count == 3) {
        packet();
        sched_yield();
    }
    assert_int_equal(world.turns.count, 2);
    assert_int_equal(ixa_watch_descriptors(), before - 1);
    run_times(1, 40);
    run_times(2, 40);
    packet();
    end_runner(1);
    end_runner(2);
    add_up(3, sums);
    assert_true(sums[2] >= 40 && sums[3] >= 40);
    assert_int_equal(ixa_watch_descriptors(), 0);
}

static void stopped(void **state)
{
    (void)state;
    ixa_turns_stop(&world.turns);
    assert_int_equal(ixa_turns_write(&world.turns, &world.threads, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_runs_more),
        cmocka_unit_test(all_have_their_turn),
        cmocka_unit_test(unchanged_is_not_looked_at),
        cmocka_unit_test(known_is_not_looked_at),
        cmocka_unit_test(one_that_ends),
        cmocka_unit_test(stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
