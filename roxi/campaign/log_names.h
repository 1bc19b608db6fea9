/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads of a log are called, for learning templates (templates.h). */
#ifndef ROXI_LOG_NAMES_H
#define ROXI_LOG_NAMES_H

#include "roxi/campaign/packets.h"
#include "roxi/campaign/rules.h"
#include "roxi/campaign/templates.h"
#include "schema/tracelog/intern.h"
#include "schema/tracelog/reader.h"

#define ROXI_NAMES_BROKEN (-2) /* the log's definitions of threads break the format's rules */

/* Adds the name of each thread, rewritten by the rules for threads, with its group, and each
 * packet. 0, -1 with a message, or ROXI_NAMES_BROKEN. */
int roxi_log_names(struct ix_log_reader *log, const struct roxi_rules *rules,
                   struct ix_intern *names, struct roxi_packets *packets, struct ix_error *err);

/* Adds these names to the present run of `t`, as those of one JVM. -1: out of memory. */
int roxi_names_learn(struct roxi_templates *t, const struct ix_intern *names);

#endif
