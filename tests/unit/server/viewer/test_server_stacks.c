/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and stacks out of logs that are being written: they grow, are torn, go on in parts,
 * vanish, and are more than are kept open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "schema/tracelog/reader.h"
#include "schema/tracelog/thread_state.h"
#include "schema/tracelog/writer.h"
#include "server/store/log_check.h"
#include "server/viewer/stacks.h"
#include "server/viewer/stacks_log.h"
#include "tests/support/rounds.h"
#include "tests/support/tempdir.h"
#include "tests/support/tracelog_fixture.h"

static struct ixor_stacks *stacks;

static int set_up(void **state)
{
    if (tempdir_make(state) != 0)
        return -1;
    stacks = ixor_stacks_new();
    return stacks ? 0 : -1;
}

static int tear_down(void **state)
{
    ixor_stacks_free(stacks);
    return tempdir_remove(state);
}

/* ---- logs ---- */

static struct ix_log_writer *log_at(const char *path)
{
    struct ix_error err = {""};
    struct ix_log_writer *w = ix_log_create(path, &err);
    if (!w)
        fail_msg("%s", err.text);
    return w;
}

/* A snapshot of two threads; thread 1 executes a.B.run at line `packet`, called from main. */
static void write_packet(struct ix_log_writer *w, uint64_t packet)
{
    const uint32_t class = ix_log_class(w, "a.B", "B.java");
    const uint32_t run = ix_log_method(w, class, "run", "()V");
    const uint32_t main = ix_log_method(w, class, "main", "([Ljava/lang/String;)V");
    const uint32_t base = ix_log_stack(w, IX_STACK_EMPTY, ix_log_frame(w, main, 7));
    const uint32_t top = ix_log_stack(w, base, ix_log_frame(w, run, (int32_t)packet));
    const struct ix_thread threads[] = {
        {.number = 1, .start = 1, .id = 11, .name = "main", .group = "main", .parent = ""},
        {.number = 2,
         .start = 2,
         .id = 12,
         .name = "<b>\x1b[2J\xff",
         .group = "g",
         .parent = "",
         .flags = IX_THREAD_DAEMON}};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(ix_log_thread(w, &threads[i]), 0);
    const struct ix_entry entries[] = {
        {1, IX_THREAD_ALIVE | IX_THREAD_RUNNABLE, top},
        {2, IX_THREAD_ALIVE | IX_THREAD_WAITING | IX_THREAD_PARKED, base}};
    const struct ix_snapshot s = {.packet = packet,
                                  .mono_ns = (int64_t)packet * 1000,
                                  .real_ns = (int64_t)packet * 1000 + 5,
                                  .stop_ns = 300,
                                  .entries = entries,
                                  .count = 2};
    assert_int_equal(ix_log_snapshot(w, &s), 0);
}

static int64_t integer(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static const char *string(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_string(value));
    return json_string_value(value);
}

/* The packet that an answer is about and the line that thread 1 executes there. */
static void expect(const char *path, uint64_t asked, uint64_t packet)
{
    struct ix_error err = {""};
    json_t *json = NULL;
    if (ixor_stacks_threads(stacks, path, asked, &json, &err) != IXOR_FOUND)
        fail_msg("packet %d: %s", (int)asked, err.text);
    assert_int_equal(integer(json, "packet"), packet);
    const json_t *thread = json_array_get(json_object_get(json, "threads"), 0);
    assert_int_equal(integer(json_object_get(thread, "top"), "line"), packet);
    json_decref(json);
}

static void expect_none(const char *path, uint64_t asked, enum ixor_found found, const char *why)
{
    struct ix_error err = {""};
    json_t *json = NULL;
    assert_int_equal(ixor_stacks_threads(stacks, path, asked, &json, &err), found);
    assert_null(json);
    if (!strstr(err.text, why))
        fail_msg("'%s' does not say '%s'", err.text, why);
}

/* ---- tests ---- */

static void what_an_answer_says(void **state)
{
    (void)state;
    const char *path = in_tempdir("a.ixl");
    struct ix_log_writer *w = log_at(path);
    struct ix_error err = {""};
    json_t *json = NULL;
    write_packet(w, 5);
    assert_int_equal(ixor_stacks_threads(stacks, path, 5, &json, &err), IXOR_FOUND);
    assert_int_equal(integer(json, "thread_count"), 2);
    assert_int_equal(integer(json, "stop_ns"), 300);
    const json_t *one = json_array_get(json_object_get(json, "threads"), 0);
    const json_t *two = json_array_get(json_object_get(json, "threads"), 1);
    assert_string_equal(string(one, "state"), "RUNNABLE");
    assert_true(json_is_false(json_object_get(one, "idle")));
    assert_string_equal(string(json_object_get(one, "top"), "text"), "a.B.run(B.java:5)");
    assert_string_equal(string(two, "name"), "<b>\x1b[2J?"); /* JSON is UTF-8 */
    assert_string_equal(string(two, "state"), "WAITING (parked)");
    assert_true(json_is_true(json_object_get(two, "idle")));
    assert_true(json_is_true(json_object_get(two, "daemon")));
    json_decref(json);

    assert_int_equal(ixor_stacks_stack(stacks, path, 5, 1, &json, &err), IXOR_FOUND);
    const json_t *frames = json_object_get(json, "frames");
    assert_int_equal(json_array_size(frames), 2);
    assert_string_equal(string(json_array_get(frames, 0), "method"), "run");
    assert_string_equal(string(json_array_get(frames, 1), "text"), "a.B.main(B.java:7)");
    assert_string_equal(string(json_array_get(frames, 1), "descriptor"), "([Ljava/lang/String;)V");
    json_decref(json);
    assert_int_equal(ixor_stacks_stack(stacks, path, 5, 3, &json, &err), IXOR_NOT_THERE);
    assert_non_null(strstr(err.text, "no thread 3"));
    assert_int_equal(ix_log_writer_close(w), 0);
}

static void a_log_grows(void **state)
{
    (void)state;
    const char *path = in_tempdir("a.ixl");
    struct ix_log_writer *w = log_at(path);
    expect_none(path, 0, IXOR_NOT_THERE, "no snapshot yet");
    for (uint64_t p = 1; p <= 100; p++) {
        write_packet(w, 2 * p);
        expect(path, 0, 2 * p);
        expect(path, 2 * p, 2 * p);
    }
    /* Back, further than what is kept; forwards; what was not taken. */
    for (uint64_t p = 100; p >= 1; p--)
        expect(path, 2 * p, 2 * p);
    expect(path, 200, 200);
    expect(path, 2, 2);
    expect_none(path, 51, IXOR_NOT_THERE, "nearest are 50 and 52");
    expect_none(path, 201, IXOR_NOT_THERE, "has 2 to 200");
    expect_none(path, 1, IXOR_NOT_THERE, "has 2 to");
    expect(path, 0, 200);
    assert_int_equal(ix_log_writer_close(w), 0);
}

/* A record that is only half there is not read, until it is whole. */
static void a_log_is_torn_for_a_while(void **state)
{
    (void)state;
    const char *path = in_tempdir("a.ixl"), *torn = in_tempdir("b.ixl");
    struct ix_log_writer *w = log_at(path);
    write_packet(w, 1);
    const size_t first = ix_log_writer_bytes(w);
    write_packet(w, 2);
    assert_int_equal(ix_log_writer_close(w), 0);
    static uint8_t bytes[4096];
    int fd = open(path, O_RDONLY);
    const ssize_t all = read(fd, bytes, sizeof bytes);
    close(fd);
    assert_true(all > (ssize_t)first && all < (ssize_t)sizeof bytes);
    fd = open(torn, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_true(fd >= 0);
    for (ssize_t i = 0; i < all; i++) {
        assert_int_equal(write(fd, &bytes[i], 1), 1);
        if (i + 1 < (ssize_t)first)
            expect_none(torn, 0, IXOR_NOT_THERE, "no snapshot yet");
        else
            expect(torn, 0, i + 1 < all ? 1 : 2);
    }
    close(fd);
}

static void a_log_goes_on_in_parts(void **state)
{
    (void)state;
    const char *path = in_tempdir("a.ixl");
    struct ix_log_writer *w = log_at(path);
    for (uint64_t p = 1; p <= 40; p++) {
        write_packet(w, p);
        expect(path, 0, p);
        if (p % 10 == 0)
            assert_int_equal(ix_log_next_part(w), 0);
    }
    expect(path, 35, 35);
    expect(path, 8, 8);
    expect(path, 31, 31);
    assert_int_equal(ix_log_writer_close(w), 0);
}

/* The newest part has strings so far, and nothing that was kept of the one before is good. */
static void a_part_without_a_snapshot(void **state)
{
    (void)state;
    const char *path = in_tempdir("a.ixl");
    struct ix_log_writer *w = log_at(path);
    write_packet(w, 1);
    expect(path, 0, 1);
    write_packet(w, 2);
    assert_int_equal(ix_log_next_part(w), 0);
    assert_int_equal(ix_log_writer_close(w), 0);
    expect_none(path, 0, IXOR_NOT_THERE, "newest part has no snapshot yet");
    expect(path, 2, 2);
    expect(path, 1, 1);
}

/* ---- hostile logs ---- */

#define CROWD 2000000u
#define AGAIN (INSTRUMENTED ? 500u : 4000u)

/* 30 MB: so many threads, all in one snapshot after another. */
static void write_crowd(const char *path, uint64_t packets, uint32_t threads)
{
    struct ix_log_writer *w = log_at(path);
    struct ix_entry *entries = calloc(threads, sizeof *entries);
    assert_non_null(entries);
    for (uint32_t i = 0; i < threads; i++) {
        const struct ix_thread t = {.number = i + 1, .name = "t", .group = "", .parent = ""};
        assert_int_equal(ix_log_thread(w, &t), 0);
        entries[i] = (struct ix_entry){i + 1, IX_THREAD_ALIVE, 0};
    }
    for (uint64_t p = 1; p <= packets; p++) {
        const struct ix_snapshot s = {.packet = p, .entries = entries, .count = threads};
        assert_int_equal(ix_log_snapshot(w, &s), 0);
    }
    free(entries);
    assert_int_equal(ix_log_writer_close(w), 0);
}

static void in_another_process(void (*write)(const char *path), const char *path)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        write(path);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void write_two_million(const char *path)
{
    write_crowd(path, 40, CROWD);
}

static void write_many_times(const char *path)
{
    write_crowd(path, AGAIN, 100000);
}

static size_t resident_max_mb(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (size_t)usage.ru_maxrss / 1024;
}

static double worked_s(void)
{
    struct timespec t;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t), 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Until it is not busy any more. */
static enum ixor_found patiently(const char *path, uint64_t packet, json_t **json,
                                 struct ix_error *err)
{
    enum ixor_found found;
    while ((found = ixor_stacks_threads(stacks, path, packet, json, err)) == IXOR_BUSY)
        continue;
    return found;
}

/* One look took 890 MB. */
static void two_million_threads(void **state)
{
    (void)state;
    const char *path = in_tempdir("a.ixl");
    struct ix_error err = {""};
    json_t *json = NULL;
    in_another_process(write_two_million, path);
    const size_t before = resident_max_mb();
    const enum ixor_found found = patiently(path, 0, &json, &err);
    assert_true(found == IXOR_FOUND || strstr(err.text, "of memory that the viewer has"));
    json_decref(json);
    print_message("%zu MB, %s\n", resident_max_mb() - before, err.text);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */
    assert_true(resident_max_mb() - before <= 2 * (IXOR_STACKS_BYTES >> 20));
#endif
}

/* Some bytes that say thousands of times that 100,000 threads are as they were. */
static void the_same_again_and_again(void **state)
{
    (void)state;
    const char *path = in_tempdir("a.ixl");
    struct ix_error err = {""};
    struct ix_snapshot s;
    json_t *json = NULL;
    in_another_process(write_many_times, path);
    double begin = worked_s();
    struct ix_log_reader *r = ix_log_open(path, &err);
    while (ix_log_next(r, &s, &err) == 1)
        continue;
    ix_log_reader_close(r);
    const double reading = worked_s() - begin;
    static const uint64_t asked[] = {0, AGAIN - 100, AGAIN - 101, 5};
    begin = worked_s();
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(patiently(path, asked[i], &json, &err), IXOR_FOUND);
        assert_int_equal(integer(json, "packet"), asked[i] ? asked[i] : AGAIN);
        assert_int_equal(integer(json, "thread_count"), 100000);
        json_decref(json);
    }
    print_message("read in %.3f s, four questions %.3f s\n", reading, worked_s() - begin);
    assert_true(worked_s() - begin < 0.5 + 20 * reading);
}

/* 64 MB that have no snapshot: the event loop has its turn in between. */
static void looked_at_in_slices(void **state)
{
    (void)state;
    static const uint8_t nothing[1 << 20];
    const char *path = in_tempdir("a.ixl");
    struct ix_out header = {0}, record = {0};
    put_header(&header);
    put_record(&record, 200, nothing, sizeof nothing);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(header.data, header.len, 1, f), 1);
    for (int i = 0; i < 64; i++)
        assert_int_equal(fwrite(record.data, record.len, 1, f), 1);
    assert_int_equal(fclose(f), 0);
    struct event_base *base = event_base_new();
    struct ixor_log_check *w =
        ixor_log_check_new(base, NULL, NULL); /* tells no writer: has no end */
    assert_non_null(w);
    ixor_log_check_add(w, 1, path);
    for (int i = 0; i < 3; i++)
        assert_int_equal(event_base_loop(base, EVLOOP_ONCE), 0);
    ixor_log_check_free(w);
    event_base_free(base);
    ix_out_free(&record);
    ix_out_free(&header);
    assert_int_equal(ixor_log_is_complete(path), 1);
}

static void logs_that_cannot_be_read(void **state)
{
    (void)state;
    const char *path = in_tempdir("a.ixl"), *text = in_tempdir("text");
    expect_none(path, 0, IXOR_NOT_THERE, "cannot open");
    struct ix_log_writer *w = log_at(path);
    write_packet(w, 1);
    expect(path, 0, 1);
    assert_int_equal(ix_log_writer_close(w), 0);
    assert_int_equal(unlink(path), 0);
    expect_none(path, 0, IXOR_NOT_THERE, "cannot open");
    w = log_at(path); /* another one of the same name */
    write_packet(w, 7);
    expect(path, 0, 7);
    assert_int_equal(ix_log_writer_close(w), 0);
    FILE *f = fopen(text, "w");
    assert_non_null(f);
    fputs("nothing that has snapshots", f);
    fclose(f);
    expect_none(text, 0, IXOR_NOT_THERE, "is not a trace log");
    expect_none(tempdir, 0, IXOR_NOT_THERE, "cannot open");
}

/* More logs than are kept open, in turn. */
static void many_logs(void **state)
{
    (void)state;
    enum { LOGS = 3 * IXOR_STACKS_LOGS };
    char name[16];
    for (unsigned i = 0; i < LOGS; i++) {
        snprintf(name, sizeof name, "%u.ixl", i);
        struct ix_log_writer *w = log_at(in_tempdir(name));
        write_packet(w, i + 1);
        assert_int_equal(ix_log_writer_close(w), 0);
    }
    for (unsigned n = 0; n < 2 * LOGS; n++) {
        snprintf(name, sizeof name, "%u.ixl", n % LOGS);
        expect(in_tempdir(name), n % 2 ? 0 : n % LOGS + 1, n % LOGS + 1);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_an_answer_says),       TEST(a_log_grows),
        TEST(a_log_is_torn_for_a_while), TEST(a_log_goes_on_in_parts),
        TEST(a_part_without_a_snapshot), TEST(two_million_threads),
        TEST(looked_at_in_slices),       TEST(the_same_again_and_again),
        TEST(logs_that_cannot_be_read),  TEST(many_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
