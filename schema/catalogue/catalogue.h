/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of a campaign: DIR/campaign.db (catalogue.sql). Shared by the server, which writes,
 * and by roxi, which reads and adds imported runs. One thread per handle. Any number of processes
 * can read while one writes; a writer waits up to 5 s for another, or as long as
 * ix_catalogue_patience says.
 *
 * Unless a comment says otherwise, functions return 0, or -1 with a message that names the file.
 * Strings handed to callbacks live until the callback returns; a callback that returns nonzero
 * stops the listing, which then returns that value.
 */
#ifndef IX_SCHEMA_CATALOGUE_H
#define IX_SCHEMA_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/base/error.h"

struct ix_catalogue;

enum ix_catalogue_mode {
    IX_CATALOGUE_READ,   /* must exist */
    IX_CATALOGUE_WRITE,  /* must exist; migrated to this version's schema */
    IX_CATALOGUE_CREATE, /* created if it does not exist, with DIR; refuses a DIR that contains
                            other files but no catalogue */
};

/* Opens DIR's catalogue. NULL on failure: DIR is not a campaign, or was written by a newer version.
 * Reading works without write permission unless a writer's last changes are still in the WAL. */
struct ix_catalogue *ix_catalogue_open(const char *dir, enum ix_catalogue_mode mode,
                                       struct ix_error *err);
void ix_catalogue_close(struct ix_catalogue *c); /* c may be NULL */
const char *ix_catalogue_dir(const struct ix_catalogue *c);
const char *ix_catalogue_file(const struct ix_catalogue *c); /* for messages */

/* Sets how long each call waits for another program's lock on the catalogue. */
void ix_catalogue_patience(struct ix_catalogue *c, unsigned ms);
/* After a failure: whether the same call can succeed later (a lock, a full disk, no memory). False:
 * the catalogue can never accept the data. */
bool ix_catalogue_may_pass(const struct ix_catalogue *c);
/* Fails if the file has been removed or replaced since it was opened: anything written now is lost.
 */
int ix_catalogue_in_place(struct ix_catalogue *c, struct ix_error *err);

/* Migrates a database from its user_version to `upto` with the parts of `sql` (the text of
 * catalogue.sql); exposed for tests. `db` is a sqlite3 *. */
int ix_catalogue_migrate(void *db, const char *sql, int upto, struct ix_error *err);

/* ---- executions ---- */

enum ix_verdict { IX_VERDICT_UNKNOWN, IX_VERDICT_PASSED, IX_VERDICT_FAILED };
const char *ix_verdict_name(enum ix_verdict v);

struct ix_execution {
    int64_t id;
    const char *name;
    enum ix_verdict verdict;
    const char *verdict_by;   /* exit, timeout, user; NULL */
    const char *command;      /* NULL */
    int64_t begin_ns, end_ns; /* 0 unknown */
    int exit_status;          /* -1 unknown */
    int exit_signal;          /* 0 none */
    const char *disturbed;    /* how ixor run disturbed it; NULL: not */
    bool interrupted; /* has the mark IX_INTERRUPTED: ixor ended before its command or test */
};

/* What the command of a test's run begins with (docs/junit.md); the test's name follows. */
#define IX_TEST_COMMAND "junit:"
/* The name of the test that a run is of; NULL: of none. */
const char *ix_execution_test(const struct ix_execution *e);

/* Checks that a run can have this name. */
int ix_catalogue_check_name(const char *name, struct ix_error *err);
/* Adds a run. An existing name is an error, and so is one that is not valid as a file name: empty,
 * ".", "..", above 200 bytes, with '/' or control characters. `command` may be NULL, begin_ns 0. */
int ix_catalogue_add_execution(struct ix_catalogue *c, const char *name, const char *command,
                               int64_t begin_ns, int64_t *id, struct ix_error *err);
/* Ends a run. verdict_by NULL leaves the verdict unchanged; a user's verdict is never changed.
 * exit_status -1, exit_signal 0: unknown. */
int ix_catalogue_end_execution(struct ix_catalogue *c, int64_t id, int64_t end_ns, int exit_status,
                               int exit_signal, enum ix_verdict verdict, const char *verdict_by,
                               struct ix_error *err);
/* Records how a run is disturbed; NULL: not. */
int ix_catalogue_disturb(struct ix_catalogue *c, int64_t id, const char *disturbed,
                         struct ix_error *err);
/* A user's verdict; IX_VERDICT_UNKNOWN removes it. An unknown name is an error that lists the
 * nearest names. */
int ix_catalogue_label(struct ix_catalogue *c, const char *name, enum ix_verdict verdict,
                       struct ix_error *err);
/* Removes a run and everything that refers to it (not its logs). */
int ix_catalogue_remove_execution(struct ix_catalogue *c, int64_t id, struct ix_error *err);
/* 1 and *id if the name exists, 0 if not, -1 on failure. */
int ix_catalogue_find_execution(struct ix_catalogue *c, const char *name, int64_t *id,
                                struct ix_error *err);
/* *has: 1 if ixor started a command for it, 0 if it served JVMs that others started. */
int ix_catalogue_has_command(struct ix_catalogue *c, int64_t id, int64_t *has,
                             struct ix_error *err);
/* All runs in order. */
int ix_catalogue_executions(struct ix_catalogue *c,
                            int (*each)(void *user, const struct ix_execution *e), void *user,
                            struct ix_error *err);

/* ---- JVMs ---- */

struct ix_vm {
    int64_t id, execution;
    const char *role, *host, *jvm;
    int64_t pid;
    int64_t started_ns;
    const char *log; /* reading: a path that can be opened (DIR is prepended to a relative one): of
                        the copy, if the log was uploaded, or if part of it was and the log itself
                        cannot be opened here; writing: a path inside DIR is stored relative to
                        it */
    int64_t clock_offset_ns;
    int64_t clock_error_ns;  /* reading: -1 not known */
    int64_t clock_drift_ppb; /* reading: valid if clock_error_ns is known */
    const char *ended;       /* catalogue.sql lists the values */
    int64_t ended_ns;        /* 0 unknown */
    const char *ended_text;  /* NULL */
    int64_t requests, stale, superseded, foreign_count;
    int64_t late;
    /* Reading only: */
    const char *log_there; /* where the JVM wrote it, absolute */
    const char *log_state; /* catalogue.sql lists the values */
    const char *log_copy;  /* relative to DIR; NULL */
    int log_whole;         /* 1, 0; -1 not checked yet */
};

/* Adds a JVM, or finds the one with the same run, host, pid, started_ns and log and marks it as
 * running again; returns its id. Uses only the fields up to clock_offset_ns and `ended`. The error
 * and drift of its clock become unknown. */
int ix_catalogue_add_vm(struct ix_catalogue *c, const struct ix_vm *vm, int64_t *id,
                        struct ix_error *err);
/* Adds to the JVM's request counter and sets its counters of dropped requests. */
int ix_catalogue_count_vm(struct ix_catalogue *c, int64_t id, int64_t more_requests, int64_t stale,
                          int64_t superseded, int64_t foreign_count, struct ix_error *err);
int ix_catalogue_end_vm(struct ix_catalogue *c, int64_t id, const char *ended, int64_t ended_ns,
                        const char *text, struct ix_error *err);
/* Adds to the JVM's count of late stops. */
int ix_catalogue_count_late(struct ix_catalogue *c, int64_t id, int64_t more, struct ix_error *err);

struct ix_clock_row {
    int64_t vm, mono_ns, offset_ns, error_ns, drift_ppb; /* catalogue.sql */
};
/* Adds or replaces a row of the table clock, and updates the JVM. */
int ix_catalogue_add_clock(struct ix_catalogue *c, const struct ix_clock_row *row,
                           struct ix_error *err);
/* Marks every JVM that is still 'running' as `ended` (when a server starts after a crash). */
int ix_catalogue_end_running_vms(struct ix_catalogue *c, const char *ended, int64_t ended_ns,
                                 struct ix_error *err);
/* Ends every open run of a command, which does not outlive its ixor, with its last packet, and
 * marks it as interrupted. */
int ix_catalogue_end_open_commands(struct ix_catalogue *c, struct ix_error *err);
/* Sets where its log is. copy NULL, whole -1: unchanged. */
int ix_catalogue_set_log(struct ix_catalogue *c, int64_t id, const char *state, const char *copy,
                         int whole, struct ix_error *err);
/* JVMs of an execution (0: of all), ordered by execution, role, id. */
int ix_catalogue_vms(struct ix_catalogue *c, int64_t execution,
                     int (*each)(void *user, const struct ix_vm *vm), void *user,
                     struct ix_error *err);

/* ---- logs that are sent to the campaign's directory ---- */

/* The owner of a log: a JVM found by its agent's HELLO, or the next one on a host whose log is not
 * here. */
struct ix_log_owner {
    int64_t vm;
    int64_t pid, started_ns;
    char execution[257], role[257], host[257];
    char log[4097]; /* absolute, as on the JVM's host */
    char ended[16], log_state[16];
};
/* Finds the latest JVM with these values; `log` is absolute, and may have been moved to another
 * directory since. 1 and *out, 0 if there is none, -1 on failure. execution "": any. */
int ix_catalogue_log_owner(struct ix_catalogue *c, const char *execution, const char *host,
                           int64_t pid, int64_t started_ns, const char *log,
                           struct ix_log_owner *out, struct ix_error *err);
/* Finds the first JVM above `after` that ran on the host, has ended, had its log in the same
 * directory as `log`, and whose log is missing here or incomplete. Results as above. O(JVMs of the
 * campaign). */
int ix_catalogue_log_missing(struct ix_catalogue *c, const char *host, const char *log,
                             int64_t after, struct ix_log_owner *out, struct ix_error *err);

/* ---- packets and snapshots ---- */

struct ix_snapshot_row {
    int64_t vm, packet, begin_ns, begin_mono_ns, stop_ns, threads, frames, missed;
};

struct ix_packet_row {
    int64_t execution, number, sent_ns, vms, lead_ns;
    int64_t spread_ns; /* -1 not known */
    const char *asked; /* clock, burst, user */
};

int ix_catalogue_add_packet(struct ix_catalogue *c, const struct ix_packet_row *row,
                            struct ix_error *err);

/* What became of a packet, once no more reports on it are expected. */
struct ix_packet_outcome {
    int64_t execution, number;
    int64_t taken;                  /* by this many JVMs; reading: -1 not known */
    int64_t skew_ns, skew_error_ns; /* -1 not known: fewer than two JVMs whose clocks are known */
    int64_t lead_ns;                /* reading only */
};
int ix_catalogue_close_packet(struct ix_catalogue *c, const struct ix_packet_outcome *outcome,
                              struct ix_error *err);
/* Packets of an execution (0: of all), ordered by execution and number. */
int ix_catalogue_outcomes(struct ix_catalogue *c, int64_t execution,
                          int (*each)(void *user, const struct ix_packet_outcome *outcome),
                          void *user, struct ix_error *err);
/* A snapshot that exists already (reported twice) is left unchanged. */
int ix_catalogue_add_snapshot(struct ix_catalogue *c, const struct ix_snapshot_row *row,
                              struct ix_error *err);
/* The highest packet number up to `most` in any table of the campaign; 0 if none. */
int ix_catalogue_last_packet(struct ix_catalogue *c, int64_t most, int64_t *number,
                             struct ix_error *err);
/* When the packet with the highest number up to `most` was sent; *sent_ns is unchanged if there is
 * none. */
int ix_catalogue_last_sent(struct ix_catalogue *c, int64_t most, int64_t *sent_ns,
                           struct ix_error *err);
/* How many packets were sent to a run (0: to all). */
int ix_catalogue_packet_count(struct ix_catalogue *c, int64_t execution, int64_t *count,
                              struct ix_error *err);
/* The highest packet number of which a JVM has reported a snapshot; 0: it has reported none.
 * O(log n). */
int ix_catalogue_vm_reported(struct ix_catalogue *c, int64_t vm, int64_t *packet,
                             struct ix_error *err);
/* Snapshots of an execution (0: of all), ordered by execution, packet, vm. */
int ix_catalogue_snapshots(struct ix_catalogue *c, int64_t execution,
                           int (*each)(void *user, const struct ix_snapshot_row *row), void *user,
                           struct ix_error *err);

/* ---- marks ---- */

/* The mark of a run that ended only because its ixor did: by a signal, or killed. */
#define IX_INTERRUPTED "interrupted"

struct ix_mark {
    int64_t id;
    int64_t execution; /* 0: none was running */
    int64_t packet;    /* the last one sent before the mark */
    int64_t at_ns;
    const char *text;
};

/* Nothing is added if there is one already with the same text, execution and packet, as when a
 * report is read twice. O(marks). */
int ix_catalogue_add_mark(struct ix_catalogue *c, const struct ix_mark *mark, struct ix_error *err);
/* All marks in the order in which they were made. */
int ix_catalogue_marks(struct ix_catalogue *c, int (*each)(void *user, const struct ix_mark *mark),
                       void *user, struct ix_error *err);

/* ---- what is new ---- */

struct ix_recent_packet {
    int64_t number, sent_ns;
    int64_t vms;   /* how many JVMs it was sent to */
    int64_t taken; /* how many JVMs took it; this and the next two: -1 not known (yet) */
    int64_t skew_ns, skew_error_ns;
};

/* A run's newest packets, or a JVM's newest snapshots, with numbers above `above`: at most `limit`,
 * the newest first. O(limit log n). */
int ix_catalogue_recent_packets(struct ix_catalogue *c, int64_t execution, int64_t above,
                                int64_t limit,
                                int (*each)(void *user, const struct ix_recent_packet *row),
                                void *user, struct ix_error *err);
int ix_catalogue_recent_snapshots(struct ix_catalogue *c, int64_t vm, int64_t above, int64_t limit,
                                  int (*each)(void *user, const struct ix_snapshot_row *row),
                                  void *user, struct ix_error *err);
/* How many snapshots a JVM, or packets a run, has with numbers above `above`. O(their number). */
int ix_catalogue_snapshots_above(struct ix_catalogue *c, int64_t vm, int64_t above, int64_t *count,
                                 struct ix_error *err);
int ix_catalogue_packets_above(struct ix_catalogue *c, int64_t execution, int64_t above,
                               int64_t *count, struct ix_error *err);
/* One packet of an execution: 1 and *row, 0 if it has no packet of that number, -1 on failure. In
 * any case finds the run's packet numbers before and after it, 0 if there is none. */
int ix_catalogue_packet(struct ix_catalogue *c, int64_t execution, int64_t number,
                        struct ix_recent_packet *row, int64_t *previous, int64_t *next,
                        struct ix_error *err);
/* The snapshots of one packet, as ix_catalogue_snapshots, ordered by vm. O(JVMs log n). */
int ix_catalogue_packet_snapshots(struct ix_catalogue *c, int64_t execution, int64_t packet,
                                  int (*each)(void *user, const struct ix_snapshot_row *row),
                                  void *user, struct ix_error *err);
/* One JVM, as ix_catalogue_vms: `each` is called at most once. */
int ix_catalogue_vm(struct ix_catalogue *c, int64_t id,
                    int (*each)(void *user, const struct ix_vm *vm), void *user,
                    struct ix_error *err);
/* The path of the JVM's log as in ix_vm.log, or NULL in *path if it is outside the campaign's
 * directory: paths chosen by an agent are not opened elsewhere. The caller frees it. */
int ix_catalogue_vm_log(struct ix_catalogue *c, int64_t vm, char **path, struct ix_error *err);

/* Removes what comparing runs does not need: clocks, other marks than IX_INTERRUPTED, packets, and
 * all snapshots of a JVM but the first one; then its file is small, and holds all of it. Not
 * between begin and commit. */
int ix_catalogue_thin(struct ix_catalogue *c, struct ix_error *err);

/* Writes between begin and commit are one transaction; without them each write is its own. A
 * failing statement does not undo the others. After a failed commit the transaction is still open.
 * rollback undoes everything since begin and cannot fail. In a catalogue opened for reading, reads
 * between begin and commit all see the same state. */
int ix_catalogue_begin(struct ix_catalogue *c, struct ix_error *err);
int ix_catalogue_commit(struct ix_catalogue *c, struct ix_error *err);
void ix_catalogue_rollback(struct ix_catalogue *c);

#endif
