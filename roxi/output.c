#include "roxi/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget(struct roxi_output *out)
{
    free(out->path);
    free(out->temporary);
    *out = (struct roxi_output){0};
}

/* What `path` is, S_IFMT; 0 if it is not there. */
static mode_t kind_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_mode & S_IFMT : 0;
}

static int open_special(struct roxi_output *out, const char *path, struct ix_error *err)
{
    out->path = strdup(path);
    if (!out->path)
        return ix_fail(err, "out of memory");
    out->stream = fopen(path, "we");
    if (out->stream)
        return 0;
    ix_fail(err, "cannot write '%s': %s", path, strerror(errno));
    forget(out);
    return -1;
}

int roxi_output_open(struct roxi_output *out, const char *path, struct ix_error *err)
{
    *out = (struct roxi_output){0};
    if (!path || strcmp(path, "-") == 0) {
        out->stream = stdout;
        return 0;
    }
    const mode_t kind = kind_of(path);
    if (!*path || kind == S_IFDIR) /* a rename would say so, but only after the work */
        return ix_fail(err, "cannot write '%s': it is %s", path,
                       *path ? "a directory" : "no file's name");
    if (kind && kind != S_IFREG) /* a device, a pipe: to be written into and not to be replaced */
        return open_special(out, path, err);
    out->path = strdup(path);
    if (!out->path || asprintf(&out->temporary, "%s.XXXXXX", path) < 0) {
        out->temporary = NULL;
        forget(out);
        return ix_fail(err, "out of memory");
    }
    int fd = mkostemp(out->temporary, O_CLOEXEC);
    mode_t mask = umask(0);
    umask(mask);
    if (fd < 0 || fchmod(fd, 0666 & ~mask) != 0 || !(out->stream = fdopen(fd, "w"))) {
        ix_fail(err, "cannot write '%s': %s", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
            unlink(out->temporary);
        }
        forget(out);
        return -1;
    }
    return 0;
}

int roxi_output_commit(struct roxi_output *out, struct ix_error *err)
{
    FILE *stream = out->stream;
    bool bad = ferror(stream) != 0;
    errno = bad ? EIO : 0;
    if (fflush(stream) != 0)
        bad = true;
    int why = errno;
    if (out->path) {
        out->stream = NULL;
        if (!bad && fsync(fileno(stream)) != 0 && errno != EINVAL && errno != ENOTSUP) {
            bad = true;
            why = errno;
        }
        if (fclose(stream) != 0 && !bad) {
            bad = true;
            why = errno;
        }
        if (!bad && out->temporary && rename(out->temporary, out->path) != 0) {
            bad = true;
            why = errno;
        }
    }
    if (bad) {
        if (out->path)
            ix_fail(err, "cannot write '%s': %s", out->path, strerror(why));
        else
            ix_fail(err, "cannot write standard output: %s", strerror(why));
        roxi_output_abandon(out);
        return -1;
    }
    forget(out);
    return 0;
}

void roxi_output_abandon(struct roxi_output *out)
{
    if (out->path) {
        if (out->stream)
            fclose(out->stream);
        if (out->temporary)
            unlink(out->temporary);
    }
    forget(out);
}
