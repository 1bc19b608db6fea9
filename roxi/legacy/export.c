/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/legacy/export.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "roxi/base/staging.h"
#include "roxi/base/text_escape.h"
#include "roxi/base/warn.h"
#include "roxi/legacy/writer.h"
#include "schema/base/grow.h"
#include "schema/catalogue/suggest.h"

/* With an address of this length a file name still fits into 255 bytes. */
enum { ADDRESS_MAX = 200 };

struct vm_file {
    char *name; /* <address>-<process id> */
    char *log;  /* the trace log */
    char *role, *jvm;
    int64_t pid;
};

struct vm_list {
    struct vm_file *vms;
    size_t count, cap;
    struct ix_error *err;
};

static int no_memory(struct ix_error *err)
{
    return ix_fail(err, "out of memory");
}

/* ---- which JVMs, under which names ---- */

/* The host's part of a file name; the caller frees it. */
static char *address_of(const char *host)
{
    char *address = strdup(*host ? host : "unknown");
    if (!address)
        return NULL;
    size_t at = 0, len = strlen(address);
    while (at < len) {
        unsigned char c = (unsigned char)address[at];
        size_t size = text_utf8_length(address + at, len - at);
        if (at + (size ? size : 1) > ADDRESS_MAX)
            break;
        if (size == 0 || c < 0x20 || c == 0x7f || c == '/')
            address[at] = '_';
        at += size ? size : 1;
    }
    address[at] = '\0';
    return address;
}

static bool taken(const struct vm_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->vms[i].name, name) == 0)
            return true;
    return false;
}

static char *unique_name(const struct vm_list *list, const struct ix_vm *vm)
{
    char *address = address_of(vm->host), *name = NULL;
    for (unsigned copy = 1; address; copy++) {
        int rc = copy == 1 ? asprintf(&name, "%s-%" PRId64, address, vm->pid)
                           : asprintf(&name, "%s~%u-%" PRId64, address, copy, vm->pid);
        if (rc < 0)
            name = NULL;
        if (!name || !taken(list, name))
            break;
        free(name);
    }
    free(address);
    return name;
}

static int take_vm(void *user, const struct ix_vm *vm)
{
    struct vm_list *list = user;
    struct vm_file *vms = ix_grow(list->vms, &list->cap, list->count + 1, sizeof *vms);
    if (!vms)
        return no_memory(list->err);
    list->vms = vms;
    struct vm_file file = {
        .name = unique_name(list, vm),
        .log = strdup(vm->log),
        .role = strdup(vm->role),
        .jvm = strdup(vm->jvm),
        .pid = vm->pid,
    };
    vms[list->count++] = file;
    return file.name && file.log && file.role && file.jvm ? 0 : no_memory(list->err);
}

static void free_list(struct vm_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->vms[i].name);
        free(list->vms[i].log);
        free(list->vms[i].role);
        free(list->vms[i].jvm);
    }
    free(list->vms);
}

/* ---- files ---- */

/* Creates DIR/BEFORE NAME AFTER. */
static FILE *create(const char *dir, const char *before, const char *name, const char *after,
                    struct ix_error *err)
{
    char *path;
    if (asprintf(&path, "%s/%s%s%s", dir, before, name, after) < 0) {
        no_memory(err);
        return NULL;
    }
    FILE *file = fopen(path, "wxe");
    if (!file)
        ix_fail(err, "cannot write '%s': %s", path, strerror(errno));
    free(path);
    return file;
}

static int finish(FILE *file, const char *what, struct ix_error *err)
{
    bool bad = ferror(file) != 0;
    bad = fclose(file) != 0 || bad;
    return bad ? ix_fail(err, "cannot write %s: %s", what, strerror(errno ? errno : EIO)) : 0;
}

/* A JVM that was killed before its first snapshot may have no log: treat it as a log without
 * snapshots. */
static struct ix_log_reader *open_log(const struct vm_file *vm, bool *missing, struct ix_error *err)
{
    struct ix_log_reader *log = ix_log_open(vm->log, err); /* parts suffice */
    *missing = !log && access(vm->log, F_OK) != 0 && errno == ENOENT;
    if (!*missing)
        return log;
    roxi_warn("'%s' is missing: %s is exported without snapshots", vm->log, vm->name);
    return ix_log_open_memory(NULL, 0, vm->log, err);
}

static int write_log(const struct vm_file *vm, FILE *out, struct ix_error *err)
{
    bool missing;
    struct ix_log_reader *log = open_log(vm, &missing, err);
    if (!log)
        return -1;
    struct text_vm who = {vm->pid, vm->role, vm->jvm};
    struct text_written written;
    int rc = text_write_log(log, &who, out, &written, err);
    if (rc == 0 && !missing && ix_log_torn(log))
        roxi_warn("%s", ix_log_torn(log));
    if (rc == 0 && written.cut_stacks)
        roxi_warn("%s: %" PRIu64
                  " call stacks were cut off by the depth limit, which the text cannot "
                  "say; it has them without their callers",
                  vm->log, written.cut_stacks);
    ix_log_reader_close(log);
    return rc;
}

static int export_vm(const char *dir, const struct vm_file *vm, FILE *files_list,
                     struct ix_error *err)
{
    fprintf(files_list, "%s.txt\n", vm->name);
    FILE *file = create(dir, "", vm->name, ".txt", err);
    if (!file)
        return -1;
    fprintf(file, "logs/%s.log\n", vm->name);
    if (finish(file, vm->name, err) != 0)
        return -1;
    FILE *log = create(dir, "logs/", vm->name, ".log", err);
    if (!log)
        return -1;
    int rc = write_log(vm, log, err);
    if (rc != 0) {
        fclose(log);
        return rc;
    }
    return finish(log, vm->name, err);
}

static int fill(const char *dir, const struct vm_list *list, struct ix_error *err)
{
    char *logs;
    if (asprintf(&logs, "%s/logs", dir) < 0)
        return no_memory(err);
    int rc = mkdir(logs, 0777);
    if (rc != 0)
        ix_fail(err, "cannot make '%s': %s", logs, strerror(errno));
    free(logs);
    FILE *files_list = rc == 0 ? create(dir, "", "files.list", "", err) : NULL;
    if (!files_list)
        return -1;
    for (size_t i = 0; rc == 0 && i < list->count; i++)
        rc = export_vm(dir, &list->vms[i], files_list, err);
    if (rc != 0) {
        fclose(files_list);
        return rc;
    }
    return finish(files_list, "files.list", err);
}

/* ---- the whole ---- */

static int check_target(const char *dir, struct ix_error *err)
{
    DIR *there = opendir(dir);
    if (!there)
        return errno == ENOENT ? 0 : ix_fail(err, "cannot make '%s': %s", dir, strerror(errno));
    int rc = 0;
    for (const struct dirent *entry; rc == 0 && (entry = readdir(there));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            rc = ix_fail(err, "'%s' is there and not empty", dir);
    closedir(there);
    return rc;
}

int text_export(struct ix_catalogue *catalogue, const char *execution, const char *dir,
                struct ix_error *err)
{
    int64_t id;
    struct vm_list list = {.err = err};
    struct roxi_staging staging = {0};
    int rc = ix_catalogue_find_execution(catalogue, execution, &id, err);
    if (rc == 0)
        return ix_catalogue_fail_unknown(catalogue, execution, err);
    if (rc < 0 || check_target(dir, err) != 0)
        return -1;
    rc = ix_catalogue_vms(catalogue, id, take_vm, &list, err);
    if (rc == 0)
        rc = roxi_staging_make(&staging, dir, err);
    if (rc == 0)
        rc = fill(staging.path, &list, err);
    if (rc == 0)
        rc = roxi_staging_place(&staging, err);
    if (rc == 0)
        roxi_staging_keep(&staging);
    else
        roxi_staging_abandon(&staging);
    free_list(&list);
    return rc;
}
