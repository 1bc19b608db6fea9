/* Tells whoever attached how it went, since the JVM passes on no more than a number: in a file that
 * he has made, empty, and named with the hidden option `answer`.
 *
 *   done attached|changed|detached      or   error SENTENCE
 *   role NAME, server HOST:PORT, log PATH, note SENTENCE        a line each, unless detached
 */
#ifndef IX_AGENT_ANSWER_H
#define IX_AGENT_ANSWER_H

#include "agent/agent.h"

/* path "": attached by another tool, which sees nothing. late: the agent was not in the JVM from its
 * start; what it lacks for that is noted. settings NULL: detached. */
void ixa_answer_done(const char *path, const char *what, const struct ixa_settings *settings,
                     bool late);
/* If the answer cannot be written, the sentence goes to ixa_say_once. */
void ixa_answer_failed(const char *path, const char *why);

#endif
