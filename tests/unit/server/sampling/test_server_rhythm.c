/* SPDX-License-Identifier: Apache-2.0 */
/* When packets are due: beats, jitter, bursts, chance, and what comes after a standstill. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/base/command.h"
#include "server/commands/rhythm_options.h"

#define MS 1000000ull

static struct ixor_rhythm r;

static void start(struct ixor_rhythm_options o, uint64_t now)
{
    struct ix_error err = {""};
    assert_int_equal(ixor_rhythm_check(&o, &err), 0);
    ixor_rhythm_start(&r, &o, now);
}

/* Takes the packet that is due `late` ns after its time; when the next one is due. */
static uint64_t next(uint64_t late, bool burst)
{
    const uint64_t now = r.due_ns + late;
    assert_int_equal(ixor_rhythm_step(&r, now), burst);
    assert_true(r.due_ns > now);
    return r.due_ns;
}

static void a_beat_keeps_its_time(void **state)
{
    (void)state;
    start((struct ixor_rhythm_options){.every_ns = 100 * MS}, 5 * MS);
    assert_int_equal(r.due_ns, 105 * MS);
    assert_int_equal(next(0, false), 205 * MS);
    assert_int_equal(next(30 * MS, false), 305 * MS); /* being late puts off no other */
    assert_int_equal(next(99 * MS, false), 405 * MS);
}

static void a_standstill_is_not_made_up_for(void **state)
{
    (void)state;
    start((struct ixor_rhythm_options){.every_ns = 100 * MS}, 0);
    assert_int_equal(next(2000 * MS, false), 2200 * MS);
    assert_int_equal(next(3600000 * MS + 1, false), 3602300 * MS);
    const uint64_t due = next(UINT64_C(1) << 60, false); /* 36 years, in one step */
    assert_true(due - (UINT64_C(1) << 60) < 3602500 * MS);

    start((struct ixor_rhythm_options){.every_ns = 100 * MS, .burst = 5, .burst_ns = 10 * MS}, 0);
    next(0, true);                                   /* the second is due at 110 */
    assert_int_equal(next(25 * MS, true), 140 * MS); /* at 135, for the third and fourth too */
    assert_int_equal(next(1000 * MS, true), 1200 * MS);
}

static void jitter_stays_within_its_bounds(void **state)
{
    (void)state;
    const int64_t every = 100 * MS, jitter = 20 * MS;
    start((struct ixor_rhythm_options){.every_ns = every, .jitter_ns = jitter, .seed = 7}, 0);
    int64_t least = 0, most = 0;
    double sum = 0;
    for (int64_t n = 1; n <= 10000; n++) {
        const int64_t off = (int64_t)r.due_ns - n * every;
        assert_true(off >= -jitter && off < jitter);
        least = off < least ? off : least;
        most = off > most ? off : most;
        sum += (double)off;
        next(n % 3 ? 0 : MS, false);
    }
    assert_true(least < -jitter * 9 / 10 && most > jitter * 9 / 10);
    assert_true(sum / 10000 < MS && sum / 10000 > -1.0 * MS);
}

static void a_seed_says_it_all(void **state)
{
    (void)state;
    uint64_t first[100];
    const struct ixor_rhythm_options o = {.every_ns = 100 * MS, .jitter_ns = 50 * MS, .seed = 42};
    start(o, 0);
    for (int i = 0; i < 100; i++)
        first[i] = next(0, false);
    start(o, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(next(0, false), first[i]);
    struct ixor_rhythm_options other = o;
    other.seed = 43;
    start(other, 0);
    assert_int_not_equal(next(0, false), first[0]);
}

static void chance_has_the_mean_asked_for(void **state)
{
    (void)state;
    start((struct ixor_rhythm_options){.every_ns = 100 * MS, .random = true, .seed = 1}, 0);
    uint64_t before = r.due_ns, shorter = 0;
    for (int i = 0; i < 20000; i++) {
        const uint64_t due = next(0, false);
        assert_true(due - before >= IXOR_EVERY_MIN_NS);
        shorter += due - before < 100 * MS;
        before = due;
    }
    const double mean = (double)before / 20001;
    assert_true(mean > 97.0 * MS && mean < 103.0 * MS);
    /* 1 - 1/e of the gaps of a Poisson process are shorter than the mean. */
    assert_true(shorter > 20000 * 61 / 100 && shorter < 20000 * 66 / 100);
    const uint64_t late = next(100000 * MS, false);
    assert_true(late - before < 120000 * MS); /* one, and not a thousand */
}

static void a_burst_is_several(void **state)
{
    (void)state;
    start((struct ixor_rhythm_options){.every_ns = 1000 * MS, .burst = 3, .burst_ns = 5 * MS}, 0);
    assert_int_equal(r.due_ns, 1000 * MS);
    assert_int_equal(next(0, true), 1005 * MS);
    assert_int_equal(next(0, true), 1010 * MS);
    assert_int_equal(next(0, true), 2000 * MS);
    assert_int_equal(next(0, true), 2005 * MS);
}

/* Words as on a command line, up to a NULL. */
static int parse(const char *const words[4], struct ixor_rhythm_options *o, struct ix_error *err)
{
    struct ixor_rhythm_choice choice;
    const struct ix_option_group groups[] = {ixor_rhythm_group(&choice), {.target = NULL}};
    const struct ix_command_line line = {
        .program = "ixor", .command = "run", .args = "", .about = "", .groups = groups};
    char name[] = "run", *argv[6] = {name}, **args;
    int argc = 1;
    for (size_t i = 0; i < 4 && words[i]; i++)
        argv[argc++] = (char *)(uintptr_t)words[i];
    *err = (struct ix_error){""};
    if (ix_options_parse(&line, argc, argv, &args, err) != IX_PARSED_ARGS)
        return IXOR_USAGE;
    const int status = ixor_rhythm_finish(&choice, err);
    *o = choice.options;
    return status;
}

static void options_are_read(void **state)
{
    (void)state;
    struct ixor_rhythm_options o;
    struct ix_error err;
    assert_int_equal(parse((const char *const[4]){NULL}, &o, &err), IXOR_OK);
    assert_int_equal(o.every_ns, 100 * MS);
    assert_int_equal(o.jitter_ns + o.burst + o.seed + o.random, 0);
    assert_int_equal(
        parse((const char *const[4]){"--jitter=30%", "--every=50ms", "--seed=9"}, &o, &err),
        IXOR_OK);
    assert_int_equal(o.jitter_ns, 15 * MS);
    assert_int_equal(o.seed, 9);
    assert_int_equal(
        parse((const char *const[4]){"--jitter", "20ms", "--burst", "4@2ms"}, &o, &err), IXOR_OK);
    assert_int_equal(o.jitter_ns, 20 * MS);
    assert_int_equal(o.burst, 4);
    assert_int_equal(o.burst_ns, 2 * MS);
}

static void bad_options_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *words[4];
        const char *says;
    } table[] = {
        {{"--every", "1us"}, "at least 1ms"},
        {{"--every", "5"}, "option --every"},
        {{"--jitter", "51%"}, "option --jitter"},
        {{"--jitter", "x%"}, "option --jitter"},
        {{"--jitter", "%"}, "option --jitter"},
        {{"--jitter", "51ms"}, "more than half"},
        {{"--jitter", "1ms", "--random"}, "--random"},
        {{"--burst", "3"}, "N@TIME"},
        {{"--burst", "0@5ms"}, "option --burst"},
        {{"--burst", "3@5"}, "option --burst"},
        {{"--burst", "3@10us"}, "too short"},
        {{"--burst", "30@5ms"}, "do not fit"},
        {{"--burst", "3@5ms", "--random"}, "exclude"},
        {{"--burst", "9@10ms", "--jitter", "20ms"}, "do not fit"},
        {{"--seed", "-1"}, "option --seed"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct ixor_rhythm_options o;
        struct ix_error err;
        assert_int_equal(parse(table[i].words, &o, &err), IXOR_USAGE);
        if (!strstr(err.text, table[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.text, table[i].says);
    }
}

static void what_gives_the_same_times_again(void **state)
{
    (void)state;
    static const struct {
        struct ixor_rhythm_options o;
        const char *words;
    } table[] = {
        {{.every_ns = 100 * MS, .seed = 7}, ""},
        {{.every_ns = 100 * MS, .seed = 7, .random = true}, "--seed 7 --random --every 100ms"},
        {{.every_ns = 1500000, .jitter_ns = 1, .seed = 1},
         "--seed 1 --every 1500us --jitter 0.001us"},
        {{.every_ns = 2000 * MS,
          .jitter_ns = 20 * MS,
          .seed = INT64_MAX,
          .burst = 3,
          .burst_ns = 5 * MS + 10},
         "--seed 9223372036854775807 --every 2000ms --jitter 20ms --burst 3@5000.010us"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char words[IXOR_RHYTHM_TEXT];
        assert_int_equal(ixor_rhythm_words(&table[i].o, words), table[i].words[0] != '\0');
        assert_string_equal(words, table[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beat_keeps_its_time),
        cmocka_unit_test(a_standstill_is_not_made_up_for),
        cmocka_unit_test(jitter_stays_within_its_bounds),
        cmocka_unit_test(a_seed_says_it_all),
        cmocka_unit_test(chance_has_the_mean_asked_for),
        cmocka_unit_test(a_burst_is_several),
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(bad_options_are_told),
        cmocka_unit_test(what_gives_the_same_times_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
