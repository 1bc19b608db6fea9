/* SPDX-License-Identifier: Apache-2.0 */
#include "server/commands/common_options.h"

#include <string.h>

#include "schema/protocol/datagram.h"
#include "server/base/command.h"
#include "server/sampling/lead.h"
#include "server/viewer/http.h"

int ixor_parse_options(const struct ix_command_line *line, int argc, char **argv, char ***args,
                       struct ix_error *err)
{
    switch (ix_options_parse(line, argc, argv, args, err)) {
    case IX_PARSED_ARGS:
        return IXOR_OK;
    case IX_PARSED_HELP:
        return IXOR_HELPED;
    case IX_PARSED_WRONG:
        return IXOR_USAGE;
    case IX_PARSED_STUCK:
        break;
    }
    return IXOR_FAILED;
}

int ixor_wrong_use(const struct ix_command_line *line, struct ix_error *err)
{
    ix_option_hint(line->program, line->command, err);
    return IXOR_USAGE;
}

/* ---- http ---- */

static int set_http(void *target, const char *value, struct ix_error *err)
{
    struct ixor_http_option *o = target;
    o->wanted = true;
    return ixor_http_parse_address(value, &o->address, err);
}

struct ix_option_group ixor_http_group(struct ixor_http_option *o)
{
    static const struct ix_option rows[] = {
        {IX_OPTION_CALL, "http", .value = "PORT",
         .help = "show the campaign live in a browser at 127.0.0.1:PORT; ADDR:PORT: elsewhere. The "
                 "address to open, with its token, is printed",
         .set = set_http},
    };
    return IX_OPTION_GROUP(rows, o);
}

/* ---- tests ---- */

static int set_burst_after(void *target, const char *value, struct ix_error *err)
{
    struct ixor_tests_option *o = target;
    if (ixor_parse_duration(value, &o->burst_after_ns, err) != 0)
        return -1;
    return o->burst_after_ns ? 0 : ix_fail(err, "'%s' is no time", value);
}

struct ix_option_group ixor_tests_group(struct ixor_tests_option *o)
{
    static const struct ix_option rows[] = {
        {IX_OPTION_FLAG, "tests", .help = "each JUnit test is a run, named after it",
         .offset = offsetof(struct ixor_tests_option, wanted)},
        {IX_OPTION_CALL, "burst-after", .value = "TIME",
         .help = "a test that lasts this long gets ten packets, 20 ms apart; tests with JUnit's "
                 "@Timeout get them before it anyway",
         .set = set_burst_after},
    };
    return IX_OPTION_GROUP(rows, o);
}

int ixor_tests_check(const struct ixor_tests_option *o, struct ix_error *err)
{
    if (!o->burst_after_ns || o->wanted)
        return 0;
    return ix_fail(err, "option --burst-after is for tests; give --tests, too");
}

/* ---- lead ---- */

static int set_lead(void *target, const char *value, struct ix_error *err)
{
    struct ixor_lead_option *o = target;
    if (strcmp(value, "auto") == 0) {
        o->ns = IXOR_LEAD_AUTO;
        return 0;
    }
    if (ixor_parse_duration(value, &o->ns, err) != 0)
        return -1;
    return o->ns <= IX_TARGET_AHEAD_MAX_NS ? 0
                                           : ix_fail(err, "'%s' is too long; at most 1s", value);
}

struct ix_option_group ixor_lead_group(struct ixor_lead_option *o)
{
    static const struct ix_option rows[] = {
        {IX_OPTION_CALL, "lead", .value = "TIME",
         .help = "how far ahead the JVMs are told when to stop, so that all stop at once; auto: as "
                 "far as measured delays require; 0: they stop as soon as a request arrives",
         .preset = "auto", .set = set_lead},
    };
    return IX_OPTION_GROUP(rows, o);
}

/* ---- certificates ---- */

#define FILE_OF(member) offsetof(struct ix_tls_files, member)

struct ix_option_group ixor_tls_group(struct ix_tls_files *files)
{
    static const struct ix_option rows[] = {
        {IX_OPTION_TEXT, "tls-cert", .value = "FILE",
         .help = "this side's certificate in PEM, where certificates are used",
         .offset = FILE_OF(certificate)},
        {IX_OPTION_TEXT, "tls-key", .value = "FILE", .help = "its private key",
         .offset = FILE_OF(key)},
        {IX_OPTION_TEXT, "tls-ca", .value = "FILE",
         .help = "the authorities that must have issued the other side's certificate",
         .offset = FILE_OF(authorities)},
    };
    return IX_OPTION_GROUP(rows, files);
}

int ixor_tls_files_check(const struct ix_tls_files *f, struct ix_error *err)
{
    if (!f->certificate == !f->key && !f->key == !f->authorities)
        return 0;
    return ix_fail(err, "--tls-cert, --tls-key and --tls-ca go together");
}

/* ---- agent, json ---- */

struct ix_option_group ixor_agent_group(struct ixor_agent_option *o)
{
    static const struct ix_option rows[] = {
        {IX_OPTION_TEXT, "agent", .value = "PATH",
         .help = "the agent, libixor.so, where the JVMs can read it",
         .preset = "beside ixor, or in ../lib", .offset = offsetof(struct ixor_agent_option, path)},
    };
    return IX_OPTION_GROUP(rows, o);
}

struct ix_option_group ixor_json_group(struct ixor_json_option *o)
{
    static const struct ix_option rows[] = {
        {IX_OPTION_FLAG, "json", .help = "print JSON, with times in nanoseconds",
         .offset = offsetof(struct ixor_json_option, wanted)},
    };
    return IX_OPTION_GROUP(rows, o);
}
