/* SPDX-License-Identifier: Apache-2.0 */
/* A format of thread dumps. */
#ifndef ROXI_IMPORT_FORMAT_H
#define ROXI_IMPORT_FORMAT_H

#include <stdio.h>

#include "roxi/import/dump.h"
#include "roxi/import/text_facts.h"

struct dump_format {
    /* Finds the dumps of a file: calls `each`, which takes over what the head owns. 0, or -1 with a
     * message, or what `each` returned if that is not 0. */
    int (*heads)(FILE *in, const char *name,
                 int (*each)(void *user, struct dump_head *head, struct ix_error *err), void *user,
                 struct ix_error *err);
    /* Reads the dump that begins at the byte `offset`, in this line. `facts`: of its JVM. */
    int (*body)(FILE *in, const char *name, uint64_t offset, uint64_t line,
                struct dump_text_facts *facts, const struct dump_sink *sink, struct ix_error *err);
};

#endif
