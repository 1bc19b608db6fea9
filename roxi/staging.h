/* A directory that appears whole or not at all: it is filled under a hidden name beside its place
 * and then renamed. Killed in between, the program leaves a directory .roxi-XXXXXX there.
 */
#ifndef ROXI_STAGING_H
#define ROXI_STAGING_H

#include "schema/error.h"

struct roxi_staging {
    char *target; /* where it is to be */
    char *path;   /* where it is */
};

/* Makes the directory beside `target`, and what is missing above. 0 or -1. */
int roxi_staging_make(struct roxi_staging *s, const char *target, struct ix_error *err);

/* Puts it in its place, where nothing may be but an empty directory. -1 on failure; it can still
 * be abandoned, also after success. */
int roxi_staging_place(struct roxi_staging *s, struct ix_error *err);

/* Forgets about the directory, which stays where it is. */
void roxi_staging_keep(struct roxi_staging *s);

/* Removes the directory with all that is in it. Harmless after keep. */
void roxi_staging_abandon(struct roxi_staging *s);

#endif
