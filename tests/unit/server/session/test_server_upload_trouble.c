/* SPDX-License-Identifier: Apache-2.0 */
/* Log transfers: what happens if a peer breaks the rules, hostile names,
 * links, and a disk that is full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <sqlite3.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "tests/support/upload_support.h"

static void wrong_offsets_end_it(void **state)
{
    (void)state;
    static const struct {
        uint64_t first, offset, size;
    } table[] = {
        {0, 1, 10},          /* a hole */
        {10, 0, 10},         /* again */
        {0, UINT64_MAX, 10}, /* far away: clamped to 2^63 - 1 by the encoder */
        {990, 990, 11},      /* more than was offered */
    };
    for (uint32_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        enter(&a, 200 + i);
        const struct ix_log_offer o = offer_of(&a, 1000);
        offer(&a, &o);
        send_bytes(&a, 0, table[i].first);
        struct ix_out out = {0};
        ix_encode_log_data(&out, &(struct ix_log_data){table[i].offset, text, table[i].size});
        double_say(&a, &out);
        WAIT(a.eof);
        assert_string_equal(vm_of(200 + i)->ended, "vanished");
        double_close(&a);
    }
    enter(&a, 300); /* data that nobody asked for, and an end too early */
    send_bytes(&a, 0, 10);
    WAIT(a.eof);
    double_close(&a);
    enter(&a, 301);
    const struct ix_log_offer o = offer_of(&a, 1000);
    offer(&a, &o);
    send_bytes(&a, 0, 999);
    send_done(&a, 999, true);
    assert_true(a.eof);
}

static void say_offer(struct double_agent *agent)
{
    const struct ix_log_offer o = offer_of(agent, LOG_SIZE);
    struct ix_out out = {0};
    ix_encode_log_offer(&out, &o);
    double_say(agent, &out);
}

/* The JVM ends before it is in the catalogue, which another program has locked. */
static void a_catalogue_that_is_late(void **state)
{
    (void)state;
    sqlite3 *other;
    assert_int_equal(sqlite3_open(in_tempdir("camp/campaign.db"), &other), SQLITE_OK);
    for (uint32_t again = 0; again <= 1; again++) {
        assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
        enter(&a, 7 + again);
        const unsigned before = a.accepts;
        say_offer(&a);
        for (const uint64_t until = ixor_mono_ns() + 1000000000; ixor_mono_ns() < until;)
            step();
        assert_int_equal(a.accepts, before);
        if (again) { /* locked for longer than a JVM waits */
            WAIT(a.accepts > before);
            assert_int_equal(a.accept.answer, IX_ACCEPT_REFUSED);
            assert_non_null(strstr(a.accept.reason, "cannot be written for the moment"));
        }
        assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
        if (!again) {
            WAIT(a.accepts > before);
            assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
            send_bytes(&a, 0, LOG_SIZE);
            send_done(&a, LOG_SIZE, true);
            assert_string_equal(vm_of(7)->log_state, "collected");
        }
        double_close(&a);
    }
    sqlite3_close(other);
}

static void too_large(void **state)
{
    (void)state;
    char names[1024];
    enter(&a, 7);
    struct ix_log_offer o = offer_of(&a, 10 * LOG_SIZE + 1);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_REFUSED);
    assert_non_null(strstr(a.accept.reason, "--max-upload"));
    assert_int_equal(copies(names), 0);
    assert_int_equal(current->sessions, 1);
}

/* Role, host and path as an attacker would like them. */
static void hostile_names(void **state)
{
    (void)state;
    char names[1024];
    double_open(&a, ixor_service_address(service), 7);
    snprintf(a.hello.role, sizeof a.hello.role, "../../../etc/cron.d/x");
    snprintf(a.hello.host, sizeof a.hello.host, ".\xc3\xa9; $(reboot)");
    snprintf(a.hello.log, sizeof a.hello.log, "/../../..%s", in_tempdir("camp/campaign.db"));
    double_hello(&a);
    WAIT(a.welcomed);
    const struct ix_log_offer o = offer_of(&a, 10);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    send_bytes(&a, 0, 10);
    send_done(&a, 10, true);
    assert_int_equal(a.stored.result, IX_STORED_WHOLE);
    assert_int_equal(copies(names), 1);
    assert_memory_equal(names, "_._.._.._etc_cron.d_x-7-____", 28);
    assert_null(strchr(names, '/'));
}

/* The run's directory is a link: nothing is written behind it. */
static void links_are_not_followed(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(mkdir(in_tempdir("behind"), 0777), 0);
    assert_int_equal(mkdir(in_tempdir("camp/runs"), 0777), 0);
    assert_int_equal(symlink(in_tempdir("behind"), in_tempdir("camp/runs/run0001")), 0);
    enter(&a, 7);
    const struct ix_log_offer o = offer_of(&a, 10);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_REFUSED);
    assert_int_equal(stat(in_tempdir("behind"), &st), 0);
    assert_int_equal(st.st_nlink, 2);
}

static void one_writer_a_copy(void **state)
{
    (void)state;
    char names[1024], part[2048];
    enter(&a, 7);
    struct ix_log_offer o = offer_of(&a, 1000);
    offer(&a, &o);
    send_bytes(&a, 0, 10);
    break_after(&a, 10);
    assert_int_equal(copies(names), 1);
    names[strcspn(names, " ")] = '\0';
    snprintf(part, sizeof part, "camp/runs/run0001/%s", names);
    const int fd = open(in_tempdir(part), O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    enter(&a, 7);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_REFUSED);
    close(fd);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    assert_int_equal(a.accept.offset, 10);
}

/* Writing fails in the middle: nothing of it stays, and the session goes on. */
static void a_full_disk(void **state)
{
    (void)state;
    char names[1024];
    struct rlimit old, tight;
    signal(SIGXFSZ, SIG_IGN);
    enter(&a, 7);
    const struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    offer(&a, &o);
    assert_int_equal(ixor_writer_flush(writer, NULL), 0);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 40000;
    setrlimit(RLIMIT_FSIZE, &tight);
    send_bytes(&a, 0, LOG_SIZE); /* what comes after it has failed is passed over */
    struct ix_out out = {0};
    ix_encode_log_done(&out, &(struct ix_log_done){.size = LOG_SIZE});
    double_say(&a, &out);
    WAIT(a.storeds == 1);
    for (int i = 0; i < 20; i++)
        step();
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(a.stored.result, IX_STORED_NOT);
    assert_non_null(strstr(a.stored.reason, "File too large"));
    assert_non_null(strstr(last_warning, "File too large"));
    assert_int_equal(copies(names), 0);
    assert_int_equal(current->sessions, 1);
    assert_string_equal(vm_of(7)->log_state, "there");
    offer(&a, &o); /* there is room again */
    assert_int_equal(a.accept.offset, 0);
    send_bytes(&a, 0, LOG_SIZE);
    send_done(&a, LOG_SIZE, true);
    assert_int_equal(a.stored.result, IX_STORED_WHOLE);
}

/* An offer in the middle of another one's data: that one is left for later. */
static void another_offer(void **state)
{
    (void)state;
    enter(&a, 7);
    struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    offer(&a, &o);
    send_bytes(&a, 0, 5000);
    o.part = 1;
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    assert_int_equal(a.accept.offset, 0);
    o.part = 0;
    offer(&a, &o);
    assert_int_equal(a.accept.offset, 5000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, upload_set_up, stop_and_leave)
    const struct CMUnitTest tests[] = {
        TEST(wrong_offsets_end_it),
        TEST(a_catalogue_that_is_late),
        TEST(too_large),
        TEST(hostile_names),
        TEST(links_are_not_followed),
        TEST(one_writer_a_copy),
        TEST(a_full_disk),
        TEST(another_offer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
