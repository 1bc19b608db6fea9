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
    "Usage: roxi dump [OPTION]... LOG...\n"
    "Prints trace logs (.ixl), one after the other: every snapshot with all threads,\n"
    "states and call stacks. With --packet and all logs of an execution: the whole\n"
    "system at one instant.\n"
    "  -p, --packet P     only packet P\n"
    "      --summary      what is in a log, on one screen\n"
    "  -o, --output FILE  write there instead of to standard output\n";

struct request {
    char **logs;
    int log_count;
    const char *output;
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
            ix_fail(err, "--packet '%s': a number from 1 to 2^64 - 1 is needed", optarg);
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
    q->logs = argv + optind;
    q->log_count = argc - optind;
    if (q->log_count < 1 || (q->summary && q->packet)) {
        ix_fail(err, q->summary && q->packet ? "--summary is about all packets: not with --packet"
                                             : "at least one trace log is needed");
        return ROXI_USAGE;
    }
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
        if (dump_snapshot(out, log, &snapshot, err) != 0)
            return -1;
    }
    return rc;
}

enum { NOT_THERE = 1 }; /* the log is fine, but lacks the packet; a message says so */

/* Says which packets are there, the ones next to the one asked for among them. */
static int not_there(const char *path, uint64_t packet, uint64_t first, uint64_t below,
                     uint64_t above, uint64_t last, struct ix_error *err)
{
    if (last == 0) {
        ix_fail(err, "'%s' has no packet %" PRIu64 ": it has no snapshot", path, packet);
        return NOT_THERE;
    }
    ix_fail(err, "'%s' has no packet %" PRIu64 ", it has %" PRIu64 " to %" PRIu64, path, packet,
            first, last);
    if (below && above) {
        struct ix_error there = *err;
        ix_fail(err, "%.900s; the nearest are %" PRIu64 " and %" PRIu64, there.text, below,
                above);
    }
    return NOT_THERE;
}

static int dump_packet(FILE *out, const char *path, uint64_t packet, struct ix_log_reader *log,
                       struct ix_error *err)
{
    struct ix_snapshot snapshot;
    uint64_t first = 0, below = 0, above = 0, last = 0;
    int rc;
    while ((rc = ix_log_next(log, &snapshot, err)) == 1) {
        last = snapshot.packet;
        if (!first)
            first = last;
        if (last < packet)
            below = last;
        else if (!above)
            above = last;
        if (last == packet) {
            dump_header(out, log);
            fputc('\n', out);
            return dump_snapshot(out, log, &snapshot, err);
        }
    }
    return rc == 0 ? not_there(path, packet, first, below, above, last, err) : -1;
}

static int dump_log(FILE *out, const struct request *q, const char *path, struct ix_error *err)
{
    struct ix_log_reader *log = ix_log_open(path, err);
    if (!log)
        return -1;
    int rc = q->summary  ? dump_summary(out, log, err)
             : q->packet ? dump_packet(out, path, q->packet, log, err)
                         : dump_all(out, log, err);
    if (ix_log_torn(log))
        roxi_warn("%s", ix_log_torn(log));
    ix_log_reader_close(log);
    return rc;
}

/* All logs; of several, those that lack the packet are only warned about, unless all do. */
static int dump_logs(FILE *out, const struct request *q, struct ix_error *err)
{
    int dumped = 0;
    for (int i = 0; i < q->log_count; i++) {
        if (dumped)
            fputc('\n', out);
        int rc = dump_log(out, q, q->logs[i], err);
        if (rc < 0)
            return -1;
        if (rc == 0)
            dumped++;
        else if (q->log_count > 1)
            roxi_warn("%s", err->text);
    }
    if (dumped)
        return 0;
    return q->log_count > 1 ? ix_fail(err, "none of the logs has packet %" PRIu64, q->packet) : -1;
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
    if (dump_logs(out.stream, &q, err) == 0 && roxi_output_commit(&out, err) == 0)
        return ROXI_OK;
    roxi_output_abandon(&out);
    return ROXI_FAILED;
}
