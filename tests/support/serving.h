/* SPDX-License-Identifier: Apache-2.0 */
/* A server on real sockets in the test's own thread, and two fake agents. */
#ifndef IX_TESTS_SERVING_H
#define IX_TESTS_SERVING_H

#include "server/base/loop.h"
#include "server/session/service.h"
#include "server/store/listing.h"
#include "tests/support/agent_double.h"
#include "tests/support/tempdir.h"

#define WAIT_S 30 /* the timeout of WAIT, in seconds, for a loaded machine */

extern struct event_base *base;
extern struct ix_catalogue *catalogue;
extern struct ixor_writer *writer;
extern struct ixor_service *service;
extern struct ixor_execution *current;
extern struct double_agent a, b; /* tcp -1: not connected */

/* Serves the campaign in `dir` on any free port; fills in listen and key of `options`. */
void serve_with(const char *dir, struct ixor_service_options options,
                const struct ixor_service_events *events, const char *execution,
                const char *command);

void stop_serving(void);

/* Set-up and tear-down of a test: the temporary directory; closes the remaining agents. */
int nobody_there(void **state);
int all_leave(void **state);

/* Tear-down of a test whose server is still running. */
int stop_and_leave(void **state);

/* One iteration of the server's loop and of both agents, without waiting. */
void step(void);

/* Connects the agent with this process id, and waits for its WELCOME. */
void enter(struct double_agent *agent, uint32_t pid);

/* The JVMs in the catalogue; the next call frees the list. */
struct ixor_vm_list *vms(void);

/* Lets server and agents work until `condition`; a test that waits for what never comes fails. */
#define WAIT(condition)                                                                            \
    do {                                                                                           \
        uint64_t deadline = ixor_mono_ns() + WAIT_S * UINT64_C(1000000000);                        \
        while (!(condition)) {                                                                     \
            step();                                                                                \
            if (ixor_mono_ns() > deadline)                                                         \
                fail_msg("%s:%d: %s does not come", __FILE__, __LINE__, #condition);               \
        }                                                                                          \
    } while (0)

#endif
