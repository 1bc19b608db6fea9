/* SPDX-License-Identifier: Apache-2.0 */
/* Real processes: started, reported, and ended with everything that they left behind. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/units.h"
#include "server/launch/child.h"
#include "server/launch/descendants.h"
#include "server/launch/keeper.h"

static struct event_base *base;
static char dir[] = "/tmp/ixor-child-XXXXXX";

struct seen {
    bool ended, gone;
    size_t stuck;
    struct ixor_child *child;
    unsigned paused, refused, resumed;
};

static void on_paused(void *user, bool stopped)
{
    struct seen *s = user;
    s->paused += stopped;
    s->refused += !stopped;
}

static void on_resumed(void *user)
{
    ((struct seen *)user)->resumed++;
}

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

static struct ixor_child *start_with(struct seen *s, const char *script, const char *output,
                                     const struct ixor_load *load)
{
    char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, (char *)script, NULL};
    const struct ixor_child_events events = {on_ended, on_gone, on_paused, on_resumed, s};
    struct ix_error err = {""};
    *s = (struct seen){0};
    s->child = ixor_child_start(base, argv, environ, output, load, &events, &err);
    if (!s->child)
        fail_msg("%s", err.text);
    return s->child;
}

static struct ixor_child *start(struct seen *s, const char *script, const char *output)
{
    return start_with(s, script, output, NULL);
}

static void run_until_gone(struct seen *s)
{
    while (!s->gone)
        event_base_loop(base, EVLOOP_ONCE);
    assert_true(s->ended);
    assert_int_equal(s->stuck, 0);
}

/* Nothing that the test started may live on; what escapes a keeper comes to the test. */
static void assert_nothing_left(void)
{
    struct ixor_processes left = {0};
    assert_int_equal(ixor_descendants(&left, NULL), 0);
    assert_int_equal(left.count, 0);
    ixor_processes_free(&left);
}

static pid_t read_pid(const char *path)
{
    FILE *f = fopen(path, "r");
    int pid = 0;
    if (f && fscanf(f, "%d\n", &pid) != 1)
        pid = 0;
    if (f)
        fclose(f);
    return pid;
}

/* The process id that the script has written to the file, once it is there. */
static pid_t await_pid(const char *path)
{
    pid_t pid;
    while ((pid = read_pid(path)) == 0)
        event_base_loop(base, EVLOOP_NONBLOCK);
    unlink(path);
    return pid;
}

/* The process's state in /proc, as in 'T': stopped. */
static char state_of(pid_t pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
    fclose(f);
    return state;
}

/* A grandchild is paused and goes on; a process that is none of the command's is not touched, nor
 * is one that is paused already. */
static void a_process_is_paused(void **state)
{
    (void)state;
    char script[256], path[64];
    struct seen s;
    snprintf(path, sizeof path, "%s/pid", dir);
    snprintf(script, sizeof script, "sh -c 'echo $$ >%s.new; mv %s.new %s; exec sleep 1000' & wait",
             path, path, path);
    start(&s, script, NULL);
    const pid_t pid = await_pid(path);

    const uint64_t before = ixor_mono_ns();
    ixor_child_pause(s.child, pid, 100000000);
    ixor_child_pause(s.child, pid, 100000000);
    assert_int_equal(s.refused, 1);
    while (!s.resumed)
        event_base_loop(base, EVLOOP_ONCE);
    assert_int_equal(s.paused, 1);
    assert_true(ixor_mono_ns() - before >= 100000000);
    assert_int_not_equal(state_of(pid), 'T');

    ixor_child_pause(s.child, getpid(), 100000000);
    while (s.refused < 2)
        event_base_loop(base, EVLOOP_ONCE);
    ixor_child_pause(s.child, 1, 100000000);
    while (s.refused < 3)
        event_base_loop(base, EVLOOP_ONCE);
    assert_int_equal(s.paused, 1);

    /* Paused for long when the command is ended: it does not stay stopped. */
    ixor_child_pause(s.child, pid, UINT64_C(1000000000000));
    while (state_of(pid) != 'T')
        event_base_loop(base, EVLOOP_NONBLOCK);
    ixor_child_end(s.child, false);
    run_until_gone(&s);
    assert_int_equal(ixor_child_exit_signal(s.child), SIGTERM);
    ixor_child_free(s.child);
    assert_nothing_left();
}

/* They are there while the command runs, and end with it. */
static void busy_processes(void **state)
{
    (void)state;
    const struct ixor_load load = {.hogs = 3};
    struct seen s;
    char path[64];
    snprintf(path, sizeof path, "%s/hogs", dir);
    start_with(&s,
               "for i in $(seq 1000); do n=$(ps -o comm= --ppid $PPID | grep -c ixor-hog); "
               "[ $n != 3 ] || break; sleep 0.01; done; echo $n", /* each takes its name first */
               path, &load);
    run_until_gone(&s);
    ixor_child_free(s.child);
    assert_int_equal(read_pid(path), 3);
    unlink(path);
    assert_nothing_left();
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

/* A chain of processes of which each starts the next and ends: while a list of processes is read,
 * the living one can be missed. */
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

/* Until the command has made it: its traps are set then. Removes it. */
static void wait_for_file(const char *path)
{
    struct stat info;
    while (stat(path, &info) != 0)
        event_base_loop(base, EVLOOP_NONBLOCK);
    unlink(path);
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
    wait_for_file(ready);
    ixor_child_end(s.child, false);
    run_until_gone(&s);
    assert_int_equal(ixor_child_exit_status(s.child), 3);
    assert_int_equal(stat(path, &info), 0);
    ixor_child_free(s.child);
    unlink(path);
}

static void at_once_does_not_wait(void **state)
{
    (void)state;
    struct seen s;
    char ready[64], script[160];
    snprintf(ready, sizeof ready, "%s/deaf", dir);
    snprintf(script, sizeof script, "trap '' TERM; >%s; while :; do sleep 1000; done", ready);
    start(&s, script, NULL);
    wait_for_file(ready);
    const uint64_t began = ixor_mono_ns();
    ixor_child_end(s.child, false);
    ixor_child_end(s.child, true);
    run_until_gone(&s);
    assert_int_equal(ixor_child_exit_signal(s.child), SIGKILL);
    assert_true(ixor_mono_ns() - began < (uint64_t)IXOR_TERM_MS * 1000000);
    ixor_child_free(s.child);
    assert_nothing_left();
}

/* ---- what is not the command's ---- */

/* Starts short processes, one after the other, and orphans, until its pipe closes; its exit status
 * is how many of them a signal ended. */
static int start_strangers(int until_closed)
{
    char byte;
    int hurt = 0, status;
    while (read(until_closed, &byte, 1) < 0) {
        const pid_t pid = fork();
        if (pid == 0) {
            if (fork() == 0) /* an orphan, soon: whose it is then is nobody's but a subreaper's */
                usleep(30000);
            usleep(20000);
            _exit(0);
        }
        waitpid(pid, &status, 0);
        hurt += WIFSIGNALED(status);
    }
    return hurt;
}

/* As a shell's children do that it had before it became ixor by exec, others start processes while
 * the command is there and while what it left behind is being ended: they live below this program
 * too. */
static void others_are_left_alone(void **state)
{
    (void)state;
    int running[2], status;
    assert_int_equal(pipe2(running, O_NONBLOCK | O_CLOEXEC), 0);
    const pid_t others = fork();
    if (others == 0) {
        close(running[1]);
        _exit(start_strangers(running[0]));
    }
    struct seen s;
    start(&s, "setsid sh -c 'trap \"\" TERM; while :; do sleep 0.1; done' & sleep 0.1", NULL);
    run_until_gone(&s);
    ixor_child_free(s.child);
    close(running[1]);
    assert_int_equal(waitpid(others, &status, 0), others);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    while (waitpid(-1, NULL, 0) > 0) /* orphans */
        ;
    assert_nothing_left();
}

/* The command's processes, as the parts of a keeper's tree: how many the test has below it. */
static size_t below(struct ixor_processes *list)
{
    assert_int_equal(ixor_descendants(list, NULL), 0);
    return list->count;
}

/* Waits until nothing is below the test but what is to be reaped. */
static void wait_for_nothing(void)
{
    const uint64_t began = ixor_mono_ns();
    struct ixor_processes left = {0};
    while (below(&left) > 0) {
        if (ixor_mono_ns() - began > 10000000000u)
            fail_msg("%zu processes live on", left.count);
        usleep(5000);
    }
    ixor_processes_free(&left);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

/* kill -9 of ixor: its keeper ends the command and what that has started. */
static void the_end_of_ixor_ends_the_command(void **state)
{
    (void)state;
    char ready[64];
    struct stat info;
    snprintf(ready, sizeof ready, "%s/ready", dir);
    const pid_t ixor = fork();
    if (ixor == 0) {
        char script[160];
        struct seen s;
        event_reinit(base);
        snprintf(script, sizeof script, "setsid sleep 1000 & (sleep 1000 &); >%s; sleep 1000",
                 ready);
        start(&s, script, NULL);
        for (;;)
            pause();
    }
    while (stat(ready, &info) != 0)
        usleep(2000);
    assert_int_equal(kill(ixor, SIGKILL), 0);
    wait_for_nothing();
    unlink(ready);
}

/* The keeper, and nobody else, is killed. */
static void the_end_of_the_keeper_is_noticed(void **state)
{
    (void)state;
    struct seen s;
    struct ixor_processes list = {0};
    start(&s, "exec sleep 1000", NULL);
    assert_true(below(&list) >= 1);
    for (size_t i = 0; i < list.count; i++) {
        if (list.at[i].parent == getpid())
            ixor_process_signal(&list.at[i], SIGKILL);
    }
    ixor_processes_free(&list);
    while (!s.gone)
        event_base_loop(base, EVLOOP_ONCE);
    assert_true(s.ended);
    assert_true(s.stuck == IXOR_STUCK_UNKNOWN);
    assert_int_equal(ixor_child_exit_signal(s.child), SIGKILL);
    ixor_child_free(s.child);
    wait_for_nothing();
}

/* The number of a process that has ended since, and that another one has got, is no reason. */
static void a_number_is_not_enough(void **state)
{
    (void)state;
    struct ixor_processes list = {0};
    const pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    assert_int_equal(below(&list), 1);
    struct ixor_process other = list.at[0];
    other.started--;
    ixor_process_signal(&other, SIGKILL);
    usleep(20000);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    ixor_process_signal(&list.at[0], SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    ixor_processes_free(&list);
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
    struct ixor_child_events events = {.ended = on_ended, .gone = on_gone, .user = &s};
    char *argv[] = {path, NULL};
    assert_null(ixor_child_start(base, argv, environ, output, NULL, &events, &err));
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
    return base && mkdtemp(dir) && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 ? 0 : -1;
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
        cmocka_unit_test(a_process_is_paused),
        cmocka_unit_test(busy_processes),
        cmocka_unit_test(output_and_input),
        cmocka_unit_test(what_is_left_behind_is_ended),
        cmocka_unit_test(a_chain_of_forks_is_ended),
        cmocka_unit_test(orderly_end_comes_first),
        cmocka_unit_test(at_once_does_not_wait),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(the_end_of_ixor_ends_the_command),
        cmocka_unit_test(the_end_of_the_keeper_is_noticed),
        cmocka_unit_test(a_number_is_not_enough),
        cmocka_unit_test(what_cannot_be_run),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
