/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "roxi/base/platform.h"
#include "roxi/explain/finding.h"

/* The executing frames that are looked at. Deeper ones only lead there. */
enum { LOOKED_AT = 10 };

/* It parks whatever it waits for: frames below say for what. */
#define VIRTUAL "java.lang.VirtualThread"

/* The first row whose class begins so, and whose method is this one or NULL: any. */
static const struct row {
    const char *class_name, *method;
    enum roxi_doing doing;
} rows[] = {
    {"java.lang.Thread", "sleep", ROXI_SLEEPING},
    {"java.lang.Thread", "sleep0", ROXI_SLEEPING},
    {"java.lang.Thread", "sleepNanos", ROXI_SLEEPING},
    {"java.net.Socket", NULL, ROXI_ON_NETWORK},
    {"java.net.PlainSocket", NULL, ROXI_ON_NETWORK},
    {"sun.nio.ch.Net", NULL, ROXI_ON_NETWORK},
    {"sun.nio.ch.NioSocket", NULL, ROXI_ON_NETWORK},
    {"sun.nio.ch.Socket", NULL, ROXI_ON_NETWORK},
    {"sun.nio.ch.ServerSocket", NULL, ROXI_ON_NETWORK},
    {"sun.nio.ch.Datagram", NULL, ROXI_ON_NETWORK},
    {"sun.nio.ch.EPoll", NULL, ROXI_ON_NETWORK},
    {"sun.nio.ch.Poller", NULL, ROXI_ON_NETWORK}, /* of virtual threads */
    {"sun.nio.ch.File", NULL, ROXI_ON_FILE},
    {"sun.nio.ch.UnixFile", NULL, ROXI_ON_FILE},
    {"java.io.File", NULL, ROXI_ON_FILE},
    {"java.io.RandomAccessFile", NULL, ROXI_ON_FILE},
    {"java.lang.Object", "wait", ROXI_WAITING},
    {"java.lang.Object", "wait0", ROXI_WAITING},
    {"java.lang.Thread", "join", ROXI_WAITING},
    {"jdk.internal.misc.Unsafe", "park", ROXI_WAITING},
    {VIRTUAL, "sleepNanos", ROXI_SLEEPING},
    {VIRTUAL, "park", ROXI_WAITING},
    {VIRTUAL, "parkNanos", ROXI_WAITING},
    {VIRTUAL, "parkOnCarrierThread", ROXI_WAITING},
};

static const struct row *row_of(const char *class_name, const char *method)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(class_name, rows[i].class_name, strlen(rows[i].class_name)) == 0 &&
            (!rows[i].method || strcmp(method, rows[i].method) == 0))
            return &rows[i];
    return NULL;
}

/* What reads and writes files does so for sockets, too: then their classes call it. */
enum roxi_doing roxi_doing_in(const struct roxi_symbols *s, uint32_t stack)
{
    enum roxi_doing doing = ROXI_RUNNING;
    for (int i = 0; i < LOOKED_AT && stack; i++) {
        const struct roxi_stack at = roxi_symbols_stack_at(s, stack);
        const struct roxi_frame f = roxi_symbols_frame_at(s, at.frame);
        const char *class_name = roxi_symbols_text(s, f.class_name);
        const struct row *row = row_of(class_name, roxi_symbols_text(s, f.method));
        const bool parks = row && strcmp(row->class_name, VIRTUAL) == 0;
        if (row &&
            (doing == ROXI_RUNNING || row->doing == ROXI_ON_NETWORK || row->doing == ROXI_SLEEPING))
            doing = row->doing;
        if ((row && !parks && doing != ROXI_ON_FILE) || !roxi_is_platform(class_name))
            break;
        stack = at.parent;
    }
    return doing;
}
