/* SPDX-License-Identifier: Apache-2.0 */
/* ixor attach --follow: from one JVM to those that it talks to, and on from there (self-propelled
 * instrumentation: Mirgorodskiy and Miller, Diagnosing Distributed Systems with Self-propelled
 * Instrumentation, Middleware 2008; there it follows messages, here connections that are open). */
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/base/grow.h"
#include "server/attach/peers.h"
#include "server/attach/process.h"
#include "server/base/command.h"
#include "server/base/proc_stat.h"
#include "server/commands/attach.h"
#include "server/store/campaign.h"

#define LOOK_NS 200000000u /* between two looks at the connections */
/* The tables of connections take the kernel some 10 ms. So they are read only while there is news:
 * at SOON looks after it, because a socket is opened before it is connected; and at each LATER one,
 * for a socket that has taken longer. */
#define SOON 3
#define LATER 10
/* A connection may be closed, or its process end, between two questions about it. So what is not
 * found is told when it is not found at several looks in a row. */
#define LOOKS 3

/* A process at the other end of a connection. */
struct member {
    pid_t pid;
    uint64_t started;
    bool followed; /* a JVM with the agent; else one that is not attached, which has been said */
};

/* A socket that is at the other end of a connection, or a reason for not attaching. */
struct met {
    uint64_t inode; /* 0: a reason */
    char reason[IXOR_ADDRESS_TEXT];
    unsigned looks; /* at which its process was not found; LOOKS: done with */
    bool now;       /* met at this look */
};

struct follow {
    const struct ixor_attach_options *o;
    char server[IXOR_ADDRESS_TEXT]; /* to which the agents themselves are connected */
    int signals;                    /* readable: end */
    struct member *members;         /* owned; the first is where it begins */
    size_t member_count, member_cap;
    size_t followed; /* members that live */
    size_t attached; /* since the beginning */
    struct met *met; /* owned */
    size_t met_count, met_cap;
    uint64_t digest; /* of all sockets of the members */
    unsigned calm;   /* looks without news */
    bool full_told, unix_told;
};

/* Prints now, and not when the command ends. */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    fflush(stdout);
}

static bool is_stopped(const struct follow *f)
{
    struct pollfd signals = {.fd = f->signals, .events = POLLIN};
    return poll(&signals, 1, 0) > 0;
}

/* ---- what has been met ---- */

/* NULL: out of memory. O(connections). */
static struct met *meet(struct follow *f, uint64_t inode, const char *reason)
{
    for (size_t i = 0; i < f->met_count; i++)
        if (f->met[i].inode == inode && strcmp(f->met[i].reason, reason) == 0)
            return &f->met[i];
    struct met *met = ix_grow(f->met, &f->met_cap, f->met_count + 1, sizeof *met);
    if (!met)
        return NULL;
    f->met = met;
    met[f->met_count] = (struct met){.inode = inode};
    snprintf(met[f->met_count].reason, sizeof met->reason, "%s", reason);
    return &met[f->met_count++];
}

/* True at the last of LOOKS looks in a row. */
static bool is_enough(struct met *met)
{
    if (!met->now && met->looks < LOOKS)
        met->looks++;
    else
        return false;
    met->now = true;
    return met->looks == LOOKS;
}

/* Forgets sockets that are closed; a new one may get the number. A reason is told once. */
static void forget_closed(struct follow *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->met_count; i++) {
        struct met *met = &f->met[i];
        const bool done = !met->inode && met->looks == LOOKS;
        if (met->now || done)
            f->met[kept++] = *met;
    }
    f->met_count = kept;
    for (size_t i = 0; i < kept; i++)
        f->met[i].now = false;
}

/* ---- processes ---- */

static bool is_known(const struct follow *f, pid_t pid)
{
    for (size_t i = 0; i < f->member_count; i++)
        if (f->members[i].pid == pid)
            return true;
    return false;
}

/* Forgets processes that have ended. False: the first one has. */
static bool drop_ended(struct follow *f)
{
    struct ixor_proc_stat stat;
    size_t kept = 0;
    bool first = true;
    f->followed = 0;
    for (size_t i = 0; i < f->member_count; i++) {
        const struct member member = f->members[i];
        if (!ixor_proc_stat_read(member.pid, &stat) || stat.started != member.started) {
            first = first && i != 0;
            continue;
        }
        f->members[kept++] = member;
        f->followed += member.followed;
    }
    f->member_count = kept;
    return first;
}

/* NULL: out of memory, or the process has ended. */
static struct member *add_member(struct follow *f, pid_t pid)
{
    struct ixor_proc_stat stat;
    struct member *members =
        ix_grow(f->members, &f->member_cap, f->member_count + 1, sizeof *members);
    if (!members)
        return NULL;
    f->members = members;
    if (!ixor_proc_stat_read(pid, &stat))
        return NULL;
    members[f->member_count] = (struct member){.pid = pid, .started = stat.started};
    return &members[f->member_count++];
}

/* True for this program: the server, to which the agents are connected. */
static bool is_ixor(pid_t pid)
{
    struct stat theirs, ours;
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
    return stat(path, &theirs) == 0 && stat("/proc/self/exe", &ours) == 0 &&
           theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

static void visit(struct follow *f, pid_t pid)
{
    struct ixor_attach_options o = *f->o;
    struct ix_error why = {""};
    char name[64], reason[sizeof why.text];
    if (is_ixor(pid))
        return;
    struct member *member = add_member(f, pid);
    if (!member)
        return;
    o.role = NULL; /* that is the first one's */
    ixor_process_name(pid, name);
    if (ixor_agent_runs(pid)) {
        say("process %ld (%s): has the agent already, and is left as it is\n", (long)pid, name);
        member->followed = true;
    } else if (ixor_attach_apart(ixor_attach, &o, pid, &why) == 0) {
        member->followed = true;
        f->attached++;
    } else {
        ixor_safe_text(why.text, reason, sizeof reason);
        say("not attached: process %ld (%s): %s\n", (long)pid, name, reason);
    }
    f->followed += member->followed;
}

/* ---- what cannot be attached ---- */

/* No process of this host that can be seen has the other end. */
static void tell_unseen(const struct ixor_peer *peer)
{
    const struct passwd *user = peer->uid == (uid_t)-1 ? NULL : getpwuid(peer->uid);
    if (peer->uid == geteuid())
        return; /* it has just been closed */
    if (user)
        say("not attached: a process of user %s, at %s; run ixor as that user, or as root\n",
            user->pw_name, peer->address);
    else
        say("not attached: a process of another user, at %s; run ixor as root\n", peer->address);
}

static void tell_away(const struct ixor_peer *peer, const char *host)
{
    if (peer->near)
        say("not attached: %s is in another network namespace, as of a container; attach to it "
            "with its PID, or there\n",
            peer->address);
    else
        say("not attached: %s is another host, or a container; attach there, with --server\n",
            host);
}

static int handle_unseen(struct follow *f, const struct ixor_peer *peer)
{
    char user[IXOR_ADDRESS_TEXT];
    struct met *met = meet(f, peer->inode, "");
    if (!met)
        return -1;
    const bool enough = is_enough(met);
    met->now = true;
    if (!enough)
        return 0;
    snprintf(user, sizeof user, "user %ld", (long)peer->uid);
    met = meet(f, 0, user);
    if (met && met->looks < LOOKS) {
        met->looks = LOOKS;
        tell_unseen(peer);
    }
    return met ? 0 : -1;
}

static int handle_away(struct follow *f, const struct ixor_peer *peer)
{
    char host[IXOR_ADDRESS_TEXT];
    if (strcmp(peer->address, f->server) == 0)
        return 0;
    /* The port of a client says nothing, and what is to be done is the same for all ports. */
    snprintf(host, sizeof host, "%s", peer->address);
    char *port = strrchr(host, ':');
    if (port)
        *port = '\0';
    struct met *met = meet(f, 0, host);
    if (!met)
        return -1;
    const bool enough = is_enough(met);
    met->now = true;
    if (enough)
        tell_away(peer, host);
    return 0;
}

/* ---- a look at all connections ---- */

static int handle(struct follow *f, const struct ixor_peer *peer)
{
    if (!peer->inode)
        return handle_away(f, peer);
    if (!peer->pid)
        return handle_unseen(f, peer);
    const bool known = is_known(f, peer->pid);
    if (!known && (f->followed >= f->o->limit || is_stopped(f)))
        return 0; /* not done with */
    struct met *met = meet(f, peer->inode, "");
    if (!met)
        return -1;
    met->looks = LOOKS;
    met->now = true;
    if (!known)
        visit(f, peer->pid);
    return 0;
}

/* Leaves out sockets that have been dealt with. True if the process of one is to be found. */
static bool leave_out_known(struct follow *f, struct ixor_peers *peers)
{
    size_t kept = 0;
    bool wanted = false;
    for (size_t i = 0; i < peers->count; i++) {
        const struct ixor_peer peer = peers->list[i];
        struct met *met = NULL;
        for (size_t k = 0; peer.inode && k < f->met_count && !met; k++)
            if (f->met[k].inode == peer.inode && f->met[k].looks == LOOKS)
                met = &f->met[k];
        if (met) {
            met->now = true;
            continue;
        }
        peers->list[kept++] = peer;
        wanted = wanted || peer.inode;
    }
    peers->count = kept;
    return wanted;
}

static void tell_limits(struct follow *f, const struct ixor_peers *peers)
{
    if (f->followed >= f->o->limit && !f->full_told)
        say("no more than %zu JVMs are followed; --limit allows more\n", f->o->limit);
    f->full_told = f->full_told || f->followed >= f->o->limit;
    if (peers->no_unix && !f->unix_told)
        say("Unix sockets are not followed: the kernel does not tell which are connected\n");
    f->unix_told = f->unix_told || peers->no_unix;
}

/* True if the tables are to be read. */
static bool is_due(struct follow *f)
{
    uint64_t digest = f->followed >= f->o->limit;
    for (size_t i = 0; i < f->member_count; i++)
        if (f->members[i].followed)
            digest += ixor_peers_digest(f->members[i].pid);
    f->calm = digest == f->digest ? f->calm + 1 : 0;
    f->digest = digest;
    return f->calm <= SOON || f->calm % LATER == 0;
}

static int find_jvms(struct follow *f, struct ix_error *err)
{
    struct ixor_peers peers = {0};
    struct ix_error why;
    int result = 0;
    for (size_t i = 0; i < f->member_count; i++) /* one that is just ending has none */
        if (f->members[i].followed)
            (void)ixor_peers_read(f->members[i].pid, &peers, &why);
    if (leave_out_known(f, &peers))
        result = ixor_peers_find(&peers, err);
    for (size_t i = 0; result == 0 && i < peers.count; i++)
        if (handle(f, &peers.list[i]) != 0)
            result = ix_fail(err, "out of memory");
    forget_closed(f);
    tell_limits(f, &peers);
    ixor_peers_free(&peers);
    return result;
}

/* ---- all ---- */

static int open_signals(struct ix_error *err)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    const int fd = signalfd(-1, &ends, SFD_CLOEXEC);
    return fd >= 0 ? fd : ix_fail(err, "cannot wait for signals: %s", strerror(errno));
}

/* Waits until the next look; false: this is the end. */
static bool wait_for_look(const struct follow *f, uint64_t end_ns)
{
    struct pollfd signals = {.fd = f->signals, .events = POLLIN};
    const uint64_t now = ixor_mono_ns();
    uint64_t ns = LOOK_NS;
    if (end_ns && now >= end_ns)
        return false;
    if (end_ns && end_ns - now < ns)
        ns = end_ns - now;
    return poll(&signals, 1, (int)(ns / 1000000 + 1)) <= 0;
}

static int follow_all(struct follow *f, struct ix_error *err)
{
    const uint64_t end_ns = f->o->for_ns ? ixor_mono_ns() + f->o->for_ns : 0;
    do {
        if (!drop_ended(f)) {
            say("process %ld has ended\n", (long)f->o->pid);
            return 0;
        }
        if (is_due(f) && find_jvms(f, err) != 0)
            return -1;
    } while (wait_for_look(f, end_ns));
    return 0;
}

static int begin(struct follow *f, struct ix_error *err)
{
    struct ixor_announced campaign;
    struct ixor_address server;
    if (ixor_campaign_announced(f->o->dir, &campaign, err) != 0)
        return -1;
    if (ixor_parse_address(f->o->server ? f->o->server : campaign.server, &server, err) == 0)
        ixor_address_text(&server, f->server);
    free(campaign.server);
    free(campaign.run_dir);
    if (!f->server[0] || ixor_attach_apart(ixor_attach, f->o, f->o->pid, err) != 0)
        return -1;
    struct member *first = add_member(f, f->o->pid);
    if (!first)
        return ix_fail(err, "process %ld ended meanwhile", (long)f->o->pid);
    first->followed = true;
    f->attached = 1;
    return 0;
}

int ixor_follow(const struct ixor_attach_options *o, struct ix_error *err)
{
    struct follow f = {.o = o};
    f.signals = open_signals(err);
    int result = f.signals < 0 ? -1 : begin(&f, err);
    if (result == 0) {
        result = follow_all(&f, err);
        say("%zu JVM%s attached; 'ixor detach --all %s' takes the agents out again\n", f.attached,
            f.attached == 1 ? "" : "s", o->dir);
    }
    free(f.members);
    free(f.met);
    if (f.signals >= 0)
        close(f.signals);
    return result; /* the signals stay blocked: one has ended this, and is not to end the program */
}
