/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings, and which errors are due to a lack of resources on this machine. */
#ifndef ROXI_WARN_H
#define ROXI_WARN_H

#include <stdbool.h>

/* Prints a warning to stderr: "roxi: ...". */
void roxi_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True if errno means that this process or the machine lacks a resource (memory, open files).
 * The file that could not be opened may be intact then, so it must not be skipped. */
bool roxi_ran_short(int why);

#endif
