/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "roxi/base/interrupt.h"
#include "roxi/baseline/baseline.h"
#include "roxi/baseline/names.h"
#include "schema/base/bytes.h"
#include "schema/base/directories.h"

/* What the writer uses; a file that asks for more memory is refused. */
enum { WINDOW = 27, BUFFER = 1 << 17 };

struct unpacking {
    FILE *in;
    const char *name, *dir;
    ZSTD_DCtx *zstd;
    char *compressed, *data; /* owned; of BUFFER bytes */
    ZSTD_inBuffer from;
    ZSTD_outBuffer to;
    size_t at;     /* what of `to` has been taken */
    bool is_over;  /* the frame has ended */
    uint64_t left; /* bytes of content that the head allows */
    struct ix_error *err;
};

static int torn(const struct unpacking *u)
{
    return ix_fail(u->err, "'%s' is torn: it ends too early; make it again with 'roxi baseline'",
                   u->name);
}

static int damaged(const struct unpacking *u, const char *what)
{
    return ix_fail(u->err, "'%s' is damaged: %s; make it again with 'roxi baseline'", u->name,
                   what);
}

/* ---- decompression ---- */

/* One step of the decompression, from at least one byte into an empty `to`. */
static int decompress(struct unpacking *u)
{
    u->to = (ZSTD_outBuffer){u->data, BUFFER, 0};
    u->at = 0;
    if (u->from.pos == u->from.size) {
        u->from = (ZSTD_inBuffer){u->compressed, fread(u->compressed, 1, BUFFER, u->in), 0};
        if (ferror(u->in))
            return ix_fail(u->err, "cannot read '%s': %s", u->name, strerror(errno));
        if (!u->from.size)
            return torn(u);
    }
    const size_t code = ZSTD_decompressStream(u->zstd, &u->to, &u->from);
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        return ix_fail(u->err, "out of memory");
    if (ZSTD_isError(code))
        return damaged(u, ZSTD_getErrorName(code));
    u->is_over = code == 0;
    return 0;
}

/* More bytes in `to`; torn if there are none. */
static int unpack_more(struct unpacking *u)
{
    do {
        if (u->is_over)
            return damaged(u, "its content is shorter than it says");
        if (decompress(u) != 0)
            return -1;
    } while (!u->to.pos);
    return roxi_interrupted() ? ix_fail(u->err, "interrupted") : 0;
}

/* At most `most` bytes, at least one, in *part, valid until the next call. */
static int take_some(struct unpacking *u, uint64_t most, struct ix_span *part)
{
    if (u->at == u->to.pos && unpack_more(u) != 0)
        return -1;
    const size_t there = u->to.pos - u->at;
    *part = (struct ix_span){u->data + u->at, most < there ? (size_t)most : there};
    u->at += part->len;
    return 0;
}

static int take(struct unpacking *u, void *data, size_t size)
{
    struct ix_span part;
    for (size_t at = 0; at < size; at += part.len) {
        if (take_some(u, size - at, &part) != 0)
            return -1;
        memcpy((char *)data + at, part.text, part.len);
    }
    return 0;
}

/* Nothing may follow the frame's last byte of content. */
static int check_end(struct unpacking *u)
{
    if (u->at < u->to.pos)
        return damaged(u, "there is more in it than it says");
    while (!u->is_over) {
        if (decompress(u) != 0)
            return -1;
        if (u->to.pos)
            return damaged(u, "there is more in it than it says");
    }
    return u->from.pos < u->from.size || getc(u->in) != EOF
               ? damaged(u, "something follows its end")
               : 0;
}

/* ---- files ---- */

static int write_fully(const struct unpacking *u, int fd, const char *path, struct ix_span data)
{
    while (data.len) {
        const ssize_t n = write(fd, data.text, data.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ix_fail(u->err, "cannot write '%s': %s", path, strerror(errno));
        data.text += n;
        data.len -= (size_t)n;
    }
    return 0;
}

static int unpack_content(struct unpacking *u, const char *path, uint64_t size)
{
    struct ix_span part;
    if (ix_make_parents(path, u->err) != 0)
        return -1;
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return errno == EEXIST ? damaged(u, "a name is in it twice")
                               : ix_fail(u->err, "cannot make '%s': %s", path, strerror(errno));
    int result = 0;
    for (; size && result == 0; size -= part.len) {
        part.len = 0;
        result = take_some(u, size, &part);
        if (result == 0)
            result = write_fully(u, fd, path, part);
    }
    if (close(fd) != 0 && result == 0)
        result = ix_fail(u->err, "cannot write '%s': %s", path, strerror(errno));
    return result;
}

static int unpack_file(struct unpacking *u)
{
    uint8_t numbers[8];
    char name[BASELINE_NAME + 1], *path;
    if (take(u, numbers, 2) != 0)
        return -1;
    struct ix_in in = ix_in_of(numbers, 2);
    const size_t len = ix_get_u16(&in);
    if (len > BASELINE_NAME)
        return damaged(u, "a name is too long");
    if (take(u, name, len) != 0 || take(u, numbers, sizeof numbers) != 0)
        return -1;
    name[len] = '\0';
    in = ix_in_of(numbers, sizeof numbers);
    const uint64_t size = ix_get_u64(&in);
    if (strlen(name) != len || !baseline_name_is_valid(name))
        return damaged(u, "a file in it is neither the catalogue nor a trace log");
    if (size > u->left)
        return damaged(u, "its files are longer than it says");
    u->left -= size;
    if (asprintf(&path, "%s/%s", u->dir, name) < 0)
        return ix_fail(u->err, "out of memory");
    const int result = unpack_content(u, path, size);
    free(path);
    return result;
}

/* ---- the whole ---- */

/* Reads the head: how many files, and their bytes in u->left. */
static int take_head(struct unpacking *u, uint32_t *files)
{
    uint8_t head[BASELINE_HEAD_SIZE];
    const size_t got = fread(head, 1, sizeof head, u->in);
    if (ferror(u->in))
        return ix_fail(u->err, "cannot read '%s': %s", u->name, strerror(errno));
    if (got < BASELINE_MAGIC_SIZE || memcmp(head, BASELINE_MAGIC, BASELINE_MAGIC_SIZE) != 0)
        return ix_fail(u->err,
                       "'%s' is neither a campaign's directory nor a file of 'roxi baseline'",
                       u->name);
    if (got < sizeof head)
        return torn(u);
    struct ix_in in = ix_in_of(head + BASELINE_MAGIC_SIZE, sizeof head - BASELINE_MAGIC_SIZE);
    const unsigned version = ix_get_u16(&in);
    *files = ix_get_u32(&in);
    u->left = ix_get_u64(&in);
    if (version != BASELINE_VERSION)
        return ix_fail(u->err,
                       "'%s' has version %u, and this roxi reads version %d; make it again with "
                       "'roxi baseline'",
                       u->name, version, BASELINE_VERSION);
    if (*files > BASELINE_FILES_MAX || u->left > BASELINE_BYTES_MAX)
        return ix_fail(u->err,
                       "'%s' would unpack to %" PRIu32 " files of %" PRIu64
                       " bytes; at most %u files of 16 GiB are",
                       u->name, *files, u->left, BASELINE_FILES_MAX);
    return 0;
}

static int unpack_all(struct unpacking *u)
{
    uint32_t files = 0;
    if (take_head(u, &files) != 0)
        return -1;
    u->zstd = ZSTD_createDCtx();
    u->compressed = malloc(BUFFER);
    u->data = malloc(BUFFER);
    if (!u->zstd || !u->compressed || !u->data)
        return ix_fail(u->err, "out of memory");
    ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW);
    for (uint32_t i = 0; i < files; i++)
        if (unpack_file(u) != 0)
            return -1;
    return u->left ? damaged(u, "its files are shorter than it says") : check_end(u);
}

int baseline_unpack_stream(FILE *in, const char *name, const char *dir, struct ix_error *err)
{
    struct unpacking u = {.in = in, .name = name, .dir = dir, .err = err};
    const int result = unpack_all(&u);
    free(u.compressed);
    free(u.data);
    ZSTD_freeDCtx(u.zstd);
    return result;
}

bool baseline_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

char *baseline_unpack(const char *path, struct ix_error *err)
{
    struct roxi_staging staging;
    struct stat st;
    FILE *in = NULL;
    char *dir = NULL;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        ix_fail(err, "cannot read '%s': not a file", path);
    else if (!(in = fopen(path, "re")))
        ix_fail(err, "cannot read '%s': %s", path, strerror(errno));
    if (!in || baseline_room(&staging, err) != 0) {
        if (in)
            fclose(in);
        return NULL;
    }
    roxi_interrupt_catch();
    if (baseline_unpack_stream(in, path, staging.path, err) == 0 && !(dir = strdup(staging.path)))
        ix_fail(err, "out of memory");
    roxi_interrupt_release();
    fclose(in);
    if (dir)
        roxi_staging_keep(&staging);
    else
        roxi_staging_abandon(&staging);
    return dir;
}

void baseline_discard(char *dir)
{
    struct roxi_staging staging = {.path = dir};
    if (dir)
        roxi_staging_abandon(&staging);
}
