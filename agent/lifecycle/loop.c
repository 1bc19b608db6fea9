/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/lifecycle/loop.h"

#include <string.h>

#include "agent/base/clock.h"
#include "agent/base/log_once.h"
#include "agent/link/link.h"
#include "agent/link/upload.h"
#include "agent/record/facts.h"
#include "agent/settings/expand.h"

/* The application's end waits for this long at most. */
#define GOODBYE_MS 300

struct run {
    const struct ixa_loop *loop;
    JNIEnv *jni;
    struct ixa_link *link;
    struct ixa_upload *upload;
    struct ixa_recorder *recorder; /* NULL until the first session, or the one to continue with */
    bool begun;                    /* the recorder uses these settings */
};

/* The log is created once a server has been found: a JVM without a server leaves no file behind. */
static bool begin_recording(struct run *run)
{
    struct ix_error err;
    struct ix_hello *who = run->loop->who;
    if (run->begun)
        return true; /* a later session: the log continues */
    if (!run->loop->may_begin()) {
        ixa_link_goodbye(run->link, IX_BYE_EXIT, "", GOODBYE_MS);
        return false;
    }
    run->begun = true;
    if (run->recorder) {
        ixa_recorder_change(run->recorder, &run->loop->recorder, run->jni);
        return true;
    }
    memcpy(who->execution, ixa_link_execution(run->link), sizeof who->execution);
    who->test = false; /* the run is there: a broken session goes on in it */
    run->recorder = ixa_recorder_new(&run->loop->recorder, run->jni, &err);
    if (run->recorder)
        return true;
    ixa_log_once("%s; the application goes on without sampling", err.text);
    ixa_link_goodbye(run->link, IX_BYE_LOG, err.text, GOODBYE_MS);
    return false;
}

static bool take(struct run *run, const struct ixa_request *request)
{
    struct ix_taken taken;
    const char *error;
    ixa_facts_leave_out(ixa_link_descriptor(run->link));
    switch (ixa_recorder_take(run->recorder, run->jni, request->packet, &taken)) {
    case IXA_RECORDED:
        taken.ready_ns = ixa_instant_prepared(run->loop->recorder.instant, request->arrived_ns);
        ixa_link_taken(run->link, &taken);
        return true;
    case IXA_NOT_TAKEN:
        return true;
    case IXA_LOG_FAILED:
        break;
    }
    error = ixa_recorder_error(run->recorder);
    ixa_log_once("%s; the application goes on without sampling", error);
    ixa_link_goodbye(run->link, IX_BYE_LOG, error, GOODBYE_MS);
    return false;
}

static void say_goodbye(struct run *run)
{
    struct ixa_farewell farewell = {.reason = IX_BYE_REQUEST};
    run->loop->why(&farewell);
    if (farewell.last)
        ixa_recorder_finish(run->recorder, run->jni);
    if (farewell.last && ixa_upload_finish(run->upload)) {
        const uint32_t ms = run->loop->options->upload_ms;
        run->loop->sending(ms);
        ixa_link_linger(run->link, ixa_upload_done, ixa_mono_ns() + (int64_t)ms * 1000000);
    }
    ixa_link_verdict(run->link, farewell.verdict);
    ixa_link_goodbye(run->link, farewell.reason, farewell.text, GOODBYE_MS);
}

/* Handles one event. False when there is nothing left to do. */
static bool on_event(struct run *run, enum ixa_event event, const struct ixa_request *request)
{
    const struct ixa_options *options = run->loop->options;
    switch (event) {
    case IXA_WELCOME:
        if (!begin_recording(run))
            return false;
        ixa_upload_begin(run->upload, run->loop->who);
        run->loop->reached(true);
        return true;
    case IXA_REQUEST:
        return take(run, request);
    case IXA_UNREACHABLE:
        ixa_log_once("no server at %s, port %u; the application goes on without sampling, still "
                     "trying",
                     options->host, options->port);
        run->loop->reached(false);
        return true;
    case IXA_UNTRUSTED:
        ixa_log_once("the server at %s, port %u %s; the application goes on without sampling, "
                     "still trying",
                     options->host, options->port, ixa_link_untrusted(run->link));
        run->loop->reached(false);
        return true;
    case IXA_REFUSED:
        ixa_log_once("the server at %s, port %u refused this JVM: %s", options->host, options->port,
                     ixa_link_refusal(run->link));
        return false;
    case IXA_STOP:
        say_goodbye(run);
        return false;
    }
    return false;
}

/* Another campaign numbers its packets separately, and a log must not mix the two: it gets a log of
 * its own. */
static void on_other_campaign(void *user)
{
    struct run *run = user;
    struct ix_hello *who = run->loop->who;
    memcpy(who->execution, run->loop->options->execution, sizeof who->execution);
    who->test = run->loop->is_test;
    if (!run->recorder)
        return;
    ixa_recorder_free(run->recorder, run->jni);
    run->recorder = NULL;
    run->begun = false;
    /* If it fails, the log cannot be created, which is logged then. */
    ixa_unused_path(who->log, sizeof who->log);
}

void ixa_loop_run(const struct ixa_loop *loop, JNIEnv *jni, struct ixa_recorder **recorder)
{
    struct run run = {.loop = loop, .jni = jni, .recorder = *recorder};
    struct ix_error err;
    struct ixa_request request;
    enum ixa_event event;
    const struct ixa_options *o = loop->options;
    const struct ix_tls_files files = {o->cert, o->certkey, o->ca};
    run.upload = o->upload_never ? NULL : ixa_upload_new();
    const struct ixa_link_config config = {
        .host = o->host,
        .port = o->port,
        .stop_fd = loop->stop_fd,
        .instant = loop->recorder.instant,
        .may_greet = loop->may_begin,
        .other_campaign = on_other_campaign,
        .user = &run,
        .extension = ixa_upload_extension(run.upload),
        .hello = loop->who,
        .key = o->has_key ? &o->key : NULL,
        .files = o->cert[0] ? &files : NULL,
    };
    run.link = ixa_link_new(&config, &err);
    if (!run.link) {
        ixa_log_once("%s; the application goes on without sampling", err.text);
        ixa_upload_free(run.upload);
        return;
    }
    do
        event = ixa_link_wait(run.link, &request);
    while (on_event(&run, event, &request));
    *recorder = run.recorder;
    ixa_link_free(run.link);
    ixa_upload_free(run.upload);
}
