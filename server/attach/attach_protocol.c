/* SPDX-License-Identifier: Apache-2.0 */
#include "server/attach/attach_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/base/units.h"

#define MS 1000000u /* ns */
/* How long a starting JVM may lack a SIGQUIT handler or libjvm.so. */
#define START_NS (2000 * (uint64_t)MS)
#define LAUNCH_NS (200 * (uint64_t)MS)
#define PAUSE_MS 20

/* ---- waiting ---- */

static bool interrupted(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
            sigismember(&pending, SIGHUP) == 1);
}

static bool is_gone(const struct ixor_attached *jvm)
{
    struct pollfd end = {.fd = jvm->pidfd, .events = POLLIN};
    if (jvm->pidfd < 0)
        return kill(jvm->pid, 0) != 0 && errno == ESRCH;
    return poll(&end, 1, 0) > 0;
}

/* Waits a moment, or until `fd` (-1: none) is ready; -1 at the deadline or on a signal. */
static int await(const struct ixor_attached *jvm, int fd, short events, struct ix_error *err)
{
    struct pollfd wanted = {.fd = fd, .events = events};
    poll(&wanted, 1, PAUSE_MS);
    if (wanted.revents)
        return 0;
    if (is_gone(jvm))
        return ix_fail(err, "process %ld ended meanwhile", (long)jvm->pid);
    if (interrupted())
        return ix_fail(err, "interrupted");
    if (ixor_mono_ns() < jvm->deadline_ns)
        return 0;
    return ix_fail(err,
                   "process %ld does not answer; is it stopped, swapped out, or in a long "
                   "garbage collection? Or does it run with -XX:+DisableAttachMechanism? "
                   "--timeout waits longer",
                   (long)jvm->pid);
}

/* ---- is it a JVM, and may we ---- */

static void user_name(uid_t uid, char *out, size_t size)
{
    const struct passwd *user = getpwuid(uid);
    if (user)
        snprintf(out, size, "%s", user->pw_name);
    else
        snprintf(out, size, "number %lu", (unsigned long)uid);
}

static int check_user(const struct ixor_attached *jvm, struct ix_error *err)
{
    char theirs[80], ours[80];
    if (geteuid() == 0 || geteuid() == jvm->status.uid)
        return 0;
    user_name(jvm->status.uid, theirs, sizeof theirs);
    user_name(geteuid(), ours, sizeof ours);
    return ix_fail(err,
                   "not permitted: process %ld belongs to user %s, and this is %s; run ixor "
                   "as that user, or as root",
                   (long)jvm->pid, theirs, ours);
}

static int check_state(const struct ixor_attached *jvm, struct ix_error *err)
{
    const long pid = (long)jvm->pid;
    switch (jvm->status.state) {
    case 'T':
        return ix_fail(err, "process %ld is stopped; 'kill -CONT %ld' lets it go on", pid, pid);
    case 't':
        return ix_fail(err, "process %ld is stopped by a debugger", pid);
    case 'Z':
    case 'X':
        return ix_fail(err, "process %ld has ended", pid);
    default:
        return 0;
    }
}

/* Whether attaching is disabled in the JVM; then SIGQUIT would print a thread dump. */
static bool is_disabled(pid_t pid)
{
    static const char *const files[] = {"environ", "cmdline"};
    bool disabled = false;
    for (size_t i = 0; i < sizeof files / sizeof *files && !disabled; i++) {
        char path[64], words[65536];
        snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, files[i]);
        FILE *f = fopen(path, "re");
        const size_t size = f ? fread(words, 1, sizeof words, f) : 0;
        disabled = ixor_attach_disabled(words, size);
        if (f)
            fclose(f);
    }
    return disabled;
}

/* 1: it may be a JVM that is just starting. */
static int check_once(struct ixor_attached *jvm, struct ix_error *err)
{
    const long pid = (long)jvm->pid;
    if (ixor_status_read(jvm->pid, &jvm->status, err) != 0 || check_state(jvm, err) != 0 ||
        check_user(jvm, err) != 0)
        return -1;
    if (jvm->status.group != jvm->pid)
        return ix_fail(err, "%ld is a thread of process %ld", pid, (long)jvm->status.group);
    if (ixor_maps_read(jvm->pid, &jvm->maps, err) != 0)
        return -1;
    if (!jvm->maps.hotspot)
        ix_fail(err, "process %ld is not a HotSpot JVM: it has not loaded libjvm.so", pid);
    else if (!jvm->status.takes_quit)
        ix_fail(err, "process %ld takes no SIGQUIT, which attaching needs; does it run with -Xrs?",
                pid);
    else
        return 0;
    return 1;
}

static int check_jvm(struct ixor_attached *jvm, struct ix_error *err)
{
    const uint64_t begin = ixor_mono_ns();
    struct pollfd none = {.fd = -1};
    int status;
    while ((status = check_once(jvm, err)) == 1) {
        const uint64_t now = ixor_mono_ns();
        if (now - begin >= (jvm->maps.hotspot ? START_NS : LAUNCH_NS) || now >= jvm->deadline_ns ||
            interrupted())
            return -1;
        poll(&none, 1, PAUSE_MS);
    }
    if (status != 0)
        return -1;
    if (is_disabled(jvm->pid))
        return ix_fail(err, "process %ld runs with -XX:+DisableAttachMechanism", (long)jvm->pid);
    return 0;
}

static int open_directory(pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The JVM accepts root and its own user; in its own user namespace our root is unknown. */
static int become_its_user(const struct ixor_attached *jvm, struct ix_error *err)
{
    const struct ixor_proc *s = &jvm->status;
    return s->uid == 0 && s->gid == getegid() ? 0 : ixor_become_user_of(s, err);
}

int ixor_attached_open(struct ixor_attached *jvm, pid_t pid, uint64_t timeout_ns,
                       struct ix_error *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t blocked;
    *jvm = (struct ixor_attached){.pid = pid, .pidfd = -1, .root = -1, .tmp = -1};
    jvm->deadline_ns = ixor_mono_ns() + timeout_ns;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(&blocked, numbers[i]);
    sigprocmask(SIG_BLOCK, &blocked, &jvm->signals);
    /* First, so that all checks below are about the process that later gets the signal. */
    jvm->pidfd = (int)syscall(SYS_pidfd_open, pid, 0u);
    if (check_jvm(jvm, err) != 0)
        goto failed;
    jvm->root = open_directory(pid, "root");
    jvm->tmp = open_directory(pid, "root/tmp");
    if (jvm->root < 0 || jvm->tmp < 0) {
        ix_fail(err, "cannot open /tmp of process %ld: %s", (long)pid, strerror(errno));
        goto failed;
    }
    if (become_its_user(jvm, err) == 0)
        return 0;
failed:
    ixor_attached_close(jvm);
    return -1;
}

void ixor_attached_close(struct ixor_attached *jvm)
{
    const int fds[] = {jvm->pidfd, jvm->root, jvm->tmp};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    jvm->pidfd = jvm->root = jvm->tmp = -1;
    sigprocmask(SIG_SETMASK, &jvm->signals, NULL);
}

/* ---- the connection ---- */

/* A connected socket, -1 if there is none that belongs to this JVM. */
static int try_connect(const struct ixor_attached *jvm)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat info;
    char name[32];
    snprintf(name, sizeof name, ".java_pid%ld", (long)jvm->status.ns_pid);
    if (fstatat(jvm->tmp, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(info.st_mode) ||
        (info.st_uid != jvm->status.uid && info.st_uid != 0))
        return -1;
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", jvm->tmp, name);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* 0 or errno. Anything else of that name is kept, and never blocks this (a fifo without a
 * reader). */
static int make_trigger(int directory, const char *name)
{
    struct stat info;
    const int fd = openat(
        directory, name, O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    const bool good = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    close(fd);
    return good ? 0 : EEXIST;
}

/* Creates the file that tells the JVM what the signal is for. Returns its directory, or -1; *own:
 * it is the JVM's working directory, which the caller closes. */
static int put_trigger(const struct ixor_attached *jvm, const char *name, bool *own,
                       struct ix_error *err)
{
    *own = false;
    const int error = make_trigger(jvm->tmp, name);
    if (error == 0)
        return jvm->tmp;
    const int directory = open_directory(jvm->pid, "cwd");
    *own = directory >= 0;
    if (*own && make_trigger(directory, name) == 0)
        return directory;
    if (*own)
        close(directory);
    return ix_fail(err, "cannot make %s in /tmp of process %ld: %s", name, (long)jvm->pid,
                   strerror(error));
}

static int send_quit(const struct ixor_attached *jvm, struct ix_error *err)
{
    const long sent = jvm->pidfd >= 0
                          ? syscall(SYS_pidfd_send_signal, jvm->pidfd, SIGQUIT, NULL, 0u)
                          : kill(jvm->pid, SIGQUIT);
    return sent == 0 ? 0 : ix_fail(err, "process %ld: %s", (long)jvm->pid, strerror(errno));
}

/* The JVM does not listen yet. */
static int wake(const struct ixor_attached *jvm, struct ix_error *err)
{
    char name[32];
    bool own;
    int fd = -1;
    snprintf(name, sizeof name, ".attach_pid%ld", (long)jvm->status.ns_pid);
    const int directory = put_trigger(jvm, name, &own, err);
    if (directory < 0)
        return -1;
    if (send_quit(jvm, err) == 0)
        while ((fd = try_connect(jvm)) < 0 && await(jvm, -1, 0, err) == 0)
            ;
    unlinkat(directory, name, 0);
    if (own)
        close(directory);
    return fd;
}

static int send_all(const struct ixor_attached *jvm, int fd, const char *bytes, size_t size,
                    struct ix_error *err)
{
    for (size_t sent = 0; sent < size;) {
        const ssize_t n = send(fd, bytes + sent, size - sent, MSG_NOSIGNAL);
        if (n >= 0)
            sent += (size_t)n;
        else if (errno != EAGAIN)
            return ix_fail(err, "process %ld closed the connection: %s", (long)jvm->pid,
                           strerror(errno));
        else if (await(jvm, fd, POLLOUT, err) != 0)
            return -1;
    }
    return 0;
}

static int receive_all(const struct ixor_attached *jvm, int fd, char *text, size_t size,
                       struct ix_error *err)
{
    size_t len = 0;
    for (;;) {
        const ssize_t n = recv(fd, text + len, size - 1 - len, 0);
        if (n > 0)
            len += (size_t)n;
        if (n == 0 || len == size - 1)
            break;
        if (n < 0 && errno != EAGAIN)
            return ix_fail(err, "process %ld closed the connection: %s", (long)jvm->pid,
                           strerror(errno));
        if (n < 0 && await(jvm, fd, POLLIN, err) != 0)
            return -1;
    }
    text[len] = 0;
    return len ? 0
               : ix_fail(err,
                         "process %ld closed the connection without an answer; it may be "
                         "ending, or does not take orders from this user",
                         (long)jvm->pid);
}

int ixor_load_answer(const char *text, int *returned, struct ix_error *err)
{
    static const char mark[] = "return code: ";
    char reason[512];
    const char *second = strchr(text, '\n');
    const char *found = second ? strstr(second, mark) : NULL;
    if (strncmp(text, "0\n", 2) == 0 && found) {
        char *end;
        const char *number = found + sizeof mark - 1;
        errno = 0;
        const long value = strtol(number, &end, 10);
        if (end != number && !errno && value >= INT_MIN && value <= INT_MAX) {
            *returned = (int)value;
            return 0;
        }
    }
    if (strstr(text, "Dynamic agent loading is not enabled"))
        return ix_fail(err, "this JVM does not let agents in while it runs "
                            "(-XX:-EnableDynamicAgentLoading); start it with -agentpath, or with "
                            "-XX:+EnableDynamicAgentLoading");
    snprintf(reason, sizeof reason, "%s", second ? second + 1 : text);
    for (size_t len = strlen(reason); len && reason[len - 1] == '\n';)
        reason[--len] = 0;
    char clean[sizeof reason];
    ixor_safe_text(reason, clean, sizeof clean);
    return ix_fail(err, "the JVM did not load the agent: %s", clean[0] ? clean : "no reason given");
}

int ixor_attached_load(struct ixor_attached *jvm, const char *library, const char *options,
                       bool *refused, struct ix_error *err)
{
    char command[2 * IXOR_ATTACH_WORD_MAX + 64], text[IXOR_ATTACH_TEXT_MAX];
    int returned = 0;
    *refused = false;
    if (strlen(library) > IXOR_ATTACH_WORD_MAX || strlen(options) > IXOR_ATTACH_WORD_MAX)
        return ix_fail(err,
                       "the agent's %s of %zu bytes: a JVM takes at most %u when it is "
                       "attached to",
                       strlen(library) > IXOR_ATTACH_WORD_MAX ? "path" : "options",
                       strlen(library) > IXOR_ATTACH_WORD_MAX ? strlen(library) : strlen(options),
                       IXOR_ATTACH_WORD_MAX);
    /* Version, command, library, "its path is absolute", options. */
    const int size =
        snprintf(command, sizeof command, "1%cload%c%s%ctrue%c%s", 0, 0, library, 0, 0, options) +
        1;
    int fd = try_connect(jvm);
    if (fd < 0)
        fd = wake(jvm, err);
    if (fd < 0)
        return -1;
    int status = send_all(jvm, fd, command, (size_t)size, err);
    if (status == 0)
        status = receive_all(jvm, fd, text, sizeof text, err);
    close(fd);
    if (status != 0 || ixor_load_answer(text, &returned, err) != 0)
        return -1;
    *refused = returned != 0;
    return *refused ? ix_fail(err, "the agent refused (it returned %d)", returned) : 0;
}
