/* SPDX-License-Identifier: Apache-2.0 */
/* A directory that appears complete or not at all: it is filled under a hidden name beside its
 * target and then renamed. If the program is killed in between, a directory .roxi-XXXXXX remains
 * there. */
#ifndef ROXI_STAGING_H
#define ROXI_STAGING_H

#include "schema/base/error.h"

struct roxi_staging {
    char *target; /* its final path */
    char *path;   /* its present path */
};

/* Makes the directory beside `target`, and missing parent directories. 0 or -1. */
int roxi_staging_make(struct roxi_staging *s, const char *target, struct ix_error *err);

/* Moves it to the target, where there may only be an empty directory. It can still be abandoned
 * afterwards, after success too. 0 or -1. */
int roxi_staging_place(struct roxi_staging *s, struct ix_error *err);

/* Releases the struct; the directory stays where it is. */
void roxi_staging_keep(struct roxi_staging *s);

/* Removes the directory and everything in it; warns if it cannot. No effect after keep. */
void roxi_staging_abandon(struct roxi_staging *s);

#endif
