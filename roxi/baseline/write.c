/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "roxi/base/interrupt.h"
#include "roxi/base/staging.h"
#include "roxi/baseline/baseline.h"
#include "roxi/baseline/names.h"
#include "roxi/merge/merge.h"
#include "schema/base/bytes.h"
#include "schema/base/grow.h"
#include "schema/catalogue/catalogue.h"

/* Level 19 makes 10 % less of a campaign, and takes many times as long. Logs of different runs are
 * alike, and far apart: hence the window of 128 MiB. */
enum { LEVEL = 9, WINDOW = 27, BUFFER = 1 << 17 };

struct packed_file {
    char *path; /* owned */
    uint64_t size;
};

struct packing {
    FILE *out;
    const char *dir;
    struct packed_file *files; /* owned */
    size_t count, cap;
    uint64_t bytes;
    ZSTD_CCtx *zstd;
    char *in, *compressed; /* owned; of BUFFER bytes */
    struct ix_error *err;
};

static int no_memory(struct packing *p)
{
    return ix_fail(p->err, "out of memory");
}

/* ---- which files ---- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int add_file(struct packing *p, const FTSENT *e)
{
    if (!baseline_name_is_valid(e->fts_path + strlen(p->dir) + 1))
        return 0;
    struct packed_file *files = ix_grow(p->files, &p->cap, p->count + 1, sizeof *files);
    if (!files)
        return no_memory(p);
    p->files = files;
    files[p->count] = (struct packed_file){strdup(e->fts_path), (uint64_t)e->fts_statp->st_size};
    p->bytes += files[p->count].size;
    if (!files[p->count].path)
        return no_memory(p);
    return ++p->count <= BASELINE_FILES_MAX && p->bytes <= BASELINE_BYTES_MAX
               ? 0
               : ix_fail(p->err,
                         "the campaign is too large for a baseline file: more than %u logs, "
                         "or 16 GiB",
                         BASELINE_FILES_MAX);
}

static int list_files(struct packing *p)
{
    char *const roots[] = {(char *)p->dir, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    FTSENT *e;
    int result = tree ? 0 : ix_fail(p->err, "cannot read '%s': %s", p->dir, strerror(errno));
    while (result == 0 && (errno = 0, e = fts_read(tree)))
        if (e->fts_info == FTS_F)
            result = add_file(p, e);
        else if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS)
            result = ix_fail(p->err, "cannot read '%s': %s", e->fts_path, strerror(e->fts_errno));
    if (result == 0 && errno)
        result = ix_fail(p->err, "cannot read '%s': %s", p->dir, strerror(errno));
    if (tree)
        fts_close(tree);
    return result;
}

/* ---- compression ---- */

static int begin(struct packing *p)
{
    p->zstd = ZSTD_createCCtx();
    p->in = malloc(BUFFER);
    p->compressed = malloc(BUFFER);
    if (!p->zstd || !p->in || !p->compressed)
        return no_memory(p);
    const struct {
        ZSTD_cParameter name;
        int value;
    } settings[] = {{ZSTD_c_compressionLevel, LEVEL},
                    {ZSTD_c_windowLog, WINDOW},
                    {ZSTD_c_enableLongDistanceMatching, 1},
                    {ZSTD_c_checksumFlag, 1}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const size_t code = ZSTD_CCtx_setParameter(p->zstd, settings[i].name, settings[i].value);
        if (ZSTD_isError(code))
            return ix_fail(p->err, "cannot compress: %s", ZSTD_getErrorName(code));
    }
    return 0;
}

static int pack(struct packing *p, const void *data, size_t size, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {data, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {p->compressed, BUFFER, 0};
        left = ZSTD_compressStream2(p->zstd, &out, &in, how);
        if (ZSTD_isError(left))
            return ix_fail(p->err, "cannot compress: %s", ZSTD_getErrorName(left));
        fwrite(p->compressed, 1, out.pos, p->out);
    } while (how == ZSTD_e_end ? left != 0 : in.pos < in.size);
    return 0;
}

static int pack_content(struct packing *p, const struct packed_file *file, FILE *in)
{
    for (uint64_t left = file->size; left;) {
        const size_t want = left < BUFFER ? (size_t)left : BUFFER;
        if (fread(p->in, 1, want, in) != want)
            return ix_fail(p->err, "cannot read '%s': %s", file->path,
                           ferror(in) ? strerror(errno) : "it became shorter");
        if (pack(p, p->in, want, ZSTD_e_continue) != 0)
            return -1;
        left -= want;
    }
    return roxi_interrupted() ? ix_fail(p->err, "interrupted") : 0;
}

static int pack_file(struct packing *p, const struct packed_file *file)
{
    const char *name = file->path + strlen(p->dir) + 1;
    struct ix_out head = {0};
    ix_put_u16(&head, (uint16_t)strlen(name));
    ix_put_bytes(&head, name, strlen(name));
    ix_put_u64(&head, file->size);
    int result = head.failed ? no_memory(p) : pack(p, head.data, head.len, ZSTD_e_continue);
    FILE *in = result == 0 ? fopen(file->path, "re") : NULL;
    if (result == 0)
        result = in ? pack_content(p, file, in)
                    : ix_fail(p->err, "cannot read '%s': %s", file->path, strerror(errno));
    if (in)
        fclose(in);
    ix_out_free(&head);
    return result;
}

static int pack_all(struct packing *p)
{
    struct ix_out head = {0};
    ix_put_bytes(&head, BASELINE_MAGIC, BASELINE_MAGIC_SIZE);
    ix_put_u16(&head, BASELINE_VERSION);
    ix_put_u32(&head, (uint32_t)p->count);
    ix_put_u64(&head, p->bytes);
    int result = head.failed ? no_memory(p) : begin(p);
    if (result == 0)
        fwrite(head.data, 1, head.len, p->out);
    ix_out_free(&head);
    for (size_t i = 0; i < p->count && result == 0; i++)
        result = pack_file(p, &p->files[i]);
    return result == 0 ? pack(p, NULL, 0, ZSTD_e_end) : -1;
}

static int pack_directory(const char *dir, FILE *out, struct baseline_size *size,
                          struct ix_error *err)
{
    struct packing p = {.out = out, .dir = dir, .err = err};
    int result = list_files(&p);
    if (result == 0)
        result = pack_all(&p);
    size->files = p.count;
    size->bytes = p.bytes;
    for (size_t i = 0; i < p.count; i++)
        free(p.files[i].path);
    free(p.files);
    free(p.in);
    free(p.compressed);
    ZSTD_freeCCtx(p.zstd);
    return result;
}

/* ---- the whole ---- */

static int thin(const char *dir, struct ix_error *err)
{
    struct ix_catalogue *c = ix_catalogue_open(dir, IX_CATALOGUE_WRITE, err);
    const int result = c ? ix_catalogue_thin(c, err) : -1;
    ix_catalogue_close(c);
    return result;
}

int baseline_write(const char *campaign, FILE *out, struct baseline_size *size,
                   struct ix_error *err)
{
    struct roxi_staging staging;
    struct roxi_merged merged;
    char *copy = NULL;
    *size = (struct baseline_size){0};
    if (baseline_room(&staging, err) != 0)
        return -1;
    int result = asprintf(&copy, "%s/campaign", staging.path) < 0 ? -1 : 0;
    if (result != 0) {
        copy = NULL;
        ix_fail(err, "out of memory");
    }
    if (result == 0)
        result = roxi_merge(&campaign, 1, copy, &merged, err);
    if (result == 0) {
        size->runs = merged.runs;
        size->vms = merged.vms;
        result = thin(copy, err);
    }
    if (result == 0)
        result = pack_directory(copy, out, size, err);
    free(copy);
    roxi_staging_abandon(&staging);
    return result;
}
