/* A campaign as it stands now, out of its catalogue, as JSON (docs/viewer.md): for the viewer and
 * for `ixor top`. Works beside a server that writes, and without one.
 *
 * Asking again is cheap: of VMs seen before only what is new is read. Memory: IXOR_LIVE_SHOWN VMs of
 * IXOR_LIVE_EXECUTIONS executions, with IXOR_LIVE_POINTS snapshots each. One struct, one thread.
 */
#ifndef IXOR_LIVE_H
#define IXOR_LIVE_H

#include <jansson.h>

#include "schema/error.h"

#define IXOR_LIVE_SHOWN 500u    /* VMs of an execution, by role; the others are counted */
#define IXOR_LIVE_POINTS 60u    /* snapshots of a VM, packets of an execution, in a chart */
#define IXOR_LIVE_EXECUTIONS 4u /* are remembered */
#define IXOR_LIVE_LISTED 200u   /* executions in the list, the latest */
#define IXOR_LIVE_LOOKS 500u    /* VMs that are not shown are looked at again in one answer; in turn */
/* A packet that was sent longer ago and is not reported counts as lost. Agents report every second
 * or so; of thousands, a millisecond later for each VM that runs, up to half a minute (service.c). */
#define IXOR_LIVE_PENDING_NS INT64_C(4000000000)
#define IXOR_LIVE_PENDING_VM_NS INT64_C(1000000)
#define IXOR_LIVE_PENDING_MORE_NS INT64_C(30000000000)

/* How a question ends. */
enum ixor_found {
    IXOR_FOUND,
    IXOR_NOT_THERE, /* the message says what there is */
    IXOR_BUSY,      /* ask again: the message says how far it is */
    IXOR_BROKEN = -1,
};

struct ixor_live;

/* NULL on failure. */
struct ixor_live *ixor_live_new(const char *dir, struct ix_error *err);
void ixor_live_free(struct ixor_live *l); /* l may be NULL */

/* Each gives a new reference in *out with IXOR_FOUND, and nothing otherwise.
 * All executions, and of one (0: the latest) its VMs. After the first time O(VMs), of which
 * IXOR_LIVE_SHOWN + IXOR_LIVE_LOOKS are looked up: sums over more than these lag by some answers. */
enum ixor_found ixor_live_state(struct ixor_live *l, int64_t execution, json_t **out,
                                struct ix_error *err);
/* One packet of an execution: who took it and when. */
enum ixor_found ixor_live_moment(struct ixor_live *l, int64_t execution, int64_t packet,
                                 json_t **out, struct ix_error *err);
/* A VM's last snapshots. */
enum ixor_found ixor_live_packets(struct ixor_live *l, int64_t vm, json_t **out,
                                  struct ix_error *err);
/* Where a VM's trace log lies in the campaign's directory; *path is to be freed. Not there: the
 * message says where it is instead. */
enum ixor_found ixor_live_log(struct ixor_live *l, int64_t vm, char **path, struct ix_error *err);

/* A string from outside that JSON holds, cut at `max` bytes between characters; "" for NULL. NULL if
 * memory ran out. */
json_t *ixor_live_text(const char *text, size_t max);
/* A number; null if it is negative: not known. */
json_t *ixor_live_number(int64_t value);
/* Puts `root` into *out; NULL there means that memory ran out. */
enum ixor_found ixor_live_give(json_t *root, json_t **out, struct ix_error *err);

struct ix_catalogue *ixor_live_catalogue(struct ixor_live *l);

#endif
