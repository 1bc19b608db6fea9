/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/legacy/import.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/staging.h"
#include "roxi/base/text_escape.h"
#include "roxi/base/warn.h"
#include "roxi/base/workers.h"
#include "roxi/legacy/convert.h"
#include "roxi/legacy/layout.h"
#include "schema/base/grow.h"

/* The role of a JVM whose log ends before it states one. */
static const char unknown_role[] = "unknown";

/* What to write to the catalogue for a JVM, and warnings about its log. */
struct vm_rows {
    char *role, *jvm;
    char *warning;                     /* NULL: none */
    struct ix_snapshot_row *snapshots; /* `vm` is not yet set */
    size_t count, cap;
};

struct import {
    struct ix_catalogue *catalogue;
    char *dir;        /* absolute */
    const char *name; /* its last component */
    struct text_layout layout;
    struct vm_rows *rows; /* one for each JVM of the layout */
    struct roxi_staging staging;

    pthread_mutex_t lock; /* protects the following */
    atomic_size_t failed; /* the first JVM whose log cannot be imported; read without the lock */
    struct ix_error why;
};

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "out of memory");
}

/* ---- one log ---- */

static int write_meta(struct ix_log_writer *w, const struct import *im,
                      const struct text_vm_file *vm, struct text_identity who, struct ix_error *err)
{
    char pid[24];
    snprintf(pid, sizeof pid, "%" PRIu64, vm->pid);
    const char *const pairs[][2] = {
        {"role", who.role ? who.role : unknown_role},
        {"execution", im->name},
        {"host", vm->address},
        {"pid", pid},
        {"jvm", who.jvm},
        {"imported-from", vm->log},
        {"rmi-log", who.rmi_log},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i][1] && *pairs[i][1] && ix_log_meta(w, pairs[i][0], pairs[i][1]) != 0)
            return ix_fail(err, "%s", ix_log_writer_error(w));
    return 0;
}

static int check_pid(const struct text_reader *r, const struct text_vm_file *vm,
                     struct ix_error *err)
{
    struct text_identity who = text_reader_identity(r);
    if (who.has_pid && who.pid != vm->pid)
        return ix_fail(
            err, "%s:1: found process id %" PRIu64 ", expected %" PRIu64 " as in the name %s.txt",
            text_reader_name(r), who.pid, vm->pid, vm->name);
    return 0;
}

static int remember(struct vm_rows *rows, const struct text_block *block, struct ix_error *err)
{
    struct ix_snapshot_row *snapshots =
        ix_grow(rows->snapshots, &rows->cap, rows->count + 1, sizeof *snapshots);
    if (!snapshots)
        return no_memory(err);
    rows->snapshots = snapshots;
    snapshots[rows->count++] = (struct ix_snapshot_row){
        .packet = (int64_t)block->packet,
        .begin_mono_ns = block->counter,
        .threads = (int64_t)block->thread_count,
        .frames = (int64_t)block->frame_count,
    };
    return 0;
}

static int convert_blocks(const struct import *im, const struct text_vm_file *vm,
                          struct text_reader *r, struct ix_log_writer *w, struct vm_rows *rows,
                          struct ix_error *err)
{
    struct text_convert *c = text_convert_new(w, text_reader_name(r), err);
    if (!c)
        return -1;
    const struct text_block *block;
    int rc;
    while ((rc = text_reader_next(r, &block, err)) == 1) {
        if (rows->count == 0 && (check_pid(r, vm, err) != 0 ||
                                 write_meta(w, im, vm, text_reader_identity(r), err) != 0))
            rc = -1;
        else if (text_convert_block(c, block, err) != 0 || remember(rows, block, err) != 0)
            rc = -1;
        if (rc < 0)
            break;
    }
    text_convert_free(c);
    if (rc == 0 && rows->count == 0) {
        rc = check_pid(r, vm, err);
        if (rc == 0)
            rc = write_meta(w, im, vm, text_reader_identity(r), err);
    }
    return rc;
}

static int keep_identity(const struct text_reader *r, struct vm_rows *rows, struct ix_error *err)
{
    struct text_identity who = text_reader_identity(r);
    const char *torn = text_reader_torn(r);
    int warned = 0;
    rows->role = strdup(who.role ? who.role : unknown_role);
    rows->jvm = strdup(who.jvm ? who.jvm : "");
    if (rows->count == 0)
        warned = asprintf(&rows->warning, "%s: no snapshot in this log", text_reader_name(r));
    else if (torn)
        warned = asprintf(&rows->warning, "%s", torn);
    if (warned < 0)
        rows->warning = NULL;
    return rows->role && rows->jvm && warned >= 0 ? 0 : no_memory(err);
}

/* The path of the log in directory `dir`; the caller frees it. */
static char *log_file(const char *dir, const struct text_vm_file *vm)
{
    char *path;
    return asprintf(&path, "%s/%s" IX_LOG_SUFFIX, dir, vm->name) < 0 ? NULL : path;
}

static bool is_repeated(const struct import *im, const struct text_vm_file *vm)
{
    for (const struct text_vm_file *earlier = im->layout.vms; earlier < vm; earlier++)
        if (strcmp(earlier->name, vm->name) == 0)
            return true;
    return false;
}

static struct ix_log_writer *create_log(const struct import *im, const struct text_vm_file *vm,
                                        struct ix_error *err)
{
    struct ix_log_writer *w = NULL;
    if (is_repeated(im, vm)) {
        ix_fail(err, "%s/files.list: found %s.txt twice, expected it once", im->dir, vm->name);
        return NULL;
    }
    char *path = log_file(im->staging.path, vm);
    if (path)
        w = ix_log_create(path, err);
    else
        no_memory(err);
    free(path);
    return w;
}

static int convert_log(const struct import *im, const struct text_vm_file *vm, struct vm_rows *rows,
                       struct ix_error *err)
{
    struct text_lines *lines = text_lines_open(vm->log, err);
    struct text_reader *r = lines ? text_reader_new(lines, err) : NULL;
    if (!r)
        return ix_fail_in(err, "trace log of %s/%s.txt", im->dir, vm->name);
    int rc = -1;
    struct ix_log_writer *w = create_log(im, vm, err);
    if (w)
        rc = convert_blocks(im, vm, r, w, rows, err);
    if (w && ix_log_writer_close(w) != 0 && rc == 0)
        rc = ix_fail(err, "cannot write the trace log of %s", vm->name);
    if (rc == 0)
        rc = keep_identity(r, rows, err);
    text_reader_free(r);
    return rc;
}

static void convert_job(void *user, size_t worker, size_t job)
{
    struct import *im = user;
    struct ix_error err;
    (void)worker;
    if (job > atomic_load(&im->failed) ||
        convert_log(im, &im->layout.vms[job], &im->rows[job], &err) == 0)
        return;
    pthread_mutex_lock(&im->lock);
    if (job < atomic_load(&im->failed)) {
        atomic_store(&im->failed, job);
        im->why = err;
    }
    pthread_mutex_unlock(&im->lock);
}

/* Warnings come in the order of the JVMs, and none from after the one that failed. */
static int convert_logs(struct import *im, unsigned threads, struct text_imported *imported,
                        struct ix_error *err)
{
    const size_t count = im->layout.count;
    atomic_store(&im->failed, count);
    roxi_workers_run(roxi_workers(threads, count), count, convert_job, im);
    const size_t failed = atomic_load(&im->failed);
    for (size_t i = 0; i < failed; i++) {
        if (im->rows[i].warning)
            roxi_warn("%s", im->rows[i].warning);
        imported->snapshots += im->rows[i].count;
    }
    imported->vms += failed;
    return failed == count ? 0 : ix_fail(err, "%s", im->why.text);
}

/* ---- the catalogue ---- */

static int add_vm(const struct import *im, int64_t execution, const struct text_vm_file *file,
                  const struct vm_rows *rows, struct ix_error *err)
{
    char *log = log_file(im->staging.path, file);
    if (!log)
        return no_memory(err);
    struct ix_vm vm = {
        .execution = execution,
        .role = rows->role,
        .host = file->address,
        .jvm = rows->jvm,
        .pid = (int64_t)file->pid,
        .log = log,
        .ended = "imported",
    };
    int64_t id = 0;
    int rc = ix_catalogue_add_vm(im->catalogue, &vm, &id, err);
    free(log);
    for (size_t i = 0; rc == 0 && i < rows->count; i++) {
        struct ix_snapshot_row row = rows->snapshots[i];
        row.vm = id;
        rc = ix_catalogue_add_snapshot(im->catalogue, &row, err);
    }
    return rc;
}

static int add_rows(const struct import *im, struct ix_error *err)
{
    int64_t execution;
    int rc = ix_catalogue_add_execution(im->catalogue, im->name, NULL, 0, &execution, err);
    for (size_t i = 0; rc == 0 && i < im->layout.count; i++)
        rc = add_vm(im, execution, &im->layout.vms[i], &im->rows[i], err);
    return rc;
}

/* Moves the logs into place before writing the rows that name them. */
static int publish(struct import *im, struct ix_error *err)
{
    if (ix_catalogue_begin(im->catalogue, err) != 0)
        return -1;
    if (roxi_staging_place(&im->staging, err) != 0 || add_rows(im, err) != 0) {
        ix_catalogue_rollback(im->catalogue);
        return -1;
    }
    return ix_catalogue_commit(im->catalogue, err);
}

/* ---- the whole ---- */

static int make_staging(struct import *im, struct ix_error *err)
{
    char *target;
    if (asprintf(&target, "%s/runs/%s", ix_catalogue_dir(im->catalogue), im->name) < 0)
        return no_memory(err);
    int rc = roxi_staging_make(&im->staging, target, err);
    free(target);
    return rc;
}

static int run_import(struct import *im, unsigned threads, struct text_imported *imported,
                      struct ix_error *err)
{
    if (text_layout_read(im->dir, &im->layout, err) != 0)
        return -1;
    if (im->layout.count == 0)
        roxi_warn("%s/files.list: no JVM in this run", im->dir);
    im->rows = calloc(im->layout.count + 1, sizeof *im->rows);
    if (!im->rows)
        return no_memory(err);
    if (make_staging(im, err) != 0)
        return -1;
    if (convert_logs(im, threads, imported, err) != 0)
        return -1;
    return publish(im, err);
}

/* The run's name is printed in tables, one line for each run. */
static int check_name(const struct import *im, struct ix_error *err)
{
    int64_t id;
    char quoted[TEXT_QUOTE_SIZE];
    struct ix_span name = {im->name, strlen(im->name)};
    if (name.len == 0)
        return ix_fail(err, "'%s' has no name that the run could have", im->dir);
    if (!text_plain(name))
        return ix_fail(err,
                       "'%s' cannot be a run's name: not UTF-8, or a control character; "
                       "rename the directory",
                       text_quote(quoted, name));
    int found = ix_catalogue_find_execution(im->catalogue, im->name, &id, err);
    if (found == 1)
        return ix_fail(err, "the campaign '%s' has a run '%s' already; rename the directory",
                       ix_catalogue_dir(im->catalogue), im->name);
    return found;
}

int text_import(struct ix_catalogue *catalogue, const char *dir, unsigned threads,
                struct text_imported *imported, struct ix_error *err)
{
    struct import im = {.catalogue = catalogue, .dir = realpath(dir, NULL)};
    *imported = (struct text_imported){0};
    if (!im.dir)
        return ix_fail(err, "cannot read '%s': %s", dir, strerror(errno));
    pthread_mutex_init(&im.lock, NULL);
    im.name = strrchr(im.dir, '/') + 1;
    int rc = check_name(&im, err);
    if (rc == 0)
        rc = run_import(&im, threads, imported, err);
    if (rc == 0)
        roxi_staging_keep(&im.staging);
    else
        roxi_staging_abandon(&im.staging);
    for (size_t i = 0; im.rows && i < im.layout.count; i++) {
        free(im.rows[i].role);
        free(im.rows[i].jvm);
        free(im.rows[i].warning);
        free(im.rows[i].snapshots);
    }
    free(im.rows);
    text_layout_free(&im.layout);
    free(im.dir);
    pthread_mutex_destroy(&im.lock);
    return rc;
}
