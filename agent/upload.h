/* What of the agent's work is for logs that come home (schema/protocol.md, "Logs come home"): tells
 * the server where this JVM's log is, sends it at the end if the server cannot read it there, and
 * meanwhile those of JVMs of this host that are gone, if the server asks for them. Rides on the
 * link's connection, on the agent's thread; knows nothing of the JVM. */
#ifndef IX_AGENT_UPLOAD_H
#define IX_AGENT_UPLOAD_H

#include "agent/link.h"
#include "schema/transfer.h"

struct ixa_upload;

/* All functions take NULL, which is what upload=never and running out of memory amount to. */
struct ixa_upload *ixa_upload_new(void);
void ixa_upload_free(struct ixa_upload *u);
struct ixa_passenger ixa_upload_passenger(struct ixa_upload *u);

/* A session has begun, and there is a log, who->log. `who` must outlive it. */
void ixa_upload_begin(struct ixa_upload *u, const struct ix_hello *who);
/* The log is complete. True if the server wants it: it is sent from now on, until ixa_upload_done
 * (which takes the struct ixa_upload). */
bool ixa_upload_finish(struct ixa_upload *u);
bool ixa_upload_done(void *user);

/* Whether a log that the server asks for may be sent: it lies in the same directory as this JVM's
 * own, and no process that could be its VM is there. (That it is a trace log, a regular file and
 * this user's is looked at when it is opened.) Exposed for tests. */
bool ixa_upload_may_send(const struct ix_hello *who, const struct ix_log_name *wanted);

#endif
