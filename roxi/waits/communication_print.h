/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the communication graph (communication.h), after waits_communication_finish. `run`: the
 * run that was added last by waits_communication_add_here; NULL: there is none. */
#ifndef ROXI_WAITS_COMMUNICATION_PRINT_H
#define ROXI_WAITS_COMMUNICATION_PRINT_H

#include <stdio.h>

#include "roxi/waits/communication.h"

/* As a table of at most 80 columns, with a sentence for each wait that has grown. */
void waits_communication_text(FILE *out, const struct waits_communication *g, const char *run);
/* docs/waits.md has the format. */
void waits_communication_json(FILE *out, const struct waits_communication *g, const char *run);
/* For Graphviz. */
void waits_communication_dot(FILE *out, const struct waits_communication *g, const char *run);

#endif
