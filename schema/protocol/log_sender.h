/* Sends a trace log with its parts to a server (protocol.md, "Logs come home"): the side of the
 * agent and of `ixor collect --server`. Knows neither sockets nor a JVM: it puts messages into a
 * buffer when there is room on the way, and is given those that come back. It reads the log in
 * small pieces, no faster than the server allows. One sender, one thread.
 */
#ifndef IX_SCHEMA_LOG_SENDER_H
#define IX_SCHEMA_LOG_SENDER_H

#include "schema/transfer.h"

struct ix_log_sender;

enum ix_sending {
    IX_SENDING_NOTHING, /* nothing was started yet */
    IX_SENDING_BUSY,
    /* How it ended: */
    IX_SENDING_STORED,     /* all of it is in the campaign's directory */
    IX_SENDING_NOT_NEEDED, /* the server can read it where it is, or has it */
    IX_SENDING_PROMISED,   /* of a growing log: the server will want it */
    IX_SENDING_FAILED,     /* ix_log_sender_reason says why */
};

struct ix_log_sender *ix_log_sender_new(void);    /* NULL: out of memory */
void ix_log_sender_free(struct ix_log_sender *s); /* s may be NULL */

/* Each of these gives up what was under way. `name` is copied. */

/* Offers a log that is being written. */
void ix_log_sender_announce(struct ix_log_sender *s, const struct ix_log_name *name);
/* Offers a log to which nothing will be added, with its parts, and sends what is wanted of it. Sent
 * are regular files only that begin as a trace log does, and if `own` those of this user only. */
void ix_log_sender_start(struct ix_log_sender *s, const struct ix_log_name *name, bool own);
/* Says that a log that was wanted is missing, or kept. Ends at once. */
void ix_log_sender_decline(struct ix_log_sender *s, const struct ix_log_name *name,
                           enum ix_offer_state state);
/* A new connection: nothing that was sent before will be answered. Ends what was under way. */
void ix_log_sender_reset(struct ix_log_sender *s);

/* Appends what is to be sent next, if anything: call it when all that was sent before has left.
 * Returns when to call again, or INT64_MAX: after the next message. now_ns: a monotonic clock. At
 * most 256 KiB are read in one call. */
int64_t ix_log_sender_send(struct ix_log_sender *s, struct ix_out *out, int64_t now_ns);
/* A message from the server; other types than LOG_ACCEPT and LOG_STORED are ignored. -1: the peer
 * breaks the protocol. */
int ix_log_sender_receive(struct ix_log_sender *s, const struct ix_message_frame *m,
                          struct ix_error *err);

enum ix_sending ix_log_sender_state(const struct ix_log_sender *s);
const char *ix_log_sender_reason(const struct ix_log_sender *s);

#endif
