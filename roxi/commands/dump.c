/* SPDX-License-Identifier: Apache-2.0 */
/* roxi dump: prints a trace log as a readable thread dump. */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "roxi/base/output.h"
#include "roxi/base/warn.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/options.h"
#include "roxi/export/dump.h"

static const char about[] =
    "Prints trace logs (.ixl), one after another: every snapshot with all its\n"
    "threads, states and call stacks. With --packet and all logs of a run: the whole\n"
    "system at one instant.";

struct request {
    char **logs;
    int log_count;
    struct own {
        const char *output;
        size_t packet; /* 0: all */
        bool summary;
    } own;
};

static const struct ix_option own_rows[] = {
    ROXI_PACKET_ROW(struct own, packet),
    {
        .type = IX_OPTION_FLAG,
        .name = "summary",
        .help = "what is in a log, on one screen",
        .offset = offsetof(struct own, summary),
    },
    ROXI_OUTPUT_ROW(struct own, output),
};

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
    if (rc == 0)
        dump_rest(out, log);
    return rc;
}

enum { NOT_THERE = 1 }; /* the log is valid but lacks the packet; a message is set */

/* A message with the range of packets in the log and those next to the requested one. */
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
        ix_fail(err, "%.900s; the nearest are %" PRIu64 " and %" PRIu64, there.text, below, above);
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

/* A message that says where a campaign's logs are, if `path` is a directory. */
static void hint_directory(const char *path, struct ix_error *err)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return;
    ix_fail(err,
            "'%s' is a directory; give it trace logs, which a campaign has in "
            "CAMPAIGN/runs/RUN/*.ixl",
            path);
}

static int dump_log(FILE *out, const struct request *q, const char *path, struct ix_error *err)
{
    struct ix_log_reader *log = ix_log_open(path, err);
    if (!log) {
        hint_directory(path, err);
        return -1;
    }
    int rc = q->own.summary  ? dump_summary(out, log, err)
             : q->own.packet ? dump_packet(out, path, q->own.packet, log, err)
                             : dump_all(out, log, err);
    if (ix_log_torn(log))
        roxi_warn("%s", ix_log_torn(log));
    ix_log_reader_close(log);
    return rc;
}

/* Dumps all logs. If only some of several lack the packet, they cause a warning; if all do, an
 * error. */
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
    return q->log_count > 1 ? ix_fail(err, "none of the logs has packet %" PRIu64, q->own.packet)
                            : -1;
}

int roxi_cmd_dump(int argc, char **argv, struct ix_error *err)
{
    struct request q = {0};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(own_rows, &q.own),
        {0},
    };
    const struct ix_command_line line = {.program = "roxi",
                                         .command = "dump",
                                         .args = "LOG...",
                                         .args_min = 1,
                                         .args_max = INT_MAX,
                                         .about = about,
                                         .groups = groups};
    struct roxi_output out;
    int status;
    if (!roxi_options_parse(&line, NULL, argc, argv, &q.logs, &status, err))
        return status;
    q.log_count = (int)ix_count_args(q.logs);
    if (q.own.summary && q.own.packet) {
        ix_fail(err, "--summary and --packet exclude each other");
        return roxi_wrong_use("dump", err);
    }
    if (roxi_output_open(&out, q.own.output, err) != 0)
        return ROXI_FAILED;
    if (dump_logs(out.stream, &q, err) == 0 && roxi_output_commit(&out, err) == 0)
        return ROXI_OK;
    roxi_output_abandon(&out);
    return ROXI_FAILED;
}
