/* SPDX-License-Identifier: Apache-2.0 */
/* Which key a link uses: the one that the JVM was given, or that of a server on this host, which
 * may change each time the server starts. Each campaign has its own. */
#ifndef IX_AGENT_KEYS_H
#define IX_AGENT_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/protocol/key.h"

struct ixa_keys {
    const struct ix_key *given; /* borrowed; may be NULL */
    uint16_t port;              /* the server's */
    struct ix_key key;          /* of this handshake */
    bool other;                 /* the given key was not accepted: try the other one next */
    bool has_campaign;          /* there was a session, with the key `campaign` */
    struct ix_key campaign;
};

/* Sets `key` for the next handshake; false: there is none. */
bool ixa_keys_choose(struct ixa_keys *k);
/* The server does not accept `key`. */
void ixa_keys_rejected(struct ixa_keys *k);
/* Whether `key` belongs to another campaign than that of the last session, which this forgets. */
bool ixa_keys_changed(struct ixa_keys *k);
/* A session has begun with `key`. */
void ixa_keys_accepted(struct ixa_keys *k);

#endif
