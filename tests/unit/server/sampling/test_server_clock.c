/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a JVM against the server's: small cases by hand, then simulated clocks and networks,
 * in which the true offset must always lie within the bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/sampling/clock.h"

#define US 1000ll
#define MS 1000000ll
#define S 1000000000ll

static struct ixor_reading reading(const struct ixor_clock *c, int64_t vm_ns)
{
    struct ixor_reading r;
    assert_true(ixor_clock_read(c, vm_ns, &r));
    return r;
}

/* The server's clock is 1000 ahead. The probe takes 10, the answer 30: the offset lies in
 * [1000 - 10, 1000 + 30]. */
static void one_exchange(void **state)
{
    (void)state;
    struct ixor_clock c;
    struct ixor_reading r;
    ixor_clock_init(&c, false);
    assert_false(ixor_clock_read(&c, 5000, &r));
    assert_int_equal(ixor_clock_target(&c, 9000), 0);
    assert_true(ixor_clock_feed(&c, &(struct ixor_exchange){6000, 5010, 5010, 6040}));
    r = reading(&c, 5010);
    assert_int_equal(r.offset_ns, 1010);
    assert_in_range(r.error_ns, 20, 25);
    assert_int_equal(ixor_clock_target(&c, 9000), 9000 - 1010);
    /* A second later the bound has grown by what two crystals can do. */
    r = reading(&c, 5010 + S);
    assert_in_range(r.error_ns, IXOR_CLOCK_RATE_PPB, IXOR_CLOCK_RATE_PPB + 30);
    /* A target that the JVM's clock has not reached at its start of counting is at once. */
    assert_int_equal(ixor_clock_target(&c, 500), 0);
}

/* The other exchanges are longer, but each has one good end. */
static void both_directions_have_their_own_minimum(void **state)
{
    (void)state;
    struct ixor_clock c;
    ixor_clock_init(&c, false);
    /* offset 0: [-1, 500] and [-700, 2] */
    assert_true(ixor_clock_feed(&c, &(struct ixor_exchange){100000, 100001, 100001, 100501}));
    assert_true(ixor_clock_feed(&c, &(struct ixor_exchange){101000, 101700, 101700, 101702}));
    struct ixor_reading r = reading(&c, 101700);
    assert_true(llabs(r.offset_ns) <= r.error_ns);
    assert_true(r.error_ns <= 6);
}

static void nonsense_is_ignored(void **state)
{
    (void)state;
    static const struct ixor_exchange table[] = {
        {100, 50, 40, 200}, /* answered before it came */
        {200, 50, 50, 100}, /* back before it was sent */
        {-1, 50, 50, 100},
        {100, -50, 50, 100},
        {100, 50, INT64_MAX, 200},
        {100, INT64_MAX, INT64_MAX, 200},
        {100, 50, 50 + 2 * S, 3 * S}, /* the agent was stopped meanwhile */
    };
    struct ixor_clock c;
    struct ixor_reading r;
    ixor_clock_init(&c, false);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_false(ixor_clock_feed(&c, &table[i]));
    assert_false(c.known);
    assert_true(ixor_clock_feed(&c, &(struct ixor_exchange){1000, 5000, 5000, 1010}));
    assert_true(
        ixor_clock_feed(&c, &(struct ixor_exchange){900, 4900, 4900, 1020})); /* overtaken */
    assert_int_equal(c.count, 1);
    assert_false(ixor_clock_read(&c, -1, &r));
    assert_false(ixor_clock_read(&c, INT64_MAX, &r));
}

static void the_same_clock_until_proven_otherwise(void **state)
{
    (void)state;
    struct ixor_clock c;
    ixor_clock_init(&c, true);
    assert_int_equal(reading(&c, 7).error_ns, 0);
    assert_int_equal(ixor_clock_target(&c, 9000), 9000);
    for (int64_t t = S; t < 40 * S; t += S) { /* slow answers say nothing against it */
        assert_true(ixor_clock_feed(&c, &(struct ixor_exchange){t, t + 1, t + 2, t + 9 * MS}));
        assert_true(c.same);
    }
    assert_int_equal(reading(&c, 40 * S).offset_ns, 0);
    assert_int_equal(reading(&c, 40 * S).error_ns, 0);
    assert_int_equal(ixor_clock_drift_ppb(&c), 0);
    /* It says that it has the server's clock, and has not. */
    ixor_clock_init(&c, true);
    assert_true(ixor_clock_feed(&c, &(struct ixor_exchange){S, S + 5 * MS, S + 5 * MS, S + 100}));
    assert_false(c.same);
    assert_in_range(-reading(&c, S + 5 * MS).offset_ns, 5 * MS - 200, 5 * MS);
}

/* ---- simulated ---- */

struct world {
    uint64_t random;
    double drift;          /* of the JVM's clock against the server's, true time */
    int64_t vm_zero;       /* what it shows at true time 0 */
    int64_t paused;        /* how long it has stood still so far */
    int64_t forth, back;   /* shortest delays */
    double jitter;         /* mean of what comes on top, exponential */
    double loss, twice;    /* probabilities */
    double wander, period; /* of the drift, around what it is: amplitude, and ns */
};

/* In [0, 1). */
static double chance(struct world *w)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(w->random >> 11) * 0x1p-53;
}

static int64_t delay(struct world *w, int64_t least)
{
    return least + (int64_t)(-log(1 - chance(w)) * w->jitter);
}

/* The server's clock is true time. */
static int64_t vm_clock(const struct world *w, int64_t now)
{
    double wandered = 0;
    if (w->period > 0) {
        const double turn = 2 * acos(-1) / w->period;
        wandered = w->wander / turn * (1 - cos((double)now * turn));
    }
    return w->vm_zero + now - w->paused +
           (int64_t)((double)(now - w->paused) * w->drift + wandered);
}

static bool exchange(struct world *w, struct ixor_clock *c, int64_t now)
{
    int64_t come = now + delay(w, w->forth), left = come + delay(w, 5 * US);
    int64_t back = left + delay(w, w->back);
    struct ixor_exchange x = {now, vm_clock(w, come), vm_clock(w, left), back};
    if (chance(w) < w->loss)
        return false;
    assert_true(ixor_clock_feed(c, &x));
    if (chance(w) < w->twice)
        assert_true(ixor_clock_feed(c, &x));
    return true;
}

/* The bound, checked at a moment. */
static void holds(const struct world *w, const struct ixor_clock *c, int64_t now, const char *when)
{
    int64_t vm = vm_clock(w, now);
    struct ixor_reading r = reading(c, vm);
    int64_t off = (now - vm) - r.offset_ns;
    if (llabs(off) > r.error_ns)
        fail_msg("%s: off by %lld, bound %lld, drift %g, delays %lld %lld, jitter %g, jumps %u",
                 when, (long long)off, (long long)r.error_ns, w->drift, (long long)w->forth,
                 (long long)w->back, w->jitter, c->jumps);
}

static struct world any_world(uint64_t seed)
{
    struct world w = {.random = seed * 0x9e3779b97f4a7c15u + 1};
    chance(&w);
    w.drift = (chance(&w) * 2 - 1) * 200e-6;
    w.vm_zero = (int64_t)(chance(&w) * 1e15);
    w.forth = (int64_t)(exp(chance(&w) * 8) * 10e3); /* 10 us to 30 ms */
    w.back = chance(&w) < 0.5 ? w.forth : (int64_t)(exp(chance(&w) * 8) * 10e3);
    w.jitter = exp(chance(&w) * 8) * 3e3;
    w.loss = chance(&w) * 0.5;
    w.twice = chance(&w) * 0.2;
    return w;
}

/* A burst, then an exchange every two seconds; looked at in between as well. */
static void the_bound_always_holds(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct world w = any_world(seed);
        struct ixor_clock c;
        int64_t now = (int64_t)(chance(&w) * 1e14);
        ixor_clock_init(&c, false);
        for (int i = 0; i < 200; i++) {
            exchange(&w, &c, now);
            if (c.known)
                holds(&w, &c, now + (int64_t)(chance(&w) * 100e6) - 50 * MS, "bound");
            now += i < 8 ? 50 * MS : 2 * S;
        }
        assert_int_equal(c.jumps, 0);
        assert_true(c.known);
    }
}

/* In a quiet network the bound is near half of the shortest way there and back, and the drift comes
 * out. */
static void the_bound_is_tight(void **state)
{
    (void)state;
    struct world w = {.random = 1,
                      .drift = 100e-6,
                      .vm_zero = S,
                      .forth = 100 * US,
                      .back = 100 * US,
                      .jitter = 50e3};
    struct ixor_clock c;
    int64_t now = 5 * S;
    ixor_clock_init(&c, false);
    for (int i = 0; i < 60; i++, now += i < 8 ? 50 * MS : 2 * S)
        exchange(&w, &c, now);
    holds(&w, &c, now, "tight");
    assert_true(reading(&c, vm_clock(&w, now)).error_ns < 200 * US);
    /* The JVM's clock is faster: against it the server's loses. */
    assert_true(llabs(ixor_clock_drift_ppb(&c) + 100000) < 3000);
    /* The middle is much better than the bound where both ways take equally long. */
    struct ixor_reading r = reading(&c, vm_clock(&w, now));
    assert_true(llabs(now - vm_clock(&w, now) - r.offset_ns) < 60 * US);
    /* A target is met as well: there and back again. */
    int64_t target = now + 20 * MS, vm = (int64_t)ixor_clock_target(&c, (uint64_t)target);
    assert_true(llabs(vm - vm_clock(&w, target)) < 60 * US);
}

/* A crystal that gets warm and cold, on a network so good that it shows. */
static void drift_that_wanders(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct world w = any_world(seed);
        struct ixor_clock c;
        int64_t now = S;
        w.forth = w.back = 5 * US;
        w.jitter = 500;
        w.wander = 0.45e-9 * IXOR_CLOCK_WANDER_PPB; /* between two moments twice that */
        w.period = (10 + chance(&w) * 200) * 1e9;
        ixor_clock_init(&c, false);
        for (int i = 0; i < 200; i++) {
            exchange(&w, &c, now);
            if (c.known)
                holds(&w, &c, now + 2 * S, "wander");
            now += i < 8 ? 50 * MS : 2 * S;
        }
        assert_int_equal(c.jumps, 0);
    }
}

/* A suspended virtual machine: its clock stands still meanwhile. Once an exchange has been shorter
 * than the jump, the bound holds again. */
static void jumps_are_noticed(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct world w = any_world(seed);
        struct ixor_clock c;
        int64_t now = (int64_t)(chance(&w) * 1e14) + 100 * S;
        ixor_clock_init(&c, false);
        for (int i = 0; i < 40; i++, now += 2 * S)
            exchange(&w, &c, now);
        const int64_t pause = (int64_t)(100e6 * exp(chance(&w) * 6));
        w.paused += pause;
        now += pause;
        w.jitter = 100e3;
        w.forth = w.back = 100 * US;
        while (!exchange(&w, &c, now))
            now += 2 * S;
        assert_int_equal(c.jumps, 1);
        for (int i = 0; i < 40; i++, now += 2 * S) {
            exchange(&w, &c, now);
            holds(&w, &c, now, "after a jump");
        }
        assert_int_equal(c.jumps, 1);
    }
}

/* The server's clock stands still while an answer is on its way: it is back before it can be. */
static void the_servers_own_jump(void **state)
{
    (void)state;
    struct ixor_clock c;
    struct ixor_reading r;
    ixor_clock_init(&c, true);
    assert_true(ixor_clock_feed(&c, &(struct ixor_exchange){1000, 1500, 1500, 2000}));
    assert_true(ixor_clock_feed(&c, &(struct ixor_exchange){3000, 3500, 9000, 3600}));
    assert_int_equal(c.jumps, 1);
    assert_false(ixor_clock_read(&c, 9000, &r));
    assert_true(ixor_clock_feed(&c, &(struct ixor_exchange){4000, 9900, 9900, 4010}));
    assert_int_equal(reading(&c, 9900).offset_ns, -5895);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_exchange),
        cmocka_unit_test(both_directions_have_their_own_minimum),
        cmocka_unit_test(nonsense_is_ignored),
        cmocka_unit_test(the_same_clock_until_proven_otherwise),
        cmocka_unit_test(the_bound_always_holds),
        cmocka_unit_test(the_bound_is_tight),
        cmocka_unit_test(drift_that_wanders),
        cmocka_unit_test(jumps_are_noticed),
        cmocka_unit_test(the_servers_own_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
