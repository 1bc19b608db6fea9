/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a trace log with its parts to a server (protocol.md, "Log transfer"): the side of the
 * agent and of `ixor collect --server`. Independent of sockets and the JVM: it appends messages to
 * a buffer when the caller asks, and the caller passes on the replies. It reads the log in small
 * pieces, no faster than the server allows. One thread per sender.
 */
#ifndef IX_SCHEMA_LOG_SENDER_H
#define IX_SCHEMA_LOG_SENDER_H

#include "schema/protocol/transfer.h"

struct ix_log_sender;

enum ix_sending {
    IX_SENDING_NOTHING, /* nothing has been started */
    IX_SENDING_BUSY,
    /* How it ended: */
    IX_SENDING_STORED,     /* the complete log is in the campaign's directory */
    IX_SENDING_NOT_NEEDED, /* the server can read it where it is, or has it */
    IX_SENDING_PROMISED,   /* a growing log: the server will want it */
    IX_SENDING_FAILED,     /* ix_log_sender_reason says why */
};

struct ix_log_sender *ix_log_sender_new(void);    /* NULL: out of memory */
void ix_log_sender_free(struct ix_log_sender *s); /* s may be NULL */

/* Each of these cancels a transfer under way. `name` is copied. */

/* Offers a log that is being written. */
void ix_log_sender_announce(struct ix_log_sender *s, const struct ix_log_name *name);
/* Offers a finished log with its parts, and sends what the server wants of it. Sends only regular
 * files that begin like a trace log, and if `own` only those of this user. */
void ix_log_sender_start(struct ix_log_sender *s, const struct ix_log_name *name, bool own);
/* Reports that a wanted log is missing or will not be sent. Finished at once. */
void ix_log_sender_decline(struct ix_log_sender *s, const struct ix_log_name *name,
                           enum ix_offer_state state);
/* Call for a new connection: messages sent before will not be answered. Cancels a transfer under
 * way. */
void ix_log_sender_reset(struct ix_log_sender *s);

/* Appends the next messages to send, if any; call it when everything before has been sent. Returns
 * when to call again; INT64_MAX: after the next message. now_ns: a monotonic clock. At most 256 KiB
 * are read in one call. */
int64_t ix_log_sender_send(struct ix_log_sender *s, struct ix_out *out, int64_t now_ns);
/* A message from the server; types other than LOG_ACCEPT and LOG_STORED are ignored. -1: the peer
 * broke the protocol. */
int ix_log_sender_receive(struct ix_log_sender *s, const struct ix_message_frame *m,
                          struct ix_error *err);

enum ix_sending ix_log_sender_state(const struct ix_log_sender *s);
const char *ix_log_sender_reason(const struct ix_log_sender *s);

#endif
