/* SPDX-License-Identifier: Apache-2.0 */
/* The sessions that have not proven a key yet, and which of them to close when more come.
 *
 * Any program that reaches the port can connect and wait, and takes a place that an agent with the
 * key may need; an agent sends something at once. So the first to be closed is the oldest that has
 * sent no complete first message of TLS for a while; then one that has not replied to the server's
 * answer for IXOR_SHAKE_MS. A session with bytes that the server has not read yet stays.
 */
#ifndef IXOR_STRANGERS_H
#define IXOR_STRANGERS_H

#include "server/session/session.h"

/* How long a stranger may take while others wait; else IXOR_HELLO_MS. The first is halved with each
 * session closed, down to the second, until a peer proves a key: agents on a busy host are slow,
 * too, when all start at once. */
#define IXOR_FRESH_MS 1000
#define IXOR_FRESH_LEAST_MS 100
#define IXOR_SHAKE_MS 2000

TAILQ_HEAD(ixor_stranger_list, ixor_session);
struct ixor_strangers {
    struct ixor_stranger_list fresh, answered; /* the oldest first */
    uint64_t patience_ms;                      /* for those in `fresh` */
};

void ixor_strangers_init(struct ixor_strangers *l);
void ixor_strangers_add(struct ixor_strangers *l, struct ixor_session *s);
void ixor_strangers_remove(struct ixor_strangers *l, struct ixor_session *s);
/* A session that can be spared; it stays in its list. NULL: none. O(1), plus one move for each
 * session from the first list to the second. */
struct ixor_session *ixor_strangers_spare(struct ixor_strangers *l, uint64_t now_ns);

#endif
