/* SPDX-License-Identifier: Apache-2.0 */
/* The line-number table of a method. */
#ifndef IX_AGENT_LINES_H
#define IX_AGENT_LINES_H

#include <jvmti.h>
#include <stdint.h>

struct ixa_lines {
    struct ixa_line *entries; /* owned */
    uint32_t count;
};

/* Reads the table; empty if the method has none (native, or compiled without line numbers). */
struct ixa_lines ixa_lines_read(jvmtiEnv *ti, jmethodID method);
void ixa_lines_free(struct ixa_lines *lines);
size_t ixa_lines_memory(const struct ixa_lines *lines); /* bytes */
/* The line of a bytecode index, or IX_LINE_UNKNOWN. O(table). */
int32_t ixa_lines_find(const struct ixa_lines *lines, jlocation location);

#endif
