/* A campaign's directory as the server uses it:
 *
 *   DIR/campaign.db      the catalogue
 *   DIR/key              the campaign's key; mode 0600, as is the next (schema/key.h)
 *   DIR/agent.key        the key for its JVMs, for those that must be given a copy
 *   DIR/server.lock      locked while a server writes; its lines: the server's process id, its
 *                        address, the directory for the logs of JVMs that others start (ixor serve)
 *   DIR/runs/NAME/       an execution's trace logs, and the output of its command (output.txt)
 */
#ifndef IXOR_CAMPAIGN_H
#define IXOR_CAMPAIGN_H

#include "schema/catalogue.h"
#include "schema/key.h"

struct ixor_campaign {
    char *dir; /* absolute */
    struct ix_catalogue *catalogue;
    struct ix_key key, agent_key;
    int lock;
    bool crashed; /* the last server did not end its VMs */
};

/* Opens, or makes, the campaign and its key for writing: one server at a time. VMs that a crashed server left
 * 'running' become 'server-stopped'. 0, or -1; ixor_campaign_close releases it in either case. */
int ixor_campaign_open(struct ixor_campaign *c, const char *dir, struct ix_error *err);
void ixor_campaign_close(struct ixor_campaign *c);

/* Tells the other commands where this server listens. run_dir NULL: it takes no JVMs that others
 * start. 0 or -1. */
int ixor_campaign_announce(struct ixor_campaign *c, const char *server, const char *run_dir,
                           struct ix_error *err);
/* What the server that writes `dir` has announced; both are the caller's to free. -1 if there is
 * none, and then nothing is to be freed. */
struct ixor_announced {
    char *server, *run_dir; /* run_dir NULL: none was announced */
};
int ixor_campaign_announced(const char *dir, struct ixor_announced *out, struct ix_error *err);

/* The names of a series: "run0001", "run0002"... */
#define IXOR_SERIES_NAME 32
/* The highest number of a series in the catalogue, 0 if none; *open: that one has not ended.
 * `open` may be NULL. */
int ixor_campaign_last(struct ixor_campaign *c, const char *series, unsigned *number, bool *open,
                       struct ix_error *err);
void ixor_campaign_name(const char *series, unsigned number, char name[IXOR_SERIES_NAME]);

/* Makes DIR/runs/NAME; the path is the caller's to free. NULL on failure. */
char *ixor_campaign_make_run_dir(struct ixor_campaign *c, const char *name, struct ix_error *err);

/* The agent's library: `given` if not NULL, else libixor.so beside this program, or in ../lib. An
 * absolute path, the caller's to free. NULL on failure. */
char *ixor_find_agent(const char *given, struct ix_error *err);

#endif
