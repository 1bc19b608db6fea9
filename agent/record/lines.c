/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/record/lines.h"

#include <stdlib.h>

#include "schema/tracelog/tracelog.h"

struct ixa_line {
    uint16_t start, line; /* u2 both in the class file */
};

struct ixa_lines ixa_lines_read(jvmtiEnv *ti, jmethodID method)
{
    struct ixa_lines lines = {0};
    jvmtiLineNumberEntry *table = NULL;
    jint count = 0;
    if ((*ti)->GetLineNumberTable(ti, method, &count, &table) != JVMTI_ERROR_NONE)
        return lines;
    lines.entries = count > 0 ? calloc((size_t)count, sizeof *lines.entries) : NULL;
    if (lines.entries) {
        lines.count = (uint32_t)count;
        for (jint i = 0; i < count; i++)
            lines.entries[i] = (struct ixa_line){(uint16_t)table[i].start_location,
                                                 (uint16_t)table[i].line_number};
    }
    (*ti)->Deallocate(ti, (unsigned char *)table);
    return lines;
}

void ixa_lines_free(struct ixa_lines *lines)
{
    free(lines->entries);
    *lines = (struct ixa_lines){0};
}

size_t ixa_lines_memory(const struct ixa_lines *lines)
{
    return lines->count * sizeof *lines->entries;
}

int32_t ixa_lines_find(const struct ixa_lines *lines, jlocation location)
{
    int32_t line = 0;
    jlocation best = -1;
    /* In the class file's order, which may differ from the order of the code. HotSpot makes the
     * same choice for a Java stack trace. */
    for (uint32_t i = 0; i < lines->count; i++) {
        jlocation start = lines->entries[i].start;
        if (start <= location && start >= best && best != location) {
            best = start;
            line = lines->entries[i].line;
        }
    }
    return line ? line : IX_LINE_UNKNOWN; /* compilers write 0 if there is no source */
}
