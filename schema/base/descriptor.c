/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int ix_above_streams(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    const int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    close(fd);
    errno = error;
    return above;
}
