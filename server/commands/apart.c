/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/commands/attach.h"

/* All that the other process has to say, if it has failed. */
static void read_reason(int fd, char *text, size_t size)
{
    size_t len = 0;
    ssize_t n;
    while (len < size - 1 &&
           ((n = read(fd, text + len, size - 1 - len)) > 0 || (n < 0 && errno == EINTR)))
        len += n > 0 ? (size_t)n : 0;
    text[len] = '\0';
}

static void work_and_exit(int (*work)(const struct ixor_attach_options *o, struct ix_error *err),
                          const struct ixor_attach_options *o, int fd)
{
    struct ix_error why = {""};
    const int status = work(o, &why);
    const size_t len = strlen(why.text);
    const bool said = status == 0 || write(fd, why.text, len) == (ssize_t)len;
    _exit(fflush(stdout) == 0 && said && status == 0 ? 0 : 1);
}

int ixor_attach_apart(int (*work)(const struct ixor_attach_options *o, struct ix_error *err),
                      const struct ixor_attach_options *o, pid_t pid, struct ix_error *err)
{
    struct ixor_attach_options one = *o;
    struct ix_error why = {""};
    int fds[2], status = 0;
    one.pid = pid;
    if (pipe2(fds, O_CLOEXEC) != 0)
        return ix_fail(err, "cannot make a pipe: %s", strerror(errno));
    fflush(stdout); /* or the other process would print it again */
    const pid_t child = fork();
    if (child == 0)
        work_and_exit(work, &one, fds[1]);
    close(fds[1]);
    if (child > 0)
        read_reason(fds[0], why.text, sizeof why.text);
    close(fds[0]);
    if (child < 0)
        return ix_fail(err, "cannot start a process: %s", strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return ix_fail(err, "%s", why.text[0] ? why.text : "the attempt ended without a reason");
}
