/* The state of a campaign (live.h) as a screen of 80 columns, for ixor top. */
#ifndef IXOR_TOP_TEXT_H
#define IXOR_TOP_TEXT_H

#include <jansson.h>
#include <stdio.h>

#define IXOR_TOP_WIDTH 80

/* At most `lines` lines, each with `end` behind it but for the last one's newline; VMs that have no
 * room are counted. Names are printed so that they cannot steer a terminal. */
void ixor_top_print(FILE *out, const json_t *state, unsigned lines, const char *end);

#endif
