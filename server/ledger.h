/* What the server has to write into the catalogue, in order, collected and written in one
 * transaction every IXOR_LEDGER_FLUSH_MS by a thread of its own: a snapshot costs a copy here, and
 * the loop that sends packets never waits for a disk.
 *
 * The thread has its own handle of the catalogue, so that the one given stays the caller's. The first
 * failure is final: it is reported once (on_failure), everything later is dropped, and flush
 * returns it from then on. All functions are for one thread, the loop's.
 */
#ifndef IXOR_LEDGER_H
#define IXOR_LEDGER_H

#include <event2/event.h>

#include "schema/catalogue.h"

#define IXOR_LEDGER_FLUSH_MS 250
#define IXOR_LEDGER_COUNTS 500

struct ixor_ledger;

/* A VM whose row may not have been written yet. Owned by the ledger; good until
 * ixor_ledger_end_vm. */
struct ixor_ledger_vm;

/* Writes to the catalogue that `c` is a handle of; c must outlive the ledger. on_failure is called
 * from the event loop or from inside ixor_ledger_flush. NULL on failure. */
struct ixor_ledger *ixor_ledger_new(struct event_base *base, struct ix_catalogue *c,
                                    void (*on_failure)(void *user, const struct ix_error *err),
                                    void *user, struct ix_error *err);
/* Drops what has not been flushed, but for what is being written. l may be NULL. */
void ixor_ledger_free(struct ixor_ledger *l);
struct ix_catalogue *ixor_ledger_catalogue(struct ixor_ledger *l);

/* Copies `vm` (fields as for ix_catalogue_add_vm). NULL: out of memory. */
struct ixor_ledger_vm *ixor_ledger_add_vm(struct ixor_ledger *l, const struct ix_vm *vm);
/* A request was sent; merely counted. Counts are written at the VM's end and now and then before:
 * those of IXOR_LEDGER_COUNTS VMs with each transaction. */
void ixor_ledger_count_request(struct ixor_ledger_vm *vm);
/* What the VM says it dropped, since its session's start. */
void ixor_ledger_dropped(struct ixor_ledger_vm *vm, int64_t stale, int64_t superseded,
                         int64_t foreign_count);
/* The VM's id in the catalogue; 0 before the flush after ixor_ledger_add_vm. */
int64_t ixor_ledger_vm_id(const struct ixor_ledger_vm *vm);
/* Programs on this host can read its log where it is: written with the VM's end. */
void ixor_ledger_log_here(struct ixor_ledger_vm *vm);
/* Where the log of a VM is, by the VM's id. `state`: a constant of catalogue.sql; `copy` is copied,
 * NULL: as it is; whole: 0, 1, or -1: as it is. */
void ixor_ledger_log(struct ixor_ledger *l, int64_t vm, const char *state, const char *copy,
                     int whole);
/* What has become of it, though its session goes on: 'silent' and why, or 'running' again. `ended`:
 * a constant; text may be NULL. */
void ixor_ledger_mark_vm(struct ixor_ledger *l, struct ixor_ledger_vm *vm, const char *ended,
                         const char *text);
/* row->vm is ignored. */
void ixor_ledger_snapshot(struct ixor_ledger *l, struct ixor_ledger_vm *vm,
                          const struct ix_snapshot_row *row);
/* `vm` must not be used afterwards. `ended`: a constant of catalogue.sql; text may be NULL. */
void ixor_ledger_end_vm(struct ixor_ledger *l, struct ixor_ledger_vm *vm, const char *ended,
                        int64_t ended_ns, const char *text);
void ixor_ledger_packet(struct ixor_ledger *l, const struct ix_packet_row *row);
void ixor_ledger_outcome(struct ixor_ledger *l, const struct ix_packet_outcome *outcome);
/* row->vm is ignored. */
void ixor_ledger_clock(struct ixor_ledger *l, struct ixor_ledger_vm *vm,
                       const struct ix_clock_row *row);
/* More stops of this VM were late. */
void ixor_ledger_late(struct ixor_ledger *l, struct ixor_ledger_vm *vm, int64_t more);
/* Copies the text. */
void ixor_ledger_mark(struct ixor_ledger *l, const struct ix_mark *mark);

/* Writes everything so far and waits for it. 0, or -1 with the first failure. */
int ixor_ledger_flush(struct ixor_ledger *l, struct ix_error *err);

#endif
