/* SPDX-License-Identifier: Apache-2.0 */
/* A TCP connection on loopback, both of whose ends a test holds. */
#ifndef IX_TESTS_TCP_PAIR_H
#define IX_TESTS_TCP_PAIR_H

/* A listening socket, and both ends of a connection to it. */
struct tcp_pair {
    int listens, client, server;
};

/* AF_INET or AF_INET6, on any free port. Fails the test if that is impossible. */
struct tcp_pair tcp_pair_connect(int family);
void tcp_pair_close(const struct tcp_pair *p);

#endif
