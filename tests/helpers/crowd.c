/* SPDX-License-Identifier: Apache-2.0 */
/* A crowd of connections that want nothing but the places of others: they are held, and made again
 * when the server ends them.
 *
 *   crowd --server ADDR:PORT --count N --kind silent|byte|begin [--rate N]
 *   silent  says nothing     byte  one byte of TLS     begin  the beginning of a ClientHello
 * --rate: connections a second (2,000), first and later ones. Prints "there N" as soon as each has
 * been connected once, then goes on until it is ended (SIGTERM); then "ended N", how often the
 * server closed one. From addresses of 127.0.0.0/8 of its own, so that ports do not run out.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/units.h"

#define STEP_MS 10
#define ADDRESSES 50

static struct {
    struct ixor_address server;
    size_t count, rate;
    const char *kind;
} option = {.rate = 2000, .kind = "silent"};

static int *fds; /* -1: to be made */
static size_t ended;
static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static size_t count_of(const char *text)
{
    uint64_t n;
    struct ix_error err;
    if (ixor_parse_count(text, 1, 100000, &n, &err) == 0)
        return (size_t)n;
    fprintf(stderr, "crowd: %s\n", err.text);
    exit(2);
}

static void parse(int argc, char **argv)
{
    static const struct option options[] = {{"server", required_argument, NULL, 's'},
                                            {"count", required_argument, NULL, 'n'},
                                            {"kind", required_argument, NULL, 'k'},
                                            {"rate", required_argument, NULL, 'r'},
                                            {0}};
    struct ix_error err = {"--server or --count is missing"};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 's':
            if (ixor_parse_address(optarg, &option.server, &err) != 0)
                option.server.len = 0;
            break;
        case 'n':
            option.count = count_of(optarg);
            break;
        case 'k':
            option.kind = optarg;
            break;
        case 'r':
            option.rate = count_of(optarg);
            break;
        default:
            exit(2);
        }
    }
    if (option.count && option.server.len)
        return;
    fprintf(stderr, "crowd: %s\n", err.text);
    exit(2);
}

static void speak(int fd)
{
    static const char begin[] = {0x16, 3, 1, 0, 4, 1, 0, 1, 0};
    if (strcmp(option.kind, "byte") == 0)
        (void)!send(fd, begin, 1, MSG_NOSIGNAL);
    else if (strcmp(option.kind, "begin") == 0)
        (void)!send(fd, begin, sizeof begin, MSG_NOSIGNAL);
}

/* Not waited for: a connection that hangs in the server's queue counts as one. */
static void dial(int epoll, size_t i)
{
    struct sockaddr_in own = {.sin_family = AF_INET};
    own.sin_addr.s_addr = htonl(0x7f010001u + (uint32_t)(i % ADDRESSES));
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof own) != 0)
        die("crowd: socket");
    if (connect(fd, (struct sockaddr *)&option.server.sa, option.server.len) != 0 &&
        errno != EINPROGRESS)
        die("crowd: connect");
    struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP, .data.u64 = i};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) != 0)
        die("crowd: epoll");
    speak(fd);
    fds[i] = fd;
}

static void lose(size_t i)
{
    close(fds[i]);
    fds[i] = -1;
    ended++;
}

static void heard(size_t i, uint32_t events)
{
    char answer[4096];
    if (fds[i] >= 0 && ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) ||
                        recv(fds[i], answer, sizeof answer, 0) == 0))
        lose(i);
}

/* As many as are due, in turn. */
static void dial_due(int epoll)
{
    static size_t next, first;
    size_t due = option.rate * STEP_MS / 1000 + 1;
    for (size_t n = 0; n < option.count && due; n++, next = (next + 1) % option.count) {
        if (fds[next] >= 0)
            continue;
        dial(epoll, next);
        due--;
        if (++first == option.count)
            printf("there %zu\n", first);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct rlimit limit;
    parse(argc, argv);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    signal(SIGTERM, stop);
    fds = malloc(option.count * sizeof *fds);
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!fds || epoll < 0)
        die("crowd");
    memset(fds, 0xff, option.count * sizeof *fds);
    while (!stopped) {
        struct epoll_event events[256];
        const uint64_t until = ixor_mono_ns() + STEP_MS * UINT64_C(1000000);
        dial_due(epoll);
        while (!stopped && ixor_mono_ns() < until) {
            const int n = epoll_wait(epoll, events, 256, 1);
            for (int i = 0; i < n; i++)
                heard(events[i].data.u64, events[i].events);
        }
    }
    printf("ended %zu\n", ended);
    free(fds);
    return 0;
}
