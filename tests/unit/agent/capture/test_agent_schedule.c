/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a thread has run: asked of real threads of this kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/capture/schedule.h"
#include "tests/support/tempdir.h"

static struct {
    int in[2], out[2]; /* the thread answers each byte with one */
    _Atomic pid_t tid;
    _Atomic int spin; /* after 's' it computes while this is 1 */
    pthread_t thread;
} other;

static void *answer(void *unused)
{
    char byte;
    other.tid = gettid();
    while (read(other.in[0], &byte, 1) == 1 && byte != 'q') {
        if (write(other.out[1], &byte, 1) != 1)
            return unused;
        while (byte == 's' && other.spin)
            continue;
    }
    return unused;
}

static void ask(char byte)
{
    assert_int_equal(write(other.in[1], &byte, 1), 1);
    assert_int_equal(read(other.out[0], &byte, 1), 1);
}

static int start_thread(void **state)
{
    (void)state;
    if (pipe(other.in) != 0 || pipe(other.out) != 0 ||
        pthread_create(&other.thread, NULL, answer, NULL) != 0)
        return -1;
    ask('x');
    return 0;
}

static void until_asleep(const struct ixa_watch *w)
{
    while (!ixa_watch_asleep(w))
        sched_yield();
}

static void end_thread(void)
{
    assert_int_equal(write(other.in[1], "q", 1), 1);
    pthread_join(other.thread, NULL);
}

static bool tells(struct ixa_schedule *s, struct ixa_watch *w)
{
    ixa_schedule_init(s, IXA_SHARE_WALK);
    if (ixa_watch_open(s, w, other.tid) && ixa_watch_count(w))
        return true;
    ixa_schedule_free(s); /* nothing can be tested here */
    return false;
}

static void each_wakeup_counts(void **state)
{
    (void)state;
    struct ixa_schedule s;
    struct ixa_watch w;
    if (!tells(&s, &w))
        skip();
    for (int i = 0; i < 200; i++) {
        until_asleep(&w);
        const uint64_t before = ixa_watch_count(&w);
        assert_int_not_equal(before, 0);
        assert_true(ixa_watch_asleep(&w));
        assert_int_equal(ixa_watch_count(&w), before);
        ask('x');
        assert_true(ixa_watch_count(&w) > before);
    }
    end_thread();
    while (ixa_watch_count(&w)) /* it may be joined moments before the kernel lets go of it */
        sched_yield();
    assert_false(ixa_watch_asleep(&w));
    ixa_watch_close(&s, &w);
    assert_int_equal(s.open, 0);
    ixa_schedule_free(&s);
}

/* A thread that computes is never taken for asleep, be it on the CPU or waiting for one. */
static void computing_is_not_asleep(void **state)
{
    (void)state;
    struct ixa_schedule s;
    struct ixa_watch w;
    if (!tells(&s, &w))
        skip();
    other.spin = 1;
    ask('s');
    for (int i = 0; i < 5000; i++)
        assert_false(ixa_watch_asleep(&w));
    other.spin = 0;
    end_thread();
    ixa_watch_close(&s, &w);
    ixa_schedule_free(&s);
}

static void a_share_of_the_descriptors(void **state)
{
    (void)state;
    static const struct {
        rlim_t limit;
        uint32_t most;
    } rows[] = {{1024, 128}, {100, 12}, {40000, 4096}};
    struct rlimit old, limit;
    struct ixa_schedule s;
    struct ixa_watch watches[16];
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        limit = old;
        limit.rlim_cur = rows[i].limit;
        if (limit.rlim_cur > limit.rlim_max || setrlimit(RLIMIT_NOFILE, &limit) != 0)
            continue;
        ixa_schedule_init(&s, IXA_SHARE_WALK);
        if (s.tasks >= 0)
            assert_int_equal(s.most, rows[i].most);
        ixa_schedule_free(&s);
        ixa_schedule_init(&s, IXA_SHARE_FACT);
        if (s.tasks >= 0)
            assert_in_range(4 * s.most, 0, rows[i].limit / 8);
        ixa_schedule_free(&s);
    }
    limit.rlim_cur = 80;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ixa_schedule_init(&s, IXA_SHARE_WALK);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(ixa_watch_open(&s, &watches[i], gettid()), s.tasks >= 0 && i < 5);
    for (size_t i = 0; i < 16; i++)
        ixa_watch_close(&s, &watches[i]);
    assert_int_equal(s.open, 0);
    ixa_schedule_free(&s);
    setrlimit(RLIMIT_NOFILE, &old);
}

/* Old libraries select() with descriptors below FD_SETSIZE: those are left to them. */
static void high_descriptors(void **state)
{
    (void)state;
    struct rlimit limit;
    struct ixa_schedule s;
    struct ixa_watch w;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    ixa_schedule_init(&s, IXA_SHARE_WALK);
    if (limit.rlim_cur < 2 * FD_SETSIZE || !ixa_watch_open(&s, &w, gettid())) {
        ixa_schedule_free(&s);
        skip();
    }
    assert_true(w.count_fd >= FD_SETSIZE && w.asleep_fd >= FD_SETSIZE);
    assert_int_not_equal(ixa_watch_count(&w), 0);
    ixa_watch_close(&s, &w);
    ixa_schedule_free(&s);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* What other kernels and containers answer; `count` NULL: there is no such file. */
static void other_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *count, *call;
        bool opened, asleep;
        uint64_t want;
    } rows[] = {
        {"17 4 9\n", "0 0x3 0x1\n", true, true, 9},
        {"17 4 18446744073709551615\n", "-1 0x7ff 0x7ff\n", true, true, UINT64_MAX},
        {"17 4 9\n", "running\n", true, false, 9},
        {"17 4 9\n", "", true, false, 9},
        {"0 0 0\n", "running\n", true, false, 0}, /* the kernel was started without counting */
        {"", "running\n", true, false, 0},
        {"9\n", "running\n", true, false, 0},
        {"17 4 nine\n", "running\n", true, false, 0},
        {"17 4 9\n", NULL, false, false, 0},  /* CONFIG_HAVE_ARCH_TRACEHOOK is missing */
        {NULL, "running\n", false, false, 0}, /* CONFIG_SCHED_INFO is missing */
    };
    const char *count = in_tempdir("77/schedstat"), *call = in_tempdir("77/syscall");
    assert_int_equal(mkdir(in_tempdir("77"), 0700), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ixa_schedule s = {.tasks = open(tempdir, O_RDONLY | O_DIRECTORY), .most = 16};
        struct ixa_watch w;
        if (rows[i].count)
            write_file(count, rows[i].count);
        if (rows[i].call)
            write_file(call, rows[i].call);
        assert_int_equal(ixa_watch_open(&s, &w, 77), rows[i].opened);
        assert_int_equal(s.open, rows[i].opened ? 2 : 0);
        assert_int_equal(ixa_watch_count(&w), rows[i].want);
        assert_int_equal(ixa_watch_asleep(&w), rows[i].asleep);
        ixa_watch_close(&s, &w);
        assert_int_equal(s.open, 0);
        ixa_schedule_free(&s);
        unlink(count);
        unlink(call);
    }
}

static void not_a_thread(void **state)
{
    (void)state;
    struct ixa_schedule s;
    struct ixa_watch w = IXA_WATCH_NONE;
    ixa_schedule_init(&s, IXA_SHARE_WALK);
    assert_false(ixa_watch_open(&s, &w, 0));
    assert_false(ixa_watch_open(&s, &w, 1 << 22)); /* above the kernel's largest */
    assert_int_equal(ixa_watch_count(&w), 0);
    assert_false(ixa_watch_asleep(&w));
    ixa_watch_close(&s, &w);
    assert_int_equal(s.open, 0);
    ixa_schedule_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_wakeup_counts, start_thread),
        cmocka_unit_test_setup(computing_is_not_asleep, start_thread),
        cmocka_unit_test(a_share_of_the_descriptors),
        cmocka_unit_test(high_descriptors),
        cmocka_unit_test_setup_teardown(other_kernels, tempdir_make, tempdir_remove),
        cmocka_unit_test(not_a_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
