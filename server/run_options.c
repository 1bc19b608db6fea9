#include "server/run_options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "schema/datagram.h"
#include "schema/protocol.h"
#include "server/command.h"
#include "server/http.h"
#include "server/lead.h"

#define TIMEOUT_DEFAULT_NS 60000000000u
#define RUNS_MAX 1000000u

static const char help[] =
    "Usage: ixor run [OPTION...] [--] COMMAND [ARG...]\n"
    "\n"
    "Runs COMMAND and takes snapshots of every JVM that it starts, directly or not.\n"
    "A run passes if COMMAND exits with status 0. What COMMAND leaves running is\n"
    "ended. DIR gets the catalogue, the trace logs and COMMAND's output; a later call\n"
    "with the same DIR adds to it.\n"
    "\n"
    "  --runs N            run COMMAND N times (1)\n"
    IXOR_RHYTHM_HELP
    "  --timeout TIME      a run that lasts longer is ended, and has failed (60s)\n"
    "  --out DIR           the campaign's directory (ixor-campaign)\n"
    "  --lead TIME         how far ahead the JVMs are told when to stop, so that all\n"
    "                      do at once (auto: as the delays demand that are seen); 0:\n"
    "                      they stop as soon as they are asked\n"
    "  --show-output       show COMMAND's output instead of keeping it in\n"
    "                      DIR/runs/NAME/output.txt\n"
    "  --http PORT         show it live in a browser at 127.0.0.1:PORT; ADDR:PORT:\n"
    "                      elsewhere. The address to open, with its token, is printed\n"
    "  --agent PATH        the agent, libixor.so (beside ixor, or in ../lib)\n"
    "  --json              the summary as JSON, times in nanoseconds\n"
    "  -h, --help          this text\n"
    "\n"
    "TIME has a unit: us, ms, s or m. COMMAND gets IXOR_RUN (1, 2, ... within this\n"
    "call), IXOR_EXECUTION, IXOR_RUN_DIR and IXOR_SERVER in its environment, and\n"
    "JAVA_TOOL_OPTIONS, extended by the agent. A script that clears that variable\n"
    "hides its JVMs.\n"
    "\n"
    "Example:  ixor run --runs 20 --out campaign -- ./my-test.sh\n";

int ixor_parse_lead(const char *text, uint64_t *ns, struct ix_error *err)
{
    if (strcmp(text, "auto") == 0) {
        *ns = IXOR_LEAD_AUTO;
        return IXOR_OK;
    }
    if (ixor_parse_duration(text, ns, err) != 0)
        return ixor_bad_value("lead", err);
    if (*ns > IX_TARGET_AHEAD_MAX_NS) {
        ix_fail(err, "'%s' is too long; at most 1s", text);
        return ixor_bad_value("lead", err);
    }
    return IXOR_OK;
}

int ixor_parse_http(const char *text, struct ixor_address *address, struct ix_error *err)
{
    return ixor_http_parse_address(text, address, err) != 0 ? ixor_bad_value("http", err) : IXOR_OK;
}

static int parse_timeout(const char *text, uint64_t *ns, struct ix_error *err)
{
    if (ixor_parse_duration(text, ns, err) != 0)
        return ixor_bad_value("timeout", err);
    if (*ns == 0) {
        ix_fail(err, "'%s' leaves COMMAND no time", text);
        return ixor_bad_value("timeout", err);
    }
    return IXOR_OK;
}

static int parse_runs(const char *text, unsigned *runs, struct ix_error *err)
{
    uint64_t value;
    if (ixor_parse_count(text, 1, RUNS_MAX, &value, err) != 0)
        return ixor_bad_value("runs", err);
    *runs = (unsigned)value;
    return IXOR_OK;
}

int ixor_run_options_parse(struct ixor_run_options *o, int argc, char **argv, struct ix_error *err)
{
    static const struct option options[] = {
        {"runs", required_argument, NULL, 'r'},    IXOR_RHYTHM_LONG,
        {"timeout", required_argument, NULL, 't'}, {"out", required_argument, NULL, 'o'},
        {"lead", required_argument, NULL, 'l'},    {"show-output", no_argument, NULL, 's'},
        {"agent", required_argument, NULL, 'a'},   {"json", no_argument, NULL, 'j'},
        {"http", required_argument, NULL, 'w'},
        {"help", no_argument, NULL, 'h'},          {0}};
    *o = (struct ixor_run_options){.runs = 1,
                                   .timeout_ns = TIMEOUT_DEFAULT_NS,
                                   .lead_ns = IXOR_LEAD_AUTO,
                                   .out = "ixor-campaign"};
    opterr = 0;
    /* '+': what follows COMMAND is COMMAND's. */
    for (int c, bad; (c = getopt_long(argc, argv, "+:h", options, NULL)) != -1;) {
        bad = IXOR_OK;
        switch (c) {
        case 'r': bad = parse_runs(optarg, &o->runs, err); break;
        case 't': bad = parse_timeout(optarg, &o->timeout_ns, err); break;
        case 'l': bad = ixor_parse_lead(optarg, &o->lead_ns, err); break;
        case 'w': bad = ixor_parse_http(optarg, &o->http_address, err), o->http = !bad; break;
        case 'o': o->out = optarg; break;
        case 'a': o->agent = optarg; break;
        case 's': o->show_output = true; break;
        case 'j': o->json = true; break;
        case 'h': fputs(help, stdout); return -1;
        default:
            if (!ixor_rhythm_option(&o->rhythm_texts, c, optarg))
                bad = ixor_bad_option(c, argv, err);
        }
        if (bad)
            return bad;
    }
    if (optind == argc) {
        ix_fail(err, "no COMMAND given to run");
        return IXOR_USAGE;
    }
    o->command = argv + optind;
    return ixor_rhythm_parse(&o->rhythm_texts, &o->rhythm, err);
}
