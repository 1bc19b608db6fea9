/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign's state out of its catalogue: counts, what is lost and what only late, skew, hostile
 * names; and the same as a screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "schema/catalogue/catalogue.h"
#include "server/base/units.h"
#include "server/commands/top_text.h"
#include "server/viewer/live.h"
#include "server/viewer/live_series.h"
#include "tests/support/tempdir.h"

#define SECOND INT64_C(1000000000)

static struct ix_catalogue *catalogue;
static struct ixor_live *live;
static int64_t execution, now_ns;
static struct ix_error err;
static json_t *answer;

static int set_up(void **state)
{
    if (tempdir_make(state) != 0)
        return -1;
    catalogue = ix_catalogue_open(tempdir, IX_CATALOGUE_CREATE, &err);
    live = catalogue ? ixor_live_new(tempdir, &err) : NULL;
    now_ns = ixor_wall_ns();
    answer = NULL;
    return live && ix_catalogue_add_execution(catalogue, "run0001", "cmd", 1, &execution, &err) == 0
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    json_decref(answer);
    ixor_live_free(live);
    ix_catalogue_close(catalogue);
    return tempdir_remove(state);
}

static int64_t add_vm(const char *role, int64_t pid)
{
    int64_t id;
    char log[128];
    snprintf(log, sizeof log, "%s/%d.ixl", tempdir, (int)pid);
    const struct ix_vm vm = {.execution = execution,
                             .role = role,
                             .host = "h",
                             .jvm = "j",
                             .pid = pid,
                             .log = log,
                             .ended = "running"};
    assert_int_equal(ix_catalogue_add_vm(catalogue, &vm, &id, &err), 0);
    return id;
}

static void send_packet(int64_t number, int64_t sent_ns, int64_t vms)
{
    const struct ix_packet_row row = {.execution = execution,
                                      .number = number,
                                      .sent_ns = sent_ns,
                                      .vms = vms,
                                      .spread_ns = -1,
                                      .asked = "clock"};
    assert_int_equal(ix_catalogue_add_packet(catalogue, &row, &err), 0);
}

static void requests(int64_t vm, int64_t more)
{
    assert_int_equal(ix_catalogue_count_vm(catalogue, vm, more, 0, 0, 0, &err), 0);
}

static void take(int64_t vm, int64_t packet, int64_t mono_ns, int64_t stop_ns)
{
    const struct ix_snapshot_row row = {.vm = vm,
                                        .packet = packet,
                                        .begin_ns = now_ns,
                                        .begin_mono_ns = mono_ns,
                                        .stop_ns = stop_ns,
                                        .threads = 9};
    assert_int_equal(ix_catalogue_add_snapshot(catalogue, &row, &err), 0);
}

static const json_t *ask(int64_t which)
{
    json_decref(answer);
    answer = NULL;
    if (ixor_live_state(live, which, &answer, &err) != IXOR_FOUND)
        fail_msg("%s", err.text);
    return json_object_get(answer, "execution");
}

static int64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? -1 : json_integer_value(value);
}

static int64_t element(const json_t *array, size_t i)
{
    const json_t *value = json_array_get(array, i);
    assert_non_null(value);
    return json_is_null(value) ? -1 : json_integer_value(value);
}

static const json_t *vm_at(const json_t *e, size_t i)
{
    return json_array_get(json_object_get(e, "vms"), i);
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* ---- tests ---- */

static void nothing_yet(void **state)
{
    (void)state;
    assert_int_equal(ix_catalogue_remove_execution(catalogue, execution, &err), 0);
    assert_true(json_is_null(ask(0)));
    assert_int_equal(json_array_size(json_object_get(answer, "executions")), 0);
    json_t *out = NULL;
    assert_int_equal(ixor_live_state(live, 77, &out, &err), IXOR_NOT_THERE);
    assert_int_equal(ixor_live_moment(live, 77, 1, &out, &err), IXOR_NOT_THERE);
    assert_int_equal(ixor_live_packets(live, 77, &out, &err), IXOR_NOT_THERE);
    assert_null(out);
}

/* Packets 1 to 10; b misses 3; both have 10 still to report, which was sent just now. */
static void counts_and_skew(void **state)
{
    (void)state;
    const int64_t a = add_vm("a", 1), b = add_vm("b", 2);
    for (int64_t p = 1; p <= 10; p++) {
        send_packet(p, now_ns - (p < 10 ? 20 : 0) * SECOND, 2);
        if (p < 10)
            take(a, p, 1000 * p, 100 * p);
        if (p < 10 && p != 3)
            take(b, p, 1000 * p + 7 * p, 50);
    }
    requests(a, 10);
    requests(b, 10);
    for (int round = 0; round < 2; round++) { /* the second one reads what is new: nothing */
        const json_t *e = ask(round ? execution : 0), *series = json_object_get(e, "series");
        assert_int_equal(number(e, "packets"), 10);
        assert_int_equal(number(e, "taken"), 17);
        assert_int_equal(number(e, "requests"), 20);
        assert_int_equal(number(e, "lost"), 1);
        assert_int_equal(number(e, "running"), 2);
        assert_int_equal(number(vm_at(e, 0), "pending"), 1);
        assert_int_equal(number(vm_at(e, 1), "lost"), 1);
        assert_string_equal(text(vm_at(e, 0), "state"), "running");
        assert_int_equal(number(vm_at(e, 0), "last_packet"), 9);
        assert_int_equal(number(json_object_get(vm_at(e, 0), "stops"), "p50_ns"), 500);
        assert_int_equal(number(json_object_get(vm_at(e, 0), "stops"), "max_ns"), 900);
        assert_int_equal(number(series, "open_from"), 10);
        assert_int_equal(element(json_object_get(series, "skew_ns"), 0), 7);
        assert_int_equal(element(json_object_get(series, "skew_ns"), 2), -1);
        assert_int_equal(element(json_object_get(series, "taken"), 2), 1);
        assert_int_equal(element(json_object_get(series, "skew_ns"), 8), 63);
        assert_int_equal(number(series, "skew_max_ns"), 63);
    }
    /* What comes later is added. */
    take(a, 10, 1, 1);
    take(b, 10, 1, 1);
    const json_t *e = ask(0);
    assert_int_equal(number(e, "taken"), 19);
    assert_int_equal(number(e, "lost"), 1);
    assert_int_equal(number(vm_at(e, 0), "pending"), 0);
}

static void more_than_a_chart_holds(void **state)
{
    (void)state;
    const int64_t a = add_vm("a", 1);
    for (int64_t p = 1; p <= 3 * IXOR_LIVE_POINTS; p++) {
        send_packet(p, now_ns, 1);
        take(a, p, p, p);
        if (p % 50 == 0)
            ask(0);
    }
    requests(a, 3 * IXOR_LIVE_POINTS);
    const json_t *e = ask(0), *stops = json_object_get(vm_at(e, 0), "stops");
    assert_int_equal(number(e, "taken"), 3 * IXOR_LIVE_POINTS);
    assert_int_equal(json_array_size(json_object_get(stops, "packet")), IXOR_LIVE_POINTS);
    assert_int_equal(element(json_object_get(stops, "packet"), 0), 2 * IXOR_LIVE_POINTS + 1);
    assert_int_equal(number(stops, "max_ns"), 3 * IXOR_LIVE_POINTS);
}

static void ends_in_words(void **state)
{
    (void)state;
    const int64_t a = add_vm("a", 1), b = add_vm("b", 2), c = add_vm("c", 3);
    for (int64_t p = 1; p <= 8; p++)
        send_packet(p, now_ns - 60 * SECOND, 3);
    take(a, 5, 1, 1);
    requests(a, 8);
    requests(b, 8);
    requests(c, 2);
    assert_int_equal(ix_catalogue_end_vm(catalogue, b, "vanished", 5, "why", &err), 0);
    const json_t *e = ask(0);
    assert_string_equal(text(vm_at(e, 0), "state"), "quiet");
    assert_string_equal(text(vm_at(e, 0), "state_text"), "silent since packet 5");
    assert_string_equal(text(vm_at(e, 1), "state"), "vanished");
    assert_string_equal(text(vm_at(e, 1), "ended_text"), "why");
    assert_string_equal(text(vm_at(e, 2), "state_text"), "has taken no packet");
    assert_int_equal(number(e, "running"), 2);
}

static void one_packet(void **state)
{
    (void)state;
    const int64_t a = add_vm("a", 1), b = add_vm("b", 2);
    const int64_t c = add_vm("c", 3);
    send_packet(4, now_ns, 3);
    send_packet(6, now_ns, 3);
    send_packet(9, now_ns, 3);
    take(a, 6, 500, 10);
    take(b, 6, 420, 20);
    assert_int_equal(ixor_live_moment(live, execution, 6, &answer, &err), IXOR_FOUND);
    assert_int_equal(number(answer, "previous"), 4);
    assert_int_equal(number(answer, "next"), 9);
    assert_int_equal(number(answer, "skew_ns"), 80);
    const json_t *vms = json_object_get(answer, "vms");
    assert_int_equal(number(json_array_get(vms, 0), "after_ns"), 80);
    assert_int_equal(number(json_array_get(vms, 1), "after_ns"), 0);
    assert_true(json_is_false(json_object_get(json_array_get(vms, 2), "taken")));
    assert_int_equal(number(json_array_get(vms, 2), "vm"), c);
    json_t *out = NULL;
    assert_int_equal(ixor_live_moment(live, execution, 7, &out, &err), IXOR_NOT_THERE);
    assert_non_null(strstr(err.text, "6 and 9"));
    json_decref(answer);
    assert_int_equal(ixor_live_packets(live, a, &answer, &err), IXOR_FOUND);
    assert_int_equal(json_array_size(json_object_get(answer, "packets")), 1);
}

/* Of a fleet some are shown, the others are counted, and looked at again in turn. */
static void more_than_a_page_holds(void **state)
{
    (void)state;
    enum { VMS = IXOR_LIVE_SHOWN + 2 * IXOR_LIVE_LOOKS + 10 };
    static int64_t vms[VMS];
    assert_int_equal(ix_catalogue_begin(catalogue, &err), 0);
    for (int i = 0; i < VMS; i++) {
        char role[16];
        snprintf(role, sizeof role, "r%05d", i);
        vms[i] = add_vm(role, i + 1);
        requests(vms[i], 1);
        if (i < VMS - 1)
            take(vms[i], 1, 1, 1);
    }
    /* Reports may be as late as this now. */
    const int64_t late = (IXOR_LIVE_PENDING_NS + VMS * IXOR_LIVE_PENDING_VM_NS) / 2;
    send_packet(1, ixor_wall_ns() - late, VMS);
    assert_int_equal(ix_catalogue_commit(catalogue, &err), 0);
    const json_t *e = ask(0);
    assert_int_equal(number(e, "taken"), VMS - 1); /* the first time, all are looked at */
    assert_int_equal(number(e, "lost"), 0);
    assert_int_equal(number(e, "vm_count"), VMS);
    assert_int_equal(json_array_size(json_object_get(e, "vms")), IXOR_LIVE_SHOWN);
    take(vms[0], 2, 1, 1); /* one that is shown, and the last one */
    take(vms[VMS - 1], 1, 1, 1);
    int answers = 1;
    while (number(ask(0), "taken") == VMS && answers < 10)
        answers++;
    e = json_object_get(answer, "execution");
    assert_int_equal(number(e, "taken"), VMS + 1);
    assert_in_range(answers, 2, 3); /* after 500 to 1,510 others */
}

/* Only what lies in the campaign's directory is opened. */
static void where_logs_are(void **state)
{
    (void)state;
    static const struct {
        const char *log;
        bool opened;
    } cases[] = {
        {"runs/a.ixl", true},         {"/etc/passwd", false},  {"../../etc/passwd", false},
        {"runs/../../passwd", false}, {"runs/..hidden", true}, {"..", false},
        {"runs/..", false},
    };
    assert_int_equal(mkdir(in_tempdir("runs"), 0700), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char log[256], *path = NULL, here[256];
        int64_t id;
        snprintf(log, sizeof log, "%s%s%s", cases[i].log[0] == '/' ? "" : tempdir,
                 cases[i].log[0] == '/' ? "" : "/", cases[i].log);
        assert_int_equal(gethostname(here, sizeof here), 0);
        const struct ix_vm vm = {.execution = execution,
                                 .role = "r",
                                 .host = here,
                                 .jvm = "j",
                                 .pid = 10 + (int64_t)i,
                                 .log = log,
                                 .ended = "running"};
        assert_int_equal(ix_catalogue_add_vm(catalogue, &vm, &id, &err), 0);
        const enum ixor_found found = ixor_live_log(live, id, &path, &err);
        if ((found == IXOR_FOUND) != cases[i].opened)
            fail_msg("%s is %sopened", log, cases[i].opened ? "not " : "");
        if (!cases[i].opened)
            assert_non_null(strstr(err.text, "not in the campaign's directory"));
        free(path);
    }
    char *path = NULL;
    assert_int_equal(ixor_live_log(live, add_vm("other", 99), &path, &err), IXOR_NOT_THERE);
    assert_non_null(strstr(err.text, "on the host 'h'"));
    assert_int_equal(ixor_live_log(live, 12345, &path, &err), IXOR_NOT_THERE);
}

static void a_screen(void **state)
{
    (void)state;
    const char *const hostile[] = {"\x1b]0;title\x07\x1b[2J",
                                   "a\nb\rc\x7f",
                                   "\xc2\x9b"
                                   "31m",
                                   "\xe2\x80\xae"
                                   "drow",
                                   "\xff\xfe not UTF-8",
                                   "a name that is longer than its column is wide, by far"};
    for (size_t i = 0; i < 6; i++)
        requests(add_vm(hostile[i], (int64_t)i + 1), 3);
    ask(0);
    char *screen = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&screen, &size);
    ixor_top_print(out, answer, 1000, "\n");
    assert_int_equal(fclose(out), 0);
    size_t lines = 0, width = 0;
    for (const char *at = screen; *at; at++) {
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        assert_true(*at != 0x7f && strncmp(at, "\xc2\x9b", 2) && strncmp(at, "\xe2\x80\xae", 3));
        width = *at == '\n' ? 0 : width + ((*at & 0xc0) != 0x80);
        lines += *at == '\n';
        assert_true(width <= IXOR_TOP_WIDTH);
    }
    assert_int_equal(lines, 4 + 6);
    free(screen);
    out = open_memstream(&screen, &size);
    ixor_top_print(out, answer, 8, "\n");
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(screen, "and 3 more"));
    free(screen);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(nothing_yet),
        TEST(counts_and_skew),
        TEST(more_than_a_chart_holds),
        TEST(ends_in_words),
        TEST(more_than_a_page_holds),
        TEST(one_packet),
        TEST(where_logs_are),
        TEST(a_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
