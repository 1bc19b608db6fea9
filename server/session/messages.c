/* SPDX-License-Identifier: Apache-2.0 */
#include "server/session/messages.h"

#include "server/session/agent.h"
#include "server/session/control.h"
#include "server/session/upload.h"

/* The handlers return false when the session has ended or takes no more input. */

/* Does not wait for a peer that sends commands without reading the replies. */
static bool on_control(struct ixor_session *s, const struct ix_message_frame *frame)
{
    struct ix_error err;
    struct ix_control command;
    if (s->proven != IX_KEY_CONTROL) {
        ixor_session_drop(s, "gave a command without the key for that");
        return false;
    }
    if (ix_decode_control(frame->payload, frame->payload_size, &command, &err) != 0) {
        ixor_session_drop(s, err.text);
        return false;
    }
    ixor_session_enter(s, IXOR_SESSION_CONTROL);
    struct ix_out out = {0};
    ixor_control_answer(s->context, &command, &out);
    if (!ixor_session_send(s, &out) || ixor_session_unread(s) > IXOR_OUTPUT_MAX) {
        ixor_session_end(s, NULL, NULL);
        return false;
    }
    return true;
}

/* A message about a log; any other message is refused there. */
static bool on_log(struct ixor_session *s, const struct ix_message_frame *frame)
{
    struct ix_error err;
    const enum ixor_session_state before = s->state;
    if (before == IXOR_SESSION_NEW)
        ixor_session_enter(s, IXOR_SESSION_UPLOAD);
    if (ixor_upload_message(s->context->uploads, s, frame, &err) == 0)
        return true;
    s->state = before;
    ixor_session_drop(s, err.text);
    return false;
}

static bool on_first(struct ixor_session *s, const struct ix_message_frame *frame)
{
    const bool agent = s->proven == IX_KEY_AGENT;
    if (frame->type == IX_HELLO && agent)
        return ixor_agent_hello(s, frame);
    if (frame->type == IX_CONTROL)
        return on_control(s, frame);
    if (frame->type == IX_LOG_OFFER && agent)
        return on_log(s, frame);
    ixor_session_refuse(s, frame->type == IX_HELLO ? "HELLO with another key than an agent's"
                                                   : "the first message is not HELLO");
    return false;
}

/* A further message of a peer that sends commands. */
static bool on_next_control(struct ixor_session *s, const struct ix_message_frame *frame)
{
    if (frame->type == IX_CONTROL)
        return on_control(s, frame);
    ixor_session_drop(s, "sent something other than a command");
    return false;
}

static bool on_agents(struct ixor_session *s, const struct ix_message_frame *frame)
{
    switch (frame->type) {
    case IX_REPORT:
        return ixor_agent_report(s, frame);
    case IX_GOODBYE:
        ixor_agent_goodbye(s, frame);
        return false;
    default:
        return on_log(s, frame);
    }
}

bool ixor_message(struct ixor_session *s, const struct ix_message_frame *frame)
{
    if (++s->messages > IXOR_MESSAGES_MAX) {
        ixor_session_drop(s, "sends messages faster than any agent does");
        return false;
    }
    if (s->state == IXOR_SESSION_NEW)
        return on_first(s, frame);
    if (frame->type == IX_KEEPALIVE)
        return true;
    switch (s->state) {
    case IXOR_SESSION_CONTROL:
        return on_next_control(s, frame);
    case IXOR_SESSION_UPLOAD:
        return on_log(s, frame);
    default:
        return on_agents(s, frame);
    }
}
