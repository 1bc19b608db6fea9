/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a run of a campaign as a directory in the original's layout. */
#ifndef ROXI_TEXT_EXPORT_H
#define ROXI_TEXT_EXPORT_H

#include "schema/catalogue/catalogue.h"

/* Makes `dir`, which must be empty or not exist: files.list, a file for each JVM, logs/. Two
 * JVMs with the same host and process id get the addresses HOST and HOST~2; characters not
 * allowed in a file name become '_'. Warns (roxi_warn) of logs that are torn, missing or contain
 * truncated stacks. All or nothing: 0 or -1. */
int text_export(struct ix_catalogue *catalogue, const char *execution, const char *dir,
                struct ix_error *err);

#endif
