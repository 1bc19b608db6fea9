/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings about peers, rate-limited because anything that reaches the port can provoke them. */
#ifndef IXOR_WARNINGS_H
#define IXOR_WARNINGS_H

#include "server/base/units.h"

/* This many at once, and one more each second. */
#define IXOR_WARNINGS_MAX 20

struct ixor_warnings {
    void (*warned)(void *user, const char *text); /* may be NULL */
    void *user;
    uint64_t counted, left_out; /* counted against the limit; not passed on */
    uint64_t counted_ns;        /* until when `counted` has been reduced; monotonic clock */
};

/* peer: whom the warning is about, or NULL. Warnings about peers beyond a few a second are only
 * counted. */
void ixor_warn(struct ixor_warnings *w, const struct ixor_address *peer, const char *text);

#endif
