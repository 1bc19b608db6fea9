/* SPDX-License-Identifier: Apache-2.0 */
/* The JVMs of a run that a campaign's catalogue lists, packet by packet. */
#ifndef ROXI_WAITS_RUN_H
#define ROXI_WAITS_RUN_H

#include "roxi/campaign/listing.h"
#include "schema/waits/jvms.h"

/* Opens the logs of a run; a JVM's place is that in the run's list. A JVM without a readable log is
 * left out with a warning; with `quiet` without one, for logs that were read before. -1 on failure;
 * free it in any case (waits_jvms_free). The execution must outlive it. */
int waits_jvms_open(struct waits_jvms *jvms, const struct roxi_listed_execution *execution,
                    bool quiet, struct ix_error *err);
/* The next packet that any of them took: 1, 0 after the last, -1 on failure. */
int waits_jvms_next(struct waits_jvms *jvms, struct ix_error *err);

#endif
