/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop of a server: however many connections are active, a packet that is due is sent
 * within a few callbacks.
 */
#ifndef IXOR_LOOP_H
#define IXOR_LOOP_H

#include <event2/event.h>
#include <stdbool.h>

/* Priorities of events; the default is IXOR_PRIORITY_REST. */
#define IXOR_PRIORITY_TICK 0
#define IXOR_PRIORITY_REST 1

/* NULL: out of memory, or the system has no way to wait for events. */
struct event_base *ixor_loop_new(void);

/* Each JVM takes a descriptor, and the usual soft limit of 1,024 is made for select(2): raises it
 * to the hard limit. Children get the old one back with ixor_restore_descriptor_limit. */
void ixor_raise_descriptor_limit(void);
void ixor_restore_descriptor_limit(void); /* safe between fork and exec */

/* Whether SIGHUP is ignored since the program was started, as by nohup(1): then it stays so. */
bool ixor_hangup_is_ignored(void);

#endif
