/* SPDX-License-Identifier: Apache-2.0 */
/* ixor attach, ixor detach: load the agent into a running JVM, and take it out again. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/protocol/key.h"
#include "server/attach/attach_protocol.h"
#include "server/base/command.h"
#include "server/base/units.h"
#include "server/commands/attach.h"
#include "server/commands/common_options.h"
#include "server/store/campaign.h"

#define TIMEOUT_DEFAULT_NS 10000000000u
#define LIMIT_DEFAULT 64
#define ANSWER_MAX 16384

/* ---- the agent's options ---- */

struct text {
    char at[IXOR_ATTACH_WORD_MAX + 64];
    size_t len;
};

static int too_long(struct ix_error *err)
{
    return ix_fail(err,
                   "these options have more than the %u bytes that a JVM takes when it is "
                   "attached to",
                   IXOR_ATTACH_WORD_MAX);
}

/* Appends options unchanged. */
static int add_all(struct text *t, const char *options, struct ix_error *err)
{
    const int len = snprintf(t->at + t->len, sizeof t->at - t->len, "%s%s",
                             t->len && *options ? "," : "", options);
    if (len < 0 || (size_t)len >= sizeof t->at - t->len)
        return too_long(err);
    t->len += (size_t)len;
    return 0;
}

static int add(struct text *t, const char *key, const char *value, struct ix_error *err)
{
    if (value && strchr(value, ','))
        return ix_fail(err, "%s '%s' has a comma in it, which the agent's options cannot hold", key,
                       value);
    if (!value)
        return 0;
    const int len =
        snprintf(t->at + t->len, sizeof t->at - t->len, "%s%s=%s", t->len ? "," : "", key, value);
    if (len < 0 || (size_t)len >= sizeof t->at - t->len)
        return too_long(err);
    t->len += (size_t)len;
    return 0;
}

/* The log's pattern below a directory, whose name may contain a literal "%". The caller frees
 * it. */
static char *log_in(const char *directory)
{
    static const char name[] = "/%r-%p-%t.ixl";
    char *log = malloc(2 * strlen(directory) + sizeof name), *to = log;
    if (!log)
        return NULL;
    for (const char *from = directory; *from; from++) {
        *to++ = *from;
        if (*from == '%')
            *to++ = '%';
    }
    memcpy(to, name, sizeof name);
    return log;
}

/* *log_dir: in which the JVM is to make its log, NULL if the options say another place; the caller
 * frees it. */
static int compose(const struct ixor_attach_options *o, struct text *t, char **log_dir,
                   struct ix_error *err)
{
    struct ixor_announced campaign = {0};
    char *log = NULL;
    int status = -1;
    if (o->dir && ixor_campaign_announced(o->dir, &campaign, err) != 0)
        return -1;
    if (o->dir && !campaign.run_dir)
        ix_fail(err,
                "the ixor that writes '%s' takes no JVMs that others start; only ixor serve "
                "does",
                o->dir);
    else if (o->dir && !o->log && !(log = log_in(campaign.run_dir)))
        ix_fail(err, "out of memory");
    else if (add(t, "server", o->server ? o->server : campaign.server, err) == 0 &&
             add(t, "role", o->role, err) == 0 && add(t, "execution", o->execution, err) == 0 &&
             add(t, "log", o->log ? o->log : log, err) == 0)
        status = 0;
    *log_dir = status == 0 && log ? campaign.run_dir : NULL;
    if (!*log_dir)
        free(campaign.run_dir);
    free(log);
    free(campaign.server);
    return status == 0 && o->more ? add_all(t, o->more, err) : status;
}

/* Reads the agent key; call it before taking on another user's identity. */
static int read_key(const char *dir, struct ix_key *key, struct ix_error *err)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/agent.key", dir) >= (int)sizeof path)
        return ix_fail(err, "'%.60s...': the name is too long", dir);
    return ix_key_read(IX_KEY_AGENT, path, key, err) == 0 ? 0 : -1;
}

/* ---- where the agent is ---- */

/* Whether the JVM, with its user's rights and in its own file system, can read the agent. (HotSpot
 * prints odd things into the application's output when the file is not a library.) */
static int check_agent(const struct ixor_attached *jvm, const char *path, struct ix_error *err)
{
    struct stat ours, theirs;
    char begin[4] = "";
    const int fd = openat(jvm->root, path + strspn(path, "/"), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        const bool good = read(fd, begin, sizeof begin) == sizeof begin &&
                          memcmp(begin, "\177ELF", sizeof begin) == 0;
        close(fd);
        return good ? 0 : ix_fail(err, "'%s' is not a shared library; expected libixor.so", path);
    }
    const int error = errno;
    const bool elsewhere = fstatat(jvm->root, ".", &theirs, 0) != 0 || stat("/", &ours) != 0 ||
                           ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino;
    if (elsewhere)
        return ix_fail(err,
                       "process %ld has a file system of its own, in which '%s' cannot be "
                       "read; copy libixor.so to where it is (as into a container) and say "
                       "where with --agent",
                       (long)jvm->pid, path);
    return ix_fail(err,
                   "the user of process %ld cannot read '%s' (%s); copy it to where that user "
                   "can, and say where with --agent",
                   (long)jvm->pid, path, strerror(error));
}

/* Whether the JVM's user, who this process is by now, can make a log there: or the agent would say
 * in the application's output that it cannot. In a file system of its own the JVM may make the
 * directory. */
static int check_log_dir(const struct ixor_attached *jvm, const char *dir, struct ix_error *err)
{
    if (!dir || faccessat(jvm->root, dir + strspn(dir, "/"), W_OK | X_OK, AT_EACCESS) == 0 ||
        errno != EACCES)
        return 0;
    return ix_fail(err,
                   "the user of process %ld cannot write to '%s'; say with --log where it can, as "
                   "in --log /tmp/%%r-%%p.ixl",
                   (long)jvm->pid, dir);
}

/* The path to load: that of the agent already in the JVM, so that it has only one; else as `ixor
 * run` finds it, unless `given` is a path in the JVM's own file system. The caller frees it. */
static char *agent_path(const struct ixor_attached *jvm, const char *given, struct ix_error *err)
{
    if (jvm->maps.agent[0])
        return strdup(jvm->maps.agent);
    char *path = given && *given == '/' && access(given, F_OK) != 0 ? strdup(given)
                                                                    : ixor_find_agent(given, err);
    if (path && check_agent(jvm, path, err) == 0)
        return path;
    free(path);
    return NULL;
}

/* ---- what goes by files in the JVM's /tmp: its answer, and the key, which is not for ps ---- */

/* A file that only the JVM's user can read; this process has that identity by now. */
struct note {
    char name[32];
    int fd; /* -1: there is none */
};

static struct note make_note(const struct ixor_attached *jvm)
{
    struct note n = {.fd = -1};
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return n;
    snprintf(n.name, sizeof n.name, ".ixor-%016llx", (unsigned long long)number);
    n.fd = openat(jvm->tmp, n.name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return n;
}

static void remove_note(const struct ixor_attached *jvm, const struct note *n)
{
    if (n->fd < 0)
        return;
    close(n->fd);
    unlinkat(jvm->tmp, n->name, 0);
}

/* Without a file for the answer there is only a number. */
static void take_answer(const struct ixor_attached *jvm, const struct note *answer,
                        char text[ANSWER_MAX])
{
    const ssize_t n = answer->fd >= 0 ? pread(answer->fd, text, ANSWER_MAX - 1, 0) : 0;
    remove_note(jvm, answer);
    text[n > 0 ? n : 0] = '\0';
}

/* The agent reads it while it is being attached. */
static int put_key(const struct ixor_attached *jvm, const struct ix_key *key, struct note *note,
                   struct ix_error *err)
{
    char text[IX_KEY_TEXT];
    *note = make_note(jvm);
    ix_key_text(IX_KEY_AGENT, key, text);
    const ssize_t size = (ssize_t)strlen(text);
    if (note->fd >= 0 && write(note->fd, text, (size_t)size) == size)
        return 0;
    ix_fail(err, "cannot leave the key for process %ld in its /tmp: %s", (long)jvm->pid,
            strerror(errno));
    remove_note(jvm, note);
    return -1;
}

/* What follows "KEY " in the answer, safe to print; "" if not found. */
static void field(const char *text, const char *key, char *out, size_t size)
{
    const size_t len = strlen(key);
    char line[ANSWER_MAX];
    *out = '\0';
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        if (strncmp(at, key, len) != 0 || at[len] != ' ')
            continue;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at + len + 1, "\n"), at + len + 1);
        ixor_safe_text(line, out, size);
        return;
    }
}

/* ---- doing it ---- */

/* Loads the agent with these options and, if it is not NULL, this key. */
static int load(struct ixor_attached *jvm, const char *library, const char *options,
                const struct ix_key *key, char answered[ANSWER_MAX], struct ix_error *err)
{
    struct text whole = {.len = 0};
    char why[1024], path[64];
    bool refused = false;
    struct note key_note = {.fd = -1};
    if (key && put_key(jvm, key, &key_note, err) != 0)
        return -1;
    const struct note answer = make_note(jvm);
    snprintf(path, sizeof path, "/tmp/%s", answer.name);
    int status = add(&whole, "answer", answer.fd >= 0 ? path : NULL, err);
    snprintf(path, sizeof path, "/tmp/%s", key_note.name);
    if (status == 0)
        status = add(&whole, "key", key ? path : NULL, err);
    if (status == 0)
        status = add_all(&whole, options, err);
    if (status == 0)
        status = ixor_attached_load(jvm, library, whole.at, &refused, err);
    remove_note(jvm, &key_note);
    take_answer(jvm, &answer, answered);
    field(answered, "error", why, sizeof why);
    if (status != 0 && refused && why[0])
        ix_fail(err, "%s", why);
    return status;
}

static void print_notes(const char *answered)
{
    char note[1024];
    for (const char *at = answered; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        if (strncmp(at, "note ", 5) != 0)
            continue;
        field(at, "note", note, sizeof note);
        printf("  note    %s\n", note);
    }
}

static void print_settings(const char *answered, pid_t pid)
{
    char done[16], role[1024], server[1024], log[8192];
    field(answered, "done", done, sizeof done);
    field(answered, "role", role, sizeof role);
    field(answered, "server", server, sizeof server);
    field(answered, "log", log, sizeof log);
    printf("process %ld: %s\n", (long)pid,
           strcmp(done, "changed") == 0 ? "new settings for the agent" : "the agent is attached");
    if (role[0])
        printf("  role    %s\n  server  %s\n  log     %s\n", role, server, log);
    print_notes(answered);
}

/* A container has its own loopback interface. */
static void warn_of_network(const struct ixor_attached *jvm, const char *options)
{
    char path[64], theirs[64] = "", ours[64] = "";
    snprintf(path, sizeof path, "/proc/%ld/ns/net", (long)jvm->pid);
    if (readlink(path, theirs, sizeof theirs - 1) <= 0 ||
        readlink("/proc/self/ns/net", ours, sizeof ours - 1) <= 0 || strcmp(theirs, ours) == 0)
        return;
    if (!strstr(options, "server=") || strstr(options, "server=127.") ||
        strstr(options, "server=localhost") || strstr(options, "server=[::1]"))
        ixor_notice("warning: process %ld has a network of its own, in which 127.0.0.1 is not this "
                    "host; --server says where to connect to",
                    (long)jvm->pid);
}

int ixor_attach(const struct ixor_attach_options *o, struct ix_error *err)
{
    struct ixor_attached jvm;
    struct text options = {0};
    struct ix_key key;
    char answered[ANSWER_MAX], *log_dir = NULL;
    if (compose(o, &options, &log_dir, err) != 0 || (o->dir && read_key(o->dir, &key, err) != 0) ||
        ixor_attached_open(&jvm, o->pid, o->timeout_ns, err) != 0) {
        free(log_dir);
        return -1;
    }
    char *library =
        check_log_dir(&jvm, log_dir, err) == 0 ? agent_path(&jvm, o->agent.path, err) : NULL;
    free(log_dir);
    const int status =
        library ? load(&jvm, library, options.at, o->dir ? &key : NULL, answered, err) : -1;
    if (status == 0)
        warn_of_network(&jvm, options.at);
    free(library);
    ixor_attached_close(&jvm);
    if (status == 0)
        print_settings(answered, o->pid);
    return status;
}

int ixor_detach(const struct ixor_attach_options *o, struct ix_error *err)
{
    struct ixor_attached jvm;
    char answered[ANSWER_MAX];
    int status = -1;
    if (ixor_attached_open(&jvm, o->pid, o->timeout_ns, err) != 0)
        return -1;
    if (jvm.maps.agent[0])
        status = load(&jvm, jvm.maps.agent, "detach=now", NULL, answered, err);
    else
        ix_fail(err, "there is no agent in process %ld", (long)o->pid);
    ixor_attached_close(&jvm);
    if (status == 0)
        printf("process %ld: the agent is detached\n", (long)o->pid);
    return status;
}

/* ---- the command lines ---- */

static const char attach_about[] =
    "Loads the agent into the running JVM with the process id PID; no tool of the JDK\n"
    "is needed. With DIR, a campaign that 'ixor serve' is writing, the JVM joins that\n"
    "campaign. If the JVM has the agent already, the options given here change its\n"
    "settings. With --follow, also attaches to every JVM of this host that it talks\n"
    "to, and on from there, until Ctrl-C or the end of the first JVM.";

static const char attach_after[] =
    "JDK 21 and later print a warning to the JVM's standard error when an agent is\n"
    "loaded this way; -XX:+EnableDynamicAgentLoading on java's command line avoids\n"
    "it. A JVM started with -agentpath needs no attaching. TIME has a unit: us, ms, s\n"
    "or m.\n"
    "\n"
    "Example: ixor attach --role Broker camp 4711";

static const char detach_about[] =
    "Ends the sampling of a JVM: closes its log and releases all that the agent\n"
    "holds. The JVM can be attached to again. With --all: the same for every JVM of\n"
    "this host whose log is in the campaign DIR.";

#define FIELD(name) offsetof(struct ixor_attach_options, name)

static int set_for(void *target, const char *value, struct ix_error *err)
{
    return ixor_parse_duration(value, &((struct ixor_attach_options *)target)->for_ns, err);
}

static const struct ix_option attach_rows[] = {
    {IX_OPTION_TEXT, "server", .value = "HOST:PORT", .help = "where the server listens",
     .preset = "DIR's, else 127.0.0.1:4967", .offset = FIELD(server)},
    {IX_OPTION_TEXT, "role", .value = "NAME", .help = "what the JVM is in the system",
     .preset = "its main class", .offset = FIELD(role)},
    {IX_OPTION_TEXT, "execution", .value = "NAME", .help = "the run it belongs to",
     .preset = "the server's current one", .offset = FIELD(execution)},
    {IX_OPTION_TEXT, "log", .value = "PATH", .help = "the trace log",
     .preset = "in DIR, else in the JVM's directory", .offset = FIELD(log)},
    {IX_OPTION_TEXT, "options", .value = "TEXT",
     .help = "other options of the agent, as in stop=suspend,depth=500", .offset = FIELD(more)},
    {IX_OPTION_FLAG, "follow", .help = "also attach to the JVMs that it talks to; needs DIR",
     .offset = FIELD(follow)},
    {IX_OPTION_CALL, "for", .value = "TIME", .help = "with --follow: end after TIME",
     .set = set_for},
    {IX_OPTION_COUNT, "limit", .value = "N", .help = "with --follow: at most N JVMs at a time",
     .preset = "64", .min = 1, .max = IXOR_FOLLOW_MAX, .offset = FIELD(limit)},
};

static int set_timeout(void *target, const char *value, struct ix_error *err)
{
    return ixor_parse_duration(value, &((struct ixor_attach_options *)target)->timeout_ns, err);
}

static const struct ix_option timeout_row[] = {
    {IX_OPTION_CALL, "timeout", .value = "TIME", .help = "how long the JVM may take to answer",
     .preset = "10s", .set = set_timeout},
};

static const struct ix_option all_row[] = {
    {IX_OPTION_FLAG, "all", .help = "all JVMs of this host that DIR samples", .offset = FIELD(all)},
};

static int parse(struct ixor_attach_options *o, const struct ix_command_line *line, int argc,
                 char **argv, struct ix_error *err)
{
    char **args;
    uint64_t pid;
    const int parsed = ixor_parse_options(line, argc, argv, &args, err);
    if (parsed != IXOR_OK)
        return parsed;
    if (args[1] || o->all)
        o->dir = *args++;
    if (o->all)
        return IXOR_OK;
    if (o->for_ns && !o->follow) {
        ix_fail(err, "--for needs --follow");
        return ixor_wrong_use(line, err);
    }
    if (o->follow && !o->dir) {
        ix_fail(err, "--follow needs DIR, the campaign that the JVMs join");
        return ixor_wrong_use(line, err);
    }
    if (ixor_parse_count(args[0], 1, INT_MAX, &pid, err) != 0) {
        ix_fail_in(err, "PID");
        return ixor_wrong_use(line, err);
    }
    o->pid = (pid_t)pid;
    return IXOR_OK;
}

int ixor_cmd_attach(int argc, char **argv, struct ix_error *err)
{
    struct ixor_attach_options o = {.timeout_ns = TIMEOUT_DEFAULT_NS, .limit = LIMIT_DEFAULT};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(attach_rows, &o),
        ixor_agent_group(&o.agent),
        IX_OPTION_GROUP(timeout_row, &o),
        {.target = NULL},
    };
    const struct ix_command_line line = {
        .program = "ixor",
        .command = "attach",
        .args = "[DIR] PID",
        .args_min = 1,
        .args_max = 2,
        .about = attach_about,
        .after = attach_after,
        .groups = groups,
    };
    const int parsed = parse(&o, &line, argc, argv, err);
    if (parsed != IXOR_OK)
        return parsed;
    const int status = o.follow ? ixor_follow(&o, err) : ixor_attach(&o, err);
    return status == 0 ? IXOR_OK : IXOR_FAILED;
}

int ixor_cmd_detach(int argc, char **argv, struct ix_error *err)
{
    struct ixor_attach_options o = {.timeout_ns = TIMEOUT_DEFAULT_NS};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(all_row, &o), IX_OPTION_GROUP(timeout_row, &o), {.target = NULL}};
    const struct ix_command_line line = {
        .program = "ixor",
        .command = "detach",
        .args = "PID|DIR",
        .args_min = 1,
        .args_max = 1,
        .about = detach_about,
        .after = "TIME has a unit: us, ms, s or m.",
        .groups = groups,
    };
    const int parsed = parse(&o, &line, argc, argv, err);
    if (parsed != IXOR_OK)
        return parsed;
    const int status = o.all ? ixor_detach_all(&o, err) : ixor_detach(&o, err);
    return status == 0 ? IXOR_OK : IXOR_FAILED;
}
