/* SPDX-License-Identifier: Apache-2.0 */
/* Log transfers, the server's side on real sockets: from whom what is taken, and from where
 * on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "schema/tracelog/writer.h"
#include "server/session/upload.h"
#include "tests/support/upload_support.h"

/* ---- the course of things ---- */

static void a_log_comes_home(void **state)
{
    (void)state;
    char names[1024], path[1024];
    enter(&a, 7);
    const struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    assert_int_equal(a.accept.offset, 0);
    assert_true(a.accept.rate >= IXOR_UPLOAD_RATE_MIN);
    send_bytes(&a, 0, LOG_SIZE);
    assert_int_equal(copies(names), 1);
    assert_non_null(strstr(names, ".ixl.part"));
    send_done(&a, LOG_SIZE, true);
    assert_int_equal(a.stored.result, IX_STORED_WHOLE);
    const struct ix_vm *vm = vm_of(7);
    assert_string_equal(vm->log_state, "collected");
    snprintf(path, sizeof path, "camp/%s", vm->log_copy);
    same_bytes(path, LOG_SIZE);
    assert_string_equal(vm->log, in_tempdir(path)); /* that is what is read */
    assert_string_equal(vm->log_there, "/tmp/double-7.ixl");
    assert_int_equal(copies(names), 1);
    assert_null(strstr(names, ".part"));
    /* The catalogue learns whether it is a log that reads to its end. This one is no log. */
    for (int i = 0; i < 20; i++)
        step();
    assert_int_equal(vm_of(7)->log_whole, -1);
    /* Offered once more, it is there. */
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_NOT_NEEDED);
}

/* A real log with three snapshots, its bytes in `text`; how many. */
static size_t make_log(void)
{
    struct ix_log_writer *w = ix_log_create(in_tempdir("real.ixl"), NULL);
    assert_non_null(w);
    for (uint64_t packet = 1; packet <= 3; packet++)
        assert_int_equal(ix_log_snapshot(w, &(struct ix_snapshot){.packet = packet}), 0);
    assert_int_equal(ix_log_writer_close(w), 0);
    FILE *f = fopen(in_tempdir("real.ixl"), "rb");
    const size_t size = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_true(size > 20 && size < sizeof text);
    return size;
}

static void whole_or_torn(void **state)
{
    (void)state;
    const size_t size = make_log();
    for (uint32_t torn = 0; torn <= 1; torn++) {
        enter(&a, 7 + torn);
        const struct ix_log_offer o = offer_of(&a, size - torn);
        offer(&a, &o);
        send_bytes(&a, 0, size - torn);
        send_done(&a, size - torn, true);
        assert_int_equal(a.stored.result, IX_STORED_WHOLE);
        WAIT(vm_of(7 + torn)->log_whole == !torn);
        double_close(&a);
    }
}

/* The connection breaks after n bytes: the next one goes on there, wherever that is. */
static void goes_on_after_a_cut(void **state)
{
    (void)state;
    static const uint64_t cuts[] = {1, 4095, 32768, 32769, 65536, LOG_SIZE - 1, LOG_SIZE};
    for (uint32_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        enter(&a, 100 + i);
        struct ix_log_offer o = offer_of(&a, LOG_SIZE);
        offer(&a, &o);
        assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
        send_bytes(&a, 0, cuts[i]);
        break_after(&a, cuts[i]);
        assert_string_equal(vm_of(100 + i)->log_state, "partial");
        assert_string_equal(vm_of(100 + i)->ended, "vanished");
        if (i == 3) { /* and over a server that starts anew */
            stop_serving();
            upload_serve();
        }
        enter(&a, 100 + i);
        offer(&a, &o);
        assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
        assert_int_equal(a.accept.offset, cuts[i]);
        send_bytes(&a, cuts[i], LOG_SIZE);
        send_done(&a, LOG_SIZE, true);
        assert_int_equal(a.stored.result, IX_STORED_WHOLE);
        char path[1024];
        snprintf(path, sizeof path, "camp/%s", vm_of(100 + i)->log_copy);
        same_bytes(path, LOG_SIZE);
        double_close(&a);
        WAIT(current->sessions == 0);
    }
}

static void damage_is_found(void **state)
{
    (void)state;
    char names[1024];
    enter(&a, 7);
    const struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    offer(&a, &o);
    send_bytes(&a, 0, LOG_SIZE);
    send_done(&a, LOG_SIZE, false);
    assert_int_equal(a.stored.result, IX_STORED_DAMAGED);
    assert_int_equal(copies(names), 0);
    assert_string_equal(vm_of(7)->log_state, "there");
    offer(&a, &o);
    assert_int_equal(a.accept.offset, 0);
    send_bytes(&a, 0, LOG_SIZE);
    send_done(&a, LOG_SIZE, true);
    assert_int_equal(a.stored.result, IX_STORED_WHOLE);
}

/* What an earlier connection left is of another file: the digest tells, and it is sent anew. */
static void what_was_there_is_checked(void **state)
{
    (void)state;
    enter(&a, 7);
    const struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    offer(&a, &o);
    text[5] ^= 1;
    send_bytes(&a, 0, 50000);
    text[5] ^= 1;
    break_after(&a, 50000);
    enter(&a, 7);
    offer(&a, &o);
    assert_int_equal(a.accept.offset, 50000);
    send_bytes(&a, 50000, LOG_SIZE);
    send_done(&a, LOG_SIZE, true);
    assert_int_equal(a.stored.result, IX_STORED_DAMAGED);
    offer(&a, &o);
    assert_int_equal(a.accept.offset, 0);
}

static void parts_come_first(void **state)
{
    (void)state;
    char names[1024];
    enter(&a, 7);
    struct ix_log_offer o = offer_of(&a, 1000);
    for (o.part = 2; o.part <= 3; o.part++) {
        offer(&a, &o);
        send_bytes(&a, 0, 1000);
        send_done(&a, 1000, true);
        assert_int_equal(a.stored.result, IX_STORED_WHOLE);
        assert_string_equal(vm_of(7)->log_state, "there");
    }
    o.part = 0;
    offer(&a, &o);
    send_bytes(&a, 0, 500);
    break_after(&a, 500);
    assert_string_equal(vm_of(7)->log_state, "partial"); /* and can be read: two parts are whole */
    assert_null(strstr(vm_of(7)->log_copy, ".part"));
    enter(&a, 7);
    o.part = 3;
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_NOT_NEEDED);
    o.part = 0;
    offer(&a, &o);
    send_bytes(&a, 500, 1000);
    send_done(&a, 1000, true);
    assert_string_equal(vm_of(7)->log_state, "collected");
    assert_int_equal(copies(names), 3);
    assert_non_null(strstr(names, ".ixl.2 "));
    assert_non_null(strstr(names, ".ixl.3 "));
}

/* ---- who need not send ---- */

static void a_log_that_lies_here(void **state)
{
    (void)state;
    struct stat st;
    double_open(&a, ixor_service_address(service), 7);
    snprintf(a.hello.log, sizeof a.hello.log, "%s", in_tempdir("mine.ixl"));
    FILE *f = fopen(a.hello.log, "wb");
    fwrite(text, 1, LOG_SIZE, f);
    fclose(f);
    assert_int_equal(stat(a.hello.log, &st), 0);
    double_hello(&a);
    WAIT(a.welcomed);
    struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    o.state = IX_OFFER_GROWING;
    o.device = (uint64_t)st.st_dev;
    o.inode = (uint64_t)st.st_ino + 1; /* another file of that name: of another mount namespace */
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    o.inode--;
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_NOT_NEEDED);
    enter(&b, 8); /* of another machine: the same numbers do not mean the same file */
    double_close(&b);
    double_open(&b, ixor_service_address(service), 9);
    snprintf(b.hello.log, sizeof b.hello.log, "%s", a.hello.log);
    b.hello.machine[0] = '\0';
    double_hello(&b);
    WAIT(b.welcomed);
    o.name = offer_of(&b, 0).name;
    offer(&b, &o);
    assert_int_equal(b.accept.answer, IX_ACCEPT_SEND);
    double_close(&b);
    WAIT(current->sessions == 1);
    assert_string_equal(vm_of(7)->log_state, "there");
    double_goodbye(&a, IX_BYE_EXIT, "");
    WAIT(current->sessions == 0);
    assert_string_equal(vm_of(7)->log_state, "here");
}

static void a_log_inside_the_campaign(void **state)
{
    (void)state;
    double_open(&a, ixor_service_address(service), 7);
    mkdir(in_tempdir("camp/runs"), 0777);
    snprintf(a.hello.log, sizeof a.hello.log, "%s", in_tempdir("camp/runs/mine.ixl"));
    FILE *f = fopen(a.hello.log, "wb");
    fwrite(text, 1, LOG_SIZE, f);
    fclose(f);
    double_hello(&a); /* of another machine, by what it says */
    WAIT(a.welcomed);
    struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    o.head_size = 4096;
    offer(&a, &o); /* the same name, another content */
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    ix_digest_of(text, 4096, o.head);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_NOT_NEEDED);
    o.head_size = 12; /* all logs begin so */
    ix_digest_of(text, 12, o.head);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
    /* A link inside does not lead out. */
    FILE *out = fopen(in_tempdir("outside"), "wb");
    fwrite(text, 1, LOG_SIZE, out);
    fclose(out);
    assert_int_equal(unlink(a.hello.log), 0);
    assert_int_equal(symlink(in_tempdir("outside"), a.hello.log), 0);
    o.head_size = 4096;
    ix_digest_of(text, 4096, o.head);
    offer(&a, &o);
    assert_int_equal(a.accept.answer, IX_ACCEPT_SEND);
}

/* ---- those that are gone ---- */

static void the_next_one_is_asked(void **state)
{
    (void)state;
    enter(&a, 7);
    struct ix_log_offer gone = offer_of(&a, LOG_SIZE);
    double_close(&a);
    WAIT(current->sessions == 0);
    enter(&b, 8);
    struct ix_log_offer o = offer_of(&b, 100);
    o.state = IX_OFFER_GROWING;
    offer(&b, &o);
    assert_int_equal(b.accept.answer, IX_ACCEPT_SEND);
    WAIT(b.wanteds == 1);
    assert_int_equal(b.wanted.pid, 7);
    assert_string_equal(b.wanted.log, "/tmp/double-7.ixl");
    offer(&b, &gone);
    assert_int_equal(b.accept.answer, IX_ACCEPT_SEND);
    send_bytes(&b, 0, LOG_SIZE);
    send_done(&b, LOG_SIZE, true);
    assert_string_equal(vm_of(7)->log_state, "collected");
    assert_string_equal(vm_of(8)->log_state, "there");
}

static void what_nobody_has_is_lost(void **state)
{
    (void)state;
    struct ix_log_offer gone[2];
    for (uint32_t pid = 1; pid <= 2; pid++) {
        enter(&a, pid);
        gone[pid - 1] = offer_of(&a, 0);
        double_close(&a);
        WAIT(current->sessions == 0);
    }
    enter(&b, 8);
    struct ix_log_offer o = offer_of(&b, 100);
    o.state = IX_OFFER_GROWING;
    offer(&b, &o);
    WAIT(b.wanteds == 1);
    assert_int_equal(b.wanted.pid, 1);
    gone[0].state = IX_OFFER_MISSING;
    struct ix_out out = {0};
    ix_encode_log_offer(&out, &gone[0]);
    double_say(&b, &out);
    WAIT(b.wanteds == 2);
    assert_int_equal(b.wanted.pid, 2);
    gone[1].state = IX_OFFER_KEPT;
    ix_encode_log_offer(&out, &gone[1]);
    double_say(&b, &out);
    WAIT(strcmp(vm_of(1)->log_state, "lost") == 0);
    for (int i = 0; i < 20; i++)
        step();
    assert_int_equal(b.wanteds, 2);
    assert_string_equal(vm_of(2)->log_state, "there");
    assert_int_equal(current->sessions, 1);
}

/* A connection that only brings logs. */
static void an_upload_client(void **state)
{
    (void)state;
    enter(&a, 7);
    struct ix_log_offer o = offer_of(&a, LOG_SIZE);
    double_open(&b, ixor_service_address(service), 9);
    offer(&b, &o);
    assert_int_equal(b.accept.answer, IX_ACCEPT_REFUSED); /* it is running */
    double_close(&a);
    WAIT(current->sessions == 0);
    snprintf(o.name.execution, sizeof o.name.execution, "run0001");
    snprintf(o.name.log, sizeof o.name.log, "/elsewhere/double-7.ixl"); /* moved since */
    offer(&b, &o);
    assert_int_equal(b.accept.answer, IX_ACCEPT_SEND);
    send_bytes(&b, 0, LOG_SIZE);
    send_done(&b, LOG_SIZE, true);
    assert_string_equal(vm_of(7)->log_state, "collected");
    o.name.pid = 8;
    offer(&b, &o);
    assert_int_equal(b.accept.answer, IX_ACCEPT_REFUSED);
    assert_string_equal(b.accept.reason, "the campaign knows no JVM that wrote this log");
    struct ix_out out = {0}; /* it is no agent */
    ix_encode_goodbye(&out, &(struct ix_goodbye){.reason = IX_BYE_EXIT});
    double_say(&b, &out);
    WAIT(b.eof);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, upload_set_up, stop_and_leave)
    const struct CMUnitTest tests[] = {
        TEST(a_log_comes_home),          TEST(whole_or_torn),
        TEST(goes_on_after_a_cut),       TEST(damage_is_found),
        TEST(what_was_there_is_checked), TEST(parts_come_first),
        TEST(a_log_that_lies_here),      TEST(a_log_inside_the_campaign),
        TEST(the_next_one_is_asked),     TEST(what_nobody_has_is_lost),
        TEST(an_upload_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
