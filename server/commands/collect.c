/* SPDX-License-Identifier: Apache-2.0 */
/* ixor collect: gathers logs that were not uploaded automatically. It copies logs on this host into
 * the campaign's directory, or with --server sends them to a server on another host. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/catalogue/lock.h"
#include "schema/catalogue/suggest.h"
#include "schema/protocol/protocol.h"
#include "schema/tracelog/parts.h"
#include "schema/tracelog/reader.h"
#include "server/base/command.h"
#include "server/base/units.h"
#include "server/commands/common_options.h"
#include "server/commands/upload_client.h"
#include "server/store/endings.h"
#include "server/store/listing.h"
#include "server/store/log_check.h"
#include "server/store/log_store.h"

struct collecting {
    struct ix_catalogue *catalogue;
    struct ixor_log_store *log_store;
    struct ixor_execution_list executions;
    char host[256];
    bool unserved; /* no server writes the campaign, so no JVM is running for it */
    size_t here, brought, absent, torn;
};

/* ---- looking at a log ---- */

static bool meta_is(const struct ix_log_reader *log, const char *key, const char *want)
{
    const char *value = ix_log_meta_value(log, key);
    return value && strcmp(value, want) == 0;
}

/* On a host other than the JVM's, the same path may be another log. */
static bool is_log_of(const char *path, const struct ix_vm *vm, struct ix_error *err)
{
    char pid[24], started[24];
    struct ix_snapshot snapshot;
    struct ix_log_reader *log = ix_log_open(path, err);
    if (!log)
        return false;
    snprintf(pid, sizeof pid, "%" PRId64, vm->pid);
    snprintf(started, sizeof started, "%" PRId64, vm->started_ns);
    ix_log_next(log, &snapshot, NULL); /* META comes before the first snapshot */
    const bool same = meta_is(log, "pid", pid) && meta_is(log, "started", started) &&
                      meta_is(log, "host", vm->host);
    if (!same)
        ix_fail(err, "'%s' is another JVM's log", path);
    ix_log_reader_close(log);
    return same;
}

/* ---- copying one ---- */

static int copy_bytes(int from, struct ixor_copy *to, struct ix_error *err)
{
    char piece[65536];
    ssize_t n;
    const off_t size = lseek(from, 0, SEEK_END);
    if (size < 0 || ixor_copy_room(to, (uint64_t)size, err) != 0)
        return size < 0 ? ix_fail(err, "cannot read it: %s", strerror(errno)) : -1;
    while ((n = pread(from, piece, sizeof piece, (off_t)to->size)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ix_fail(err, "cannot read it: %s", strerror(errno));
        if (ixor_copy_write(to, piece, (size_t)n, err) != 0)
            return -1;
    }
    return 0;
}

static int copy_file(struct collecting *k, const struct ixor_copy_of *of, const char *path,
                     struct ix_error *err)
{
    struct ixor_copy copy = IXOR_NO_COPY;
    const int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (from < 0)
        return ix_fail(err, "cannot open '%s': %s", path, strerror(errno));
    int bad = ixor_copy_open(&copy, k->log_store, of, err);
    if (!bad)
        bad = ixor_copy_restart(&copy, err);
    if (!bad)
        bad = copy_bytes(from, &copy, err);
    if (!bad)
        bad = ixor_copy_finish(&copy, err);
    ixor_copy_close(&copy, bad);
    close(from);
    return bad;
}

/* Copies the parts first, so that the presence of the log itself means that all are there. */
static int copy_log(struct collecting *k, struct ixor_copy_of *of, const char *path,
                    struct ix_error *err)
{
    struct ix_parts parts;
    int bad = ix_parts_find(&parts, path) == 0 ? 0 : ix_fail(err, "out of memory");
    for (size_t i = 0; !bad && i < parts.count; i++) {
        of->part = parts.numbers[i];
        char *part = ix_part_path(path, of->part);
        bad = part ? copy_file(k, of, part, err) : ix_fail(err, "out of memory");
        free(part);
    }
    of->part = 0;
    if (!bad && (access(path, F_OK) == 0 || !parts.count))
        bad = copy_file(k, of, path, err);
    ix_parts_free(&parts);
    return bad;
}

/* ---- one JVM ---- */

static const char *execution_name(const struct collecting *k, int64_t id)
{
    for (size_t i = 0; i < k->executions.count; i++) {
        if (k->executions.at[i].id == id)
            return k->executions.at[i].name;
    }
    return "";
}

static void print_about(const struct ix_vm *vm, const char *what)
{
    char role[IX_NAME_MAX + 1], host[IX_NAME_MAX + 1];
    ixor_safe_text(vm->role, role, sizeof role);
    ixor_safe_text(vm->host, host, sizeof host);
    printf("%s (process %" PRId64 " on %s): %s\n", role, vm->pid, host, what);
}

static int note_here(struct collecting *k, const struct ix_vm *vm, const char *state,
                     const char *copy, const char *path, struct ix_error *err)
{
    const int whole = ixor_log_is_complete(path);
    k->here++;
    k->torn += whole == 0;
    if (whole == 0)
        print_about(vm, "its log ends in the middle of a record; it is read up to there");
    return ix_catalogue_set_log(k->catalogue, vm->id, state, copy, whole, err);
}

static int copy_here(struct collecting *k, const struct ix_vm *vm, struct ix_error *err)
{
    char path[IXOR_COPY_PATH], text[IXOR_COPY_PATH + 64], *whole;
    struct ix_error why;
    struct ixor_copy_of of = {
        .vm = vm->id,
        .execution = execution_name(k, vm->execution),
        .role = vm->role,
        .host = vm->host,
        .pid = vm->pid,
        .started_ns = vm->started_ns,
    };
    if (copy_log(k, &of, vm->log_there, &why) != 0) {
        print_about(vm, why.text);
        k->absent++;
        return 0;
    }
    ixor_log_store_path(&of, path);
    snprintf(text, sizeof text, "its log is now in %s", path);
    print_about(vm, text);
    k->brought++;
    if (asprintf(&whole, "%s/%s", ix_catalogue_dir(k->catalogue), path) < 0)
        return ix_fail(err, "out of memory");
    const int bad = note_here(k, vm, "collected", path, whole, err);
    free(whole);
    return bad;
}

/* Reports a log that is not available here: where it is, and whether the user should look for
 * it. */
static int report_absent(struct collecting *k, const struct ix_vm *vm, const struct ix_error *why,
                         struct ix_error *err)
{
    char text[IX_PATH_MAX + 512];
    k->absent++;
    if (strcmp(vm->host, k->host) == 0) {
        print_about(vm, why->text);
        const bool gone = access(vm->log_there, F_OK) != 0 && errno == ENOENT;
        return gone && strcmp(vm->log_state, "there") == 0
                   ? ix_catalogue_set_log(k->catalogue, vm->id, "lost", NULL, -1, err)
                   : 0;
    }
    if (ixor_log_words(vm, text, sizeof text))
        print_about(vm, text);
    return 0;
}

static int collect_one(struct collecting *k, const struct ix_vm *vm, struct ix_error *err)
{
    struct ix_error why;
    const bool home = strcmp(vm->log_state, "collected") == 0;
    if ((strcmp(vm->ended, "running") == 0 && !k->unserved) || strcmp(vm->ended, "imported") == 0)
        return 0;
    if (home && access(vm->log, R_OK) == 0)
        return note_here(k, vm, "collected", NULL, vm->log, err);
    if (!is_log_of(vm->log_there, vm, &why))
        return report_absent(k, vm, &why, err);
    const int inside = ixor_log_store_open_inside(k->log_store, vm->log_there);
    if (inside < 0)
        return copy_here(k, vm, err);
    close(inside);
    return note_here(k, vm, "here", NULL, vm->log_there, err);
}

static int collect_all(struct collecting *k, int64_t execution, struct ix_error *err)
{
    struct ixor_vm_list vms = {0};
    int bad = ixor_list_vms(&vms, k->catalogue, execution, err);
    for (size_t i = 0; !bad && i < vms.count; i++)
        bad = collect_one(k, &vms.at[i], err);
    ixor_vm_list_free(&vms);
    return bad;
}

static int collect(const char *dir, const char *execution, struct ix_error *err)
{
    struct collecting k = {0};
    int64_t id = 0;
    int bad = -1;
    k.catalogue = ix_catalogue_open(dir, IX_CATALOGUE_WRITE, err);
    k.log_store = k.catalogue ? ixor_log_store_new(dir, err) : NULL;
    if (k.log_store)
        bad = ixor_list_executions(&k.executions, k.catalogue, err);
    if (gethostname(k.host, sizeof k.host - 1) != 0)
        k.host[0] = '\0';
    const int found =
        !bad && execution ? ix_catalogue_find_execution(k.catalogue, execution, &id, err) : 1;
    if (found == 0)
        bad = ix_catalogue_fail_unknown(k.catalogue, execution, err);
    else if (found < 0)
        bad = -1;
    k.unserved = !ix_lock_is_held(dir); /* then a server may have been killed */
    if (!bad)
        bad = collect_all(&k, id, err);
    if (!bad)
        printf("%zu log%s here, %zu of them brought now, %zu torn; %zu not here\n", k.here,
               k.here == 1 ? "" : "s", k.brought, k.torn, k.absent);
    ixor_execution_list_free(&k.executions);
    ixor_log_store_free(k.log_store);
    ix_catalogue_close(k.catalogue);
    return bad;
}

/* ---- the command line ---- */

static const char about[] =
    "Brings in the trace logs that a campaign lacks, such as those of JVMs that were\n"
    "killed or had no time to upload them.\n"
    "\n"
    "The first form runs on the server's host. It copies logs of JVMs that have ended\n"
    "from this host or a shared file system into the campaign DIR, unless they are\n"
    "there already; checks whether each is complete; and prints where the others are.\n"
    "The second form runs on a host that has such logs. It uploads them to the\n"
    "server, continuing uploads that were interrupted.";

struct options {
    const char *execution;
    struct ixor_upload_client_options upload;
};

#define FIELD(name) offsetof(struct options, name)

static const struct ix_option rows[] = {
    {IX_OPTION_TEXT, "execution", .value = "NAME", .help = "only the logs of one run",
     .offset = FIELD(execution)},
    {IX_OPTION_TEXT, "server", .value = "HOST:PORT", .help = "where 'ixor serve' listens",
     .offset = FIELD(upload.server)},
    {IX_OPTION_TEXT, "key", .value = "FILE", .help = "a copy of the campaign's agent.key",
     .preset = "$IXOR_KEY, else the key that a server of the same user on this host provides",
     .offset = FIELD(upload.key)},
};

/* Checks that need all options and arguments. */
static int check_options(const struct options *o, size_t count, struct ix_error *err)
{
    const struct ixor_upload_client_options *u = &o->upload;
    const struct ix_tls_files *files = &u->files;
    if (ixor_tls_files_check(files, err) != 0)
        return -1;
    if (u->server && o->execution)
        return ix_fail(err, "--execution and --server exclude each other: each log names its run");
    if (!u->server && (u->key || files->certificate))
        return ix_fail(err, "option --%s needs --server", u->key ? "key" : "tls-cert");
    if (u->server && !count)
        return ix_fail(err, "expected the logs to send");
    if (!u->server && count != 1)
        return ix_fail(err, "expected one campaign's directory");
    return 0;
}

int ixor_cmd_collect(int argc, char **argv, struct ix_error *err)
{
    struct options o = {0};
    const struct ix_option_group groups[] = {
        IX_OPTION_GROUP(rows, &o), ixor_tls_group(&o.upload.files), {.target = NULL}};
    const struct ix_command_line line = {
        .program = "ixor",
        .command = "collect",
        .args = "DIR\n       ixor collect --server HOST:PORT [OPTION...] LOG...",
        .args_max = SIZE_MAX,
        .about = about,
        .groups = groups,
    };
    char **args;
    const int parsed = ixor_parse_options(&line, argc, argv, &args, err);
    if (parsed != IXOR_OK)
        return parsed;
    const size_t count = ix_count_args(args);
    if (check_options(&o, count, err) != 0)
        return ixor_wrong_use(&line, err);
    const int bad = o.upload.server ? ixor_upload_client_send(&o.upload, args, err)
                                    : collect(args[0], o.execution, err);
    return bad ? IXOR_FAILED : IXOR_OK;
}
