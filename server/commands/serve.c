/* ixor serve: samples JVMs that others start, until it is told to end. */
#include <event2/event.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/keyplace.h"
#include "server/campaign.h"
#include "server/command.h"
#include "server/http.h"
#include "server/launch.h"
#include "server/loop.h"
#include "server/run_options.h"
#include "server/service.h"

static const char help[] =
    "Usage: ixor serve --out DIR [OPTION...]\n"
    "\n"
    "Takes snapshots of JVMs that others start, until SIGINT or SIGTERM. It prints\n"
    "what to put on java's command line; 'ixor attach DIR PID' adds running JVMs.\n"
    "\n"
    "  --out DIR           the campaign's directory\n"
    "  --listen ADDR:PORT  where JVMs connect to (127.0.0.1:4967); on other hosts\n"
    "                      they need a copy of DIR/agent.key (option key=FILE)\n"
    IXOR_RHYTHM_HELP
    "  --lead TIME         how far ahead the JVMs are told when to stop, so that all\n"
    "                      do at once (auto: as the delays demand that are seen); 0:\n"
    "                      they stop as soon as they are asked\n"
    "  --execution NAME    the execution of JVMs that name none (serve0001 and so on;\n"
    "                      one that a crash left open is continued)\n"
    "  --max-upload SIZE   take no file of a log that is larger (8g)\n"
    "  --upload-rate SIZE  take so many bytes a second of logs of other hosts, of all\n"
    "                      JVMs together (64m)\n"
    "  --http PORT         show it live in a browser at 127.0.0.1:PORT; ADDR:PORT:\n"
    "                      elsewhere. The address to open, with its token, is printed\n"
    "  --tls-cert FILE, --tls-key FILE, --tls-ca FILE\n"
    "                      certificates in PEM, for who has them: the server's, its\n"
    "                      private key, and the authorities that JVMs' must be of\n"
    "  --agent PATH        the agent on the line for java (libixor.so beside ixor, or\n"
    "                      in ../lib)\n"
    "  -h, --help          this text\n"
    "\n"
    "TIME has a unit: us, ms, s or m; SIZE may have one: k, m or g.\n";

struct options {
    const char *out, *execution, *agent;
    struct ixor_address listen;
    struct ixor_rhythm_texts rhythm_texts;
    struct ixor_rhythm_options rhythm;
    uint64_t lead_ns;
    struct ixor_upload_options upload;
    bool http;
    struct ixor_address http_address;
    struct ix_tls_files files; /* all NULL, or none */
};

struct server {
    struct event_base *base;
    struct ixor_campaign campaign;
    struct ixor_ledger *ledger;
    struct ixor_service *service;
    struct ixor_http *http; /* NULL: nobody looks */
    struct ixor_execution *current;
    struct event *signals[2];
};

/* ---- what happens ---- */

static void stop_cb(evutil_socket_t sig, short what, void *user)
{
    struct server *s = user;
    (void)what;
    /* From now on a second one ends the program at once; the catalogue stands that. */
    for (size_t i = 0; i < sizeof s->signals / sizeof s->signals[0]; i++)
        event_del(s->signals[i]);
    ixor_say("ending (signal %d)", (int)sig);
    event_base_loopbreak(s->base);
}

static void ledger_failed(void *user, const struct ix_error *err)
{
    struct server *s = user;
    (void)err; /* the last flush returns it again */
    event_base_loopbreak(s->base);
}

static void joined(void *user, const struct ixor_execution *e, const struct ixor_hello *hello)
{
    char role[IX_NAME_MAX + 1], host[IX_NAME_MAX + 1], name[IX_NAME_MAX + 1];
    (void)user;
    ixor_safe_text(hello->role, role, sizeof role);
    ixor_safe_text(hello->host, host, sizeof host);
    ixor_safe_text(e->name, name, sizeof name);
    ixor_say("%s: JVM %s (process %u on %s) connected", name, role, hello->pid, host);
}

static void left(void *user, const struct ixor_departure *d)
{
    char role[IX_NAME_MAX + 1], name[IX_NAME_MAX + 1];
    (void)user;
    ixor_safe_text(d->hello->role, role, sizeof role);
    ixor_safe_text(d->execution->name, name, sizeof name);
    ixor_say("%s: JVM %s (process %u): %s%s%s, %llu snapshots", name, role, d->hello->pid,
             d->ended, d->text && d->text[0] ? ", " : "", d->text ? d->text : "",
             (unsigned long long)d->taken);
}

static void warned(void *user, const char *text)
{
    (void)user;
    ixor_say("%s", text);
}

/* ---- what to type ---- */

/* A word as a shell takes it. */
static void print_quoted(const char *word)
{
    if (!strpbrk(word, " \t\n'\"\\$`&;|<>(){}[]*?!#~")) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (const char *at = word; *at; at++) {
        if (*at == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*at);
    }
    putchar('\'');
}

/* What to put where; also for ixor attach. */
static int print_instructions(struct server *s, const char *run_dir, const char *agent,
                              struct ix_error *err)
{
    char address[IXOR_ADDRESS_TEXT], server[512], *options;
    ixor_address_text(ixor_service_address(s->service), address);
    ixor_address_reach_text(ixor_service_address(s->service), server, sizeof server);
    if (ixor_campaign_announce(&s->campaign, server, run_dir, err) != 0)
        return -1;
    /* Characters that mean something in the agent's options go through the environment. */
    bool by_environment = strpbrk(run_dir, ",%") != NULL;
    if (asprintf(&options, "server=%s,log=%s/%%r-%%p-%%t.ixl", server,
                 by_environment ? "%{IXOR_RUN_DIR}" : run_dir) < 0)
        return ix_fail(err, "out of memory");
    char *word = ixor_agent_word(agent, options, 0, err);
    free(options);
    if (!word)
        return -1;
    printf("listening on %s\nexecution %s\n", address, s->current->name);
    if (by_environment) {
        fputs("put into each JVM's environment:\n  IXOR_RUN_DIR=", stdout);
        print_quoted(run_dir);
        putchar('\n');
    }
    fputs("put on each JVM's command line:\n  ", stdout);
    print_quoted(word);
    putchar('\n');
    printf("with key=FILE, a copy of '%s/agent.key', for other users and on other hosts\n",
           s->campaign.dir);
    free(word);
    fflush(stdout); /* somebody may be waiting for it at the other end of a pipe */
    return 0;
}

/* ---- from start to end ---- */

/* It names a directory, too. */
static bool is_name(const char *name)
{
    return name[0] && name[0] != '.' && !strchr(name, '/') && strlen(name) <= IX_NAME_MAX;
}

static int parse_size(const char *option, const char *text, uint64_t min, uint64_t *bytes,
                      struct ix_error *err)
{
    if (ixor_parse_size(text, min, UINT64_C(1) << 50, bytes, err) == 0)
        return IXOR_OK;
    return ixor_bad_value(option, err);
}

static int parse(struct options *o, int argc, char **argv, struct ix_error *err)
{
    static const struct option options[] = {
        {"out", required_argument, NULL, 'o'},   {"listen", required_argument, NULL, 'l'},
        IXOR_RHYTHM_LONG,                        {"lead", required_argument, NULL, 'd'},
        {"execution", required_argument, NULL, 'x'}, {"agent", required_argument, NULL, 'a'},
        {"max-upload", required_argument, NULL, 'm'},
        {"upload-rate", required_argument, NULL, 'r'},
        {"http", required_argument, NULL, 'w'},
        {"tls-cert", required_argument, NULL, 'c'}, {"tls-key", required_argument, NULL, 'k'},
        {"tls-ca", required_argument, NULL, 'C'},
        {"help", no_argument, NULL, 'h'}, {0}};
    *o = (struct options){.lead_ns = IXOR_LEAD_AUTO};
    const char *listen = "127.0.0.1";
    opterr = 0;
    for (int c, bad; (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        bad = IXOR_OK;
        switch (c) {
        case 'w': bad = ixor_parse_http(optarg, &o->http_address, err), o->http = !bad; break;
        case 'o': o->out = optarg; break;
        case 'l': listen = optarg; break;
        case 'd': bad = ixor_parse_lead(optarg, &o->lead_ns, err); break;
        case 'x': o->execution = optarg; break;
        case 'a': o->agent = optarg; break;
        case 'm': bad = parse_size("max-upload", optarg, 1, &o->upload.max_size, err); break;
        case 'r':
            bad = parse_size("upload-rate", optarg, IXOR_UPLOAD_RATE_MIN, &o->upload.rate, err);
            break;
        case 'c': o->files.certificate = optarg; break;
        case 'k': o->files.key = optarg; break;
        case 'C': o->files.authorities = optarg; break;
        case 'h': fputs(help, stdout); return -1;
        default:
            if (!ixor_rhythm_option(&o->rhythm_texts, c, optarg))
                bad = ixor_bad_option(c, argv, err);
        }
        if (bad)
            return bad;
    }
    if (optind != argc)
        ix_fail(err, "unexpected argument '%s'", argv[optind]);
    else if (!o->out)
        ix_fail(err, "option --out: missing; expected the campaign's directory");
    else if (o->execution && !is_name(o->execution))
        ix_fail(err, "option --execution: expected a name of 1 to %u bytes without '/' that does "
                     "not begin with '.'", IX_NAME_MAX);
    else if (!o->files.certificate != !o->files.key || !o->files.key != !o->files.authorities)
        ix_fail(err, "--tls-cert, --tls-key and --tls-ca go together");
    else if (ixor_parse_address(listen, &o->listen, err) == 0)
        return ixor_rhythm_parse(&o->rhythm_texts, &o->rhythm, err);
    else
        return ixor_bad_value("listen", err);
    return IXOR_USAGE;
}

/* The name for JVMs that name none: what a crashed server left open goes on, since the JVMs that
 * it served do. */
static int choose_name(struct server *s, const char *given, char name[IX_NAME_MAX + 1],
                       struct ix_error *err)
{
    if (given) {
        snprintf(name, IX_NAME_MAX + 1, "%s", given);
        return 0;
    }
    unsigned number;
    bool open;
    if (ixor_campaign_last(&s->campaign, "serve", &number, &open, err) != 0)
        return -1;
    if (number && open)
        ixor_say("continuing serve%04u, which the last server left open; use --execution for "
                 "another", number);
    else
        number++;
    ixor_campaign_name("serve", number, name);
    return 0;
}

static int start_events(struct server *s, struct ix_error *err)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a log that gets too large fails, the server does not */
    ixor_raise_descriptor_limit();
    s->base = ixor_loop_new();
    if (!s->base)
        return ix_fail(err, "cannot make an event loop");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        s->signals[i] = evsignal_new(s->base, numbers[i], stop_cb, s);
        if (!s->signals[i] || event_add(s->signals[i], NULL) != 0)
            return ix_fail(err, "out of memory");
    }
    return 0;
}

/* For JVMs of the same user on this host, which need not be told of a key then. */
static void leave_key(struct server *s)
{
    struct ix_error err;
    const uint16_t port = ixor_address_port(ixor_service_address(s->service));
    if (ix_keyplace_put(port, &s->campaign.agent_key, &err) != 0)
        ixor_say("warning: %s; JVMs must be given '%s/agent.key' with key=FILE", err.text,
                 s->campaign.dir);
}

static int start(struct server *s, const struct options *o, struct ix_error *err)
{
    char name[IX_NAME_MAX + 1];
    char *agent = ixor_find_agent(o->agent, err), *run_dir = NULL;
    int result = -1;
    if (!agent || ixor_campaign_open(&s->campaign, o->out, err) != 0 ||
        choose_name(s, o->execution, name, err) != 0 || start_events(s, err) != 0)
        goto done;
    s->ledger = ixor_ledger_new(s->base, s->campaign.catalogue, ledger_failed, s, err);
    if (!s->ledger)
        goto done;
    struct ixor_service_options options = {
        .listen = o->listen,
        .rhythm = o->rhythm,
        .lead_ns = o->lead_ns,
        .on_demand = true,
        .upload = o->upload,
        .after_crash = s->campaign.crashed,
        .key = s->campaign.key,
        .files = o->files.certificate ? &o->files : NULL,
    };
    struct ixor_service_events events = {joined, left, warned, s};
    s->service = ixor_service_new(s->base, s->ledger, &options, &events, err);
    if (!s->service)
        goto done;
    s->current = ixor_service_open(s->service, name, NULL, ixor_wall_ns(), err);
    run_dir = s->current ? ixor_campaign_make_run_dir(&s->campaign, name, err) : NULL;
    if (!run_dir)
        goto done;
    leave_key(s);
    ixor_rhythm_say(&o->rhythm_texts, &o->rhythm);
    if (o->http)
        s->http = ixor_http_new(s->base, s->service, s->campaign.dir, &o->http_address, err);
    if (o->http && !s->http)
        goto done;
    if (s->http)
        ixor_http_announce(s->http);
    result = print_instructions(s, run_dir, agent, err);
done:
    free(agent);
    free(run_dir);
    return result;
}

/* Every execution that was open ends now; its verdict is the user's to give. */
static int end_executions(struct server *s, struct ix_error *err)
{
    for (struct ixor_execution *e = ixor_service_executions(s->service); e; e = e->next)
        ixor_service_close(s->service, e, NULL);
    if (ixor_ledger_flush(s->ledger, err) != 0)
        return -1;
    for (struct ixor_execution *e = ixor_service_executions(s->service); e; e = e->next) {
        if (ix_catalogue_end_execution(s->campaign.catalogue, e->id, ixor_wall_ns(), -1, 0,
                                       IX_VERDICT_UNKNOWN, NULL, err) != 0)
            return -1;
    }
    return 0;
}

static void stop(struct server *s)
{
    if (s->service)
        ix_keyplace_remove(ixor_address_port(ixor_service_address(s->service)),
                           &s->campaign.agent_key);
    ixor_http_free(s->http);
    ixor_service_free(s->service);
    ixor_ledger_free(s->ledger);
    for (size_t i = 0; i < sizeof s->signals / sizeof s->signals[0]; i++) {
        if (s->signals[i])
            event_free(s->signals[i]);
    }
    if (s->base)
        event_base_free(s->base);
    ixor_campaign_close(&s->campaign);
}

int ixor_cmd_serve(int argc, char **argv, struct ix_error *err)
{
    struct options options;
    int usage = parse(&options, argc, argv, err);
    if (usage)
        return usage < 0 ? IXOR_OK : usage;
    struct server s = {.campaign = {.lock = -1}};
    int bad = start(&s, &options, err);
    if (!bad) {
        event_base_dispatch(s.base);
        bad = end_executions(&s, err);
    }
    stop(&s);
    return bad ? IXOR_FAILED : IXOR_OK;
}
