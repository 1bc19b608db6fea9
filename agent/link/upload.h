/* SPDX-License-Identifier: Apache-2.0 */
/* Sends logs to the server (schema/protocol/protocol.md, "Log transfer"). Announces where this
 * JVM's log is and uploads it at the end if the server cannot read it there. Meanwhile uploads the
 * logs of dead JVMs of this host that the server asks for. Uses the link's connection, on the
 * agent's thread; independent of the JVM. */
#ifndef IX_AGENT_UPLOAD_H
#define IX_AGENT_UPLOAD_H

#include "agent/link/link.h"
#include "schema/protocol/transfer.h"

struct ixa_upload;

/* All functions accept NULL, for upload=never and for out of memory. */
struct ixa_upload *ixa_upload_new(void);
void ixa_upload_free(struct ixa_upload *u);
struct ixa_extension ixa_upload_extension(struct ixa_upload *u);

/* A session has begun and there is a log, who->log. `who` must outlive `u`. */
void ixa_upload_begin(struct ixa_upload *u, const struct ix_hello *who);
/* The log is complete. True if the server wants it: it is sent from now on, until ixa_upload_done
 * (which takes the struct ixa_upload). */
bool ixa_upload_finish(struct ixa_upload *u);
bool ixa_upload_done(void *user);

/* Whether a log that the server asks for may be sent: it is in the same directory as this JVM's
 * own, and no live process can be its JVM. (That it is a trace log, a regular file and owned by
 * this user is checked when it is opened.) Exposed for tests. */
bool ixa_upload_may_send(const struct ix_hello *who, const struct ix_log_name *wanted);

#endif
