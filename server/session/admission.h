/* SPDX-License-Identifier: Apache-2.0 */
/* Which agents are admitted. */
#ifndef IXOR_ADMISSION_H
#define IXOR_ADMISSION_H

#include "server/session/session.h"

/* Admits the agent of s->jvm.hello: finds its run, ends an older session of the same JVM, assigns a
 * key and a catalogue entry, and fills in *welcome. -1 with the reason if refused. */
int ixor_admit(struct ixor_session *s, struct ix_welcome *welcome, struct ix_error *err);
/* Undoes what ixor_admit entered into the context, except the catalogue entry. */
void ixor_leave_context(struct ixor_session *s);

/* The longest delay of reports that any agent has been granted so far. */
uint64_t ixor_report_delay(const struct ixor_context *c);

#endif
