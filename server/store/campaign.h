/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign's directory as the server uses it:
 *
 *   DIR/campaign.db      the catalogue
 *   DIR/key              the campaign's key; mode 0600, as is the next (schema/protocol/key.h)
 *   DIR/agent.key        the key for its JVMs, for those that need a copy
 *   DIR/server.lock      locked while a server writes; its lines: the server's process id, its
 *                        address, the directory for the logs of JVMs that others start (ixor serve)
 *   DIR/runs/NAME/       a run's trace logs, and the output of its command (output.txt)
 */
#ifndef IXOR_CAMPAIGN_H
#define IXOR_CAMPAIGN_H

#include "schema/catalogue/catalogue.h"
#include "schema/protocol/key.h"

#define IXOR_CAMPAIGN_HELD 5

struct ixor_campaign {
    char *dir; /* absolute */
    struct ix_catalogue *catalogue;
    struct ix_key key, agent_key;
    int lock;
    int held[IXOR_CAMPAIGN_HELD]; /* the directory and its files, for ixor_campaign_check; -1:
                                     none */
    bool crashed;                 /* the last server did not record the end of its JVMs */
};
#define IXOR_NO_CAMPAIGN                                                                           \
    (struct ixor_campaign)                                                                         \
    {                                                                                              \
        .lock = -1, .held = { -1, -1, -1, -1, -1 }                                                 \
    }

/* Opens or creates the campaign and its key for writing, one server at a time. JVMs that a crashed
 * server left 'running' become 'server-stopped'. 0, or -1; ixor_campaign_close releases it in
 * either case. */
int ixor_campaign_open(struct ixor_campaign *c, const char *dir, struct ix_error *err);
void ixor_campaign_close(struct ixor_campaign *c);

/* Checks that the directory and the files the server writes are still those that were opened: other
 * programs remove or replace directories (git clean). 0, or -1 and the message names the one that
 * is not. */
int ixor_campaign_check(const struct ixor_campaign *c, struct ix_error *err);
/* Holds one file or directory for ixor_campaign_check, which compares it with what is at the path
 * then. Returns a descriptor that the caller closes; -1: it cannot be opened, and is not
 * checked. */
int ixor_hold(const char *path);
int ixor_hold_check(int fd, const char *path, struct ix_error *err);

/* Announces to other commands where this server listens. run_dir NULL: it does not serve JVMs that
 * others start. 0 or -1. */
int ixor_campaign_announce(struct ixor_campaign *c, const char *server, const char *run_dir,
                           struct ix_error *err);
/* Reads what the server that writes `dir` has announced; the caller frees both strings. -1 if there
 * is no server; then there is nothing to free. */
struct ixor_announced {
    char *server, *run_dir; /* run_dir NULL: none was announced */
};
int ixor_campaign_announced(const char *dir, struct ixor_announced *out, struct ix_error *err);

/* The names of a series: "run0001", "run0002"... */
#define IXOR_SERIES_NAME 32
#define IXOR_SERIES_MAX 999999999u
/* The highest number of a series in the catalogue, 0 if none; *open: that run has not ended. `open`
 * may be NULL. Names with numbers out of range or written in another way do not belong to the
 * series. */
int ixor_campaign_last(struct ixor_campaign *c, const char *series, unsigned *number, bool *open,
                       struct ix_error *err);
/* The next number whose name is free, as a run's name and as a directory's (agents name runs too);
 * after the greatest it starts again from 1. 0 or -1. */
int ixor_campaign_next(struct ixor_campaign *c, const char *series, unsigned *number,
                       char name[IXOR_SERIES_NAME], struct ix_error *err);
void ixor_campaign_name(const char *series, unsigned number, char name[IXOR_SERIES_NAME]);

/* Creates DIR/runs/NAME and returns the path; the caller frees it. NULL on failure. */
char *ixor_campaign_make_run_dir(struct ixor_campaign *c, const char *name, struct ix_error *err);

/* The agent's library: `given` if not NULL, else libixor.so beside this program, in ../lib or
 * ../lib64, or in ixor/ of one of those.
 * Returns an absolute path; the caller frees it. NULL on failure. */
char *ixor_find_agent(const char *given, struct ix_error *err);
/* ixor-junit.jar beside this agent, or where `make install` puts it: an absolute path; the caller
 * frees it. NULL on failure. */
char *ixor_find_junit_jar(const char *agent, struct ix_error *err);

#endif
