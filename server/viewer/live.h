/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign's current state as JSON, read from its catalogue (docs/viewer.md), for the viewer and
 * `ixor top`. Works while a server writes, and without a server.
 *
 * Repeated queries are cheap: for JVMs seen before only what is new is read. Memory:
 * IXOR_LIVE_SHOWN JVMs of IXOR_LIVE_EXECUTIONS runs, with IXOR_LIVE_POINTS snapshots each. One
 * struct, one thread.
 */
#ifndef IXOR_LIVE_H
#define IXOR_LIVE_H

#include <jansson.h>
#include <stdint.h>

#include "schema/base/error.h"

#define IXOR_LIVE_SHOWN 500u    /* JVMs of a run, by role; the others are counted */
#define IXOR_LIVE_EXECUTIONS 4u /* remembered */
#define IXOR_LIVE_LISTED 200u   /* runs in the list, the latest */
#define IXOR_LIVE_LOOKS                                                                            \
    500u /* how many of the JVMs not shown are read again for one answer; in                       \
            turn */
/* A packet that was sent longer ago and is not reported counts as lost. Agents report about every
 * second; with thousands, a millisecond later for each running JVM, up to half a minute
 * (service.c).
 */
#define IXOR_LIVE_PENDING_NS INT64_C(4000000000)
#define IXOR_LIVE_PENDING_VM_NS INT64_C(1000000)
#define IXOR_LIVE_PENDING_MORE_NS INT64_C(30000000000)

/* Result of a query. */
enum ixor_found {
    IXOR_FOUND,
    IXOR_NOT_THERE, /* the message says what there is */
    IXOR_BUSY,      /* ask again: the message says how far it has got */
    IXOR_BROKEN = -1,
};

struct ixor_live;

/* NULL on failure. */
struct ixor_live *ixor_live_new(const char *dir, struct ix_error *err);
void ixor_live_free(struct ixor_live *l); /* l may be NULL */

/* Each gives a new reference in *out with IXOR_FOUND, and nothing otherwise. All runs, and the JVMs
 * of one (0: the latest). After the first call O(JVMs), of which IXOR_LIVE_SHOWN + IXOR_LIVE_LOOKS
 * are looked up: sums over more JVMs than that lag by some answers.
 */
enum ixor_found ixor_live_state(struct ixor_live *l, int64_t execution, json_t **out,
                                struct ix_error *err);
/* One packet of an execution: who took it and when. */
enum ixor_found ixor_live_moment(struct ixor_live *l, int64_t execution, int64_t packet,
                                 json_t **out, struct ix_error *err);
/* A JVM's last snapshots. */
enum ixor_found ixor_live_packets(struct ixor_live *l, int64_t vm, json_t **out,
                                  struct ix_error *err);
/* Where a JVM's trace log is in the campaign's directory; the caller frees *path. Not there: the
 * message says where it is instead. */
enum ixor_found ixor_live_log(struct ixor_live *l, int64_t vm, char **path, struct ix_error *err);

/* A string from outside as JSON, truncated at `max` bytes between characters; "" for NULL. NULL if
 * memory ran out. */
json_t *ixor_live_text(const char *text, size_t max);
/* A number; null if it is negative (unknown). */
json_t *ixor_live_number(int64_t value);
/* Puts `root` into *out; NULL means that memory ran out. */
enum ixor_found ixor_live_answer(json_t *root, json_t **out, struct ix_error *err);

struct ix_catalogue *ixor_live_catalogue(struct ixor_live *l);

#endif
