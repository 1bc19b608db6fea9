/* SPDX-License-Identifier: Apache-2.0 */
/* A server and two fake agents, for tests of log uploads. */
#ifndef IX_TESTS_UPLOAD_SUPPORT_H
#define IX_TESTS_UPLOAD_SUPPORT_H

#include "tests/support/serving.h"

#define LOG_SIZE 100000u

extern char last_warning[1024];
extern uint8_t text[LOG_SIZE]; /* contents of the logs */

/* Starts a server that accepts logs of up to 10 * LOG_SIZE bytes. */
void upload_serve(void);

/* Set-up of a test: fills `text`, starts the server. Tear-down: stop_and_leave. */
int upload_set_up(void **state);

/* An offer of the agent's complete log, with this size. */
struct ix_log_offer offer_of(const struct double_agent *agent, uint64_t size);

/* Sends the offer and waits for the answer. */
void offer(struct double_agent *agent, const struct ix_log_offer *o);

/* Sends `text` from one offset to the other. */
void send_bytes(struct double_agent *agent, uint64_t from, uint64_t to);

/* Sends the log's end, with the right digest or a wrong one, and waits for the answer. */
void send_done(struct double_agent *agent, uint64_t size, bool good);

/* The JVM with this process id. */
const struct ix_vm *vm_of(uint32_t pid);

/* Number of files in the run's directory; `names` gets their names. */
size_t copies(char names[1024]);

/* Size of the only NAME.part in bytes; -1 if there is none. */
long part_size(void);

/* Closes the connection when this much of the log has arrived. */
void break_after(struct double_agent *agent, uint64_t size);

/* Checks that the file, a path in the temporary directory, contains the first `size` bytes of
 * `text`. */
void same_bytes(const char *relative, size_t size);

#endif
