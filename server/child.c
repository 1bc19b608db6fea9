#include "server/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/descendants.h"
#include "server/loop.h"
#include "server/units.h"

/* How often the process tree is looked at while its end is awaited. */
#define LOOK_MS 20
/* While this program has children of another origin, so many looks in a row must find nothing. */
#define EMPTY_LOOKS 5

struct ixor_child {
    struct event *sigchld, *look;
    struct ixor_child_events events;
    pid_t pid;
    uint64_t started;
    int status;
    bool ended;         /* the command itself; `status` holds */
    bool ending;        /* its remains are being ended */
    uint64_t ending_ns; /* monotonic clock, when that began */
    bool kill;          /* SIGKILL from now on */
    unsigned empty;     /* looks in a row that found nothing */
    pid_t *told;        /* got their SIGTERM */
    size_t told_count, told_room;
};

/* ---- starting ---- */

static bool executable(const char *path, int *why)
{
    struct stat s;
    if (stat(path, &s) != 0) {
        *why = errno;
        return false;
    }
    if (S_ISDIR(s.st_mode)) {
        *why = EISDIR;
        return false;
    }
    if (access(path, X_OK) != 0) {
        *why = errno;
        return false;
    }
    return true;
}

int ixor_child_check(const char *command, struct ix_error *err)
{
    int why = ENOENT;
    if (!*command)
        return ix_fail(err, "the command is empty");
    if (strchr(command, '/'))
        return executable(command, &why)
                   ? 0
                   : ix_fail(err, "cannot run '%s': %s", command, strerror(why));
    const char *path = getenv("PATH");
    if (!path)
        path = "/bin:/usr/bin"; /* what execvp uses then */
    for (const char *at = path;; at++) {
        size_t len = strcspn(at, ":");
        char *candidate;
        if (asprintf(&candidate, "%.*s%s%s", (int)len, at, len ? "/" : "", command) < 0)
            return ix_fail(err, "out of memory");
        int because;
        bool good = executable(candidate, &because);
        free(candidate);
        if (good)
            return 0;
        if (because == EACCES)
            why = EACCES;
        at += len;
        if (!*at)
            break;
    }
    struct stat s;
    bool here = stat(command, &s) == 0;
    return ix_fail(err, "cannot run '%s': %s%s%s%s", command,
                   why == EACCES ? strerror(why) : "not found on PATH",
                   here ? "; did you mean './" : "", here ? command : "", here ? "'?" : "");
}

/* In the child: nothing but async-signal-safe calls. Returns only if it failed. */
static void become(char *const argv[], char *const environment[], int null, int output)
{
    sigset_t none;
    setpgid(0, 0);
    for (int sig = 1; sig < SIGRTMIN; sig++) /* ignored ones would stay ignored */
        signal(sig, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(null, STDIN_FILENO) < 0)
        return;
    if (output >= 0 && (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0))
        return;
    ixor_restore_descriptor_limit();
    execvpe(argv[0], argv, environment);
}

/* Forks and executes. The pipe closes when exec succeeds, and brings errno if it fails. */
static pid_t launch(char *const argv[], char *const environment[], int null, int output,
                    struct ix_error *err)
{
    int tell[2];
    if (pipe2(tell, O_CLOEXEC) != 0)
        return ix_fail(err, "cannot make a pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        become(argv, environment, null, output);
        int why = errno;
        ssize_t told = write(tell[1], &why, sizeof why);
        _exit(told == (ssize_t)sizeof why ? 126 : 127);
    }
    int why = errno;
    close(tell[1]);
    if (pid < 0) {
        close(tell[0]);
        return ix_fail(err, "cannot start a process: %s", strerror(why));
    }
    ssize_t n;
    do
        n = read(tell[0], &why, sizeof why);
    while (n < 0 && errno == EINTR);
    close(tell[0]);
    if (n == 0)
        return pid;
    waitpid(pid, NULL, 0);
    return ix_fail(err, "cannot run '%s': %s", argv[0], strerror(n > 0 ? why : EIO));
}

/* ---- ending ---- */

static bool told_already(const struct ixor_child *c, pid_t pid)
{
    for (size_t i = 0; i < c->told_count; i++) {
        if (c->told[i] == pid)
            return true;
    }
    return false;
}

/* SIGTERM once: a second one makes some programs give up their orderly end. */
static void terminate(struct ixor_child *c, pid_t pid)
{
    if (told_already(c, pid))
        return;
    if (c->told_count == c->told_room) {
        size_t more = c->told_room ? c->told_room * 2 : 64;
        pid_t *bigger = reallocarray(c->told, more, sizeof *bigger);
        if (!bigger)
            return; /* SIGKILL comes without this list */
        c->told = bigger;
        c->told_room = more;
    }
    c->told[c->told_count++] = pid;
    kill(pid, SIGTERM);
    kill(pid, SIGCONT); /* a stopped process could not end */
}

static void look_later(struct ixor_child *c)
{
    struct timeval later = {.tv_usec = LOOK_MS * 1000};
    event_add(c->look, &later);
}

/* A look at /proc alone does not tell: a process that forks and ends while the list is read can hide
 * its child. But then the child is this program's own, as all orphans of a subreaper are. */
static bool nothing_left(struct ixor_child *c, size_t seen)
{
    siginfo_t any;
    c->empty = seen == 0 ? c->empty + 1 : 0;
    if (c->empty == 0)
        return false;
    bool childless =
        waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
    return childless || c->empty >= EMPTY_LOOKS;
}

static void look_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_child *c = user;
    (void)fd, (void)what;
    struct ixor_processes left = {0};
    uint64_t elapsed_ms = (ixor_mono_ns() - c->ending_ns) / 1000000;
    bool unknown = ixor_descendants(&left, c->started, NULL) != 0;
    if (elapsed_ms >= IXOR_TERM_MS)
        c->kill = true;
    for (size_t i = 0; i < left.count; i++) {
        if (c->kill)
            kill(left.at[i].pid, SIGKILL);
        else
            terminate(c, left.at[i].pid);
    }
    size_t count = left.count;
    ixor_processes_free(&left);
    bool over = !unknown && c->ended &&
                (nothing_left(c, count) || elapsed_ms >= IXOR_TERM_MS + IXOR_STUCK_MS);
    if (over)
        c->events.gone(c->events.user, count);
    else
        look_later(c);
}

void ixor_child_end(struct ixor_child *c, bool at_once)
{
    if (at_once)
        c->kill = true;
    if (!c->ending) {
        c->ending = true;
        c->ending_ns = ixor_mono_ns();
    }
    event_active(c->look, EV_TIMEOUT, 0);
}

/* Reaps the command, and the orphans that came to us as their subreaper. */
static void sigchld_cb(evutil_socket_t fd, short what, void *user)
{
    struct ixor_child *c = user;
    (void)fd, (void)what;
    int status;
    bool ended_now = false;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (pid == c->pid && !c->ended) {
            c->status = status;
            c->ended = ended_now = true;
        }
    }
    if (!ended_now)
        return;
    c->events.ended(c->events.user);
    ixor_child_end(c, false);
}

int ixor_child_exit_status(const struct ixor_child *c)
{
    return WIFEXITED(c->status) ? WEXITSTATUS(c->status) : -1;
}

int ixor_child_exit_signal(const struct ixor_child *c)
{
    return WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
}

static int open_files(const char *output, int *null_fd, int *output_fd, struct ix_error *err)
{
    *output_fd = -1;
    *null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (*null_fd < 0)
        return ix_fail(err, "cannot open /dev/null: %s", strerror(errno));
    if (!output)
        return 0;
    /* Appending: several processes write here, and none may overwrite another's lines. */
    *output_fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (*output_fd < 0) {
        ix_fail(err, "cannot write '%s': %s", output, strerror(errno));
        close(*null_fd);
        return -1;
    }
    return 0;
}

struct ixor_child *ixor_child_start(struct event_base *base, char *const argv[],
                                    char *const environment[], const char *output,
                                    const struct ixor_child_events *events, struct ix_error *err)
{
    struct ixor_child *c = calloc(1, sizeof *c);
    if (!c) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    c->events = *events;
    c->look = evtimer_new(base, look_cb, c);
    c->sigchld = evsignal_new(base, SIGCHLD, sigchld_cb, c);
    if (!c->look || !c->sigchld || event_add(c->sigchld, NULL) != 0) {
        ix_fail(err, "out of memory");
        goto failed;
    }
    int null, output_fd;
    if (open_files(output, &null, &output_fd, err) != 0)
        goto failed;
    c->pid = launch(argv, environment, null, output_fd, err);
    close(null);
    if (output_fd >= 0)
        close(output_fd);
    if (c->pid < 0) {
        if (output)
            unlink(output);
        goto failed;
    }
    c->started = ixor_process_started(c->pid);
    return c;
failed:
    ixor_child_free(c);
    return NULL;
}

void ixor_child_free(struct ixor_child *c)
{
    if (!c)
        return;
    if (c->look)
        event_free(c->look);
    if (c->sigchld)
        event_free(c->sigchld);
    free(c->told);
    free(c);
}
