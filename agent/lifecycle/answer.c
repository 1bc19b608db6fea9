/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/lifecycle/answer.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/log_once.h"

/* Writes only to an existing empty regular file: never to a device, a pipe that blocks, or a file
 * with data. */
static bool write_answer(const char *path, const char *text, size_t len)
{
    struct stat info;
    const int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const int fd = *path ? open(path, flags) : -1;
    if (fd < 0)
        return false;
    const bool good = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0 &&
                      write(fd, text, len) == (ssize_t)len;
    close(fd);
    return good;
}

/* What was requested but is unavailable or limited because the agent was loaded late. */
static const char *note_of(const struct ixa_options *options, bool late)
{
    return late && !options->walk_all
               ? "note walk=changed: threads that ran before the agent came are always walked\n"
               : "";
}

void ixa_answer_done(const char *path, const char *what, const struct ixa_settings *settings,
                     bool late)
{
    char text[2 * IX_PATH_MAX];
    int len = snprintf(text, sizeof text, "done %s\n", what);
    if (settings)
        len += snprintf(text + len, sizeof text - (size_t)len,
                        "role %s\nserver %s, port %u\nlog %s\n%s", settings->who.role,
                        settings->options.host, settings->options.port, settings->who.log,
                        note_of(&settings->options, late));
    write_answer(path, text, (size_t)len);
}

void ixa_answer_failed(const char *path, const char *why)
{
    char text[sizeof((struct ix_error *)0)->text + 16];
    const int len = snprintf(text, sizeof text, "error %s\n", why);
    if (!write_answer(path, text, (size_t)len))
        ixa_log_once("%s", why);
}
