/* SPDX-License-Identifier: Apache-2.0 */
/* What the catalogue keeps of clocks, skew and late stops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "schema/catalogue/catalogue.h"
#include "tests/support/catalogue_fixture.h"
#include "tests/support/tempdir.h"

static struct ix_catalogue *c;
static int64_t execution, vm;
static char listed[1024];

static const struct ix_vm who = {.role = "r", .host = "h", .jvm = "j", .pid = 1, .log = "/x.ixl"};

static void add_vm(void)
{
    struct ix_vm row = who;
    row.execution = execution;
    must(ix_catalogue_add_vm(c, &row, &vm, &err));
}

static int set_up(void **state)
{
    if (tempdir_make(state) != 0)
        return -1;
    c = ix_catalogue_open(tempdir, IX_CATALOGUE_CREATE, &err);
    assert_non_null(c);
    must(ix_catalogue_add_execution(c, "a", NULL, 0, &execution, &err));
    add_vm();
    return 0;
}

static int tear_down(void **state)
{
    ix_catalogue_close(c);
    return tempdir_remove(state);
}

static int note_vm(void *user, const struct ix_vm *v)
{
    (void)user;
    snprintf(listed, sizeof listed, "%lld %lld %lld %lld", (long long)v->clock_offset_ns,
             (long long)v->clock_error_ns, (long long)v->clock_drift_ppb, (long long)v->late);
    return 0;
}

static const char *clock_of_vm(void)
{
    listed[0] = 0;
    must(ix_catalogue_vms(c, execution, note_vm, NULL, &err));
    return listed;
}

static void clocks(void **state)
{
    (void)state;
    struct ix_clock_row row = {vm, 1000, -5, 3, 200000};
    assert_string_equal(clock_of_vm(), "0 -1 0 0");
    must(ix_catalogue_add_clock(c, &row, &err));
    assert_string_equal(clock_of_vm(), "-5 3 200000 0");
    row.offset_ns = 7;
    must(ix_catalogue_add_clock(c, &row, &err)); /* the same moment again */
    assert_string_equal(clock_of_vm(), "7 3 200000 0");
    must(ix_catalogue_count_late(c, vm, 2, &err));
    must(ix_catalogue_count_late(c, vm, 3, &err));
    assert_string_equal(clock_of_vm(), "7 3 200000 5");
    add_vm(); /* it is back, and another server measures anew */
    assert_string_equal(clock_of_vm(), "0 -1 0 5");
    row.vm = 99;
    assert_int_equal(ix_catalogue_add_clock(c, &row, &err), -1);
    assert_int_equal(ix_catalogue_count_late(c, 99, 1, &err), -1);
}

static int note_outcome(void *user, const struct ix_packet_outcome *o)
{
    (void)user;
    size_t used = strlen(listed);
    snprintf(listed + used, sizeof listed - used, "%lld/%lld/%lld/%lld/%lld ", (long long)o->number,
             (long long)o->taken, (long long)o->skew_ns, (long long)o->skew_error_ns,
             (long long)o->lead_ns);
    return 0;
}

static const char *outcomes(int64_t of)
{
    listed[0] = 0;
    must(ix_catalogue_outcomes(c, of, note_outcome, NULL, &err));
    return listed;
}

static void packets(void **state)
{
    (void)state;
    int64_t other;
    must(ix_catalogue_add_execution(c, "b", NULL, 0, &other, &err));
    for (int64_t n = 3; n > 0; n--) {
        struct ix_packet_row row = {execution, n, 1, 2, n * 10, -1, "clock"};
        must(ix_catalogue_add_packet(c, &row, &err));
    }
    must(ix_catalogue_add_packet(c, &(struct ix_packet_row){other, 2, 1, 2, 0, 5, "user"}, &err));
    must(ix_catalogue_close_packet(c, &(struct ix_packet_outcome){execution, 1, 2, 0, 4, 0}, &err));
    must(ix_catalogue_close_packet(c, &(struct ix_packet_outcome){execution, 2, 1, -1, -1, 0},
                                   &err));
    assert_string_equal(outcomes(execution), "1/2/0/4/10 2/1/-1/-1/20 3/-1/-1/-1/30 ");
    assert_string_equal(outcomes(0), "1/2/0/4/10 2/1/-1/-1/20 3/-1/-1/-1/30 2/-1/-1/-1/0 ");
    /* An execution that was removed meanwhile: nothing to close. */
    must(ix_catalogue_close_packet(c, &(struct ix_packet_outcome){99, 1, 2, 0, 4, 0}, &err));
    assert_int_equal(
        ix_catalogue_add_packet(c, &(struct ix_packet_row){execution, 9, 1, 2, 0, 5, "whim"}, &err),
        -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(clocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(packets, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
