/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool discarding;

void roxi_output_discard(void)
{
    discarding = true;
}

static void forget(struct roxi_output *out)
{
    free(out->path);
    free(out->temporary);
    *out = (struct roxi_output){0};
}

/* The file type of `path` (S_IFMT); 0 if it does not exist. */
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

/* Opens a file without a name in the directory of `path`. False: not supported here. */
static bool open_nameless(struct roxi_output *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const int fd = dir && access("/proc/self/fd", X_OK) == 0
                       ? open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)
                       : -1;
    free(dir);
    out->stream = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !out->stream)
        close(fd);
    out->nameless = out->stream != NULL;
    return out->nameless;
}

/* Gives the file the temporary name. -1 with errno. */
static int name_it(struct roxi_output *out)
{
    char file[64];
    snprintf(file, sizeof file, "/proc/self/fd/%d", fileno(out->stream));
    /* mkostemp finds a free name; the file that it makes must be removed. */
    const int fd = mkostemp(out->temporary, O_CLOEXEC);
    if (fd < 0)
        return -1;
    out->nameless = false;
    close(fd);
    unlink(out->temporary);
    return linkat(AT_FDCWD, file, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW);
}

static int open_named(struct roxi_output *out, struct ix_error *err)
{
    int fd = mkostemp(out->temporary, O_CLOEXEC);
    mode_t mask = umask(0);
    umask(mask);
    if (fd >= 0 && fchmod(fd, 0666 & ~mask) == 0 && (out->stream = fdopen(fd, "w")))
        return 0;
    ix_fail(err, "cannot write '%s': %s", out->path, strerror(errno));
    if (fd >= 0) {
        close(fd);
        unlink(out->temporary);
    }
    return -1;
}

int roxi_output_open(struct roxi_output *out, const char *path, struct ix_error *err)
{
    *out = (struct roxi_output){0};
    if (discarding)
        path = "/dev/null";
    if (!path || strcmp(path, "-") == 0) {
        out->stream = stdout;
        return 0;
    }
    const mode_t kind = kind_of(path);
    if (!*path || kind == S_IFDIR) /* a rename would also report it, but only after the work */
        return ix_fail(err, "cannot write '%s': it is %s", path,
                       *path ? "a directory" : "no file's name");
    if (kind && kind != S_IFREG) /* a device or a pipe: write into it, do not replace it */
        return open_special(out, path, err);
    out->path = strdup(path);
    if (!out->path || asprintf(&out->temporary, "%s.XXXXXX", path) < 0) {
        out->temporary = NULL;
        forget(out);
        return ix_fail(err, "out of memory");
    }
    if (open_nameless(out, path) || open_named(out, err) == 0)
        return 0;
    forget(out);
    return -1;
}

bool roxi_output_is_terminal(const struct roxi_output *out)
{
    return out->stream == stdout && isatty(STDOUT_FILENO);
}

int roxi_output_open_beside(struct roxi_output *out, const char *path, const char *ending,
                            struct ix_error *err)
{
    char *beside;
    *out = (struct roxi_output){0};
    if (asprintf(&beside, "%s%s", path, ending) < 0)
        return ix_fail(err, "out of memory");
    const int result = roxi_output_open(out, beside, err);
    free(beside);
    return result;
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
        if (!bad && fsync(fileno(stream)) != 0 && errno != EINVAL && errno != ENOTSUP) {
            bad = true;
            why = errno;
        }
        if (!bad && out->nameless && name_it(out) != 0) {
            bad = true;
            why = errno;
        }
        out->stream = NULL;
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
        if (out->temporary && !out->nameless)
            unlink(out->temporary);
    }
    forget(out);
}
