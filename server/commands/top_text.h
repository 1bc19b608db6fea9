/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a campaign (live.h) as a screen of 80 columns, for ixor top. */
#ifndef IXOR_TOP_TEXT_H
#define IXOR_TOP_TEXT_H

#include <jansson.h>
#include <stdio.h>

#define IXOR_TOP_WIDTH 80

/* Prints at most `lines` lines, each followed by `end`; the last one has no newline. JVMs that do
 * not fit are only counted. Names are printed so that they cannot control a terminal. */
void ixor_top_print(FILE *out, const json_t *state, unsigned lines, const char *end);

#endif
