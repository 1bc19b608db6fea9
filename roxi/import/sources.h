/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are read, and to which run and role a dump belongs that does not say so itself.
 *
 * Each argument is a run. The name of a directory is the run's name. Each of its subdirectories is
 * a role, with all files below it; the role of a file beside them is the beginning of its name
 * (dump_role_of). For a single file, the run's name is the file's without the ending, and the role
 * is "jvm". Dumps that do not name their process belong to one JVM if, in addition, their files'
 * names begin alike. */
#ifndef ROXI_IMPORT_SOURCES_H
#define ROXI_IMPORT_SOURCES_H

#include <stddef.h>

#include "schema/base/error.h"

struct dump_source {
    char *path, *run, *role, *jvm; /* owned; jvm: how the file's name begins */
    char *text; /* owned; a file with the text of a recording's dumps; NULL: path is read itself */
};

struct dump_sources {
    struct dump_source *list; /* in the order of the arguments, then of the names; owned */
    size_t count, cap;
};

/* Links are not followed, and files whose names begin with a dot are left out. 0 or -1. */
int dump_sources_find(struct dump_sources *s, const char *const *args, size_t count,
                      struct ix_error *err);
void dump_sources_free(struct dump_sources *s);

/* A file's name up to the first dot, or up to the first '.', '-', '_' or '@' that a digit follows;
 * "jvm" if that leaves nothing or only digits. The caller frees it; NULL: out of memory. */
char *dump_role_of(const char *name);

#endif
