/* SPDX-License-Identifier: Apache-2.0 */
/* As many findings as fit on a first screen. */
#ifndef ROXI_EXPLAIN_SCREEN_H
#define ROXI_EXPLAIN_SCREEN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes so many findings, with so many frames of each call stack. -1: memory ran out. */
typedef int roxi_write_findings(FILE *out, const void *what, size_t findings, uint32_t frames);

/* Prints up to `findings`, one at least if there is any, in at most ROXI_SCREEN_TEXT bytes: first
 * shows fewer frames, then fewer findings. -1: memory ran out, and nothing is printed. */
int roxi_fit_screen(FILE *out, roxi_write_findings *write, const void *what, size_t findings);

/* Prints all of them, with all frames that are ever shown. -1 as above. */
int roxi_print_findings(FILE *out, roxi_write_findings *write, const void *what, size_t findings);

#endif
