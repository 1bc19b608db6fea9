/* SPDX-License-Identifier: Apache-2.0 */
/* The sending side of log transfers, against a server made of a few functions: what it
 * offers, from where it sends and how fast, and what it makes of the answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/link/upload.h"
#include "schema/protocol/log_sender.h"
#include "schema/tracelog/tracelog.h"
#include "tests/support/tempdir.h"

#define SECOND 1000000000ll
#define SIZE 300000u

static struct ix_log_sender *sender;
static struct ix_log_name name;
static uint8_t text[SIZE], got[SIZE];
static size_t got_size;
static int64_t now;
static struct ix_log_offer offer; /* the last one */
static struct ix_log_done done;
static unsigned offers, dones;

static void write_log(const char *path, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    fclose(f);
}

static int set_up(void **state)
{
    if (tempdir_make(state) != 0)
        return -1;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 31 + i / 257);
    memcpy(text, IX_LOG_MAGIC, IX_LOG_MAGIC_SIZE);
    name = (struct ix_log_name){.pid = 42, .started_ns = 7};
    snprintf(name.log, sizeof name.log, "%s", in_tempdir("a.ixl"));
    sender = ix_log_sender_new();
    now = 5 * SECOND;
    offers = dones = 0;
    got_size = 0;
    return 0;
}

static int tear_down(void **state)
{
    ix_log_sender_free(sender);
    return tempdir_remove(state);
}

static void take(const struct ix_message_frame *f)
{
    struct ix_log_data data;
    if (f->type == IX_LOG_OFFER) {
        assert_int_equal(ix_decode_log_offer(f->payload, f->payload_size, &offer, NULL), 0);
        offers++;
    } else if (f->type == IX_LOG_DONE) {
        assert_int_equal(ix_decode_log_done(f->payload, f->payload_size, &done, NULL), 0);
        dones++;
    } else {
        assert_int_equal(f->type, IX_LOG_DATA);
        assert_int_equal(ix_decode_log_data(f->payload, f->payload_size, &data, NULL), 0);
        assert_int_equal(data.offset, got_size);
        assert_true(data.size <= sizeof got - got_size);
        memcpy(got + got_size, data.data, data.size);
        got_size += data.size;
    }
}

/* Lets the sender work, time passing as it wants, until it waits for the server. */
static void work(void)
{
    struct ix_out out = {0};
    for (int64_t next = now; next != INT64_MAX;) {
        if (next > now)
            now = next;
        next = ix_log_sender_send(sender, &out, now);
        size_t at = 0;
        struct ix_message_frame f;
        while (at < out.len && ix_next_message(out.data + at, out.len - at, &f, NULL) == 1) {
            take(&f);
            at += f.size;
        }
        assert_int_equal(at, out.len);
        ix_out_clear(&out);
    }
    ix_out_free(&out);
}

static int hear(struct ix_out *out)
{
    struct ix_message_frame f;
    assert_int_equal(ix_next_message(out->data, out->len, &f, NULL), 1);
    const int status = ix_log_sender_receive(sender, &f, NULL);
    ix_out_free(out);
    return status;
}

static int accept_from(uint8_t answer, uint64_t offset, uint64_t rate)
{
    struct ix_out out = {0};
    ix_encode_log_accept(&out, &(struct ix_log_accept){answer, offset, rate, "no"});
    return hear(&out);
}

static int say_stored(uint8_t result)
{
    struct ix_out out = {0};
    ix_encode_log_stored(&out, &(struct ix_log_stored){result, "because"});
    return hear(&out);
}

static void digest_is(size_t size)
{
    uint8_t want[IX_DIGEST_SIZE];
    ix_digest_of(text, size, want);
    assert_int_equal(done.size, size);
    assert_memory_equal(done.digest, want, sizeof want);
}

static void a_whole_log(void **state)
{
    (void)state;
    struct stat st;
    write_log(name.log, SIZE);
    assert_int_equal(stat(name.log, &st), 0);
    ix_log_sender_start(sender, &name, true);
    work();
    assert_int_equal(offers, 1);
    assert_true(offer.state == IX_OFFER_WHOLE && offer.size == SIZE && offer.part == 0);
    assert_true(offer.inode == st.st_ino && offer.device == st.st_dev && offer.head_size == 4096);
    uint8_t head[IX_DIGEST_SIZE];
    ix_digest_of(text, 4096, head);
    assert_memory_equal(offer.head, head, sizeof head);
    assert_int_equal(accept_from(IX_ACCEPT_SEND, 0, 1u << 30), 0);
    work();
    assert_int_equal(got_size, SIZE);
    assert_memory_equal(got, text, SIZE);
    digest_is(SIZE);
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_BUSY);
    assert_int_equal(say_stored(IX_STORED_WHOLE), 0);
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_STORED);
}

/* What the server has is not sent again, but is in the digest. */
static void from_any_offset(void **state)
{
    (void)state;
    static const size_t offsets[] = {0, 1, 32768, 262144, 262145, SIZE - 1, SIZE};
    write_log(name.log, SIZE);
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        got_size = offsets[i];
        ix_log_sender_start(sender, &name, true);
        work();
        assert_int_equal(accept_from(IX_ACCEPT_SEND, offsets[i], 1u << 30), 0);
        work();
        assert_int_equal(got_size, SIZE);
        digest_is(SIZE);
        say_stored(IX_STORED_WHOLE);
        assert_int_equal(ix_log_sender_state(sender), IX_SENDING_STORED);
    }
    ix_log_sender_start(sender, &name, true);
    work();
    assert_int_equal(accept_from(IX_ACCEPT_SEND, SIZE + 1, 1), -1);
}

/* At R bytes a second n bytes take (n - one piece) / R, whatever R is; never less. */
static void as_fast_as_allowed(void **state)
{
    (void)state;
    static const uint64_t rates[] = {1000, 65536, 1000000, 50000000};
    write_log(name.log, SIZE);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        got_size = 0;
        ix_log_sender_start(sender, &name, true);
        work();
        accept_from(IX_ACCEPT_SEND, 0, rates[i]);
        const int64_t begin = now;
        work();
        const double took = (double)(now - begin) / SECOND, least = (double)SIZE / (double)rates[i];
        assert_int_equal(got_size, SIZE);
        assert_true(took <= least + 0.001);
        assert_true(took >= least - 0.05 - 32768.0 / (double)rates[i]);
        say_stored(IX_STORED_WHOLE);
    }
}

static void damage_is_sent_again_once(void **state)
{
    (void)state;
    write_log(name.log, 1000);
    ix_log_sender_start(sender, &name, true);
    for (unsigned i = 1; i <= 2; i++) {
        got_size = 0;
        work();
        assert_int_equal(offers, i);
        accept_from(IX_ACCEPT_SEND, 0, 1u << 30);
        work();
        assert_int_equal(dones, i);
        say_stored(IX_STORED_DAMAGED);
    }
    work();
    assert_int_equal(offers, 2);
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_FAILED);
    assert_string_equal(ix_log_sender_reason(sender), "because");
}

static void parts_first(void **state)
{
    (void)state;
    static const uint64_t want[] = {2, 10, 0};
    write_log(in_tempdir("a.ixl.2"), 200);
    write_log(in_tempdir("a.ixl.10"), 1000);
    write_log(name.log, 50);
    ix_log_sender_start(sender, &name, true);
    for (unsigned i = 0; i < 3; i++) {
        work();
        assert_int_equal(offers, i + 1);
        assert_int_equal(offer.part, want[i]);
        assert_int_equal(offer.parts, 2 - i);
        if (i == 1) { /* this one is there already */
            accept_from(IX_ACCEPT_NOT_NEEDED, 0, 1);
            continue;
        }
        got_size = 0;
        accept_from(IX_ACCEPT_SEND, 0, 1u << 30);
        work();
        digest_is(i == 0 ? 200 : 50);
        say_stored(IX_STORED_WHOLE);
    }
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_STORED);
}

static void what_is_not_sent(void **state)
{
    (void)state;
    struct ix_log_name other = name;
    ix_log_sender_start(sender, &name, true); /* not there */
    work();
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_FAILED);
    FILE *f = fopen(name.log, "wb");
    fputs("root:x:0:0:root:/root:/bin/bash\n", f);
    fclose(f);
    ix_log_sender_start(sender, &name, true); /* not a trace log */
    work();
    assert_non_null(strstr(ix_log_sender_reason(sender), "not a trace log"));
    snprintf(other.log, sizeof other.log, "%s", in_tempdir("link.ixl"));
    write_log(name.log, 100);
    assert_int_equal(symlink(name.log, other.log), 0);
    ix_log_sender_start(sender, &other, true);
    work();
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_FAILED);
    unlink(other.log);
    assert_int_equal(mkfifo(other.log, 0600), 0); /* and does not wait for a writer */
    ix_log_sender_start(sender, &other, true);
    work();
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_FAILED);
    if (geteuid() == 0) {
        assert_int_equal(chown(name.log, 12345, 12345), 0);
        ix_log_sender_start(sender, &name, true);
        work();
        assert_non_null(strstr(ix_log_sender_reason(sender), "another user's"));
    }
    assert_int_equal(offers, 0);
}

static void other_answers(void **state)
{
    (void)state;
    write_log(name.log, 1000);
    ix_log_sender_announce(sender, &name);
    work();
    assert_int_equal(offer.state, IX_OFFER_GROWING);
    accept_from(IX_ACCEPT_SEND, 0, 1);
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_PROMISED);
    ix_log_sender_announce(sender, &name);
    work();
    accept_from(IX_ACCEPT_NOT_NEEDED, 0, 1);
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_NOT_NEEDED);
    /* The answer to an offer that was given up does not count for the next one. */
    ix_log_sender_announce(sender, &name);
    work();
    ix_log_sender_start(sender, &name, true);
    work();
    accept_from(IX_ACCEPT_NOT_NEEDED, 0, 1);
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_BUSY);
    accept_from(IX_ACCEPT_REFUSED, 0, 1);
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_FAILED);
    assert_string_equal(ix_log_sender_reason(sender), "no");
    assert_int_equal(accept_from(IX_ACCEPT_SEND, 0, 1), -1); /* one too many */
    /* A connection that broke. */
    ix_log_sender_start(sender, &name, true);
    work();
    ix_log_sender_reset(sender);
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_FAILED);
    ix_log_sender_decline(sender, &name, IX_OFFER_MISSING);
    work();
    assert_int_equal(offer.state, IX_OFFER_MISSING);
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_FAILED);
}

/* It shrinks while it is sent: given up, without an end. */
static void a_file_that_is_cut(void **state)
{
    (void)state;
    write_log(name.log, SIZE);
    ix_log_sender_start(sender, &name, true);
    work();
    accept_from(IX_ACCEPT_SEND, 0, 1u << 30);
    assert_int_equal(truncate(name.log, 100), 0);
    work();
    assert_int_equal(ix_log_sender_state(sender), IX_SENDING_FAILED);
    assert_int_equal(dones, 0);
}

/* ---- which logs of others an agent sends ---- */

static void whose_logs(void **state)
{
    (void)state;
    const pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    assert_true(dead > 0);
    struct ix_hello who = {.pid = (uint32_t)getpid(), .started_ns = 99, .host = "h"};
    snprintf(who.log, sizeof who.log, "%s", in_tempdir("mine.ixl"));
    struct ix_log_name wanted = {.pid = (uint32_t)dead, .started_ns = 1, .host = "h"};
    snprintf(wanted.log, sizeof wanted.log, "%s", in_tempdir("other.ixl"));
    assert_false(ixa_upload_may_send(&who, &wanted)); /* a zombie: still there */
    assert_int_equal(waitpid(dead, NULL, 0), dead);
    assert_true(ixa_upload_may_send(&who, &wanted));
    wanted.pid = who.pid; /* as in a container that was started again */
    assert_true(ixa_upload_may_send(&who, &wanted));
    wanted.started_ns = who.started_ns;
    assert_false(ixa_upload_may_send(&who, &wanted));
    wanted.pid = (uint32_t)getppid();
    wanted.started_ns = 1;
    assert_false(ixa_upload_may_send(&who, &wanted));
    wanted.pid = 0; /* kill(2) would mean somebody else */
    assert_false(ixa_upload_may_send(&who, &wanted));
    wanted.pid = UINT32_MAX;
    assert_false(ixa_upload_may_send(&who, &wanted));
    wanted.pid = (uint32_t)dead;
    snprintf(wanted.host, sizeof wanted.host, "other");
    assert_false(ixa_upload_may_send(&who, &wanted));
    snprintf(wanted.host, sizeof wanted.host, "h");
    snprintf(wanted.log, sizeof wanted.log, "/etc/passwd");
    assert_false(ixa_upload_may_send(&who, &wanted));
    snprintf(wanted.log, sizeof wanted.log, "%s", in_tempdir("../x.ixl"));
    assert_false(ixa_upload_may_send(&who, &wanted));
    snprintf(wanted.log, sizeof wanted.log, "%s", who.log);
    assert_false(ixa_upload_may_send(&who, &wanted));
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_whole_log),        TEST(from_any_offset),
        TEST(as_fast_as_allowed), TEST(damage_is_sent_again_once),
        TEST(parts_first),        TEST(what_is_not_sent),
        TEST(other_answers),      TEST(a_file_that_is_cut),
        TEST(whose_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
