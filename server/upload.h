/* Logs that come home over a connection: the server's side of schema/transfer.h. Decides whether a
 * log is wanted, takes it into the depot piece by piece, tells the catalogue, and asks the JVMs of
 * a host for the logs of those that are gone.
 *
 * One session has one log under way at most. Everything happens in the event loop; what may take
 * long (the digest of what an earlier connection brought) is done in slices.
 */
#ifndef IXOR_UPLOAD_H
#define IXOR_UPLOAD_H

#include <event2/event.h>

#include "schema/transfer.h"
#include "server/ledger.h"

struct ixor_session;

#define IXOR_UPLOAD_RATE_DEFAULT (UINT64_C(64) << 20)
#define IXOR_UPLOAD_RATE_MIN (UINT64_C(64) << 10)

struct ixor_uploads;

struct ixor_upload_options {
    uint64_t max_size; /* bytes of one file; 0: IXOR_MAX_UPLOAD_DEFAULT */
    uint64_t rate;     /* bytes a second of all together; 0: IXOR_UPLOAD_RATE_DEFAULT */
};

/* `ledger` must outlive it; its catalogue's directory is where logs go. NULL on failure. */
struct ixor_uploads *ixor_uploads_new(struct event_base *base, struct ixor_ledger *ledger,
                                      const struct ixor_upload_options *options,
                                      struct ix_error *err);
void ixor_uploads_free(struct ixor_uploads *all); /* when no session is left; may be NULL */

/* What a session has under way; NULL: nothing yet. */
struct ixor_upload;

/* A message of types IX_LOG_OFFER, IX_LOG_DATA or IX_LOG_DONE. -1 and a message: the peer breaks
 * the protocol. May end nothing and free nothing but what it made. */
int ixor_upload_message(struct ixor_uploads *all, struct ixor_session *s,
                        const struct ix_message_frame *frame, struct ix_error *err);
/* Whether to ask this VM for the logs of others of its host is to be looked up (s->search.due):
 * does it now, or leaves it for the next time. -1: the server cannot go on with this session. */
int ixor_uploads_search(struct ixor_uploads *all, struct ixor_session *s, uint64_t now_ns,
                        struct ix_error *err);
/* The session ends: what has come stays for the next connection. u may be NULL. */
void ixor_upload_end(struct ixor_upload *u);

#endif
