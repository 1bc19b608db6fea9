/* SPDX-License-Identifier: Apache-2.0 */
/* Facts beside a snapshot: bytes worked out by hand, there and back, what is refused, what is
 * broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/support/tracelog_fixture.h"

static const struct ix_process process = {
    .cpu_ns = 300, .rss_bytes = 5, .descriptors = 6, .gc_count = 7, .gc_ns = 8};
static const struct ix_lock owns = {
    .thread = 1, .kind = IX_LOCK_OWNS, .object = 200, .class_number = 1, .depth = 3};
static const struct ix_lock enters = {
    .thread = 2, .kind = IX_LOCK_ENTERS, .object = 200, .class_number = 1, .depth = -1};
static const struct ix_lock waits = {
    .thread = 2, .kind = IX_LOCK_WAITS, .object = UINT64_MAX, .class_number = 2, .depth = -1};
static const struct ix_lock parked = {
    .thread = 2, .kind = IX_LOCK_PARKED, .object = 7, .class_number = 2, .depth = -1};
static const struct ix_lock owns_synchronizer = {
    .thread = 1, .kind = IX_LOCK_OWNS_SYNCHRONIZER, .object = 7, .class_number = 2, .depth = -1};
static const struct ix_exception thrown = {.thread = 1, .class_number = 2, .frame = 1, .count = 9};
static const struct ix_exception ended = {.thread = 0, .class_number = 1, .frame = 2, .count = 1};
static const struct ix_first first = {.thread = 0, .class_number = 2, .stack = IX_STACK_CUT};
static const struct ix_wait reads = {1, IX_WAIT_READ, "A", "10.0.0.1:80"};
static const struct ix_wait polls = {2, IX_WAIT_POLL, "", ""};
static const struct ix_connection opened = {0, IX_CONNECTION_OPEN, "A", "10.0.0.1:80"};
static const struct ix_connection closed = {2, IX_CONNECTION_CLOSED, "B", ""};
static const struct ix_join joins = {2, 1};
static const struct ix_starter starter = {2, IX_STACK_CUT};
static const struct ix_turns turns = {1, 300};
static const struct ix_traffic traffic = {"A", "10.0.0.1:80", 1, 2, 300, 4, 5, IX_SPOKE_THERE};
static const struct ix_invocations calls = {.method = 2, .count = 150};
static const struct ix_invocations more_calls = {.method = 1, .at_least = true};
static const struct ix_covered block = {.frame = 2, .block = 200};
static const struct ix_covered first_block = {.frame = 1, .block = 0};
static const struct ix_pause paused = {.frame = 2, .block = 200, .packets = 300};

/* Defines threads 1 and 2, classes 1 and 2, frames 1 and 2. */
static void define_all(struct ix_log_writer *w)
{
    for (uint32_t i = 1; i <= 2; i++) {
        struct ix_thread thread = {i, i, i, "t", "", "", 5, 0};
        assert_int_equal(ix_log_thread(w, &thread), 0);
        assert_int_equal(ix_log_class(w, i == 1 ? "A" : "B", ""), i);
        uint32_t method = ix_log_method(w, i, "m", "()V");
        assert_int_equal(ix_log_frame(w, method, 1), i);
    }
}

static int packet(struct ix_log_writer *w, uint64_t number)
{
    struct ix_snapshot s = {.packet = number};
    return ix_log_snapshot(w, &s);
}

static void all_facts(struct ix_log_writer *w)
{
    assert_int_equal(ix_log_virtual(w, 1000), 0);
    assert_int_equal(ix_log_process(w, &process), 0);
    assert_int_equal(ix_log_lock(w, &owns), 0);
    assert_int_equal(ix_log_lock(w, &parked), 0);
    assert_int_equal(ix_log_lock(w, &enters), 0);
    assert_int_equal(ix_log_lock(w, &owns_synchronizer), 0);
    assert_int_equal(ix_log_lock(w, &waits), 0);
    assert_int_equal(ix_log_exception(w, &thrown), 0);
    assert_int_equal(ix_log_exception(w, &ended), 0);
    assert_int_equal(ix_log_exceptions_dropped(w, 11), 0);
    assert_int_equal(ix_log_first(w, &first), 0);
    assert_int_equal(ix_log_firsts_dropped(w, 12), 0);
    assert_int_equal(ix_log_starter(w, &starter), 0);
    assert_int_equal(ix_log_turns(w, &turns), 0);
    assert_int_equal(ix_log_traffic(w, &traffic), 0);
    assert_int_equal(ix_log_invocations(w, &calls), 0);
    assert_int_equal(ix_log_invocations(w, &more_calls), 0);
    assert_int_equal(ix_log_covered(w, &block), 0);
    assert_int_equal(ix_log_covered(w, &first_block), 0);
    assert_int_equal(ix_log_pause(w, &paused), 0);
    assert_int_equal(ix_log_wait(w, &reads), 0);
    assert_int_equal(ix_log_wait(w, &polls), 0);
    assert_int_equal(ix_log_connection(w, &opened), 0);
    assert_int_equal(ix_log_connection(w, &closed), 0);
    assert_int_equal(ix_log_join(w, &joins), 0);
    assert_int_equal(ix_log_connection_flags(w, IX_CONNECTIONS_PARTIAL), 0);
}

/* Packet 1 with all facts, 2 with none, 3 with nothing but dropped exceptions, 4 with zeros, and
 * with nothing of connections but that they are hidden. */
static struct ix_out facts_log(void)
{
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    define_all(w);
    all_facts(w);
    assert_int_equal(packet(w, 1), 0);
    assert_int_equal(packet(w, 2), 0);
    assert_int_equal(ix_log_exceptions_dropped(w, 1), 0);
    assert_int_equal(packet(w, 3), 0);
    assert_int_equal(ix_log_virtual(w, 0), 0);
    assert_int_equal(ix_log_process(w, &(struct ix_process){0}), 0);
    assert_int_equal(ix_log_connection_flags(w, IX_CONNECTIONS_HIDDEN), 0);
    assert_int_equal(packet(w, 4), 0);
    return finish(w, fd);
}

static void expect_record(const struct ix_out *log, size_t at, uint8_t type, const void *payload,
                          size_t len)
{
    struct ix_out record = {0};
    put_record(&record, type, payload, len);
    assert_true(at + record.len <= log->len);
    assert_memory_equal(log->data + at, record.data, record.len);
    ix_out_free(&record);
}

/* The payloads are worked out from tracelog.md by hand. */
static void test_bytes(void **state)
{
    (void)state;
    static const uint8_t virtual[] = {0xe8, 7};
    static const uint8_t sums[] = {0xac, 2, 5, 6, 7, 8};
    static const uint8_t locks[] = {3,    1,    0,    0xc8, 1,    1,    6, /* owns, frame 3 */
                                    2,    1,    0xc8, 1,    1,    1,       /* enters */
                                    2,    2,    0xff, 0xff, 0xff, 0xff, 0xff,
                                    0xff, 0xff, 0xff, 0xff, 1,    2,    1}; /* waits */
    static const uint8_t exceptions[] = {2, 1, 2, 1, 9, 0, 1, 2, 1, 11};
    static const uint8_t dropped[] = {0, 1};
    static const uint8_t zeros[5] = {0};
    /* Strings: t, A, m, ()V, B, 10.0.0.1:80. */
    static const uint8_t connections[] = {2, 2, 1, 0, 2, 6, 2, 4, 0, 0, 2,
                                          0, 1, 2, 6, 2, 0, 5, 0, 1, 2, 1};
    static const uint8_t hidden[] = {1, 0, 0, 0};
    static const uint8_t synchronizers[] = {2, 2, 3, 7, 2, 1, 1, 4, 7, 2, 1};
    static const uint8_t firsts[] = {1, 0, 2, 1, 12};
    static const uint8_t starters[] = {1, 2, 1};
    static const uint8_t ran[] = {1, 1, 0xac, 2};
    static const uint8_t went[] = {1, 2, 6, 1, 2, 0xac, 2, 4, 5, 2};
    static const uint8_t called[] = {2, 2, 0xac, 2, 1, 1};
    static const uint8_t covered[] = {2, 2, 0xc8, 1, 1, 0};
    static const uint8_t idle[] = {1, 2, 0xc8, 1, 0xac, 2};
    struct ix_out log = facts_log();
    size_t ends[32], n = record_ends(&log, ends, 32);
    assert_int_equal(n, 1 + 5 + 14 + 1 + 2 + 4); /* the header; definitions; packets 1 to 4 */
    expect_record(&log, ends[5], 9, virtual, sizeof virtual);
    expect_record(&log, ends[6], 10, sums, sizeof sums);
    expect_record(&log, ends[7], 11, locks, sizeof locks);
    expect_record(&log, ends[8], 12, exceptions, sizeof exceptions);
    expect_record(&log, ends[9], 13, connections, sizeof connections);
    expect_record(&log, ends[10], 14, synchronizers, sizeof synchronizers);
    expect_record(&log, ends[11], 15, firsts, sizeof firsts);
    expect_record(&log, ends[12], 16, starters, sizeof starters);
    expect_record(&log, ends[13], 17, ran, sizeof ran);
    expect_record(&log, ends[14], 18, went, sizeof went);
    expect_record(&log, ends[15], 19, called, sizeof called);
    expect_record(&log, ends[16], 20, covered, sizeof covered);
    expect_record(&log, ends[17], 21, idle, sizeof idle);
    expect_record(&log, ends[20], 12, dropped, sizeof dropped);
    expect_record(&log, ends[22], 9, zeros, 1);
    expect_record(&log, ends[23], 10, zeros, 5);
    expect_record(&log, ends[24], 13, hidden, sizeof hidden);
    ix_out_free(&log);
}

static void same_lock(const struct ix_lock *a, const struct ix_lock *b)
{
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->object, b->object);
    assert_int_equal(a->class_number, b->class_number);
    assert_int_equal(a->depth, b->depth);
}

static void same_exception(const struct ix_exception *a, const struct ix_exception *b)
{
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->class_number, b->class_number);
    assert_int_equal(a->frame, b->frame);
    assert_int_equal(a->count, b->count);
}

static void same_covered(const struct ix_covered *a, const struct ix_covered *b)
{
    assert_int_equal(a->frame, b->frame);
    assert_int_equal(a->block, b->block);
}

static void same_pause(const struct ix_pause *a, const struct ix_pause *b)
{
    assert_int_equal(a->frame, b->frame);
    assert_int_equal(a->block, b->block);
    assert_int_equal(a->packets, b->packets);
}

static void expect_connections(const struct ix_connections *c)
{
    assert_int_equal(c->flags, IX_CONNECTIONS_PARTIAL);
    assert_int_equal(c->wait_count, 2);
    assert_int_equal(c->waits[0].thread, 1);
    assert_int_equal(c->waits[0].kind, IX_WAIT_READ);
    assert_string_equal(c->waits[0].local, "A");
    assert_string_equal(c->waits[0].remote, "10.0.0.1:80");
    assert_int_equal(c->waits[1].thread, 2);
    assert_int_equal(c->waits[1].kind, IX_WAIT_POLL);
    assert_string_equal(c->waits[1].local, "");
    assert_int_equal(c->change_count, 2);
    assert_int_equal(c->changes[0].thread, 0);
    assert_int_equal(c->changes[0].state, IX_CONNECTION_OPEN);
    assert_string_equal(c->changes[0].remote, "10.0.0.1:80");
    assert_int_equal(c->changes[1].thread, 2);
    assert_int_equal(c->changes[1].state, IX_CONNECTION_CLOSED);
    assert_string_equal(c->changes[1].local, "B");
    assert_int_equal(c->join_count, 1);
    assert_int_equal(c->joins[0].thread, 2);
    assert_int_equal(c->joins[0].joined, 1);
}

static void expect_all(const struct ix_facts *facts)
{
    assert_true(facts->has_virtual);
    assert_int_equal(facts->virtual_hidden, 1000);
    assert_true(facts->has_process);
    assert_memory_equal(&facts->process, &process, sizeof process);
    assert_int_equal(facts->lock_count, 5); /* both records make up one list */
    same_lock(&facts->locks[0], &owns);
    same_lock(&facts->locks[1], &enters);
    same_lock(&facts->locks[2], &waits);
    same_lock(&facts->locks[3], &parked);
    same_lock(&facts->locks[4], &owns_synchronizer);
    assert_int_equal(facts->exception_count, 2);
    same_exception(&facts->exceptions[0], &thrown);
    same_exception(&facts->exceptions[1], &ended);
    assert_int_equal(facts->exceptions_dropped, 11);
    assert_int_equal(facts->first_count, 1);
    assert_int_equal(facts->firsts[0].thread, 0);
    assert_int_equal(facts->firsts[0].class_number, 2);
    assert_int_equal(facts->firsts[0].stack, IX_STACK_CUT);
    assert_int_equal(facts->firsts_dropped, 12);
    assert_int_equal(facts->starter_count, 1);
    assert_int_equal(facts->starters[0].thread, 2);
    assert_int_equal(facts->starters[0].stack, IX_STACK_CUT);
    assert_int_equal(facts->turn_count, 1);
    assert_int_equal(facts->turns[0].thread, 1);
    assert_int_equal(facts->turns[0].turns, 300);
    assert_int_equal(facts->traffic_count, 1);
    const struct ix_traffic *t = &facts->traffic[0];
    assert_string_equal(t->local, "A");
    assert_string_equal(t->remote, "10.0.0.1:80");
    assert_int_equal(t->sent, 1);
    assert_int_equal(t->received, 2);
    assert_int_equal(t->sent_bytes, 300);
    assert_int_equal(t->received_bytes, 4);
    assert_int_equal(t->unread, 5);
    assert_int_equal(t->last, IX_SPOKE_THERE);
    assert_int_equal(facts->invocation_count, 2);
    assert_int_equal(facts->invocations[0].method, 2);
    assert_int_equal(facts->invocations[0].count, 150);
    assert_false(facts->invocations[0].at_least);
    assert_int_equal(facts->invocations[1].count, 0);
    assert_true(facts->invocations[1].at_least);
    assert_int_equal(facts->covered_count, 2);
    same_covered(&facts->covered[0], &block);
    same_covered(&facts->covered[1], &first_block);
    assert_int_equal(facts->pause_count, 1);
    same_pause(&facts->pauses[0], &paused);
    expect_connections(&facts->connections);
}

/* No facts but exceptions, invocations and coverage. */
static void expect_no_others(const struct ix_facts *facts)
{
    const struct ix_connections *c = &facts->connections;
    assert_false(facts->has_virtual || facts->has_process);
    assert_int_equal(
        facts->lock_count + facts->starter_count + facts->turn_count + facts->traffic_count, 0);
    assert_int_equal(c->flags + c->wait_count + c->change_count + c->join_count, 0);
}

static void expect_none(const struct ix_log_reader *r)
{
    const struct ix_facts facts = ix_log_facts(r);
    expect_no_others(&facts);
    assert_int_equal(facts.exception_count + facts.exceptions_dropped, 0);
    assert_int_equal(facts.first_count + facts.firsts_dropped, 0);
    assert_int_equal(facts.invocation_count + facts.covered_count + facts.pause_count, 0);
}

/* Reads as much of the example as `packets` says and compares. */
static void expect_facts(struct ix_log_reader *r, int packets)
{
    expect_none(r);
    for (int i = 1; i <= packets; i++) {
        assert_int_equal(next_snapshot(r).packet, i);
        const struct ix_facts facts = ix_log_facts(r);
        if (i == 1)
            expect_all(&facts);
        else if (i == 2)
            expect_none(r);
        assert_int_equal(facts.exceptions_dropped, i == 1 ? 11 : i == 3 ? 1 : 0);
        assert_int_equal(facts.has_virtual, i == 1 || i == 4);
        assert_int_equal(facts.has_process, i == 1 || i == 4);
        assert_int_equal(facts.connections.flags, i == 1   ? IX_CONNECTIONS_PARTIAL
                                                  : i == 4 ? IX_CONNECTIONS_HIDDEN
                                                           : 0);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    struct ix_out log = facts_log();
    struct ix_log_reader *r = read_bytes(&log);
    expect_facts(r, 4);
    struct ix_snapshot s;
    assert_int_equal(ix_log_next(r, &s, NULL), 0);
    expect_none(r);
    expect_end(r);
    ix_out_free(&log);
}

static void again(struct ix_log_writer *w)
{
    assert_int_equal(ix_log_synchronizers_again(w), 0);
}

/* The same synchronizers again take a byte; what is in between does not matter. */
static void test_repetition(void **state)
{
    (void)state;
    static const uint8_t same[] = {0}, one[] = {1, 2, 3, 7, 2, 1};
    static const size_t counts[] = {2, 3, 0, 2, 1, 1};
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    define_all(w);
    assert_int_equal(ix_log_lock(w, &parked), 0);
    assert_int_equal(ix_log_lock(w, &owns_synchronizer), 0);
    packet(w, 1);
    again(w);
    assert_int_equal(ix_log_lock(w, &owns), 0);
    packet(w, 2);
    packet(w, 3);
    again(w);
    packet(w, 4);
    assert_int_equal(ix_log_lock(w, &parked), 0);
    packet(w, 5);
    again(w);
    packet(w, 6);
    struct ix_out log = finish(w, fd);
    size_t ends[32];
    assert_int_equal(record_ends(&log, ends, 32), 1 + 5 + 2 + 3 + 1 + 2 + 2 + 2);
    expect_record(&log, ends[8], 14, same, 1);
    expect_record(&log, ends[11], 14, same, 1);
    expect_record(&log, ends[13], 14, one, sizeof one);
    expect_record(&log, ends[15], 14, same, 1);
    struct ix_log_reader *r = read_bytes(&log);
    for (size_t i = 0; i < 6; i++) {
        next_snapshot(r);
        const struct ix_facts facts = ix_log_facts(r);
        assert_int_equal(facts.lock_count, counts[i]);
        if (counts[i] >= 2) {
            same_lock(&facts.locks[counts[i] - 2], &parked);
            same_lock(&facts.locks[counts[i] - 1], &owns_synchronizer);
        }
    }
    expect_end(r);
    ix_out_free(&log);
}

/* Record by record it comes to the same. */
static void test_slices(void **state)
{
    (void)state;
    struct ix_out log = facts_log();
    struct ix_log_reader *whole = read_bytes(&log), *sliced = read_bytes(&log);
    struct ix_snapshot s;
    int more = 0;
    ix_log_slice(sliced, 1);
    for (int i = 1; i <= 4; i++) {
        const struct ix_snapshot want = next_snapshot(whole);
        int found;
        while ((found = ix_log_next(sliced, &s, NULL)) == IX_LOG_MORE)
            more++;
        assert_int_equal(found, 1);
        assert_int_equal(s.packet, want.packet);
        assert_int_equal(s.count, want.count);
        const struct ix_facts a = ix_log_facts(whole), b = ix_log_facts(sliced);
        assert_int_equal(a.lock_count, b.lock_count);
        assert_int_equal(a.exception_count, b.exception_count);
        assert_int_equal(a.exceptions_dropped, b.exceptions_dropped);
        assert_int_equal(a.has_process, b.has_process);
        if (i == 1)
            expect_all(&b);
        assert_int_equal(ix_log_changes(whole).set_count, ix_log_changes(sliced).set_count);
        assert_int_equal(ix_log_changes(whole).redefined_count,
                         ix_log_changes(sliced).redefined_count);
    }
    assert_true(more > 5);
    assert_true(ix_log_reader_memory(sliced) > 0);
    assert_int_equal(ix_log_next(sliced, &s, NULL), 0);
    expect_end(whole);
    expect_end(sliced);
    ix_out_free(&log);
}

/* Exceptions, invocations and coverage after the last snapshot; nothing is written if there are
 * none. */
static void test_rest(void **state)
{
    (void)state;
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    define_all(w);
    assert_int_equal(packet(w, 1), 0);
    assert_int_equal(ix_log_rest(w), 0);
    assert_int_equal(ix_log_exception(w, &thrown), 0);
    assert_int_equal(ix_log_first(w, &first), 0);
    assert_int_equal(ix_log_firsts_dropped(w, 2), 0);
    assert_int_equal(ix_log_invocations(w, &calls), 0);
    assert_int_equal(ix_log_covered(w, &block), 0);
    assert_int_equal(ix_log_rest(w), 0);
    assert_int_equal(ix_log_rest(w), 0);
    struct ix_out log = finish(w, fd);
    size_t ends[32];
    assert_int_equal(record_ends(&log, ends, 32), 1 + 5 + 1 + 4);
    struct ix_log_reader *r = read_bytes(&log);
    struct ix_snapshot s;
    next_snapshot(r);
    expect_none(r);
    for (int i = 0; i < 2; i++) { /* asked again it says the same */
        assert_int_equal(ix_log_next(r, &s, NULL), 0);
        const struct ix_facts facts = ix_log_facts(r);
        expect_no_others(&facts);
        assert_int_equal(facts.exception_count, 1);
        assert_int_equal(facts.exceptions[0].count, thrown.count);
        assert_int_equal(facts.first_count, 1);
        assert_int_equal(facts.firsts[0].class_number, first.class_number);
        assert_int_equal(facts.firsts_dropped, 2);
        assert_int_equal(facts.invocation_count, 1);
        assert_int_equal(facts.invocations[0].count, 150);
        assert_int_equal(facts.covered_count, 1);
        same_covered(&facts.covered[0], &block);
    }
    expect_end(r);
    ix_out_free(&log);
}

/* Facts that were there before the log grew belong to the snapshot that comes then. */
static void test_growing(void **state)
{
    (void)state;
    struct ix_out log = facts_log();
    char path[] = "/tmp/ixor-facts.XXXXXX";
    const int fd = mkstemp(path);
    size_t ends[32];
    record_ends(&log, ends, 32);
    assert_int_equal(write(fd, log.data, ends[8]), (ssize_t)ends[8]);
    struct ix_log_reader *r = ix_log_open(path, NULL);
    struct ix_snapshot s;
    assert_non_null(r);
    assert_int_equal(ix_log_next(r, &s, NULL), 0);
    assert_int_equal(write(fd, (char *)log.data + ends[8], log.len - ends[8]),
                     (ssize_t)(log.len - ends[8]));
    assert_true(ix_log_grown(r));
    expect_facts(r, 4);
    ix_log_reader_close(r);
    close(fd);
    unlink(path);
    ix_out_free(&log);
}

/* Cut anywhere, what comes before is as it was. Facts without their snapshot are nobody's, except
 * exceptions. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    static const int snapshot_ends[] = {19, 20, 22, 26}; /* places in `ends` */
    struct ix_out log = facts_log();
    size_t ends[32], n = record_ends(&log, ends, 32);
    for (size_t size = 0; size <= log.len; size++) {
        int packets = 0;
        bool whole = false;
        for (size_t i = 0; i < n; i++)
            whole |= ends[i] == size;
        while (packets < 4 && size >= ends[snapshot_ends[packets]])
            packets++;
        const struct ix_out cut = {.data = log.data, .len = size};
        struct ix_log_reader *r = read_bytes(&cut);
        struct ix_snapshot s;
        expect_facts(r, packets);
        assert_int_equal(ix_log_next(r, &s, NULL), 0);
        assert_int_equal(ix_log_torn(r) == NULL, whole);
        const struct ix_facts facts = ix_log_facts(r);
        expect_no_others(&facts);
        ix_log_reader_close(r);
    }
    ix_out_free(&log);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct ix_lock bad_locks[] = {
        {0, IX_LOCK_OWNS, 1, 1, 0},         {3, IX_LOCK_OWNS, 1, 1, 0}, {1, IX_LOCK_OWNS, 0, 1, 0},
        {1, IX_LOCK_OWNS, 1, 0, 0},         {1, IX_LOCK_OWNS, 1, 3, 0}, {1, IX_LOCK_OWNS, 1, 1, -2},
        {1, (enum ix_lock_kind)5, 1, 1, 0},
    };
    static const struct ix_exception bad_exceptions[] = {{3, 1, 1, 1}, {1, 0, 1, 1}, {1, 3, 1, 1},
                                                         {1, 1, 0, 1}, {1, 1, 3, 1}, {1, 1, 1, 0}};
    static const struct ix_first bad_firsts[] = {{3, 1, 0}, {1, 0, 0}, {1, 3, 0}, {1, 1, 2}};
    static const struct ix_starter bad_starters[] = {{0, 0}, {3, 0}, {1, 2}};
    static const struct ix_traffic bad_traffic = {"", "", 0, 0, 0, 0, 0, (enum ix_spoke)3};
    static const struct ix_invocations bad_calls[] = {{0, 1, false}, {3, 1, false}, {1, 0, false}};
    static const struct ix_covered bad_blocks[] = {{0, 1}, {3, 1}, {UINT32_MAX, 1}};
    static const struct ix_turns bad_turns[] = {{0, 1}, {3, 1}, {1, 0}};
    static const struct ix_wait bad_waits[] = {
        {0, IX_WAIT_READ, "", ""}, {3, IX_WAIT_READ, "", ""}, {1, (enum ix_wait_kind)5, "", ""}};
    static const struct ix_connection bad_connections[] = {
        {3, IX_CONNECTION_OPEN, "", ""}, {1, (enum ix_connection_state)3, "", ""}};
    static const struct ix_join bad_joins[] = {{0, 1}, {1, 0}, {3, 1}, {1, 3}};
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    define_all(w);
    for (size_t i = 0; i < sizeof bad_locks / sizeof *bad_locks; i++)
        assert_int_equal(ix_log_lock(w, &bad_locks[i]), -1);
    assert_non_null(strstr(ix_log_writer_error(w), "refused a lock of thread 0, which is not"));
    for (size_t i = 0; i < sizeof bad_exceptions / sizeof *bad_exceptions; i++)
        assert_int_equal(ix_log_exception(w, &bad_exceptions[i]), -1);
    for (size_t i = 0; i < sizeof bad_firsts / sizeof *bad_firsts; i++)
        assert_int_equal(ix_log_first(w, &bad_firsts[i]), -1);
    for (size_t i = 0; i < sizeof bad_starters / sizeof *bad_starters; i++)
        assert_int_equal(ix_log_starter(w, &bad_starters[i]), -1);
    for (size_t i = 0; i < sizeof bad_turns / sizeof *bad_turns; i++)
        assert_int_equal(ix_log_turns(w, &bad_turns[i]), -1);
    assert_int_equal(ix_log_traffic(w, &bad_traffic), -1);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(ix_log_invocations(w, &bad_calls[i]), -1);
    for (size_t i = 0; i < sizeof bad_blocks / sizeof *bad_blocks; i++)
        assert_true(ix_log_covered(w, &bad_blocks[i]) == -1 &&
                    ix_log_pause(w, &(struct ix_pause){bad_blocks[i].frame, 1, 8}) == -1);
    for (size_t i = 0; i < sizeof bad_waits / sizeof *bad_waits; i++)
        assert_int_equal(ix_log_wait(w, &bad_waits[i]), -1);
    for (size_t i = 0; i < sizeof bad_connections / sizeof *bad_connections; i++)
        assert_int_equal(ix_log_connection(w, &bad_connections[i]), -1);
    for (size_t i = 0; i < sizeof bad_joins / sizeof *bad_joins; i++)
        assert_int_equal(ix_log_join(w, &bad_joins[i]), -1);
    assert_int_equal(ix_log_connection_flags(w, 4), -1);
    assert_int_equal(ix_log_synchronizers_again(w), -1); /* none yet */
    assert_int_equal(packet(w, 5), 0);
    all_facts(w);
    assert_int_equal(packet(w, 5), -1); /* and with it its facts */
    assert_int_equal(packet(w, 6), 0);
    assert_int_equal(ix_log_writer_close(w), -1);
    struct ix_out log = file_bytes(fd);
    struct ix_log_reader *r = read_bytes(&log);
    for (uint64_t i = 5; i <= 6; i++) {
        assert_int_equal(next_snapshot(r).packet, i);
        expect_none(r);
    }
    expect_end(r);
    ix_out_free(&log);
    close(fd);
}

/* A record whose content breaks a rule, behind the definitions of packet 1. */
struct broken {
    uint8_t type, len;
    uint8_t payload[16];
    const char *sentence;
};

static const struct broken broken[] = {
    {9, 0, {0}, "a malformed record of virtual threads"},
    {9, 2, {1, 1}, "bytes left over"},
    {10, 4, {1, 2, 3, 4}, "a malformed record of the process"},
    {10, 6, {1, 2, 3, 4, 5, 6}, "bytes left over"},
    {11, 0, {0}, "a malformed record of locks"},
    {11, 5, {1, 1, 0, 1, 1}, "a malformed record of locks"},
    {11, 6, {1, 1, 0, 1, 1, 0x80}, "a malformed record of locks"},
    {11, 6, {2, 1, 0, 1, 1, 0}, "a malformed record of locks"},
    {11, 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, "a malformed record of"},
    {11, 6, {1, 0, 0, 1, 1, 0}, "a lock refers to thread 0, which is not defined"},
    {11, 6, {1, 3, 0, 1, 1, 0}, "a lock refers to thread 3, which is not defined"},
    {11, 6, {1, 1, 3, 1, 1, 0}, "a malformed record of locks"},
    {11, 6, {1, 1, 0, 0, 1, 0}, "a malformed record of locks"},
    {11, 6, {1, 1, 0, 1, 0, 0}, "a lock refers to class 0, which is not defined"},
    {11, 6, {1, 1, 0, 1, 3, 0}, "a lock refers to class 3, which is not defined"},
    {11, 6, {1, 1, 0, 1, 1, 3}, "a malformed record of locks"}, /* depth -2 */
    {11, 10, {1, 1, 0, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x10}, "a malformed record of locks"},
    {11, 7, {1, 1, 0, 1, 1, 0, 0}, "bytes left over"},
    {12, 1, {0}, "a malformed record of exceptions"},
    {12, 5, {1, 1, 1, 1, 1}, "a malformed record of exceptions"},
    {12, 5, {2, 1, 1, 1, 1}, "a malformed record of exceptions"},
    {12, 6, {1, 3, 1, 1, 1, 0}, "an exception refers to thread 3, which is not defined"},
    {12, 6, {1, 1, 0, 1, 1, 0}, "an exception refers to class 0, which is not defined"},
    {12, 6, {1, 1, 3, 1, 1, 0}, "an exception refers to class 3, which is not defined"},
    {12, 6, {1, 1, 1, 0, 1, 0}, "an exception refers to frame 0, which is not defined"},
    {12, 6, {1, 1, 1, 3, 1, 0}, "an exception refers to frame 3, which is not defined"},
    {12, 6, {1, 1, 1, 1, 0, 0}, "a malformed record of exceptions"},
    {12, 7, {1, 1, 1, 1, 1, 0, 0}, "bytes left over"},
    {15, 0, {0}, "a malformed record of first exceptions"},
    {15, 1, {0}, "a malformed record of first exceptions"},
    {15, 4, {1, 1, 1, 1}, "a malformed record of first exceptions"},
    {15, 8, {3, 1, 1, 1, 1, 1, 1, 0}, "a malformed record of first exceptions"},
    {15, 11, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, "a malformed record of"},
    {15, 5, {1, 3, 1, 1, 0}, "a first exception refers to thread 3, which is not defined"},
    {15, 5, {1, 1, 0, 1, 0}, "a first exception refers to class 0, which is not defined"},
    {15, 5, {1, 1, 3, 1, 0}, "a first exception refers to class 3, which is not defined"},
    {15, 5, {1, 1, 1, 2, 0}, "a first exception refers to stack 2, which is not defined"},
    {15, 6, {1, 1, 1, 1, 0, 0}, "bytes left over"},
    {20, 0, {0}, "a malformed record of code that was executed"},
    {20, 1, {1}, "a malformed record of code that was executed"},
    {20, 2, {1, 1}, "a malformed record of code that was executed"},
    {20, 3, {1, 1, 0x80}, "a malformed record of code that was executed"},
    {20, 3, {2, 1, 0}, "a malformed record of code that was executed"},
    {20, 5, {2, 1, 0, 2, 0x80}, "a malformed record of code that was executed"},
    {20, 7, {1, 1, 0x80, 0x80, 0x80, 0x80, 0x10}, "a malformed record of code"}, /* 2^32 */
    {20, 11, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, "a malformed record of"},
    {20, 3, {1, 0, 0}, "code that was executed refers to frame 0, which is not defined"},
    {20, 3, {1, 3, 0}, "code that was executed refers to frame 3, which is not defined"},
    {20, 4, {1, 1, 0, 0}, "bytes left over"},
    {21, 3, {1, 1, 0}, "a malformed record of code that is not executed for a while"},
    {21, 4, {1, 1, 0, 0x80}, "a malformed record of code that is not executed for a while"},
    {21, 6, {2, 1, 0, 8, 1, 0}, "a malformed record of code that is not executed for a while"},
    {21, 4, {1, 3, 0, 8}, "code that is not executed for a while refers to frame 3, which is not"},
    {21, 8, {1, 1, 0x80, 0x80, 0x80, 0x80, 0x10, 0}, "a malformed record of code"}, /* 2^32 */
    {21, 5, {1, 1, 0, 0, 0}, "bytes left over"},
    {14, 1, {0}, "a malformed record of locks"},                /* there is no list before */
    {14, 6, {1, 1, 2, 1, 1, 0}, "a malformed record of locks"}, /* a monitor's kind */
    {14, 6, {1, 1, 5, 1, 1, 0}, "a malformed record of locks"},
    {14, 6, {1, 3, 3, 1, 1, 0}, "a lock refers to thread 3, which is not defined"},
    {14, 7, {1, 1, 3, 1, 1, 0, 0}, "bytes left over"},
    {13, 0, {0}, "a malformed record of connections"},
    {13, 3, {0, 0, 0}, "a malformed record of connections"},
    {13, 4, {4, 0, 0, 0}, "a malformed record of connections"},
    {13, 5, {0, 0, 0, 0, 0}, "bytes left over"},
    {13, 8, {0, 2, 1, 0, 1, 1, 0, 0}, "a malformed record of connections"},
    {13, 8, {0, 1, 0, 0, 1, 1, 0, 0}, "a wait refers to thread 0, which is not defined"},
    {13, 8, {0, 1, 3, 0, 1, 1, 0, 0}, "a wait refers to thread 3, which is not defined"},
    {13, 8, {0, 1, 1, 5, 1, 1, 0, 0}, "a malformed record of connections"},
    {13, 8, {0, 1, 1, 0, 7, 1, 0, 0}, "an address refers to string 7, which is not defined"},
    {13, 8, {0, 1, 1, 0, 1, 7, 0, 0}, "an address refers to string 7, which is not defined"},
    {13, 8, {0, 0, 1, 3, 0, 1, 1, 0}, "a connection refers to thread 3, which is not defined"},
    {13, 8, {0, 0, 1, 1, 3, 1, 1, 0}, "a malformed record of connections"},
    {13, 8, {0, 0, 1, 1, 1, 7, 1, 0}, "an address refers to string 7, which is not defined"},
    {13, 6, {0, 0, 0, 1, 0, 1}, "a join refers to thread 0, which is not defined"},
    {13, 6, {0, 0, 0, 1, 1, 3}, "a join refers to thread 3, which is not defined"},
    {13, 5, {0, 0, 0, 2, 1}, "a malformed record of connections"},
    {13, 11, {0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, "a malformed record of"},
};

static void expect_broken(const struct ix_out *definitions, const struct broken *b)
{
    struct ix_out log = {0};
    struct ix_snapshot s;
    struct ix_error err = {""};
    ix_put_bytes(&log, definitions->data, definitions->len);
    put_record(&log, b->type, b->payload, b->len);
    put_record(&log, 8, "\x7f\0\0\0\0", 5); /* must not be reached */
    struct ix_log_reader *r = read_bytes(&log);
    assert_int_equal(ix_log_next(r, &s, &err), -1);
    if (!strstr(err.text, b->sentence))
        fail_msg("'%s' instead of '%s'", err.text, b->sentence);
    ix_log_reader_close(r);
    ix_out_free(&log);
}

static void test_broken_rules(void **state)
{
    (void)state;
    struct ix_out log = facts_log();
    size_t ends[32];
    record_ends(&log, ends, 32);
    const struct ix_out definitions = {.data = log.data, .len = ends[5]};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        expect_broken(&definitions, &broken[i]);
    struct ix_out twice = {0};
    ix_put_bytes(&twice, definitions.data, definitions.len);
    put_record(&twice, 9, "\1", 1);
    expect_broken(&twice, &(struct broken){9, 1, {1}, "two records of type 9 before one snapshot"});
    ix_out_free(&twice);
    ix_out_free(&log);
}

/* A reader that does not know the type leaves the record out, as we do with the next one. */
static void test_later_type(void **state)
{
    (void)state;
    struct ix_out log = facts_log(), later = {0};
    size_t ends[32];
    record_ends(&log, ends, 32);
    ix_put_bytes(&later, log.data, ends[5]);
    put_record(&later, 22, "\1\1\0", 3);
    put_record(&later, 127, "", 0);
    ix_put_bytes(&later, log.data + ends[5], log.len - ends[5]);
    struct ix_log_reader *r = read_bytes(&later);
    expect_facts(r, 4);
    struct ix_snapshot s;
    assert_int_equal(ix_log_next(r, &s, NULL), 0);
    expect_end(r);
    ix_out_free(&later);
    ix_out_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_broken_rules), cmocka_unit_test(test_repetition),
        cmocka_unit_test(test_slices),       cmocka_unit_test(test_rest),
        cmocka_unit_test(test_growing),      cmocka_unit_test(test_later_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
