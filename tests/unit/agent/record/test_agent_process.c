/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of the process: what /proc says, and collections as they are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/record/process.h"
#include "tests/support/tempdir.h"

static void statm(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t pages;
    } cases[] = {
        {"1000 250 30 4 0 500 0\n", 250},
        {"1 18446744073709551615 3", UINT64_MAX},
        {"0 0 0 0 0 0 0\n", 0},
        {"", 0},
        {"1000", 0},
        {"1000 ", 0},
        {"1000  250", 0},
        {" 1000 250", 0},
        {"1000 -1 3", 0},
        {"x 250", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(ixa_process_resident(cases[i].text) == cases[i].pages);
}

static void entries(void **state)
{
    (void)state;
    char name[16];
    assert_int_equal(ixa_process_entries(tempdir), 0);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "%d", i);
        close(open(in_tempdir(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    }
    assert_int_equal(ixa_process_entries(tempdir), 300);
    assert_int_equal(ixa_process_entries("/proc/self/no such directory"), -1);
}

/* The same number whether the kernel tells it or the entries are counted. */
static void descriptors(void **state)
{
    (void)state;
    enum { MORE = 50 };
    struct ixa_collections none = {0};
    struct ix_process before, after, later;
    int fds[MORE];
    for (int sized = 0; sized < 2; sized++) {
        struct ixa_process p;
        ixa_process_open(&p);
        if (sized && !p.sized) {
            ixa_process_close(&p);
            break; /* this kernel does not tell */
        }
        p.sized = sized;
        ixa_process_read(&p, &none, 0, &before);
        for (int i = 0; i < MORE; i++)
            fds[i] = dup(p.statm_fd);
        ixa_process_read(&p, &none, INT64_MAX / 2, &after);
        p.next_ns = INT64_MAX; /* not due: the count before is given again */
        for (int i = 0; i < MORE; i++)
            close(fds[i]);
        ixa_process_read(&p, &none, 1, &later);
        assert_int_equal(after.descriptors - before.descriptors, MORE);
        assert_int_equal(later.descriptors, sized ? before.descriptors : after.descriptors);
        assert_int_equal(before.descriptors, ixa_process_entries("/proc/self/fd"));
        ixa_process_close(&p);
    }
}

static void *accepting(void *arg)
{
    return (void *)(intptr_t)accept(*(int *)arg, NULL, NULL);
}

static int64_t size_of_list(void)
{
    struct stat list;
    assert_int_equal(stat("/proc/self/fd", &list), 0);
    return list.st_size;
}

/* A thread in accept() has a descriptor that is counted, but not listed: the kernel still tells. */
static void accepted_from(void **state)
{
    (void)state;
    struct ixa_process p;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    pthread_t thread;
    const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", in_tempdir("socket"));
    assert_int_equal(bind(listening, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listening, 1), 0);
    ixa_process_open(&p);
    const bool tells = p.sized;
    ixa_process_close(&p);
    assert_int_equal(pthread_create(&thread, NULL, accepting, (void *)&listening), 0);
    while (tells && size_of_list() != ixa_process_entries("/proc/self/fd") + 1)
        sched_yield();
    ixa_process_open(&p);
    assert_int_equal(p.sized, tells);
    ixa_process_close(&p);
    shutdown(listening, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(listening);
}

/* Counting takes a share of the time: right after it, it is not due. */
static void bounded(void **state)
{
    (void)state;
    struct ixa_collections none = {0};
    struct ix_process out;
    struct ixa_process p;
    ixa_process_open(&p);
    p.sized = false;
    ixa_process_read(&p, &none, 1000, &out);
    assert_true(p.next_ns > 1000);
    ixa_process_close(&p);
}

static void figures(void **state)
{
    (void)state;
    struct ixa_collections none = {0};
    struct ix_process first, second;
    struct ixa_process p;
    ixa_process_open(&p);
    ixa_process_read(&p, &none, 1, &first);
    assert_true(first.cpu_ns > 0);
    do
        ixa_process_read(&p, &none, 2, &second);
    while (second.cpu_ns == first.cpu_ns);
    assert_true(second.cpu_ns > first.cpu_ns);
    assert_true(first.rss_bytes > 100000);
    assert_int_equal(first.gc_count, 0);
    ixa_process_close(&p);
    ixa_process_close(&p);
    /* Nothing to be read: zeroes. */
    ixa_process_read(&p, &none, 3, &first);
    assert_int_equal(first.rss_bytes, 0);
}

static void collections(void **state)
{
    (void)state;
    struct ixa_collections c = {0};
    struct ixa_process p = IXA_PROCESS_NONE;
    struct ix_process out;
    ixa_collections_finish(&c, 500); /* its start was before the events */
    ixa_collections_start(&c, 1000);
    ixa_collections_finish(&c, 1300);
    ixa_collections_start(&c, 2000);
    ixa_process_read(&p, &c, 1, &out);
    assert_int_equal(out.gc_count, 1);
    assert_int_equal(out.gc_ns, 300);
    ixa_collections_finish(&c, 2050);
    ixa_collections_finish(&c, 2060);
    ixa_process_read(&p, &c, 1, &out);
    assert_int_equal(out.gc_count, 2);
    assert_int_equal(out.gc_ns, 350);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statm),
        cmocka_unit_test_setup_teardown(entries, tempdir_make, tempdir_remove),
        cmocka_unit_test(descriptors),
        cmocka_unit_test_setup_teardown(accepted_from, tempdir_make, tempdir_remove),
        cmocka_unit_test(bounded),
        cmocka_unit_test(figures),
        cmocka_unit_test(collections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
