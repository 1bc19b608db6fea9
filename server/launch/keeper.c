/* SPDX-License-Identifier: Apache-2.0 */
#include "server/launch/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/base/loop.h"
#include "server/base/units.h"
#include "server/launch/cgroup.h"
#include "server/launch/descendants.h"

/* How often the process tree is checked while waiting for its end. */
#define LOOK_MS 20
#define MS_NS 1000000u

struct keeper {
    int talk; /* -1: ixor is gone */
    pid_t command;
    bool ended;                 /* the command itself */
    bool ending;                /* remaining processes are being ended */
    bool kill;                  /* SIGKILL from now on */
    uint64_t ending_ns;         /* monotonic clock, when that began */
    struct ixor_processes told; /* have got SIGTERM */
    struct ixor_process paused; /* pid 0: none */
    uint64_t resume_ns;         /* monotonic clock, when it goes on */
};

static void tell(const struct keeper *k, enum ixor_keeper_event event, int value)
{
    const struct ixor_keeper_report report = {
        .event = (int32_t)event, .value = value, .at_ns = ixor_mono_ns()};
    if (k->talk >= 0)
        send(k->talk, &report, sizeof report, MSG_NOSIGNAL);
}

/* ---- pausing one process ---- */

static void resume(struct keeper *k)
{
    if (!k->paused.pid)
        return;
    ixor_process_signal(&k->paused, SIGCONT);
    k->paused.pid = 0;
    tell(k, IXOR_KEEPER_RESUMED, 0);
}

/* Told first: if the keeper is killed now, ixor knows what may have been stopped. */
static void pause_one(struct keeper *k, const struct ixor_keeper_order *order)
{
    const bool can = !k->ending && !k->paused.pid && ixor_process_is_below(order->pid);
    tell(k, IXOR_KEEPER_PAUSED, can ? order->pid : 0);
    if (!can)
        return;
    k->paused = (struct ixor_process){.pid = order->pid, .started = order->started};
    k->resume_ns = ixor_mono_ns() + order->ns;
    ixor_process_signal(&k->paused, SIGSTOP);
}

/* ---- ending what is left ---- */

static void end(struct keeper *k, bool at_once)
{
    resume(k);
    k->kill = k->kill || at_once;
    if (!k->ending)
        k->ending_ns = ixor_mono_ns();
    k->ending = true;
}

static bool told_already(const struct keeper *k, const struct ixor_process *p)
{
    for (size_t i = 0; i < k->told.count; i++) {
        if (k->told.at[i].pid == p->pid && k->told.at[i].started == p->started)
            return true;
    }
    return false;
}

/* SIGTERM only once: a second one makes some programs abandon their orderly shutdown. */
static void terminate(struct keeper *k, const struct ixor_process *p)
{
    if (told_already(k, p) || ixor_processes_add(&k->told, p) != 0)
        return; /* out of memory: SIGKILL does not need this list */
    ixor_process_signal(p, SIGTERM);
    ixor_process_signal(p, SIGCONT); /* a stopped process could not end */
}

/* Signals each remaining process; returns how many there are. */
static size_t signal_all(struct keeper *k)
{
    struct ixor_processes left = {0};
    if (ixor_descendants(&left, NULL) != 0) { /* no /proc: use the command's process group, while it
                                                 exists */
        if (!k->ended)
            kill(-k->command, k->kill ? SIGKILL : SIGTERM);
        return 1;
    }
    for (size_t i = 0; i < left.count; i++) {
        if (k->kill)
            ixor_process_signal(&left.at[i], SIGKILL);
        else
            terminate(k, &left.at[i]);
    }
    const size_t count = left.count;
    ixor_processes_free(&left);
    return count;
}

/* ---- its life ---- */

/* Orphans become children of a subreaper, so without a child there is no descendant. /proc cannot
 * tell: a process that forks and ends during the scan can hide its child from it. */
static bool nothing_left(struct keeper *k)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != k->command || k->ended)
            continue;
        k->ended = true;
        tell(k, IXOR_KEEPER_ENDED, status);
        end(k, false);
    }
    return pid < 0 && errno == ECHILD;
}

static void take_orders(struct keeper *k)
{
    struct ixor_keeper_order order;
    const ssize_t n = recv(k->talk, &order, sizeof order, MSG_DONTWAIT);
    if (n == (ssize_t)sizeof order && order.what == IXOR_KEEPER_PAUSE) {
        pause_one(k, &order);
    } else if (n == (ssize_t)sizeof order) {
        end(k, order.what == IXOR_KEEPER_AT_ONCE);
    } else if (n >= 0 || (errno != EAGAIN && errno != EINTR)) {
        close(k->talk);
        k->talk = -1;
        end(k, false);
    }
}

/* When to look again without an event, in ns from now. False: there is no such time. */
static bool due(const struct keeper *k, struct timespec *in)
{
    uint64_t ns = (uint64_t)LOOK_MS * MS_NS;
    if (k->paused.pid) {
        const uint64_t now = ixor_mono_ns();
        ns = k->resume_ns > now ? k->resume_ns - now : 0;
    }
    *in =
        (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
    return k->paused.pid || k->ending;
}

/* Waits for an order, a child's end, or the time of the next check. */
static void await(struct keeper *k)
{
    struct pollfd orders = {.fd = k->talk, .events = POLLIN};
    struct timespec in;
    const bool waits = due(k, &in);
    sigset_t mask;
    sigfillset(&mask);
    sigdelset(&mask, SIGCHLD);
    if (ppoll(&orders, 1, waits ? &in : NULL, &mask) > 0)
        take_orders(k);
    if (k->paused.pid && ixor_mono_ns() >= k->resume_ns)
        resume(k);
}

static void keep(struct keeper *k)
{
    size_t left = 0;
    while (!nothing_left(k)) {
        const uint64_t ms = k->ending ? (ixor_mono_ns() - k->ending_ns) / MS_NS : 0;
        k->kill = k->kill || ms >= IXOR_TERM_MS;
        left = k->ending ? signal_all(k) : 0;
        if (ms >= IXOR_TERM_MS + IXOR_STUCK_MS)
            break;
        await(k);
        left = 0;
    }
    tell(k, IXOR_KEEPER_GONE, left > INT32_MAX ? INT32_MAX : (int)left);
}

/* ---- starting ---- */

/* In a child of the keeper: if the keeper is killed, so is the child. */
static void begin_child(pid_t keeper)
{
    sigset_t none;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper)
        _exit(127);
    for (int sig = 1; sig < 32;
         sig++) /* ignored ones would stay ignored; from 32 on they are libc's */
        signal(sig, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void be_hog(pid_t keeper)
{
    begin_child(keeper);
    prctl(PR_SET_NAME, "ixor-hog");
    closefrom(0);
    for (volatile unsigned turns = 0;; turns++)
        ;
}

/* -1 with errno: not all could be started; those that were end with the keeper. */
static int start_hogs(unsigned hogs, pid_t keeper)
{
    for (unsigned i = 0; i < hogs; i++) {
        const pid_t pid = fork();
        if (pid == 0)
            be_hog(keeper);
        if (pid < 0)
            return -1;
    }
    return 0;
}

/* In the command's process. Returns only on failure. */
static void become_command(char *const argv[], char *const environment[], int null, int output,
                           const struct ixor_load *load, pid_t keeper)
{
    begin_child(keeper);
    if (load->cgroup && ixor_cgroup_join(load->cgroup) != 0)
        return;
    if (dup2(null, STDIN_FILENO) < 0)
        return;
    if (output >= 0 && (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0))
        return;
    ixor_restore_descriptor_limit();
    execvpe(argv[0], argv, environment);
}

static void on_child(int sig)
{
    (void)sig; /* only to interrupt ppoll */
}

/* Leaves ixor's descriptors and its terminal's signals. */
static void detach(struct keeper *k, int null)
{
    const struct sigaction child = {.sa_handler = on_child};
    sigaction(SIGCHLD, &child, NULL);
    prctl(PR_SET_NAME, "ixor-keeper");
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    if (k->talk != STDERR_FILENO + 1)
        k->talk = dup2(k->talk, STDERR_FILENO + 1);
    closefrom(STDERR_FILENO + 2);
}

/* The keeper's process. All signals are blocked: ixor handles those that end it. `tells`: receives
 * errno if the command cannot be executed, and closes when it is executed. */
static _Noreturn void be_keeper(char *const argv[], char *const environment[], int null, int output,
                                const struct ixor_load *load, int talk, int tells)
{
    struct keeper k = {.talk = talk};
    const pid_t self = getpid();
    setsid(); /* without a terminal, which would stop a command that asks there for a password */
    k.command =
        prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && start_hogs(load->hogs, self) == 0 ? fork() : -1;
    if (k.command == 0)
        become_command(argv, environment, null, output, load, self);
    if (k.command <= 0) { /* prctl or fork failed */
        const int why = errno;
        const ssize_t told = write(tells, &why, sizeof why);
        _exit(told == (ssize_t)sizeof why ? 126 : 127);
    }
    detach(&k, null);
    keep(&k);
    if (load->cgroup)
        ixor_cgroup_remove(load->cgroup);
    _exit(0);
}

/* Forks, and waits until the command runs or cannot. */
static pid_t start(char *const argv[], char *const environment[], int null, int output,
                   const struct ixor_load *load, int talk, const int tells[2], struct ix_error *err)
{
    sigset_t all, before;
    int why;
    ssize_t n;
    /* Until the child has its own handlers, a signal would reach ixor's event loop. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = fork();
    if (pid == 0)
        be_keeper(argv, environment, null, output, load, talk, tells[1]);
    why = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(tells[1]);
    if (pid < 0)
        return ix_fail(err, "cannot start a process: %s", strerror(why));
    do
        n = read(tells[0], &why, sizeof why);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        return pid;
    waitpid(pid, NULL, 0);
    return ix_fail(err, "cannot run '%s': %s", argv[0], strerror(n > 0 ? why : EIO));
}

pid_t ixor_keeper_start(char *const argv[], char *const environment[], int null, int output,
                        const struct ixor_load *load, int *talk, struct ix_error *err)
{
    static const struct ixor_load nothing = {0};
    int pair[2], tells[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0)
        return ix_fail(err, "cannot make a pair of sockets: %s", strerror(errno));
    pid_t pid = -1;
    if (pipe2(tells, O_CLOEXEC) == 0) {
        pid = start(argv, environment, null, output, load ? load : &nothing, pair[1], tells, err);
        close(tells[0]);
    } else {
        ix_fail(err, "cannot make a pipe: %s", strerror(errno));
    }
    close(pair[1]);
    if (pid < 0)
        close(pair[0]);
    *talk = pair[0];
    return pid;
}
