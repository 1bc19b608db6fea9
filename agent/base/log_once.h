/* SPDX-License-Identifier: Apache-2.0 */
/* Logs at most one line to stderr in the lifetime of the JVM, so that the agent never clutters the
 * output of its host program. */
#ifndef IX_AGENT_LOG_ONCE_H
#define IX_AGENT_LOG_ONCE_H

/* Writes "ixor: TEXT\n" with one write(2), unless that would block. Later calls do nothing. Control
 * characters are written as '?'; a long text is cut. Callable from any thread. */
void ixa_log_once(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

#endif
