/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the result to `ixor attach`. The JVM passes on only a number, so the answer goes into an
 * empty file, which the caller has created and named in the hidden option `answer`.
 *
 *   done attached|changed|detached      or   error SENTENCE
 *   role NAME, server HOST:PORT, log PATH, note SENTENCE        a line each, unless detached */
#ifndef IX_AGENT_ANSWER_H
#define IX_AGENT_ANSWER_H

#include "agent/settings/identity.h"

/* path "": attached by another tool, which gets no answer. late: the agent was loaded after the JVM
 * had started; the answer says what it therefore cannot do. settings NULL: detached. */
void ixa_answer_done(const char *path, const char *what, const struct ixa_settings *settings,
                     bool late);
/* If the answer cannot be written, `why` goes to ixa_log_once. */
void ixa_answer_failed(const char *path, const char *why);

#endif
