/* Whether a trace log reads to a proper end: at once, or in slices beside a server's other work. */
#ifndef IXOR_WHOLE_H
#define IXOR_WHOLE_H

#include "server/ledger.h"

/* 1 if it does, 0 if not, -1 if it cannot be opened. O(bytes). */
int ixor_log_is_whole(const char *path);

/* Copies that have come, looked at one after the other in the event loop. */
struct ixor_wholeness;
struct ixor_wholeness *ixor_wholeness_new(struct event_base *base, struct ixor_ledger *ledger,
                                          struct ix_error *err);
/* What has not been looked at by then the catalogue does not know. w may be NULL. */
void ixor_wholeness_free(struct ixor_wholeness *w);
/* Tells the ledger sooner or later of the VM's copy, which is at `path`. Out of memory: never. */
void ixor_wholeness_add(struct ixor_wholeness *w, int64_t vm, const char *path);

#endif
