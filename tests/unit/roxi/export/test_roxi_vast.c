/* SPDX-License-Identifier: Apache-2.0 */
/* Small logs that say much: 100,000 threads in 100,000 snapshots in which nothing changes, or
 * hardly anything. What reads them takes time in proportion to the file. The limits are a hundred
 * times what that takes, and a tenth of what going through all threads of each packet took. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "roxi/campaign/load.h"
#include "roxi/export/dump.h"
#include "schema/tracelog/thread_state.h"
#include "tests/support/campaign_support.h"
#include "tests/support/export_support.h"
#include "tests/support/tracelog_fixture.h"

enum { THREADS = 100000, PACKETS = 100000, LIMIT_SECONDS = 3 };

static void put_edit(struct ix_out *out, uint64_t count, enum ix_log_edit kind)
{
    ix_put_varint(out, count << 2 | kind);
}

/* A snapshot in which all threads are as before; but if `flips`, thread 1, which goes to its stack
 * and back to none. */
static void put_snapshot(struct ix_out *out, uint64_t packet, bool flips)
{
    struct ix_out payload = {0};
    ix_put_varint(&payload, packet);
    for (int i = 0; i < 4; i++)
        ix_put_varint(&payload, 0);
    if (flips) {
        put_edit(&payload, 1, IX_EDIT_CHANGED);
        ix_put_varint(&payload, IX_THREAD_ALIVE | IX_THREAD_RUNNABLE);
        ix_put_varint(&payload, packet % 4 < 2 ? IX_STACK_EMPTY : IX_STACK_CUT + 1);
    }
    put_edit(&payload, THREADS - flips, IX_EDIT_SAME);
    put_record(out, IX_LOG_SNAPSHOT, payload.data, payload.len);
    ix_out_free(&payload);
}

/* Packet 1 by the writer, from then on by hand: the writer would go through all threads, too. */
static struct ix_out vast_log(bool flips)
{
    int fd;
    struct ix_log_writer *w = memory_writer(&fd);
    const uint32_t c = ix_log_class(w, "C", "");
    const uint32_t stack =
        ix_log_stack(w, IX_STACK_EMPTY, ix_log_frame(w, ix_log_method(w, c, "run", "()V"), 1));
    struct ix_entry *entries = calloc(THREADS, sizeof *entries);
    assert_non_null(entries);
    for (uint32_t i = 1; i <= THREADS; i++) {
        const struct ix_thread t = {i, i, i, "w", "main", "system", 5, 0};
        assert_int_equal(ix_log_thread(w, &t), 0);
        entries[i - 1] = (struct ix_entry){i, IX_THREAD_ALIVE | IX_THREAD_RUNNABLE, stack};
    }
    const struct ix_snapshot s = {.packet = 1, .entries = entries, .count = THREADS};
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    free(entries);
    struct ix_out bytes = finish(w, fd);
    for (uint64_t packet = 2; packet <= PACKETS; packet++)
        put_snapshot(&bytes, packet, flips && packet % 2);
    assert_false(bytes.failed);
    return bytes;
}

/* Of this process: others may use the processors. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void quick(const char *what, double began)
{
    const double took = seconds() - began;
    if (took > LIMIT_SECONDS)
        fail_msg("%s took %.1f s", what, took);
}

static void summaries(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    struct ix_error err = {""};
    struct ix_out log = vast_log(false);
    struct ix_log_reader *r = read_bytes(&log);
    FILE *out = open_memstream(&text, &size);
    const double began = seconds();
    assert_int_equal(dump_summary(out, r, &err), 0);
    fclose(out);
    quick("the summary", began);
    assert_non_null(strstr(text, "packets: 1 to 100000, 100000 snapshots"));
    assert_non_null(strstr(text, "threads: 100000 different, 100000.0 in a snapshot"));
    assert_non_null(strstr(text, "call stacks: 1 different"));
    free(text);
    ix_log_reader_close(r);
    ix_out_free(&log);
}

static void exports(void **state)
{
    (void)state;
    static const struct {
        const char *format, *words;
    } table[] = {
        {"collapsed", "server;w;C.run 10000000000\n"},
        {"dot", "of 10000000000 (100.0%)"},
        {"pprof", ""},
        {"speedscope", "\"weights\":[100000]"},
    };
    struct ix_out log = vast_log(false);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct ix_error err = {""};
        const struct export_options options = {.max_nodes = 10};
        const double began = seconds();
        struct exported e = export_bytes(table[i].format, options, log.data, log.len, &err);
        assert_int_equal(e.status, 0);
        quick(table[i].format, began);
        if (!strstr(e.data, table[i].words))
            fail_msg("%s: %.200s", table[i].format, e.data);
        free(e.data);
    }
    ix_out_free(&log);
}

/* Every second packet counts, and between them something changes. */
static void profiles(void **state)
{
    (void)state;
    struct ix_error err = {""};
    struct ix_out log = vast_log(true);
    FILE *f = fopen(in_tempdir("a.ixl"), "w");
    assert_int_equal(fwrite(log.data, 1, log.len, f), log.len);
    assert_int_equal(fclose(f), 0);
    ix_out_free(&log);
    struct ix_log_writer *w = ix_log_create(in_tempdir("b.ixl"), &err);
    for (uint64_t packet = 2; packet <= PACKETS; packet += 2)
        assert_int_equal(ix_log_snapshot(w, &(struct ix_snapshot){.packet = packet}), 0);
    assert_int_equal(ix_log_writer_close(w), 0);
    add_vms("run", (const char *const[]){"A", "a.ixl", "B", "b.ixl", NULL}, 2);
    const struct roxi_load_options options = {.min_vms = 2, .threads = 1};
    const double began = seconds();
    struct roxi_profiles *p = roxi_load(in_tempdir("c"), &options, &err);
    if (!p)
        fail_msg("%s", err.text);
    quick("loading", began);
    assert_int_equal(p->executions[0].total, (uint64_t)THREADS * PACKETS / 2);
    roxi_profiles_free(p);
}

/* A chain of threads, each blocked on a monitor that the next one owns, and a ring at its end. */
static void chains_of_locks(void **state)
{
    (void)state;
    enum { CHAIN = 50000, RING = 3 };
    int fd;
    struct ix_error err = {""};
    struct ix_log_writer *w = memory_writer(&fd);
    const uint32_t c = ix_log_class(w, "C", "");
    struct ix_entry *entries = calloc(CHAIN, sizeof *entries);
    struct ix_lock *locks = calloc((size_t)2 * CHAIN, sizeof *locks);
    for (uint32_t i = 1; i <= CHAIN; i++) {
        const struct ix_thread t = {i, i, i, "w", "main", "system", 5, 0};
        assert_int_equal(ix_log_thread(w, &t), 0);
        entries[i - 1] = (struct ix_entry){i, IX_THREAD_ALIVE | IX_THREAD_BLOCKED, IX_STACK_EMPTY};
        const uint32_t next = i < CHAIN ? i + 1 : CHAIN - RING + 1;
        locks[2 * i - 2] = (struct ix_lock){i, IX_LOCK_OWNS, i, c, -1};
        locks[2 * i - 1] = (struct ix_lock){i, IX_LOCK_ENTERS, next, c, -1};
    }
    for (size_t i = 0; i < (size_t)2 * CHAIN; i++)
        assert_int_equal(ix_log_lock(w, &locks[i]), 0);
    const struct ix_snapshot s = {.packet = 1, .entries = entries, .count = CHAIN};
    assert_int_equal(ix_log_snapshot(w, &s), 0);
    struct ix_out log = finish(w, fd);
    struct ix_log_reader *r = read_bytes(&log);
    struct ix_snapshot got;
    assert_int_equal(ix_log_next(r, &got, &err), 1);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const double began = seconds();
    assert_int_equal(dump_snapshot(out, r, &got, &err), 0);
    fclose(out);
    quick("the dump", began);
    const char *ring = strstr(text, "\ndeadlock:");
    assert_non_null(ring);
    assert_null(strstr(ring + 1, "\ndeadlock:"));
    size_t lines = 0;
    for (const char *at = ring; (at = strstr(at, "which is owned by")); at++)
        lines++;
    assert_int_equal(lines, RING);
    free(text);
    free(entries);
    free(locks);
    ix_log_reader_close(r);
    ix_out_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries),
        cmocka_unit_test(exports),
        cmocka_unit_test_setup_teardown(profiles, tempdir_make, tempdir_remove),
        cmocka_unit_test(chains_of_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
