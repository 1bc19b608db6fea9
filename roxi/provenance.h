/* The head of roxi's own JSON: what made it, from what, and with which options. */
#ifndef ROXI_PROVENANCE_H
#define ROXI_PROVENANCE_H

#include <stdio.h>

#include "roxi/options.h"

/* Writes `{"format":"roxi-NAME","version":1,...,"options":{...}` without the closing brace: the
 * options of `takes` with the values that were used, defaults included. The version changes when a
 * member changes its meaning or goes away, not when one is added. */
void roxi_json_begin(FILE *out, const char *name, const struct roxi_options *o, unsigned takes);

#endif
