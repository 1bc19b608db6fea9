/* SPDX-License-Identifier: Apache-2.0 */
/* A bad wire between two network interfaces, for tests: hands every frame over, IPv4's UDP late, in
 * another order, twice or not at all. Needs CAP_NET_RAW.
 *
 *   wire IF1 IF2 [--forth MS] [--back MS] [--jitter MS] [--loss PERCENT] [--twice PERCENT]
 *        [--echo MS] [--seed N]
 * UDP from IF1 to IF2 takes --forth, from IF2 to IF1 --back, each and a random time up to --jitter
 * more; a second copy comes up to --echo after the first. All else passes at once. Says "ready",
 * and at SIGTERM "udp N lost N twice N".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Frames on their way; what does not fit is lost. */
#define WAITING_MAX 1024
/* What the kernel has not cut into segments yet comes as one. */
#define FRAME_MAX (65536 + 256)

struct frame {
    int64_t due_ns;
    int to; /* a socket */
    size_t size;
    uint8_t *bytes;
};

static struct {
    double delay_ms[2], jitter_ms, loss, twice, echo_ms; /* loss, twice: 0 to 1 */
} option;
static struct frame waiting[WAITING_MAX];
static size_t count;
static unsigned long udp, lost, twice;
static volatile sig_atomic_t ended;

static void on_end(int sig)
{
    (void)sig;
    ended = 1;
}

static void die(const char *what)
{
    fprintf(stderr, "wire: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void parse(int argc, char **argv)
{
    for (int i = 3; i + 1 < argc; i += 2) {
        double value = strtod(argv[i + 1], NULL);
        if (strcmp(argv[i], "--forth") == 0)
            option.delay_ms[0] = value;
        else if (strcmp(argv[i], "--back") == 0)
            option.delay_ms[1] = value;
        else if (strcmp(argv[i], "--jitter") == 0)
            option.jitter_ms = value;
        else if (strcmp(argv[i], "--loss") == 0)
            option.loss = value / 100;
        else if (strcmp(argv[i], "--twice") == 0)
            option.twice = value / 100;
        else if (strcmp(argv[i], "--echo") == 0)
            option.echo_ms = value;
        else if (strcmp(argv[i], "--seed") == 0)
            srand48((long)value);
    }
}

/* Frames come and go with the kernel's own notes on them (checksums still to be filled in, segments
 * to be cut), so that nothing need be done about those here. */
static int open_interface(const char *name)
{
    struct sockaddr_ll address = {.sll_family = AF_PACKET,
                                  .sll_protocol = htons(ETH_P_ALL),
                                  .sll_ifindex = (int)if_nametoindex(name)};
    const struct packet_mreq all = {.mr_ifindex = address.sll_ifindex,
                                    .mr_type = PACKET_MR_PROMISC};
    const int one = 1;
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) != 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof address) != 0)
        die(name);
    return fd;
}

static void put(int to, const uint8_t *bytes, size_t size, int64_t due_ns)
{
    uint8_t *copy = count < WAITING_MAX ? malloc(size) : NULL;
    if (!copy) {
        lost++;
        return;
    }
    memcpy(copy, bytes, size);
    waiting[count++] = (struct frame){due_ns, to, size, copy};
}

static bool is_udp(const uint8_t *bytes, size_t size)
{
    const uint8_t *ethernet = bytes + sizeof(struct virtio_net_hdr);
    return size > sizeof(struct virtio_net_hdr) + 34 && ethernet[12] == 0x08 &&
           ethernet[13] == 0x00 && ethernet[23] == IPPROTO_UDP;
}

static void take(int from, int to, double delay_ms)
{
    static uint8_t bytes[FRAME_MAX];
    ssize_t size;
    while ((size = recv(from, bytes, sizeof bytes, 0)) > 0) {
        if (!is_udp(bytes, (size_t)size)) {
            send(to, bytes, (size_t)size, 0);
            continue;
        }
        udp++;
        if (drand48() < option.loss) {
            lost++;
            continue;
        }
        int64_t due = now_ns() + (int64_t)((delay_ms + drand48() * option.jitter_ms) * 1e6);
        put(to, bytes, (size_t)size, due);
        if (drand48() < option.twice) {
            twice++;
            put(to, bytes, (size_t)size, due + (int64_t)(drand48() * option.echo_ms * 1e6));
        }
    }
}

/* Sends what is due; the time until the next one, in ms, -1: there is none. */
static int give(void)
{
    int64_t now = now_ns(), next = INT64_MAX;
    for (size_t i = 0; i < count;) {
        if (waiting[i].due_ns > now) {
            next = waiting[i].due_ns < next ? waiting[i].due_ns : next;
            i++;
            continue;
        }
        send(waiting[i].to, waiting[i].bytes, waiting[i].size, 0);
        free(waiting[i].bytes);
        waiting[i] = waiting[--count];
    }
    return next == INT64_MAX ? -1 : (int)((next - now) / 1000000) + 1;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: wire IF1 IF2 [OPTION VALUE]...\n", stderr);
        return 2;
    }
    parse(argc, argv);
    signal(SIGTERM, on_end);
    struct pollfd fds[2] = {{.fd = open_interface(argv[1]), .events = POLLIN},
                            {.fd = open_interface(argv[2]), .events = POLLIN}};
    puts("ready");
    fflush(stdout);
    while (!ended) {
        if (poll(fds, 2, give()) <= 0)
            continue;
        for (int i = 0; i < 2; i++)
            take(fds[i].fd, fds[1 - i].fd, option.delay_ms[i]);
    }
    while (count)
        free(waiting[--count].bytes);
    printf("udp %lu lost %lu twice %lu\n", udp, lost, twice);
    return 0;
}
