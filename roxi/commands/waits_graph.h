/* SPDX-License-Identifier: Apache-2.0 */
/* roxi waits --graph. */
#ifndef ROXI_WAITS_GRAPH_COMMAND_H
#define ROXI_WAITS_GRAPH_COMMAND_H

#include <stdio.h>

#include "roxi/campaign/listing.h"

enum roxi_waits_format { ROXI_WAITS_TEXT, ROXI_WAITS_DOT, ROXI_WAITS_JSON };

/* Writes the communication graph of a whole campaign; run: against that one, which is in it; NULL:
 * of all runs. Runs without connections are left out with a warning. 0 or -1. */
int roxi_waits_graph(const struct roxi_listing *listing, const char *run,
                     enum roxi_waits_format format, FILE *out, struct ix_error *err);

#endif
