/* Real processes: started, reported, and ended with everything that they left behind. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/child.h"
#include "server/descendants.h"
#include "server/units.h"

static struct event_base *base;
static char dir[] = "/tmp/ixor-child-XXXXXX";

struct seen {
    bool ended, gone;
    size_t stuck;
    struct ixor_child *child;
};

static void on_ended(void *user)
{
    ((struct seen *)user)->ended = true;
}

static void on_gone(void *user, size_t stuck)
{
    struct seen *s = user;
    s->gone = true;
    s->stuck = stuck;
}

static struct ixor_child *start(struct seen *s, const char *script, const char *output)
{
    char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, (char *)script, NULL};
    struct ixor_child_events events = {on_ended, on_gone, s};
    struct ix_error err = {""};
    *s = (struct seen){0};
    s->child = ixor_child_start(base, argv, environ, output, &events, &err);
    if (!s->child)
        fail_msg("%s", err.text);
    return s->child;
}

static void run_until_gone(struct seen *s)
{
    while (!s->gone)
        event_base_loop(base, EVLOOP_ONCE);
    assert_true(s->ended);
    assert_int_equal(s->stuck, 0);
}

/* Nothing that the test started may live on. */
static void assert_nothing_left(void)
{
    struct ixor_processes left = {0};
    assert_int_equal(ixor_descendants(&left, 0, NULL), 0);
    assert_int_equal(left.count, 0);
    ixor_processes_free(&left);
}

static void exit_status_and_signal(void **state)
{
    (void)state;
    struct seen s;
    start(&s, "exit 7", NULL);
    run_until_gone(&s);
    assert_int_equal(ixor_child_exit_status(s.child), 7);
    assert_int_equal(ixor_child_exit_signal(s.child), 0);
    ixor_child_free(s.child);
    start(&s, "kill -SEGV $$", NULL);
    run_until_gone(&s);
    assert_int_equal(ixor_child_exit_status(s.child), -1);
    assert_int_equal(ixor_child_exit_signal(s.child), SIGSEGV);
    ixor_child_free(s.child);
}

static void output_and_input(void **state)
{
    (void)state;
    char path[64], text[64] = "";
    snprintf(path, sizeof path, "%s/output.txt", dir);
    struct seen s;
    start(&s, "cat; echo out; echo err >&2", path);
    run_until_gone(&s);
    ixor_child_free(s.child);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    assert_string_equal(text, "out\nerr\n");
    unlink(path);
}

/* Each leaves something behind: in the background, as a daemon that forked twice, in a session of
 * its own, deaf to SIGTERM, stopped. */
static void what_is_left_behind_is_ended(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "sleep 1000 & exit 0",
        "(sleep 1000 & (sleep 1000 &) ) & exit 0",
        "setsid sh -c 'sleep 1000 & sleep 1000' & exit 0",
        "setsid sh -c 'trap \"\" TERM; sleep 1000; sleep 1000' >/dev/null 2>&1 & exit 0",
        "sleep 1000 & kill -STOP $!; exit 0",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        struct seen s;
        uint64_t began = ixor_mono_ns();
        start(&s, scripts[i], NULL);
        run_until_gone(&s);
        assert_int_equal(ixor_child_exit_status(s.child), 0);
        ixor_child_free(s.child);
        assert_nothing_left();
        if (ixor_mono_ns() - began > 5000000000)
            fail_msg("'%s' took too long to end", scripts[i]);
    }
}

/* A chain of processes of which each starts the next and ends: while a list of processes is read, the
 * living one can be missed. */
static void a_chain_of_forks_is_ended(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct seen s;
        start(&s,
              "chain() { [ $1 = 0 ] && exec sleep 1000; (chain $(($1 - 1))) & }; chain 60; exit 0",
              NULL);
        run_until_gone(&s);
        ixor_child_free(s.child);
        assert_nothing_left();
    }
}

static void orderly_end_comes_first(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/goodbye", dir);
    char script[256];
    snprintf(script, sizeof script,
             "trap 'echo bye >%s; exit 3' TERM; echo ready >%s.ready; while :; do sleep 0.01; done",
             path, path);
    struct seen s;
    start(&s, script, NULL);
    char ready[80];
    struct stat info;
    snprintf(ready, sizeof ready, "%s.ready", path);
    while (stat(ready, &info) != 0)
        event_base_loop(base, EVLOOP_NONBLOCK);
    ixor_child_end(s.child, false);
    run_until_gone(&s);
    assert_int_equal(ixor_child_exit_status(s.child), 3);
    assert_int_equal(stat(path, &info), 0);
    ixor_child_free(s.child);
    unlink(path);
    unlink(ready);
}

static void at_once_does_not_wait(void **state)
{
    (void)state;
    struct seen s;
    uint64_t began = ixor_mono_ns();
    start(&s, "trap '' TERM; while :; do sleep 1000; done", NULL);
    ixor_child_end(s.child, false);
    ixor_child_end(s.child, true);
    run_until_gone(&s);
    assert_int_equal(ixor_child_exit_signal(s.child), SIGKILL);
    assert_true(ixor_mono_ns() - began < (uint64_t)IXOR_TERM_MS * 1000000);
    ixor_child_free(s.child);
    assert_nothing_left();
}

/* A child that this program had before is none of the command's. */
static void older_children_are_left_alone(void **state)
{
    (void)state;
    pid_t older = fork();
    if (older == 0) {
        pause();
        _exit(0);
    }
    uint64_t began = ixor_process_started(older);
    /* Start times count in ticks of 10 ms. */
    char *argv[] = {(char[]){"/bin/sleep"}, (char[]){"0.05"}, NULL};
    pid_t wait_for = fork();
    if (wait_for == 0) {
        execv(argv[0], argv);
        _exit(1);
    }
    waitpid(wait_for, NULL, 0);
    struct seen s;
    start(&s, "sleep 1000 &", NULL);
    run_until_gone(&s);
    ixor_child_free(s.child);
    assert_true(ixor_process_started(older) == began);
    assert_int_equal(kill(older, SIGKILL), 0);
    assert_int_equal(waitpid(older, NULL, 0), older);
}

static void what_cannot_be_run(void **state)
{
    (void)state;
    struct ix_error err = {""};
    assert_int_equal(ixor_child_check("sh", &err), 0);
    assert_int_equal(ixor_child_check("/bin/sh", &err), 0);
    static const char *const bad[] = {"", "no-such-command-here", "/no/such/file", "/etc/passwd",
                                      "/tmp"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        err.text[0] = '\0';
        assert_int_equal(ixor_child_check(bad[i], &err), -1);
        assert_non_null(strstr(err.text, bad[i]));
    }
    /* What only exec finds out: an interpreter that is not there. */
    char path[64], output[64];
    snprintf(path, sizeof path, "%s/script", dir);
    snprintf(output, sizeof output, "%s/output.txt", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("#!/no/such/interpreter\n", f);
    fclose(f);
    chmod(path, 0755);
    assert_int_equal(ixor_child_check(path, &err), 0);
    struct seen s = {0};
    struct ixor_child_events events = {on_ended, on_gone, &s};
    char *argv[] = {path, NULL};
    assert_null(ixor_child_start(base, argv, environ, output, &events, &err));
    assert_non_null(strstr(err.text, path));
    struct stat info;
    assert_int_equal(stat(output, &info), -1);
    unlink(path);
    assert_nothing_left();
}

static int set_up(void **state)
{
    (void)state;
    base = event_base_new();
    return base && mkdtemp(dir) && ixor_become_subreaper(NULL) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    event_base_free(base);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_status_and_signal),
        cmocka_unit_test(output_and_input),
        cmocka_unit_test(what_is_left_behind_is_ended),
        cmocka_unit_test(a_chain_of_forks_is_ended),
        cmocka_unit_test(orderly_end_comes_first),
        cmocka_unit_test(at_once_does_not_wait),
        cmocka_unit_test(older_children_are_left_alone),
        cmocka_unit_test(what_cannot_be_run),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
