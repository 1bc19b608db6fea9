/* SPDX-License-Identifier: Apache-2.0 */
/* roxi waits: who waits for whom, across JVMs. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_wrap.h"
#include "roxi/campaign/thread_nodes.h"
#include "roxi/commands/command.h"
#include "roxi/commands/commands.h"
#include "roxi/commands/waits_graph.h"
#include "roxi/waits/nobody.h"
#include "roxi/waits/print.h"
#include "roxi/waits/run.h"

static const char about[] =
    "Prints who waits for whom in RUN, across its JVMs: for the owner of a monitor,\n"
    "for a thread that is joined, for the other end of a connection. Threads that\n"
    "others wait for, and that wait for nobody, come first: what keeps all the others\n"
    "waiting is among them. The threads that wait for them follow, indented.\n"
    "Deadlocks come before everything else. Packets in a row with the same result are\n"
    "printed once. Where nobody waits for a known thread, the places are named in\n"
    "which most threads wait. With --graph: which roles have connections to which,\n"
    "how many messages went over them, and for how long their threads waited on them:\n"
    "medians of all runs, or RUN beside those that passed.";

static const char after[] =
    "Needs runs that were recorded with locks=on and connections=on, as by 'ixor\n"
    "run'. If the kernel does not tell what a thread waits for, it is shown as\n"
    "waiting for nobody; see docs/waits.md.";

struct request {
    const char *campaign, *run;
    struct own {
        size_t packet; /* 0: all */
        enum roxi_waits_format format;
        bool graph;
        struct roxi_output_options output; /* without --provenance: there are no profiles */
    } own;
};

static const struct ix_option own_rows[] = {
    ROXI_PACKET_ROW(struct own, packet),
    {
        .type = IX_OPTION_FLAG,
        .name = "graph",
        .help = "who talks to whom, instead of packets",
        .offset = offsetof(struct own, graph),
    },
    {
        .type = IX_OPTION_WORD,
        .name = "format",
        .value = "F",
        .help = "text, dot (Graphviz; with --packet or --graph) or json",
        .preset = "text",
        .words = "text|dot|json", /* in the order of enum roxi_waits_format */
        .offset = offsetof(struct own, format),
    },
    ROXI_JSON_ROW(struct own, format, ROXI_WAITS_JSON),
    ROXI_OUTPUT_ROW(struct own, output.output),
};

/* What has been written, and what is yet to be. */
struct writer {
    const struct request *request;
    FILE *out;
    struct roxi_json json;
    struct roxi_thread_nodes *nodes; /* of JSON; else NULL; owned */
    char *text;   /* owned; of the packets from `first` to `last`, which are not written yet */
    char *nobody; /* owned; of the last of them: who waits for nobody known; NULL: not looked at */
    uint64_t first, last, count;
    uint64_t packets; /* how many have been written, or are in `text` */
    uint64_t reached; /* the last one that was read; 0: none */
};

static void write_pending(struct writer *w)
{
    if (!w->text)
        return;
    if (w->count == 1)
        fprintf(w->out, "packet %" PRIu64 ":", w->first);
    else
        fprintf(w->out, "packets %" PRIu64 " to %" PRIu64 " (%" PRIu64 "):", w->first, w->last,
                w->count);
    fputs(*w->text ? "" : " nobody waits for a thread that is known", w->out);
    const bool tells = w->nobody && *w->nobody && w->count > 1;
    if (tells && !*w->text)
        fprintf(w->out, "; at packet %" PRIu64 ":", w->last);
    putc('\n', w->out);
    roxi_print_lines(w->out, w->text);
    if (tells && *w->text)
        fprintf(w->out, "at packet %" PRIu64 ":\n", w->last);
    if (w->nobody)
        roxi_print_lines(w->out, w->nobody);
    free(w->text);
    free(w->nobody);
    w->text = w->nobody = NULL;
}

/* Who waits for nobody changes from packet to packet, so of several only the last one is said. */
static int note_nobody(struct writer *w, const struct waits_build *b)
{
    struct ix_text memory;
    free(w->nobody);
    w->nobody = NULL;
    if (ix_text_open(&memory) != 0)
        return -1;
    const int result = waits_print_nobody(memory.out, b);
    w->nobody = ix_text_close(&memory);
    return w->nobody ? result : -1;
}

static int write_text(struct writer *w, const struct waits_build *b, struct ix_error *err)
{
    struct ix_text memory;
    if (ix_text_open(&memory) != 0)
        return ix_fail(err, "out of memory");
    waits_print_text(memory.out, b);
    char *text = ix_text_close(&memory);
    if (!text)
        return ix_fail(err, "out of memory");
    if (!w->text || strcmp(w->text, text) != 0) {
        write_pending(w);
        w->text = text;
        w->first = b->jvms->packet;
        w->count = 0;
    } else {
        free(text);
    }
    w->last = b->jvms->packet;
    w->count++;
    return note_nobody(w, b) == 0 ? 0 : ix_fail(err, "out of memory");
}

static int write_packet(struct writer *w, const struct waits_build *b, struct ix_error *err)
{
    w->packets++;
    switch (w->request->own.format) {
    case ROXI_WAITS_JSON:
        return waits_print_json(&w->json, b, w->nodes, err);
    case ROXI_WAITS_DOT:
        waits_print_dot(w->out, b);
        return 0;
    case ROXI_WAITS_TEXT:
        break;
    }
    return write_text(w, b, err);
}

/* The sockets of a packet follow from all packets before it. */
static int write_packets(struct writer *w, struct waits_jvms *jvms, struct ix_error *err)
{
    const uint64_t wanted = w->request->own.packet;
    struct waits_build build = {0};
    int result, more;
    while ((result = more = waits_jvms_next(jvms, err)) > 0) {
        w->reached = jvms->packet;
        if (wanted && jvms->packet < wanted)
            continue;
        if (wanted && jvms->packet > wanted)
            break;
        result = waits_build(&build, jvms) == 0 ? write_packet(w, &build, err)
                                                : ix_fail(err, "out of memory");
        if (result != 0)
            break;
    }
    waits_build_free(&build);
    return result < 0 ? -1 : 0;
}

static int check_written(const struct writer *w, const struct waits_jvms *jvms,
                         struct ix_error *err)
{
    const struct request *q = w->request;
    if (!w->packets && w->reached)
        return ix_fail(err, "run %s has no packet %zu; its %s one is %" PRIu64, q->run,
                       q->own.packet, w->reached > q->own.packet ? "next" : "last", w->reached);
    if (!w->packets)
        return ix_fail(err, "run %s has no snapshots", q->run);
    if (!jvms->any_facts)
        return ix_fail(err,
                       "run %s was recorded without locks and connections; give its JVMs the "
                       "agent's options locks=on,connections=on",
                       q->run);
    return 0;
}

static int write_json(struct writer *w, struct waits_jvms *jvms, struct ix_error *err)
{
    w->nodes = roxi_thread_nodes_learn(w->request->campaign, w->request->run, err);
    if (!w->nodes)
        return -1;
    roxi_json_open(&w->json, '{');
    roxi_json_key(&w->json, "packets");
    roxi_json_open(&w->json, '[');
    const int result = write_packets(w, jvms, err);
    roxi_json_close(&w->json);
    roxi_json_close(&w->json);
    putc('\n', w->out);
    return result;
}

static int write_run(const struct request *q, const struct roxi_listed_execution *execution,
                     FILE *out, struct ix_error *err)
{
    struct waits_jvms jvms;
    struct writer w = {.request = q, .out = out, .json = {.out = out}};
    int result = waits_jvms_open(&jvms, execution, false, err);
    if (result == 0)
        result = q->own.format == ROXI_WAITS_JSON ? write_json(&w, &jvms, err)
                                                  : write_packets(&w, &jvms, err);
    if (result == 0)
        result = check_written(&w, &jvms, err);
    if (result == 0)
        write_pending(&w);
    free(w.text);
    free(w.nobody);
    roxi_thread_nodes_free(w.nodes);
    waits_jvms_free(&jvms);
    return result;
}

static int write_all(const struct request *q, const struct roxi_listing *listing, FILE *out,
                     struct ix_error *err)
{
    if (q->own.graph)
        return roxi_waits_graph(listing, q->run, q->own.format, out, err);
    return write_run(q, &listing->executions[0], out, err);
}

static int write_listed(struct roxi_result *out, const struct request *q, struct ix_error *err)
{
    struct roxi_listing listing;
    if (roxi_listing_read(&listing, q->campaign, q->own.graph ? NULL : q->run, err) != 0)
        return -1;
    int result = write_all(q, &listing, out->data.stream, err);
    if (result == 0)
        result = roxi_output_commit(&out->data, err);
    roxi_listing_free(&listing);
    return result;
}

static int run(struct roxi_result *out, void *request, struct ix_error *err)
{
    struct request *q = request;
    char *name = NULL;
    if (q->run && !(name = roxi_listing_name(q->campaign, q->run, err)))
        return -1;
    q->run = name;
    const int result = write_listed(out, q, err);
    free(name);
    return result;
}

/* 0, or -1 with a message: wrong use. */
static int complete(void *request, struct ix_error *err)
{
    const struct request *q = request;
    if (q->own.graph && q->own.packet)
        return ix_fail(err, "--graph shows whole runs: leave out --packet");
    if (!q->own.graph && !q->run)
        return ix_fail(err, "name a RUN; only --graph works without one");
    if (!q->own.graph && q->own.format == ROXI_WAITS_DOT && !q->own.packet)
        return ix_fail(err, "--format dot draws one packet: choose it with --packet");
    return 0;
}

int roxi_cmd_waits(int argc, char **argv, struct ix_error *err)
{
    struct request q = {0};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(own_rows, &q.own),
        {0},
    };
    const struct roxi_command command = {.name = "waits",
                                         .about = about,
                                         .after = after,
                                         .groups = groups,
                                         .request = &q,
                                         .args = "CAMPAIGN [RUN]",
                                         .of_run = true,
                                         .arguments = {&q.campaign, &q.run},
                                         .optional = 1,
                                         .output = &q.own.output,
                                         .complete = complete,
                                         .run = run};
    return roxi_command(&command, argc, argv, err);
}
