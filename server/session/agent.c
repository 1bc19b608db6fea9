/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/agent.h"

#include <stdio.h>
#include <string.h>

#include "server/sampling/instant.h"
#include "server/sampling/prober.h"
#include "server/sampling/ticker.h"
#include "server/session/admission.h"
#include "server/session/executions.h"

#define BACKLOG_MAX 8192u /* packets of earlier sessions in reports: an agent keeps 4,096 */
#define QUIET_REQUESTS 3  /* a JVM that takes none of this many, for IX_SILENCE_MS, is silent */

/* Text: since when a JVM is silent, and `more` about it (NULL: nothing). */
static const char *silence(const struct ixor_session *s, const char *more, char *text, size_t size)
{
    if (!more)
        more = "";
    if (s->last_taken)
        snprintf(text, size, "since packet %llu%s%s", (unsigned long long)s->last_taken,
                 more[0] ? ": " : "", more);
    else
        snprintf(text, size, "it took no packet%s%s", more[0] ? "; " : "", more);
    return text;
}

bool ixor_agent_hello(struct ixor_session *s, const struct ix_message_frame *frame)
{
    struct ix_error err;
    struct ix_hello hello;
    struct ix_welcome welcome = {0};
    if (ix_decode_hello(frame->payload, frame->payload_size, &hello, &err) != 0) {
        ixor_session_refuse(s, err.text);
        return false;
    }
    s->jvm.hello = ixor_hello_copy(&hello);
    if (!s->jvm.hello) {
        ixor_session_refuse(s, "the server is out of memory");
        return false;
    }
    if (ixor_admit(s, &welcome, &err) != 0) {
        ixor_session_refuse(s, err.text);
        return false;
    }
    struct ix_out out = {0};
    ix_encode_welcome(&out, &welcome);
    ixor_session_enter(s, IXOR_SESSION_LIVE);
    s->taken_ns = ixor_mono_ns();
    if (!ixor_session_send(s, &out)) {
        ixor_session_end(s, "vanished", "the server is out of memory");
        return false;
    }
    return true;
}

/* Notes that the JVM takes packets. */
static void took_packet(struct ixor_session *s, uint64_t packet)
{
    s->last_taken = packet;
    s->taken_ns = ixor_mono_ns();
    s->jvm.unanswered = 0;
    if (s->quiet)
        ixor_writer_mark_vm(s->context->writer, s->jvm.vm, "running", NULL);
    s->quiet = false;
}

/* False: the report contains a packet that was never sent. Those before it are recorded. */
static bool record_snapshots(struct ixor_session *s, const struct ix_report *report)
{
    const uint64_t last = ixor_ticker_last(s->context->ticker);
    for (size_t i = 0; i < report->count; i++) {
        const struct ix_taken *t = &report->taken[i];
        if (t->packet == 0 || t->packet > last)
            return false;
        const struct ix_snapshot_row row = {
            .packet = (int64_t)t->packet,
            .begin_ns = (int64_t)t->real_ns,
            .begin_mono_ns = (int64_t)t->mono_ns,
            .stop_ns = (int64_t)t->stop_ns,
            .threads = (int64_t)t->threads,
            .frames = (int64_t)t->frames,
            .missed = (int64_t)t->missed,
        };
        ixor_writer_snapshot(s->context->writer, s->jvm.vm, &row);
        ixor_watched_taken(&s->context->watched, t->packet);
    }
    return true;
}

/* Decoded numbers are at most 2^63 - 1 (protocol.md), which SQLite's integers hold. */
bool ixor_agent_report(struct ixor_session *s, const struct ix_message_frame *frame)
{
    struct ix_error err;
    struct ix_report report;
    if (ix_decode_report(frame->payload, frame->payload_size, &report, &err) != 0) {
        ixor_session_drop(s, err.text);
        return false;
    }
    if (s->taken + report.count > s->jvm.asked + BACKLOG_MAX) {
        ixor_session_drop(s, "reported more packets than it was sent");
        return false;
    }
    if (!record_snapshots(s, &report)) {
        ixor_session_drop(s, "reported a packet that was never sent");
        return false;
    }
    ixor_instant_taken(s->context->instant, &s->jvm, report.taken, report.count);
    if (report.count)
        took_packet(s, report.taken[report.count - 1].packet);
    s->taken += report.count;
    s->jvm.execution->taken += report.count;
    ixor_writer_dropped(s->jvm.vm, (int64_t)report.stale, (int64_t)report.superseded,
                        (int64_t)report.foreign);
    return true;
}

static enum ix_verdict verdict_of(const struct ixor_context *c, const struct ix_goodbye *bye)
{
    switch ((enum ix_test_verdict)bye->verdict) {
    case IX_TEST_PASSED:
        return IX_VERDICT_PASSED;
    case IX_TEST_ABORTED:
        return IX_VERDICT_UNKNOWN;
    case IX_TEST_FAILED:
        return IX_VERDICT_FAILED;
    default: /* the JVM ended before the test did, or its agent stopped recording */
        return bye->reason == IX_BYE_EXIT && !c->interrupted ? IX_VERDICT_FAILED
                                                             : IX_VERDICT_UNKNOWN;
    }
}

void ixor_agent_goodbye(struct ixor_session *s, const struct ix_message_frame *frame)
{
    struct ix_error err;
    struct ix_goodbye bye;
    if (ix_decode_goodbye(frame->payload, frame->payload_size, &bye, &err) != 0) {
        ixor_session_drop(s, err.text);
        return;
    }
    char text[IX_REASON_MAX + 1];
    struct ixor_context *c = s->context;
    struct ixor_execution *e = s->jvm.execution;
    ixor_safe_text(bye.text, text, sizeof text);
    ixor_session_end(s, bye.reason == IX_BYE_LOG ? "log-failed" : "orderly", text);
    const bool early = bye.verdict == IX_TEST_NONE && bye.reason == IX_BYE_EXIT;
    if (e && e->nth && e->open)
        ixor_executions_end_test(c, e, verdict_of(c, &bye),
                                 !early           ? text
                                 : c->interrupted ? IX_INTERRUPTED
                                                  : "the JVM ended before the test");
}

/* The agent sends messages, but takes no packets: its threads cannot be stopped, or requests get
 * lost. */
static void mark_silent(struct ixor_session *s)
{
    char text[96];
    s->quiet = true;
    ixor_writer_mark_vm(s->context->writer, s->jvm.vm, "silent",
                        silence(s, NULL, text, sizeof text));
}

void ixor_agent_check(struct ixor_session *s, uint64_t now_ns, unsigned silence_ms)
{
    if (s->state == IXOR_SESSION_LIVE && !s->quiet && s->jvm.unanswered >= QUIET_REQUESTS &&
        now_ns - s->taken_ns > silence_ms * UINT64_C(1000000) + ixor_report_delay(s->context))
        mark_silent(s);
}

void ixor_agent_leave(struct ixor_session *s, const char *ended, const char *text)
{
    char since[160];
    struct ixor_context *c = s->context;
    ixor_prober_leave(c->prober, &s->jvm);
    if (s->state != IXOR_SESSION_LIVE)
        return;
    ixor_leave_context(s);
    if (s->quiet && strcmp(ended, "server-stopped") == 0)
        ended = "silent"; /* more informative */
    if (strcmp(ended, "silent") == 0)
        text = silence(s, text, since, sizeof since);
    ixor_writer_end_vm(c->writer, s->jvm.vm, ended, ixor_wall_ns(), text);
    const struct ixor_departure d = {
        .execution = s->jvm.execution,
        .hello = s->jvm.hello,
        .ended = ended,
        .text = text,
        .after_ns = ixor_mono_ns() - s->began_ns,
        .taken = s->taken,
    };
    if (c->events.left)
        c->events.left(c->events.user, &d);
}
