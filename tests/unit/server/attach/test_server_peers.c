/* SPDX-License-Identifier: Apache-2.0 */
/* With whom a process has connections: lines of /proc, answers of the kernel, and this process with
 * a child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/attach/peers.h"
#include "server/base/proc_stat.h"

#define REST " 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 20"

static void lines_are_parsed(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool good;
    } cases[] = {
        {"   0: 0100007F:1F90 0100007F:C350 01" REST, true},
        {"  12: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:C350 "
         "01" REST,
         true},
        {"   0: 0100007F:1F90 00000000:0000 0A" REST, false},     /* listens */
        {"   0: 0100007F:1F90 0100007F:C350 06" REST, false},     /* TIME_WAIT */
        {"   0: 0100007:1F90 0100007F:C350 01" REST, false},      /* no address */
        {"   0: 0100007F:1F90 0100007F:C350 01 00000000", false}, /* cut off */
        {"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid",
         false},
        {"", false},
    };
    uint8_t want[16] = {[10] = 0xff, [11] = 0xff};
    const uint32_t loopback = 0x0100007f; /* as a little-endian kernel prints it */
    memcpy(want + 12, &loopback, sizeof loopback);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ixor_tcp tcp;
        assert_int_equal(ixor_tcp_line(cases[i].line, &tcp), cases[i].good);
        if (!cases[i].good)
            continue;
        assert_memory_equal(tcp.local.host, want, 16);
        assert_int_equal(tcp.local.port, 8080);
        assert_int_equal(tcp.remote.port, 50000);
        assert_int_equal(tcp.inode, 4711);
        assert_int_equal(tcp.uid, 1000);
    }
}

static void answers_may_be_cut_off(void **state)
{
    (void)state;
    struct ixor_unix_pairs pairs = {0};
    struct {
        struct nlmsghdr header;
        char rest[8];
    } answer = {.header = {.nlmsg_len = sizeof answer, .nlmsg_type = SOCK_DIAG_BY_FAMILY}};
    for (size_t size = 0; size <= sizeof answer; size++)
        assert_int_equal(ixor_unix_answer(&pairs, &answer, size), 1);
    answer.header.nlmsg_type = NLMSG_DONE;
    assert_int_equal(ixor_unix_answer(&pairs, &answer, sizeof answer), 0);
    answer.header.nlmsg_type = NLMSG_ERROR;
    assert_int_equal(ixor_unix_answer(&pairs, &answer, sizeof answer), -1);
    assert_int_equal(pairs.count, 0);
    ixor_unix_pairs_free(&pairs);
}

/* ---- this process and a child ---- */

static uint64_t inode_of(int fd)
{
    struct stat info;
    assert_int_equal(fstat(fd, &info), 0);
    return info.st_ino;
}

/* A child that has the socket to itself, until its other end is closed. */
static pid_t child_with(int fd, int other)
{
    const pid_t child = fork();
    if (child == 0) {
        char byte;
        close(other);
        _exit(read(fd, &byte, 1) == 0 ? 0 : 1);
    }
    assert_true(child > 0);
    close(fd);
    return child;
}

static void find(struct ixor_peers *peers)
{
    struct ix_error err = {""};
    ixor_peers_free(peers);
    assert_int_equal(ixor_peers_read(getpid(), peers, &err), 0);
    assert_int_equal(ixor_peers_find(peers, &err), 0);
}

static const struct ixor_peer *peer_of(const struct ixor_peers *peers, uint64_t inode)
{
    for (size_t i = 0; i < peers->count; i++)
        if (peers->list[i].inode == inode)
            return &peers->list[i];
    return NULL;
}

static void tcp_with_a_child(int family, const char *host)
{
    struct ixor_peers peers = {0};
    struct sockaddr_storage room = {.ss_family = (sa_family_t)family};
    socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    const int listens = socket(family, SOCK_STREAM, 0), client = socket(family, SOCK_STREAM, 0);
    if (family == AF_INET6)
        ((struct sockaddr_in6 *)&room)->sin6_addr = in6addr_loopback;
    else
        ((struct sockaddr_in *)&room)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(listens, (struct sockaddr *)&room, len), 0);
    assert_int_equal(listen(listens, 1), 0);
    assert_int_equal(getsockname(listens, (struct sockaddr *)&room, &len), 0);
    const uint64_t before = ixor_peers_digest(getpid());
    assert_int_equal(connect(client, (struct sockaddr *)&room, len), 0);
    const int server = accept(listens, NULL, NULL);
    assert_true(server >= 0);
    assert_int_not_equal(ixor_peers_digest(getpid()), before);
    const uint64_t inode = inode_of(server);
    const pid_t child = child_with(server, client);
    char address[IXOR_ADDRESS_TEXT];
    snprintf(address, sizeof address, "%s:%u", host,
             ntohs(((struct sockaddr_in *)&room)->sin_port));
    find(&peers);
    const struct ixor_peer *peer = peer_of(&peers, inode);
    assert_non_null(peer);
    assert_int_equal(peer->pid, child);
    assert_int_equal(peer->uid, geteuid());
    assert_true(peer->near);
    assert_string_equal(peer->address, address);
    close(client);
    assert_int_equal(waitpid(child, NULL, 0), child);
    find(&peers);
    assert_null(peer_of(&peers, inode));
    ixor_peers_free(&peers);
    close(listens);
}

static void tcp(void **state)
{
    (void)state;
    tcp_with_a_child(AF_INET, "127.0.0.1");
    const int six = socket(AF_INET6, SOCK_STREAM, 0);
    const struct sockaddr_in6 loopback = {.sin6_family = AF_INET6,
                                          .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const bool has_six =
        six >= 0 && bind(six, (const struct sockaddr *)&loopback, sizeof loopback) == 0;
    if (six >= 0)
        close(six);
    if (has_six)
        tcp_with_a_child(AF_INET6, "[::1]");
}

static void unix_sockets(void **state)
{
    (void)state;
    struct ixor_peers peers = {0};
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    const uint64_t inode = inode_of(pair[1]);
    const pid_t child = child_with(pair[1], pair[0]);
    find(&peers);
    const bool tells = !peers.no_unix;
    if (tells) {
        const struct ixor_peer *peer = peer_of(&peers, inode);
        assert_non_null(peer);
        assert_int_equal(peer->pid, child);
        assert_string_equal(peer->address, "a Unix socket");
    }
    ixor_peers_free(&peers);
    close(pair[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    if (!tells)
        skip(); /* a kernel without unix_diag */
}

static void a_process_that_is_gone(void **state)
{
    (void)state;
    struct ixor_peers peers = {0};
    struct ixor_proc_stat stat;
    struct ix_error err = {""};
    assert_true(ixor_proc_stat_read(getpid(), &stat));
    assert_int_equal(stat.parent, getppid());
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(ixor_proc_stat_read(child, &stat));
    assert_int_equal(ixor_peers_read(child, &peers, &err), -1);
    assert_non_null(strstr(err.text, "descriptors of process"));
    assert_int_equal(ixor_peers_digest(child), 0);
    ixor_peers_free(&peers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_parsed),
        cmocka_unit_test(answers_may_be_cut_off),
        cmocka_unit_test(tcp),
        cmocka_unit_test(unix_sockets),
        cmocka_unit_test(a_process_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
