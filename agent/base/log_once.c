/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/base/log_once.h"

#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_flag said = ATOMIC_FLAG_INIT;

void ixa_log_once(const char *format, ...)
{
    if (atomic_flag_test_and_set(&said))
        return;
    char line[1024] = "ixor: ";
    const size_t start = 6;
    const size_t room = sizeof line - start - 1; /* for the newline */
    va_list args;
    va_start(args, format);
    int wanted = vsnprintf(line + start, room, format, args);
    va_end(args);
    if (wanted < 0)
        return;
    size_t len = start + ((size_t)wanted < room ? (size_t)wanted : room - 1);
    for (size_t i = start; i < len; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    line[len++] = '\n';
    /* A full pipe that nobody reads, or a terminal that is held: no line is worth blocking for. */
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT) || write(STDERR_FILENO, line, len) < 0)
        return; /* nowhere left to report it */
}
