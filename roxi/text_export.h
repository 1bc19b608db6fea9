/* Writes an execution of a campaign as a directory in the original's layout. */
#ifndef ROXI_TEXT_EXPORT_H
#define ROXI_TEXT_EXPORT_H

#include "schema/catalogue.h"

/* Makes `dir`, which must not exist or be empty: files.list, a file for each VM, logs/. Two VMs of
 * one host and process id get addresses HOST and HOST~2; characters that a file name cannot have
 * become '_'. Warns (roxi_warn) of logs that are torn, missing or hold truncated stacks. All or
 * nothing: 0 or -1. */
int text_export(struct ix_catalogue *catalogue, const char *execution, const char *dir,
                struct ix_error *err);

#endif
