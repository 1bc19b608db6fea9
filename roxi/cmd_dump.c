/* roxi dump: prints a trace log as a readable thread dump. */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "roxi/command.h"
#include "roxi/dump.h"
#include "roxi/output.h"
#include "roxi/text_number.h"

static const char help[] =
    "Usage: roxi dump [OPTION]... LOG\n"
    "Prints a trace log (.ixl): every snapshot with all threads, states and call\n"
    "stacks.\n"
    "  -p, --packet P     only packet P\n"
    "      --summary      what is in the log, on one screen\n"
    "  -o, --output FILE  write there instead of to standard output\n";

struct request {
    const char *log, *output;
    uint64_t packet; /* 0: all */
    bool summary, help;
};

static int parse(int argc, char **argv, struct request *q, struct ix_error *err)
{
    enum { SUMMARY = 256 };
    static const struct option options[] = {
        {"packet", required_argument, NULL, 'p'},
        {"summary", no_argument, NULL, SUMMARY},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":p:o:h", options, NULL)) != -1;) {
        switch (option) {
        case 'p':
            if (text_decimal((struct ix_span){optarg, strlen(optarg)}, UINT64_MAX, &q->packet) &&
                q->packet > 0)
                break;
            ix_fail(err, "--packet '%s': a packet number, 1 or more, is needed", optarg);
            return ROXI_USAGE;
        case SUMMARY:
            q->summary = true;
            break;
        case 'o':
            q->output = optarg;
            break;
        case 'h':
            q->help = true;
            return ROXI_OK;
        default:
            return roxi_bad_option(option, argv, err);
        }
    }
    if (argc - optind != 1 || (q->summary && q->packet)) {
        ix_fail(err, q->summary && q->packet ? "--summary is about all packets: not with --packet"
                                             : "one trace log is needed");
        return ROXI_USAGE;
    }
    q->log = argv[optind];
    return ROXI_OK;
}

static int dump_all(FILE *out, struct ix_log_reader *log, struct ix_error *err)
{
    struct ix_snapshot snapshot;
    int rc = ix_log_next(log, &snapshot, err);
    if (rc >= 0)
        dump_header(out, log);
    for (; rc == 1; rc = ix_log_next(log, &snapshot, err)) {
        fputc('\n', out);
        dump_snapshot(out, log, &snapshot);
    }
    return rc;
}

/* Says which packets are there, the ones next to the one asked for among them. */
static int not_there(const struct request *q, uint64_t first, uint64_t below, uint64_t above,
                     uint64_t last, struct ix_error *err)
{
    if (last == 0)
        return ix_fail(err, "'%s' has no packet %" PRIu64 ": it has no snapshot", q->log,
                       q->packet);
    ix_fail(err, "'%s' has no packet %" PRIu64 ", it has %" PRIu64 " to %" PRIu64, q->log,
            q->packet, first, last);
    if (!below || !above)
        return -1;
    struct ix_error there = *err;
    return ix_fail(err, "%.900s; the nearest are %" PRIu64 " and %" PRIu64, there.text, below,
                   above);
}

static int dump_packet(FILE *out, const struct request *q, struct ix_log_reader *log,
                       struct ix_error *err)
{
    struct ix_snapshot snapshot;
    uint64_t first = 0, below = 0, above = 0, last = 0;
    int rc;
    while ((rc = ix_log_next(log, &snapshot, err)) == 1) {
        last = snapshot.packet;
        if (!first)
            first = last;
        if (last < q->packet)
            below = last;
        else if (!above)
            above = last;
        if (last == q->packet) {
            dump_header(out, log);
            fputc('\n', out);
            dump_snapshot(out, log, &snapshot);
            return 0;
        }
    }
    return rc == 0 ? not_there(q, first, below, above, last, err) : -1;
}

static int dump_log(FILE *out, const struct request *q, struct ix_error *err)
{
    struct ix_log_reader *log = ix_log_open(q->log, err);
    if (!log)
        return -1;
    int rc = q->summary  ? dump_summary(out, log, err)
             : q->packet ? dump_packet(out, q, log, err)
                         : dump_all(out, log, err);
    if (ix_log_torn(log))
        roxi_warn("%s", ix_log_torn(log));
    ix_log_reader_close(log);
    return rc;
}

int roxi_cmd_dump(int argc, char **argv, struct ix_error *err)
{
    struct request q = {0};
    int status = parse(argc, argv, &q, err);
    if (status != ROXI_OK)
        return status;
    if (q.help) {
        fputs(help, stdout);
        return ROXI_OK;
    }
    struct roxi_output out;
    if (roxi_output_open(&out, q.output, err) != 0)
        return ROXI_FAILED;
    if (dump_log(out.stream, &q, err) == 0 && roxi_output_commit(&out, err) == 0)
        return ROXI_OK;
    roxi_output_abandon(&out);
    return ROXI_FAILED;
}
