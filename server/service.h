/* The server proper: listens, admits agents to executions, keeps their sessions, and ticks.
 *
 * Everything runs in the caller's event loop, in one thread. Nothing here prints: what happens is
 * told through struct ixor_service_events.
 */
#ifndef IXOR_SERVICE_H
#define IXOR_SERVICE_H

#include <event2/event.h>

#include "schema/protocol.h"
#include "schema/tls.h"
#include "server/execution.h"
#include "server/lead.h"
#include "server/ledger.h"
#include "server/rhythm.h"
#include "server/session.h"
#include "server/units.h"

struct ixor_service_options {
    struct ixor_address listen; /* port 0: any free one */
    struct ix_key key;          /* the campaign's */
    struct ixor_rhythm_options rhythm; /* of the packets; checked */
    uint64_t lead_ns;           /* from sending to stopping; IXOR_LEAD_AUTO; 0: at once */
    const struct ix_tls_files *files; /* NULL: no certificates; read by ixor_service_new */
    bool on_demand;             /* an agent may name an execution that is not open */
    unsigned keepalive_ms;      /* 0: IX_KEEPALIVE_MS */
    unsigned silence_ms;        /* 0: IX_SILENCE_MS */
    struct ixor_upload_options upload;
    bool after_crash;           /* the catalogue's last numbers may be missing */
};

/* A VM whose session is over. Strings live until the callback returns. */
struct ixor_departure {
    const struct ixor_execution *execution;
    const struct ixor_hello *hello;
    const char *ended, *text; /* text may be NULL */
    uint64_t after_ns;        /* since its HELLO */
    uint64_t taken;
};

struct ixor_service_events {
    void (*joined)(void *user, const struct ixor_execution *e, const struct ixor_hello *hello);
    void (*left)(void *user, const struct ixor_departure *d);
    void (*warned)(void *user, const char *text); /* a peer was dropped or refused */
    void *user;
};

/* `ledger` must outlive the service. NULL on failure. */
struct ixor_service *ixor_service_new(struct event_base *base, struct ixor_ledger *ledger,
                                      const struct ixor_service_options *options,
                                      const struct ixor_service_events *events,
                                      struct ix_error *err);
/* VMs that are still there are recorded as server-stopped. s may be NULL. */
void ixor_service_free(struct ixor_service *s);

/* Where it listens. */
const struct ixor_address *ixor_service_address(const struct ixor_service *s);

/* Opens an execution under a name, new in the catalogue or there already, and makes it the current
 * one, to which agents go that name none. Lives as long as the service. NULL on failure. */
struct ixor_execution *ixor_service_open(struct ixor_service *s, const char *name,
                                         const char *command, int64_t begin_ns,
                                         struct ix_error *err);
/* No more agents; those still there are recorded as server-stopped. Does not write the execution's
 * end. */
void ixor_service_close(struct ixor_service *s, struct ixor_execution *e, const char *why);

/* All executions opened so far, the latest first. */
struct ixor_execution *ixor_service_executions(struct ixor_service *s);

/* The one that agents go to that name none; NULL: there is none. */
struct ixor_execution *ixor_service_current(struct ixor_service *s);
const struct ixor_service_options *ixor_service_given(const struct ixor_service *s);
struct ixor_ticker *ixor_service_ticker(struct ixor_service *s);
/* The longest time that an agent was allowed to wait with a report, so far. */
uint64_t ixor_service_report_ns(const struct ixor_service *s);

/* A packet whose takers are counted as their reports come: the last IXOR_WATCHED that were asked for.
 * NULL: it is none of these. */
struct ixor_watched {
    uint64_t packet;
    size_t vms, taken;
};
#define IXOR_WATCHED 16
void ixor_service_watch(struct ixor_service *s, uint64_t packet, size_t vms);
const struct ixor_watched *ixor_service_watched(const struct ixor_service *s, uint64_t packet);

/* ---- for session.c ---- */

struct ixor_index *ixor_service_by_vm(struct ixor_service *s);
void ixor_service_took(struct ixor_service *s, uint64_t packet);

struct ixor_roster *ixor_service_roster(struct ixor_service *s);
struct ixor_ledger *ixor_service_ledger(struct ixor_service *s);
struct ix_tls *ixor_service_tls(struct ixor_service *s);
struct ixor_prober *ixor_service_prober(struct ixor_service *s);
struct ixor_instant *ixor_service_instant(struct ixor_service *s);
struct ixor_uploads *ixor_service_uploads(struct ixor_service *s);
uint64_t ixor_service_last_packet(const struct ixor_service *s);
/* Admits a session by its hello (s->hello): finds its execution, ends an older session of the same
 * VM, gives it a key and a catalogue entry, and fills *welcome. -1 with the reason if refused. */
int ixor_service_admit(struct ixor_service *service, struct ixor_session *s,
                       struct ix_welcome *welcome, struct ix_error *err);
/* A session is no stranger any more: it has come to HELLO or CONTROL, was refused, or ended. */
void ixor_service_known(struct ixor_service *service);
void ixor_service_departed(struct ixor_service *service, const struct ixor_departure *d);
/* peer: NULL, or whom it is about; of those more than a few a second are only counted. */
void ixor_service_warn(struct ixor_service *service, const struct ixor_address *peer,
                       const char *text);

#endif
