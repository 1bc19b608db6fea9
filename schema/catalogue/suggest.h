/* SPDX-License-Identifier: Apache-2.0 */
/* Suggests names that the user may have meant. */
#ifndef IX_SCHEMA_CATALOGUE_SUGGEST_H
#define IX_SCHEMA_CATALOGUE_SUGGEST_H

#include "schema/catalogue/handle.h"

/* Reports that no run has this name and lists the nearest names. Returns -1. */
int ix_catalogue_fail_unknown(struct ix_catalogue *c, const char *name, struct ix_error *err);

#endif
