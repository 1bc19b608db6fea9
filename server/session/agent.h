/* SPDX-License-Identifier: Apache-2.0 */
/* An agent's session from HELLO to its end: reports, silence, what is recorded in the catalogue. */
#ifndef IXOR_AGENT_H
#define IXOR_AGENT_H

#include "server/session/session.h"

/* Handle the messages of these names. False when the session has ended or accepts no more input. */
bool ixor_agent_hello(struct ixor_session *s, const struct ix_message_frame *frame);
bool ixor_agent_report(struct ixor_session *s, const struct ix_message_frame *frame);
void ixor_agent_goodbye(struct ixor_session *s, const struct ix_message_frame *frame); /* ends it */

/* Records a JVM as silent if it takes no packets although its agent still sends. */
void ixor_agent_check(struct ixor_session *s, uint64_t now_ns, unsigned silence_ms);
/* Call when the session ends, whether or not it was admitted. Arguments as for ixor_session_end. */
void ixor_agent_leave(struct ixor_session *s, const char *ended, const char *text);

#endif
