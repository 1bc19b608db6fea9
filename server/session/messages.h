/* SPDX-License-Identifier: Apache-2.0 */
/* Handles each message of a peer according to the kind of session: an agent (HELLO, WELCOME or
 * REFUSE, reports, the end), a user's commands (CONTROL and REPLY, repeatedly), or an upload of
 * logs.
 */
#ifndef IXOR_MESSAGES_H
#define IXOR_MESSAGES_H

#include "server/session/session.h"

#define IXOR_MESSAGES_MAX 4000u /* between two checks (keepalive_ms / 8): agents send a handful */

/* False: the session has ended, or accepts no more input. */
bool ixor_message(struct ixor_session *s, const struct ix_message_frame *frame);

#endif
