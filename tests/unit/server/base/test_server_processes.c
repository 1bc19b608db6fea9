/* SPDX-License-Identifier: Apache-2.0 */
/* Which processes there are, by /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/proc_stat.h"

struct search {
    pid_t wanted;
    int answer; /* of the visit that finds it */
    unsigned found, after;
};

static int look_for(void *user, pid_t pid, struct ix_error *err)
{
    struct search *s = user;
    s->after += s->found;
    if (pid != s->wanted)
        return 0;
    s->found++;
    return s->answer < 0 ? ix_fail(err, "found it") : s->answer;
}

static void test_each_is_visited_once(void **state)
{
    struct search s = {.wanted = getpid()};
    struct ix_error err = {""};
    (void)state;
    assert_int_equal(ixor_each_process(look_for, &s, &err), 0);
    assert_int_equal(s.found, 1);
}

static void test_a_visit_can_end_it(void **state)
{
    struct search s = {.wanted = getpid(), .answer = 7};
    struct ix_error err = {""};
    (void)state;
    assert_int_equal(ixor_each_process(look_for, &s, &err), 7);
    assert_int_equal(s.found, 1);
    assert_int_equal(s.after, 0);

    s = (struct search){.wanted = getpid(), .answer = -1};
    assert_int_equal(ixor_each_process(look_for, &s, &err), -1);
    assert_string_equal(err.text, "found it");
}

static void test_who_a_process_is(void **state)
{
    struct ixor_proc_stat self;
    (void)state;
    assert_true(ixor_proc_stat_read(getpid(), &self));
    assert_int_equal(self.parent, getppid());
    assert_true(self.started > 0);
    assert_false(ixor_proc_stat_read(0, &self)); /* no process has this id */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_is_visited_once),
        cmocka_unit_test(test_a_visit_can_end_it),
        cmocka_unit_test(test_who_a_process_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
