/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies the monotonic clock of a process (protocol.md, HELLO). */
#ifndef IX_SCHEMA_MACHINE_H
#define IX_SCHEMA_MACHINE_H

#include "schema/protocol/limits.h"

/* The boot of the kernel and the time namespace: processes that agree in both share one monotonic
 * clock. Empty if /proc does not tell. */
void ix_machine_name(char name[IX_MACHINE_MAX + 1]);

#endif
