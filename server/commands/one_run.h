/* SPDX-License-Identifier: Apache-2.0 */
/* One call of COMMAND as a run of the campaign: opened, disturbed, judged, recorded. */
#ifndef IXOR_ONE_RUN_H
#define IXOR_ONE_RUN_H

#include "server/commands/driver.h"

/* Does one run and tells its outcome. 0, also if the run failed; -1: it could not be started or
 * recorded. */
int ixor_one_run(struct ixor_driver *d, struct ix_error *err);

#endif
