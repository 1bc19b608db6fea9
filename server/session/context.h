/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a running server share: service.c fills it in and everything in this folder
 * uses it. The parts report to the layers above through the callbacks at the end. All of it belongs
 * to the event loop's thread.
 */
#ifndef IXOR_CONTEXT_H
#define IXOR_CONTEXT_H

#include <event2/event.h>

#include "schema/protocol/key.h"
#include "schema/protocol/tls.h"
#include "server/base/index.h"
#include "server/base/units.h"
#include "server/sampling/jvm.h"
#include "server/sampling/rhythm.h"
#include "server/session/warnings.h"
#include "server/session/watched.h"
#include "server/store/catalogue_writer.h"

struct ixor_session;

struct ixor_upload_options {
    uint64_t max_size; /* bytes of one file; 0: IXOR_MAX_UPLOAD_DEFAULT */
    uint64_t rate;     /* bytes per second in total; 0: IXOR_UPLOAD_RATE_DEFAULT */
};

struct ixor_service_options {
    struct ixor_address listen;        /* port 0: any free one */
    struct ix_key key;                 /* the campaign's */
    struct ixor_rhythm_options rhythm; /* of the packets; checked */
    uint64_t lead_ns;                  /* from sending to stopping, or IXOR_LEAD_AUTO; 0: at once */
    const struct ix_tls_files *files;  /* NULL: no certificates; read by ixor_service_new */
    bool on_demand;                    /* an agent that names a run that is not open opens it */
    bool tests;                        /* an agent may open a run of a test */
    uint64_t burst_after_ns;           /* a test that lasts this long gets a burst; 0: none */
    unsigned keepalive_ms;             /* 0: IX_KEEPALIVE_MS */
    unsigned silence_ms;               /* 0: IX_SILENCE_MS */
    struct ixor_upload_options upload;
    bool after_crash; /* the catalogue's last numbers may be missing */
};

/* A JVM whose session has ended. Strings live until the callback returns. */
struct ixor_departure {
    const struct ixor_execution *execution;
    const struct ixor_hello *hello;
    const char *ended, *text; /* text may be NULL */
    uint64_t after_ns;        /* since its connection began */
    uint64_t taken;
};

/* For the server's user; each may be NULL. */
struct ixor_service_events {
    void (*joined)(void *user, const struct ixor_execution *e, const struct ixor_hello *hello);
    void (*left)(void *user, const struct ixor_departure *d);
    void (*warned)(void *user, const char *text); /* a peer was dropped or refused */
    void *user;
};

/* What a session reports to the layers above it. */
struct ixor_session_events {
    /* The peer has proven a key, or the session ends: it is no longer a stranger. Called once. */
    void (*known)(void *user, struct ixor_session *s);
    /* A message of a peer that has proven a key. False: the session has ended, or accepts no
     * more. */
    bool (*message)(void *user, struct ixor_session *s, const struct ix_message_frame *frame);
    /* The session ends and is freed after this, which must not call ixor_session_end. Arguments as
     * for that function. */
    void (*ended)(void *user, struct ixor_session *s, const char *ended, const char *text);
    void *user;
};

/* All sessions, in no order. */
struct ixor_roster {
    struct ixor_session **at;
    size_t count, room;
};

struct ixor_context {
    struct event_base *base;
    struct ixor_writer *writer; /* the caller's */
    struct ixor_service_options options;
    struct ix_tls *tls;
    struct ixor_instant *instant;
    struct ixor_prober *prober;
    struct ixor_ticker *ticker;
    struct ixor_uploads *uploads;
    struct ixor_roster roster;
    struct ixor_jvms jvms;    /* of admitted agents: they get packets */
    struct ixor_index by_jvm; /* sessions of these JVMs */
    uint64_t hash_seed;       /* of the index */
    uint64_t report_ns;       /* the longest delay of reports; admission.h */
    uint64_t ceiling;         /* highest packet number that the last server can have sent */
    struct ixor_execution *executions; /* opened so far, the latest first; freed with the context */
    struct ixor_execution *current;    /* for agents that name none; NULL: there is none */
    struct ixor_watched_list watched;
    bool interrupted; /* the user ends what runs: no test fails by that */
    struct ixor_warnings warnings;
    struct ixor_service_events events;
    struct ixor_session_events on;
};

#endif
