/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/tcp_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

struct tcp_pair tcp_pair_connect(int family)
{
    struct tcp_pair p = {.listens = socket(family, SOCK_STREAM, 0),
                         .client = socket(family, SOCK_STREAM, 0)};
    struct sockaddr_storage room = {.ss_family = (sa_family_t)family};
    socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    if (family == AF_INET)
        ((struct sockaddr_in *)&room)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        ((struct sockaddr_in6 *)&room)->sin6_addr = in6addr_loopback;
    assert_int_equal(bind(p.listens, (struct sockaddr *)&room, len), 0);
    assert_int_equal(listen(p.listens, 4), 0);
    assert_int_equal(getsockname(p.listens, (struct sockaddr *)&room, &len), 0);
    assert_int_equal(connect(p.client, (struct sockaddr *)&room, len), 0);
    p.server = accept(p.listens, NULL, NULL);
    assert_true(p.server >= 0);
    return p;
}

void tcp_pair_close(const struct tcp_pair *p)
{
    close(p->client);
    close(p->server);
    close(p->listens);
}
