/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/wire_support.h"

#include <poll.h>

/* Waits for what the last call needs. */
static bool wire_wait(const struct ix_wire *w, int fd)
{
    struct pollfd p = {.fd = fd, .events = ix_wire_events(w)};
    return ix_wire_pending(w) || poll(&p, 1, WIRE_MS) == 1;
}

struct ix_wire *wire_meet(struct ix_tls *tls, int fd)
{
    struct ix_wire *w = ix_wire_new(tls, fd);
    int done = w ? 0 : -1;
    while (w && (done = ix_wire_shake(w)) == 0 && wire_wait(w, fd))
        ;
    if (done > 0)
        return w;
    ix_wire_free(w);
    return NULL;
}

bool wire_send(struct ix_wire *w, int fd, const void *data, size_t size)
{
    const uint8_t *at = data;
    while (size) {
        const ssize_t n = ix_wire_write(w, at, size);
        if (n < 0 || (n == 0 && !wire_wait(w, fd)))
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

ssize_t wire_receive(struct ix_wire *w, int fd, void *data, size_t size)
{
    ssize_t n;
    while ((n = ix_wire_read(w, data, size)) == 0 && wire_wait(w, fd))
        ;
    return n > 0 ? n : -1;
}

struct ix_tls *wire_tls(enum ix_tls_side side, const struct ix_key *agent)
{
    struct ix_tls *tls = ix_tls_new(side, NULL);
    if (tls)
        ix_tls_set_key(tls, IX_KEY_AGENT, agent);
    return tls;
}
