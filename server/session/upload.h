/* SPDX-License-Identifier: Apache-2.0 */
/* Receives logs over connections: the server's side of schema/protocol/transfer.h. Decides whether
 * a log is needed, writes it to the log store in pieces, records it in the catalogue, and asks JVMs
 * for the logs of others on their host that have ended.
 *
 * A session transfers at most one log at a time. Everything runs in the event loop; long work (the
 * digest of what an earlier connection uploaded) is done in slices.
 */
#ifndef IXOR_UPLOAD_H
#define IXOR_UPLOAD_H

#include <event2/event.h>

#include "schema/protocol/transfer.h"
#include "server/session/session.h"

#define IXOR_UPLOAD_RATE_DEFAULT (UINT64_C(64) << 20)
#define IXOR_UPLOAD_RATE_MIN (UINT64_C(64) << 10)

struct ixor_uploads;

/* `writer` must outlive it; its catalogue's directory is where logs go. NULL on failure. */
struct ixor_uploads *ixor_uploads_new(struct event_base *base, struct ixor_writer *writer,
                                      const struct ixor_upload_options *options,
                                      struct ix_error *err);
void ixor_uploads_free(struct ixor_uploads *all); /* call when no session is left; may be NULL */

/* A session's uploads; NULL: none yet. */
struct ixor_upload;

/* A message of types IX_LOG_OFFER, IX_LOG_DATA or IX_LOG_DONE. -1 with a message: the peer broke
 * the protocol. Must not end the session. */
int ixor_upload_message(struct ixor_uploads *all, struct ixor_session *s,
                        const struct ix_message_frame *frame, struct ix_error *err);
/* If s->search.due, looks up whether to ask this JVM for the logs of others on its host; does it
 * now or leaves it for the next call. -1: the server cannot continue this session. */
int ixor_uploads_search(struct ixor_uploads *all, struct ixor_session *s, uint64_t now_ns,
                        struct ix_error *err);
/* Call when the session ends; received bytes are kept for the next connection. u may be NULL. */
void ixor_upload_end(struct ixor_upload *u);

#endif
