/* ixor attach, ixor detach: the agent into a JVM that runs, and out of it again. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/key.h"
#include "server/campaign.h"
#include "server/command.h"
#include "server/hotspot.h"
#include "server/units.h"

#define TIMEOUT_DEFAULT_NS 10000000000u
#define ANSWER_MAX 16384

static const char attach_help[] =
    "Usage: ixor attach [OPTION...] [DIR] PID\n"
    "\n"
    "Puts the agent into the running JVM with the process id PID, without a tool of\n"
    "the JDK. With DIR, a campaign that 'ixor serve' writes, the JVM is sampled for\n"
    "it. If the agent is in the JVM already, what is given here changes its settings.\n"
    "\n"
    "  --server HOST:PORT  where the server listens (DIR's, else 127.0.0.1:4967)\n"
    "  --role NAME         what the JVM is in the system (its main class)\n"
    "  --execution NAME    the execution it belongs to (the server's current one)\n"
    "  --log PATH          the trace log (in DIR, else in the JVM's directory)\n"
    "  --options TEXT      other options of the agent, as in stop=suspend,depth=500\n"
    "  --agent PATH        the agent, libixor.so, as the JVM sees it (beside ixor, or\n"
    "                      in ../lib)\n"
    "  --timeout TIME      how long the JVM may take to answer (10s)\n"
    "  -h, --help          this text\n"
    "\n"
    "JDK 21 and later print a warning into the JVM's output when an agent comes so;\n"
    "-XX:+EnableDynamicAgentLoading on java's command line avoids it, and -agentpath\n"
    "needs no attaching. TIME has a unit: us, ms, s or m.\n"
    "\n"
    "Example:  ixor attach --role Broker camp 4711\n";

static const char detach_help[] =
    "Usage: ixor detach [OPTION...] PID\n"
    "\n"
    "Ends the sampling of a JVM: its log is closed, and the agent releases all that\n"
    "it holds. It can be attached again.\n"
    "\n"
    "  --timeout TIME  how long the JVM may take to answer (10s)\n"
    "  -h, --help      this text\n"
    "\n"
    "TIME has a unit: us, ms, s or m.\n";

struct options {
    const char *dir; /* NULL */
    pid_t pid;
    uint64_t timeout_ns;
    const char *agent, *server, *role, *execution, *log, *more; /* NULL */
};

/* ---- the agent's options ---- */

struct text {
    char at[IXOR_ATTACH_WORD_MAX + 64];
    size_t len;
};

static int too_long(struct ix_error *err)
{
    return ix_fail(err, "these options have more than the %u bytes that a JVM takes when it is "
                        "attached to", IXOR_ATTACH_WORD_MAX);
}

/* Options as they are, behind those that are there. */
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
    const int len = snprintf(t->at + t->len, sizeof t->at - t->len, "%s%s=%s", t->len ? "," : "",
                             key, value);
    if (len < 0 || (size_t)len >= sizeof t->at - t->len)
        return too_long(err);
    t->len += (size_t)len;
    return 0;
}

/* The log's pattern below a directory; "%" in its name is no sequence. The caller's to free. */
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

static int compose(const struct options *o, struct text *t, struct ix_error *err)
{
    struct ixor_announced campaign = {0};
    char *log = NULL;
    int status = -1;
    if (o->dir && ixor_campaign_announced(o->dir, &campaign, err) != 0)
        return -1;
    if (o->dir && !campaign.run_dir)
        ix_fail(err, "the ixor that writes '%s' takes no JVMs that others start; only ixor serve "
                     "does", o->dir);
    else if (o->dir && !o->log && !(log = log_in(campaign.run_dir)))
        ix_fail(err, "out of memory");
    else if (add(t, "server", o->server ? o->server : campaign.server, err) == 0 &&
             add(t, "role", o->role, err) == 0 && add(t, "execution", o->execution, err) == 0 &&
             add(t, "log", o->log ? o->log : log, err) == 0)
        status = 0;
    free(log);
    free(campaign.server);
    free(campaign.run_dir);
    return status == 0 && o->more ? add_all(t, o->more, err) : status;
}

/* The key for JVMs of the campaign; read before another user's identity is taken on. */
static int read_key(const char *dir, struct ix_key *key, struct ix_error *err)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/agent.key", dir) >= (int)sizeof path)
        return ix_fail(err, "'%.60s...': the name is too long", dir);
    return ix_key_read(IX_KEY_AGENT, path, key, err) == 0 ? 0 : -1;
}

/* ---- where the agent is ---- */

/* Whether the JVM, with its user's rights and in its own file system, can read the agent. (HotSpot
 * prints odd things into the application's output when a library is none.) */
static int check_agent(const struct ixor_jvm *jvm, const char *path, struct ix_error *err)
{
    struct stat ours, theirs;
    char begin[4] = "";
    const int fd = openat(jvm->root, path + strspn(path, "/"), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        const bool good = read(fd, begin, sizeof begin) == sizeof begin &&
                          memcmp(begin, "\177ELF", sizeof begin) == 0;
        close(fd);
        return good ? 0 : ix_fail(err, "'%s' is no shared library; expected libixor.so", path);
    }
    const int error = errno;
    const bool elsewhere = fstatat(jvm->root, ".", &theirs, 0) != 0 || stat("/", &ours) != 0 ||
                           ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino;
    if (elsewhere)
        return ix_fail(err, "process %ld has a file system of its own, in which '%s' is not to be "
                            "read; copy libixor.so to where it is (as into a container) and say "
                            "where with --agent", (long)jvm->pid, path);
    return ix_fail(err, "the user of process %ld cannot read '%s' (%s); copy it to where that user "
                        "can, and say where with --agent", (long)jvm->pid, path, strerror(error));
}

/* The path to load: that of the agent which the JVM has already, so that there is one in it; else
 * as `ixor run` finds it, unless `given` is a path in the JVM's own file system. The caller's to
 * free. */
static char *agent_path(const struct ixor_jvm *jvm, const char *given, struct ix_error *err)
{
    if (jvm->maps.agent[0])
        return strdup(jvm->maps.agent);
    char *path = given && *given == '/' && access(given, F_OK) != 0
                     ? strdup(given)
                     : ixor_find_agent(given, err);
    if (path && check_agent(jvm, path, err) == 0)
        return path;
    free(path);
    return NULL;
}

/* ---- what goes by files in the JVM's /tmp: its answer, and the key, which is not for ps ---- */

/* A file for the JVM's user alone, as whom we act by now. */
struct note {
    char name[32];
    int fd; /* -1: there is none */
};

static struct note make_note(const struct ixor_jvm *jvm)
{
    struct note n = {.fd = -1};
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return n;
    snprintf(n.name, sizeof n.name, ".ixor-%016llx", (unsigned long long)number);
    n.fd = openat(jvm->tmp, n.name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return n;
}

static void remove_note(const struct ixor_jvm *jvm, const struct note *n)
{
    if (n->fd < 0)
        return;
    close(n->fd);
    unlinkat(jvm->tmp, n->name, 0);
}

/* Without a file for it there is no answer but a number. */
static void take_answer(const struct ixor_jvm *jvm, const struct note *answer,
                        char text[ANSWER_MAX])
{
    const ssize_t n = answer->fd >= 0 ? pread(answer->fd, text, ANSWER_MAX - 1, 0) : 0;
    remove_note(jvm, answer);
    text[n > 0 ? n : 0] = '\0';
}

/* The agent reads it while it is being attached. */
static int put_key(const struct ixor_jvm *jvm, const struct ix_key *key, struct note *note,
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

/* What follows "KEY " in the answer, safe to print; "" if it is not there. */
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
static int load(struct ixor_jvm *jvm, const char *library, const char *options,
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
        status = ixor_jvm_load(jvm, library, whole.at, &refused, err);
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

/* A container's loopback is another one. */
static void warn_of_network(const struct ixor_jvm *jvm, const char *options)
{
    char path[64], theirs[64] = "", ours[64] = "";
    snprintf(path, sizeof path, "/proc/%ld/ns/net", (long)jvm->pid);
    if (readlink(path, theirs, sizeof theirs - 1) <= 0 ||
        readlink("/proc/self/ns/net", ours, sizeof ours - 1) <= 0 || strcmp(theirs, ours) == 0)
        return;
    if (!strstr(options, "server=") || strstr(options, "server=127.") ||
        strstr(options, "server=localhost") || strstr(options, "server=[::1]"))
        ixor_say("warning: process %ld has a network of its own, in which 127.0.0.1 is not this "
                 "host; --server says where to connect to", (long)jvm->pid);
}

static int attach(const struct options *o, struct ix_error *err)
{
    struct ixor_jvm jvm;
    struct text options = {0};
    struct ix_key key;
    char answered[ANSWER_MAX];
    if (compose(o, &options, err) != 0 || (o->dir && read_key(o->dir, &key, err) != 0) ||
        ixor_jvm_open(&jvm, o->pid, o->timeout_ns, err) != 0)
        return -1;
    char *library = agent_path(&jvm, o->agent, err);
    const int status = library ? load(&jvm, library, options.at, o->dir ? &key : NULL, answered, err)
                               : -1;
    if (status == 0)
        warn_of_network(&jvm, options.at);
    free(library);
    ixor_jvm_close(&jvm);
    if (status == 0)
        print_settings(answered, o->pid);
    return status;
}

static int detach(const struct options *o, struct ix_error *err)
{
    struct ixor_jvm jvm;
    char answered[ANSWER_MAX];
    int status = -1;
    if (ixor_jvm_open(&jvm, o->pid, o->timeout_ns, err) != 0)
        return -1;
    if (jvm.maps.agent[0])
        status = load(&jvm, jvm.maps.agent, "detach=now", NULL, answered, err);
    else
        ix_fail(err, "there is no agent in process %ld", (long)o->pid);
    ixor_jvm_close(&jvm);
    if (status == 0)
        printf("process %ld: the agent is detached\n", (long)o->pid);
    return status;
}

/* ---- the command lines ---- */

static int parse_pid(const char *text, pid_t *pid, struct ix_error *err)
{
    uint64_t value;
    if (ixor_parse_count(text, 1, INT_MAX, &value, err) != 0) {
        ix_fail_in(err, "PID");
        return IXOR_USAGE;
    }
    *pid = (pid_t)value;
    return IXOR_OK;
}

/* What follows the options. */
static int parse_words(struct options *o, char **words, int count, bool dir, struct ix_error *err)
{
    if (count == 2 && dir)
        o->dir = words[0];
    else if (count != 1) {
        ix_fail(err, dir ? "expected the process id of a JVM, perhaps with a campaign's directory "
                           "before it"
                         : "expected the process id of a JVM");
        return IXOR_USAGE;
    }
    return parse_pid(words[count - 1], &o->pid, err);
}

static int parse(struct options *o, int argc, char **argv, bool attaching, struct ix_error *err)
{
    static const struct option all[] = {
        {"server", required_argument, NULL, 's'},  {"role", required_argument, NULL, 'r'},
        {"execution", required_argument, NULL, 'x'}, {"log", required_argument, NULL, 'l'},
        {"options", required_argument, NULL, 'o'}, {"agent", required_argument, NULL, 'a'},
        {"timeout", required_argument, NULL, 't'}, {"help", no_argument, NULL, 'h'},
        {0}};
    const struct option *known = attaching ? all : all + 6;
    *o = (struct options){.timeout_ns = TIMEOUT_DEFAULT_NS};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        switch (c) {
        case 's': o->server = optarg; break;
        case 'r': o->role = optarg; break;
        case 'x': o->execution = optarg; break;
        case 'l': o->log = optarg; break;
        case 'o': o->more = optarg; break;
        case 'a': o->agent = optarg; break;
        case 't':
            if (ixor_parse_duration(optarg, &o->timeout_ns, err) != 0)
                return ixor_bad_value("timeout", err);
            break;
        case 'h': fputs(attaching ? attach_help : detach_help, stdout); return -1;
        default: return ixor_bad_option(c, argv, err);
        }
    }
    return parse_words(o, argv + optind, argc - optind, attaching, err);
}

int ixor_cmd_attach(int argc, char **argv, struct ix_error *err)
{
    struct options o;
    const int usage = parse(&o, argc, argv, true, err);
    if (usage)
        return usage < 0 ? IXOR_OK : usage;
    return attach(&o, err) == 0 ? IXOR_OK : IXOR_FAILED;
}

int ixor_cmd_detach(int argc, char **argv, struct ix_error *err)
{
    struct options o;
    const int usage = parse(&o, argc, argv, false, err);
    if (usage)
        return usage < 0 ? IXOR_OK : usage;
    return detach(&o, err) == 0 ? IXOR_OK : IXOR_FAILED;
}
