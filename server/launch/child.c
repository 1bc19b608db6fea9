/* SPDX-License-Identifier: Apache-2.0 */
#include "server/launch/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/base/units.h"
#include "server/launch/cgroup.h"
#include "server/launch/descendants.h"

struct ixor_child {
    struct event *sigchld, *news;
    struct ixor_child_events events;
    pid_t keeper;
    int talk;   /* with the keeper; -1 */
    int status; /* of the command, if it has ended */
    uint64_t ended_ns;
    bool ended;
    struct ixor_process paused; /* as ordered; pid 0: none */
    char *cgroup;               /* NULL: none */
    size_t stuck;               /* processes that the keeper could not end */
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
        path = "/bin:/usr/bin"; /* as execvp does */
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

/* ---- its life, as the keeper reports it ---- */

static void set_ended(struct ixor_child *c, int status, uint64_t at_ns)
{
    if (c->ended)
        return;
    c->ended = true;
    c->status = status;
    c->ended_ns = at_ns;
    c->events.ended(c->events.user);
}

/* The keeper has ended. If it did not report the command's end, it was killed together with the
 * command, or the command could not be ended. */
static void set_gone(struct ixor_child *c)
{
    event_del(c->news);
    waitpid(c->keeper, NULL, 0);
    if (c->paused.pid) /* the keeper was killed before it could */
        ixor_process_signal(&c->paused, SIGCONT);
    if (c->cgroup)
        ixor_cgroup_remove(c->cgroup);
    set_ended(c, SIGKILL, ixor_mono_ns());
    c->events.gone(c->events.user, c->stuck);
}

static void take_report(struct ixor_child *c, const struct ixor_keeper_report *report)
{
    switch ((enum ixor_keeper_event)report->event) {
    case IXOR_KEEPER_ENDED:
        set_ended(c, report->value, report->at_ns);
        break;
    case IXOR_KEEPER_PAUSED:
        if (!report->value)
            c->paused.pid = 0;
        c->events.paused(c->events.user, report->value != 0);
        break;
    case IXOR_KEEPER_RESUMED:
        c->paused.pid = 0;
        c->events.resumed(c->events.user);
        break;
    case IXOR_KEEPER_GONE:
        c->stuck = (size_t)report->value;
        break;
    }
}

static bool take_next(struct ixor_child *c)
{
    struct ixor_keeper_report report;
    const ssize_t n = recv(c->talk, &report, sizeof report, 0);
    if (n == (ssize_t)sizeof report)
        take_report(c, &report);
    else if (n >= 0 || (errno != EAGAIN && errno != EINTR))
        set_gone(c);
    return n == (ssize_t)sizeof report;
}

static void news_cb(evutil_socket_t fd, short what, void *user)
{
    (void)fd, (void)what;
    take_next(user);
}

void ixor_child_look(struct ixor_child *c)
{
    while (!c->ended && take_next(c))
        ;
}

void ixor_child_end(struct ixor_child *c, bool at_once)
{
    const struct ixor_keeper_order order = {.what =
                                                at_once ? IXOR_KEEPER_AT_ONCE : IXOR_KEEPER_END};
    send(c->talk, &order, sizeof order, MSG_NOSIGNAL); /* if that fails the keeper has ended */
}

void ixor_child_pause(struct ixor_child *c, pid_t pid, uint64_t ns)
{
    struct ixor_process p;
    if (!ixor_process_read(pid, &p) || c->paused.pid) {
        c->events.paused(c->events.user, false);
        return;
    }
    const struct ixor_keeper_order order = {
        .what = IXOR_KEEPER_PAUSE, .pid = pid, .started = p.started, .ns = ns};
    c->paused = p;
    send(c->talk, &order, sizeof order, MSG_NOSIGNAL);
}

/* A program that became ixor by exec may have had children, and process 1 of a container gets
 * orphans.
 */
static void sigchld_cb(evutil_socket_t fd, short what, void *user)
{
    (void)fd, (void)what, (void)user;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

int ixor_child_exit_status(const struct ixor_child *c)
{
    return WIFEXITED(c->status) ? WEXITSTATUS(c->status) : -1;
}

int ixor_child_exit_signal(const struct ixor_child *c)
{
    return WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
}

uint64_t ixor_child_ended_ns(const struct ixor_child *c)
{
    return c->ended_ns;
}

const char ixor_to_stderr[] = "standard error";

static int open_files(const char *output, int *null_fd, int *output_fd, struct ix_error *err)
{
    *output_fd = -1;
    *null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (*null_fd < 0)
        return ix_fail(err, "cannot open /dev/null: %s", strerror(errno));
    if (!output)
        return 0;
    /* Appending, because several processes write here and must not overwrite each other's lines. */
    *output_fd = output == ixor_to_stderr
                     ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                     : open(output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (*output_fd < 0) {
        ix_fail(err, "cannot write '%s': %s", output, strerror(errno));
        close(*null_fd);
        return -1;
    }
    return 0;
}

static int make_cgroup(struct ixor_child *c, const struct ixor_load *load, struct ix_error *err)
{
    if (ixor_cgroup_make(load->cgroup, load->cpu, err) != 0)
        return -1;
    c->cgroup = strdup(load->cgroup);
    if (c->cgroup)
        return 0;
    ixor_cgroup_remove(load->cgroup);
    return ix_fail(err, "out of memory");
}

struct ixor_child *ixor_child_start(struct event_base *base, char *const argv[],
                                    char *const environment[], const char *output,
                                    const struct ixor_load *load,
                                    const struct ixor_child_events *events, struct ix_error *err)
{
    struct ixor_child *c = calloc(1, sizeof *c);
    if (!c) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    c->events = *events;
    c->talk = -1;
    c->stuck = IXOR_STUCK_UNKNOWN;
    c->sigchld = evsignal_new(base, SIGCHLD, sigchld_cb, c);
    if (!c->sigchld || event_add(c->sigchld, NULL) != 0) {
        ix_fail(err, "out of memory");
        goto failed;
    }
    int null, output_fd;
    if (load && load->cgroup && make_cgroup(c, load, err) != 0)
        goto failed;
    if (open_files(output, &null, &output_fd, err) != 0)
        goto failed;
    c->keeper = ixor_keeper_start(argv, environment, null, output_fd, load, &c->talk, err);
    close(null);
    if (output_fd >= 0)
        close(output_fd);
    if (c->keeper < 0) {
        c->talk = -1;
        if (output && output != ixor_to_stderr)
            unlink(output);
        goto failed;
    }
    c->news = event_new(base, c->talk, EV_READ | EV_PERSIST, news_cb, c);
    if (c->news && event_add(c->news, NULL) == 0)
        return c;
    ix_fail(err, "out of memory"); /* the keeper ends what runs */
failed:
    if (c->cgroup)
        ixor_cgroup_remove(c->cgroup);
    ixor_child_free(c);
    return NULL;
}

void ixor_child_free(struct ixor_child *c)
{
    if (!c)
        return;
    if (c->news)
        event_free(c->news);
    if (c->sigchld)
        event_free(c->sigchld);
    if (c->talk >= 0)
        close(c->talk); /* a keeper that still runs ends what is left, then exits */
    free(c->cgroup);
    free(c);
}
