/* SPDX-License-Identifier: Apache-2.0 */
/* Names in the formats meant for people. */
#include <inttypes.h>
#include <string.h>

#include "roxi/base/text_escape.h"
#include "roxi/export/export.h"

const char *export_thread_name(const struct ix_thread *thread, char room[EXPORT_ROOM])
{
    if (*thread->name)
        return thread->name;
    snprintf(room, EXPORT_ROOM, "%s-%" PRIu64,
             thread->flags & IX_THREAD_VIRTUAL ? "virtual" : "thread", thread->id);
    return room;
}

void export_print(FILE *out, const char *text, const char *(*instead)(char c))
{
    char shown[TEXT_SHOWN_SIZE];
    for (size_t left = strlen(text); left;) {
        size_t size = text_show(text, left, shown);
        for (const char *c = shown; *c; c++) {
            const char *other = instead(*c);
            if (other)
                fputs(other, out);
            else
                putc(*c, out);
        }
        text += size;
        left -= size;
    }
}
