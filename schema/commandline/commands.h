/* SPDX-License-Identifier: Apache-2.0 */
/* The first word of a command line, which names a command. */
#ifndef IX_COMMANDS_H
#define IX_COMMANDS_H

#include <stddef.h>

#include "schema/base/error.h"

/* Reports that `word` is none of these commands, or none of a program's own options, and lists the
 * commands, first the one that was probably meant. Returns -1. */
int ix_fail_unknown_command(const char *program, const char *word, const char *const *names,
                            size_t count, struct ix_error *err);

#endif
