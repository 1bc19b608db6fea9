/* SPDX-License-Identifier: Apache-2.0 */
/* What a request to the viewer asks for, parsed from its URL (docs/viewer.md). Pure: text in,
 * numbers out. */
#ifndef IXOR_HTTP_ROUTE_H
#define IXOR_HTTP_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hexadecimal digits: 128 random bits. */
#define IXOR_TOKEN_LEN 32

enum ixor_route_kind {
    IXOR_ROUTE_PAGE,    /* / */
    IXOR_ROUTE_STATE,   /* /api/state, /api/state?execution=E */
    IXOR_ROUTE_WAITS,   /* /api/waits, /api/waits?execution=E */
    IXOR_ROUTE_MOMENT,  /* /api/execution/E/packet/P */
    IXOR_ROUTE_PACKETS, /* /api/vm/V/packets */
    IXOR_ROUTE_THREADS, /* /api/vm/V/packet/P, P may be "last" */
    IXOR_ROUTE_STACK,   /* /api/vm/V/packet/P/thread/T */
    /* Actions, requested by POST: */
    IXOR_ROUTE_SNAPSHOT, /* /api/snapshot */
    IXOR_ROUTE_PAUSE,    /* /api/pause */
    IXOR_ROUTE_RESUME,   /* /api/resume */
};

struct ixor_route {
    enum ixor_route_kind kind;
    int64_t execution;  /* 0: the latest */
    int64_t vm, packet; /* packet 0: the last one */
    uint32_t thread;
};

/* True if `path` begins with '/' and the token, followed by '/' or the end; *rest is what follows.
 * Takes the same time for any content of the token. */
bool ixor_route_token(const char *path, const char token[IXOR_TOKEN_LEN + 1], const char **rest);

/* Parses what follows the token; query may be NULL. False: no such resource. Numbers are decimal,
 * from 1 to 2^63 - 1, without leading zeros; nothing needs percent-decoding, so nothing is
 * decoded. */
bool ixor_route_parse(const char *rest, const char *query, struct ixor_route *route);

/* Whether it changes anything. */
bool ixor_route_is_action(const struct ixor_route *route);

#endif
