/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of JDK Flight Recorder, whose jdk.ThreadDump events have the text of a thread dump.
 * The JDK's own program reads them: `jfr print`. */
#ifndef ROXI_IMPORT_JFR_H
#define ROXI_IMPORT_JFR_H

#include <stdio.h>

#include "schema/base/error.h"

/* Is the file a recording? 1 or 0; -1: it cannot be read. */
int dump_is_jfr(const char *path, struct ix_error *err);

/* Writes the texts of all thread dumps of the recording, one after another. Runs jfr from
 * $JAVA_HOME/bin or from the PATH. 0 or -1. O(bytes), in constant memory. */
int dump_jfr_print(const char *path, FILE *out, struct ix_error *err);

/* Copies the texts of dumps from the output of `jfr print --json --events jdk.ThreadDump`. 0, or -1
 * if that ends within a text or reading fails. */
int dump_jfr_copy(FILE *json, FILE *out);

#endif
