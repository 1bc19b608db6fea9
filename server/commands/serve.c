/* SPDX-License-Identifier: Apache-2.0 */
/* ixor serve: samples JVMs that something else starts, until it is stopped. */
#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/protocol/keyplace.h"
#include "server/base/command.h"
#include "server/base/loop.h"
#include "server/base/shell.h"
#include "server/commands/common_options.h"
#include "server/commands/rhythm_options.h"
#include "server/launch/launch.h"
#include "server/sampling/lead.h"
#include "server/session/service.h"
#include "server/session/upload.h"
#include "server/store/campaign.h"
#include "server/viewer/http.h"

#define UPLOAD_MAX (UINT64_C(1) << 50)

struct options {
    const char *out, *execution;
    struct ixor_agent_option agent;
    struct ixor_address listen;
    struct ixor_rhythm_choice rhythm;
    struct ixor_lead_option lead;
    struct ixor_upload_options upload;
    struct ixor_http_option http;
    struct ix_tls_files files; /* all NULL, or none */
    struct ixor_tests_option tests;
};

struct server {
    struct event_base *base;
    struct ixor_campaign campaign;
    struct ixor_writer *writer;
    struct ixor_service *service;
    struct ixor_http *http;         /* NULL: no viewer */
    struct ixor_execution *current; /* NULL with --tests */
    struct event *signals[3], *watch;
};

/* ---- what happens ---- */

static void stop_cb(evutil_socket_t sig, short what, void *user)
{
    struct server *s = user;
    (void)what;
    /* From now on a second signal ends the program at once; the catalogue survives that. */
    for (size_t i = 0; i < sizeof s->signals / sizeof s->signals[0]; i++) {
        if (s->signals[i])
            event_del(s->signals[i]);
    }
    ixor_notice("ending (signal %d)", (int)sig);
    event_base_loopbreak(s->base);
}

/* Data recorded in a directory that was removed would be lost, so the server stops. */
static void watch_cb(evutil_socket_t fd, short what, void *user)
{
    struct server *s = user;
    (void)fd, (void)what;
    if (ixor_campaign_check(&s->campaign, NULL) != 0)
        event_base_loopbreak(s->base); /* the check after the loop reports it */
}

static void joined(void *user, const struct ixor_execution *e, const struct ixor_hello *hello)
{
    char role[IX_NAME_MAX + 1], host[IX_NAME_MAX + 1], name[IX_NAME_MAX + 1];
    (void)user;
    ixor_safe_text(hello->role, role, sizeof role);
    ixor_safe_text(hello->host, host, sizeof host);
    ixor_safe_text(e->name, name, sizeof name);
    ixor_notice("%s: JVM %s (process %u on %s) connected", name, role, hello->pid, host);
}

static void left(void *user, const struct ixor_departure *d)
{
    char role[IX_NAME_MAX + 1], name[IX_NAME_MAX + 1];
    (void)user;
    ixor_safe_text(d->hello->role, role, sizeof role);
    ixor_safe_text(d->execution->name, name, sizeof name);
    ixor_notice("%s: JVM %s (process %u): %s%s%s, %llu snapshots", name, role, d->hello->pid,
                d->ended, d->text && d->text[0] ? ", " : "", d->text ? d->text : "",
                (unsigned long long)d->taken);
}

static void warned(void *user, const char *text)
{
    (void)user;
    ixor_notice("%s", text);
}

/* ---- what to type ---- */

/* Prints how to start JVMs with the agent; also for ixor attach. */
static int print_instructions(struct server *s, const char *run_dir, const char *agent,
                              struct ix_error *err)
{
    char address[IXOR_ADDRESS_TEXT], server[512], *options;
    ixor_address_text(ixor_service_address(s->service), address);
    ixor_address_reach_text(ixor_service_address(s->service), server, sizeof server);
    if (ixor_campaign_announce(&s->campaign, server, run_dir, err) != 0)
        return -1;
    /* A path with characters that are special in the agent's options goes through the
     * environment. */
    bool by_environment = strpbrk(run_dir, ",%") != NULL;
    if (asprintf(&options, "server=%s,log=%s/%%r-%%p-%%t.ixl,%s" IXOR_FACTS, server,
                 by_environment ? "%{IXOR_RUN_DIR}" : run_dir, s->current ? "" : "runs=tests,") < 0)
        return ix_fail(err, "out of memory");
    char *word = ixor_agent_word(agent, options, 0, err);
    free(options);
    if (!word)
        return -1;
    printf("listening on %s\n", address);
    if (s->current)
        printf("run %s\n", s->current->name);
    else
        puts("a run for each test; the tests' class path needs ixor-junit.jar");
    if (by_environment) {
        fputs("put into each JVM's environment:\n  IXOR_RUN_DIR=", stdout);
        ixor_print_quoted(run_dir);
        putchar('\n');
    }
    fputs("put on each JVM's command line:\n  ", stdout);
    ixor_print_quoted(word);
    putchar('\n');
    printf("with key=FILE, a copy of '%s/agent.key', for other users and on other hosts\n",
           s->campaign.dir);
    free(word);
    /* A program may be waiting for it at the other end of a pipe. */
    if (fflush(stdout) != 0 || ferror(stdout))
        return ix_fail(err, "cannot write to standard output: %s", strerror(errno));
    return 0;
}

/* ---- the command line ---- */

static const char about[] =
    "Samples JVMs that something else starts, until SIGINT, SIGTERM or SIGHUP. Prints\n"
    "what to add to java's command line; 'ixor attach DIR PID' adds running JVMs.";

static const char after[] = "TIME has a unit: us, ms, s or m; SIZE may have one: k, m or g.";

static int set_listen(void *target, const char *value, struct ix_error *err)
{
    return ixor_parse_address(value, &((struct options *)target)->listen, err);
}

/* The name is also a directory's name. */
static int set_execution(void *target, const char *value, struct ix_error *err)
{
    ((struct options *)target)->execution = value;
    if (value[0] && value[0] != '.' && !strchr(value, '/') && strlen(value) <= IX_NAME_MAX)
        return 0;
    return ix_fail(err, "expected a name of 1 to %u bytes without '/' that does not begin with '.'",
                   IX_NAME_MAX);
}

static int set_max_upload(void *target, const char *value, struct ix_error *err)
{
    struct options *o = target;
    return ixor_parse_size(value, 1, UPLOAD_MAX, &o->upload.max_size, err);
}

static int set_upload_rate(void *target, const char *value, struct ix_error *err)
{
    struct options *o = target;
    return ixor_parse_size(value, IXOR_UPLOAD_RATE_MIN, UPLOAD_MAX, &o->upload.rate, err);
}

static const struct ix_option rows[] = {
    {IX_OPTION_TEXT, "out", .value = "DIR", .help = "the campaign's directory; required",
     .offset = offsetof(struct options, out)},
    {IX_OPTION_CALL, "listen", .value = "ADDR:PORT",
     .help = "where JVMs connect to; on other hosts they need a copy of DIR/agent.key (option "
             "key=FILE)",
     .preset = "127.0.0.1:4967", .set = set_listen},
    {IX_OPTION_CALL, "execution", .value = "NAME", .help = "the run of JVMs that do not name one",
     .preset = "serve0001 and so on; one that a crash left open is continued",
     .set = set_execution},
    {IX_OPTION_CALL, "max-upload", .value = "SIZE", .help = "refuse log files that are larger",
     .preset = "8g", .set = set_max_upload},
    {IX_OPTION_CALL, "upload-rate", .value = "SIZE",
     .help = "bytes per second of logs accepted from other hosts, for all JVMs together",
     .preset = "64m", .set = set_upload_rate},
};

/* Checks that need all options. */
static int check_options(struct options *o, struct ix_error *err)
{
    if (!o->out) {
        ix_fail(err, "option --out: missing; expected the campaign's directory");
        return IXOR_USAGE;
    }
    if (ixor_tests_check(&o->tests, err) != 0)
        return IXOR_USAGE;
    if (o->tests.wanted && o->execution) {
        ix_fail(err, "options --tests and --execution exclude each other: tests name their runs");
        return IXOR_USAGE;
    }
    if (ixor_tls_files_check(&o->files, err) != 0)
        return IXOR_USAGE;
    o->rhythm.of_tests = o->tests.wanted;
    return ixor_rhythm_finish(&o->rhythm, err);
}

static int parse(struct options *o, int argc, char **argv, struct ix_error *err)
{
    *o = (struct options){.lead.ns = IXOR_LEAD_AUTO};
    if (ixor_parse_address("127.0.0.1", &o->listen, err) != 0)
        return IXOR_FAILED;
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(rows, o),      ixor_tests_group(&o->tests),
        ixor_rhythm_group(&o->rhythm), ixor_lead_group(&o->lead),
        ixor_http_group(&o->http),     ixor_tls_group(&o->files),
        ixor_agent_group(&o->agent),   {.target = NULL},
    };
    const struct ix_command_line line = {
        .program = "ixor",
        .command = "serve",
        .args = "",
        .about = about,
        .after = after,
        .groups = groups,
    };
    char **args;
    const int parsed = ixor_parse_options(&line, argc, argv, &args, err);
    if (parsed != IXOR_OK)
        return parsed;
    const int status = check_options(o, err);
    return status == IXOR_USAGE ? ixor_wrong_use(&line, err) : status;
}

/* ---- from start to end ---- */

/* The run's name for JVMs that name none, or the directory of tests' logs: a run that a crashed
 * server left open continues, since its JVMs do. */
static int choose_name(struct server *s, const struct options *o, char name[IX_NAME_MAX + 1],
                       struct ix_error *err)
{
    const char *given = o->tests.wanted ? IXOR_TESTS_DIR : o->execution;
    if (given) {
        snprintf(name, IX_NAME_MAX + 1, "%s", given);
        return 0;
    }
    unsigned number;
    bool open;
    if (ixor_campaign_last(&s->campaign, "serve", &number, &open, err) != 0)
        return -1;
    if (!number || !open)
        return ixor_campaign_next(&s->campaign, "serve", &number, name, err);
    ixor_notice(
        "continuing serve%04u, which the last server left open; use --execution for another",
        number);
    ixor_campaign_name("serve", number, name);
    return 0;
}

static int start_events(struct server *s, struct ix_error *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct timeval second = {.tv_sec = 1};
    signal(SIGPIPE, SIG_IGN);
    ixor_raise_descriptor_limit();
    s->base = ixor_loop_new();
    if (!s->base)
        return ix_fail(err, "cannot make an event loop");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i] == SIGHUP && ixor_hangup_is_ignored())
            continue;
        s->signals[i] = evsignal_new(s->base, numbers[i], stop_cb, s);
        if (!s->signals[i] || event_add(s->signals[i], NULL) != 0)
            return ix_fail(err, "out of memory");
    }
    s->watch = event_new(s->base, -1, EV_PERSIST, watch_cb, s);
    return s->watch && event_add(s->watch, &second) == 0 ? 0 : ix_fail(err, "out of memory");
}

/* Leaves the key for JVMs of the same user on this host, so that they need no further option. */
static void leave_key(struct server *s)
{
    struct ix_error err;
    const uint16_t port = ixor_address_port(ixor_service_address(s->service));
    if (ix_keyplace_put(port, &s->campaign.agent_key, &err) != 0)
        ixor_notice("warning: %s; JVMs must be given '%s/agent.key' with key=FILE", err.text,
                    s->campaign.dir);
}

static int start(struct server *s, const struct options *o, struct ix_error *err)
{
    char name[IX_NAME_MAX + 1];
    char *agent = ixor_find_agent(o->agent.path, err), *run_dir = NULL;
    int result = -1;
    if (!agent || ixor_campaign_open(&s->campaign, o->out, err) != 0 ||
        choose_name(s, o, name, err) != 0 || start_events(s, err) != 0)
        goto done;
    s->writer = ixor_writer_new(s->base, s->campaign.catalogue, warned, s, err);
    if (!s->writer)
        goto done;
    struct ixor_service_options options = {
        .listen = o->listen,
        .rhythm = o->rhythm.options,
        .lead_ns = o->lead.ns,
        .on_demand = true,
        .tests = o->tests.wanted,
        .burst_after_ns = o->tests.burst_after_ns,
        .upload = o->upload,
        .after_crash = s->campaign.crashed,
        .key = s->campaign.key,
        .files = o->files.certificate ? &o->files : NULL,
    };
    struct ixor_service_events events = {joined, left, warned, s};
    s->service = ixor_service_new(s->base, s->writer, &options, &events, err);
    if (!s->service)
        goto done;
    if (!o->tests.wanted)
        s->current =
            ixor_executions_open(ixor_service_context(s->service), name, NULL, ixor_wall_ns(), err);
    if (s->current || o->tests.wanted)
        run_dir = ixor_campaign_make_run_dir(&s->campaign, name, err);
    if (!run_dir)
        goto done;
    leave_key(s);
    ixor_rhythm_notice(&o->rhythm);
    if (o->http.wanted)
        s->http = ixor_http_new(s->base, s->service, s->campaign.dir, &o->http.address, err);
    if (o->http.wanted && !s->http)
        goto done;
    if (s->http)
        ixor_http_announce(s->http);
    /* From now on JVMs depend on the loop, so it must not wait long. */
    ix_catalogue_patience(s->campaign.catalogue, IXOR_LOOP_LOCK_MS);
    result = print_instructions(s, run_dir, agent, err);
done:
    free(agent);
    free(run_dir);
    return result;
}

/* Every open run ends now; its verdict is up to the user. */
static int end_executions(struct server *s, struct ix_error *err)
{
    ixor_executions_stop_tests(ixor_service_context(s->service));
    for (struct ixor_execution *e = ixor_service_context(s->service)->executions; e; e = e->next) {
        if (e->nth)
            continue;
        ixor_executions_close(ixor_service_context(s->service), e, NULL);
        const struct ixor_execution_end end = {
            .execution = e->id, .end_ns = ixor_wall_ns(), .exit_status = -1};
        ixor_writer_end_execution(s->writer, &end);
    }
    return ixor_writer_flush(s->writer, err);
}

static void stop(struct server *s)
{
    if (s->service)
        ix_keyplace_remove(ixor_address_port(ixor_service_address(s->service)),
                           &s->campaign.agent_key);
    ixor_http_free(s->http);
    ixor_service_free(s->service);
    ixor_writer_free(s->writer);
    for (size_t i = 0; i < sizeof s->signals / sizeof s->signals[0]; i++) {
        if (s->signals[i])
            event_free(s->signals[i]);
    }
    if (s->watch)
        event_free(s->watch);
    if (s->base)
        event_base_free(s->base);
    ixor_campaign_close(&s->campaign);
}

int ixor_cmd_serve(int argc, char **argv, struct ix_error *err)
{
    struct options options;
    const int parsed = parse(&options, argc, argv, err);
    if (parsed != IXOR_OK)
        return parsed;
    struct server s = {.campaign = IXOR_NO_CAMPAIGN};
    int bad = start(&s, &options, err);
    if (!bad) {
        event_base_dispatch(s.base);
        bad = ixor_campaign_check(&s.campaign, err);
        if (!bad)
            bad = end_executions(&s, err);
    }
    stop(&s);
    return bad ? IXOR_FAILED : IXOR_OK;
}
