/* Which monotonic clock a process has (protocol.md, HELLO). */
#ifndef IX_SCHEMA_MACHINE_H
#define IX_SCHEMA_MACHINE_H

#include "schema/protocol.h"

/* The kernel that runs now and the time namespace: processes that agree in both have one monotonic
 * clock. Empty where /proc does not tell. */
void ix_machine_name(char name[IX_MACHINE_MAX + 1]);

#endif
