/* SPDX-License-Identifier: Apache-2.0 */
/* One connection, within TLS: its handshake, messages in and out, keepalives, its end. messages.c
 * handles the messages, admission.c decides who is admitted.
 *
 * A session is created when a connection is accepted and frees itself when it ends; holders of
 * pointers to it learn of that through the context's callbacks. Input is bounded by one message,
 * output by IXOR_OUTPUT_MAX: a peer that sends garbage or does not read is dropped.
 */
#ifndef IXOR_SESSION_H
#define IXOR_SESSION_H

#include <event2/bufferevent.h>
#include <sys/queue.h>

#include "server/session/context.h"

#define IXOR_OUTPUT_MAX 65536u /* bytes that a peer may leave unread: two hours of keepalives */
#define IXOR_HELLO_MS 5000     /* a connection without HELLO is closed after this */
#define IXOR_LINGER_MS 2000    /* time for a refused peer to read why */

enum ixor_session_state {
    IXOR_SESSION_HANDSHAKE, /* of TLS: nothing can be sent yet */
    IXOR_SESSION_NEW,       /* the peer has proven a key, but not sent a message yet */
    IXOR_SESSION_LIVE,      /* an agent that was admitted: its JVM gets packets */
    IXOR_SESSION_CONTROL,   /* not an agent: sends commands (control.h) */
    IXOR_SESSION_UPLOAD,    /* not an agent: uploads logs; began with LOG_OFFER */
    IXOR_SESSION_CLOSING,   /* refused; waits for the peer to close */
};

struct ixor_session {
    struct ixor_context *context;
    struct bufferevent *bev;
    size_t place; /* in the roster */
    enum ixor_session_state state;
    uint64_t began_ns, heard_ns, said_ns; /* monotonic clock */
    struct ixor_address peer;
    bool known;                         /* the callback of that name was called */
    TAILQ_ENTRY(ixor_session) stranger; /* in a list of strangers.c, until it is known */
    bool answered;                      /* which list; used by strangers.c */
    enum ix_key_kind proven;            /* IX_KEY_AGENT or IX_KEY_CONTROL, after the handshake */
    unsigned messages;                  /* since the last check */

    /* An agent's, from HELLO on: */
    struct ixor_jvm jvm;           /* hello and sealer are owned */
    struct ixor_index_link by_jvm; /* in the context's index */
    uint64_t taken;                /* packets, in this session */
    uint64_t last_taken;           /* packet; 0 none */
    uint64_t taken_ns;             /* when that was reported, or the HELLO; monotonic clock */
    bool quiet;                    /* recorded as silent, though the peer still sends */

    struct ixor_upload *upload; /* owned by upload.c; NULL: none */
    struct {
        bool due;     /* to look up: has a JVM of this host ended whose log is not here? */
        bool asking;  /* this JVM was asked for such a log, which has not arrived yet */
        int64_t last; /* JVM whose log was last requested */
    } search;
};

/* Takes over an accepted socket and enters the session into the roster. NULL: out of memory; the
 * socket is closed. */
struct ixor_session *ixor_session_new(struct ixor_context *context, evutil_socket_t fd,
                                      const struct sockaddr *peer, socklen_t peer_len);
/* Changes the state, not to IXOR_SESSION_HANDSHAKE. */
void ixor_session_enter(struct ixor_session *s, enum ixor_session_state state);

/* Sends a keepalive if one is due; ends a session that has been silent too long or leaves too much
 * unread. */
void ixor_session_check(struct ixor_session *s, uint64_t now_ns, unsigned keepalive_ms,
                        unsigned silence_ms);

/* Sends and frees `out`. False when nothing can be sent any more: out of memory. */
bool ixor_session_send(struct ixor_session *s, struct ix_out *out);
/* Bytes that the peer has not read yet. */
size_t ixor_session_unread(struct ixor_session *s);

/* These three print a warning and may free the session. Tells a peer that was not admitted why, and
 * leaves it time to read that. */
void ixor_session_refuse(struct ixor_session *s, const char *reason);
/* Ends the session of a peer that broke the rules, or refuses it if it was not admitted yet. */
void ixor_session_drop(struct ixor_session *s, const char *what);
/* Ends the session of a peer that has proven no key: it would not understand a message. */
void ixor_session_reject(struct ixor_session *s, const char *what);

/* Ends and frees the session; a live one's JVM is recorded as `ended` (a constant of
 * catalogue.sql). text may be NULL. */
void ixor_session_end(struct ixor_session *s, const char *ended, const char *text);

#endif
