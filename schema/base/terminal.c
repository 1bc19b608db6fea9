/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* How wide the terminal is. 0: it does not tell, or is none. */
static size_t terminal_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

size_t ix_screen_columns(int fd)
{
    const char *variable = getenv("COLUMNS");
    const long said = variable ? strtol(variable, NULL, 10) : 0;
    if (!isatty(fd))
        return IX_SCREEN_COLUMNS;
    const size_t columns = said > 0 ? (size_t)said : terminal_columns(fd);
    if (!columns || columns > IX_SCREEN_COLUMNS)
        return IX_SCREEN_COLUMNS;
    return columns < IX_SCREEN_NARROWEST ? IX_SCREEN_NARROWEST : columns;
}

size_t ix_line_columns(int fd)
{
    const size_t columns = terminal_columns(fd);
    if (!columns || columns > IX_SCREEN_COLUMNS)
        return IX_SCREEN_COLUMNS - 1;
    return columns > 1 ? columns - 1 : 1;
}
