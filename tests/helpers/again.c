/* SPDX-License-Identifier: Apache-2.0 */
/* A JVM that loses its connection, for tests of the server: says HELLO to the server in IXOR_SERVER
 * with the key in IXOR_KEY, goes when it is welcomed, and comes again as the same JVM. Exit status
 * 0: welcomed both times. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "schema/protocol/protocol.h"
#include "tests/support/wire_support.h"

static int connect_to(const char *server)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const char *colon = server ? strrchr(server, ':') : NULL;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (!colon || fd < 0)
        return -1;
    to.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    return connect(fd, (struct sockaddr *)&to, sizeof to) == 0 ? fd : -1;
}

static int visit(struct ix_tls *tls, const struct ix_hello *hello)
{
    struct ix_out out = {0};
    uint8_t answer[IX_MESSAGE_PREFIX + IX_MESSAGE_MAX];
    struct ix_message_frame frame = {0};
    size_t size = 0;
    ssize_t got = 1;
    int fd = connect_to(getenv("IXOR_SERVER"));
    struct ix_wire *wire = fd >= 0 ? wire_meet(tls, fd) : NULL;
    ix_encode_hello(&out, hello);
    if (!wire || out.failed || !wire_send(wire, fd, out.data, out.len))
        return -1;
    while (got > 0 && ix_next_message(answer, size, &frame, NULL) == 0) {
        got = wire_receive(wire, fd, answer + size, sizeof answer - size);
        size += got > 0 ? (size_t)got : 0;
    }
    ix_out_free(&out);
    ix_wire_free(wire);
    close(fd);
    return frame.type == IX_WELCOME ? 0 : -1;
}

int main(void)
{
    struct ix_key key;
    const char *text = getenv("IXOR_KEY");
    if (!text || ix_key_parse(IX_KEY_AGENT, text, &key, NULL) != 0)
        return EXIT_FAILURE;
    struct ix_tls *tls = wire_tls(IX_TLS_CLIENT, &key);
    struct ix_hello hello = {.udp_port = 9, .pid = 1, .started_ns = 1};
    snprintf(hello.role, sizeof hello.role, "Again");
    snprintf(hello.host, sizeof hello.host, "host");
    snprintf(hello.jvm, sizeof hello.jvm, "none");
    snprintf(hello.log, sizeof hello.log, "/nonexistent/again.ixl");
    return tls && visit(tls, &hello) == 0 && visit(tls, &hello) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
