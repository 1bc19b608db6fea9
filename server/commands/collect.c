/* ixor collect: logs that did not come home by themselves. In the campaign's directory it takes
 * what lies on this host; with --server it sends logs of this host to a server on another one. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/protocol.h"
#include "schema/tracelog_parts.h"
#include "schema/tracelog_reader.h"
#include "server/command.h"
#include "server/courier.h"
#include "server/depot.h"
#include "server/endings.h"
#include "server/listing.h"
#include "server/units.h"
#include "server/whole.h"

static const char help[] =
    "Usage: ixor collect [--execution NAME] DIR\n"
    "       ixor collect --server HOST:PORT [--key FILE] [OPTION...] LOG...\n"
    "\n"
    "Brings trace logs into a campaign that did not come by themselves: of JVMs that\n"
    "were killed, or that had no time left.\n"
    "\n"
    "In the first form, on the server's host: logs of JVMs that are over and that lie\n"
    "on this host or a shared file system are copied into the campaign DIR, unless\n"
    "they are there; it is looked up whether each is whole; and it says where the\n"
    "others are. In the second, on a host where such logs are: sends them to the\n"
    "server, which goes on with what it has of them.\n"
    "\n"
    "  --execution NAME    only the logs of one execution\n"
    "  --server HOST:PORT  where 'ixor serve' listens\n"
    "  --key FILE          a copy of the campaign's agent.key; default: $IXOR_KEY, or\n"
    "                      what a server of the same user on this host has left\n"
    "  --tls-cert FILE, --tls-key FILE, --tls-ca FILE\n"
    "                      certificates in PEM, where the server wants them: this\n"
    "                      host's, its private key, the authorities of the server's\n"
    "  -h, --help          this text\n";

struct collecting {
    struct ix_catalogue *catalogue;
    struct ixor_depot *depot;
    struct ixor_execution_list executions;
    char host[256];
    size_t here, brought, absent, torn;
};

/* ---- looking at a log ---- */

static bool meta_is(const struct ix_log_reader *log, const char *key, const char *want)
{
    const char *value = ix_log_meta_value(log, key);
    return value && strcmp(value, want) == 0;
}

/* On another host than the VM's, its path may be that of another log. */
static bool is_log_of(const char *path, const struct ix_vm *vm, struct ix_error *err)
{
    char pid[24], started[24];
    struct ix_snapshot snapshot;
    struct ix_log_reader *log = ix_log_open(path, err);
    if (!log)
        return false;
    snprintf(pid, sizeof pid, "%" PRId64, vm->pid);
    snprintf(started, sizeof started, "%" PRId64, vm->started_ns);
    ix_log_next(log, &snapshot, NULL); /* META stands before the first snapshot */
    const bool same = meta_is(log, "pid", pid) && meta_is(log, "started", started) &&
                      meta_is(log, "host", vm->host);
    if (!same)
        ix_fail(err, "'%s' is another VM's log", path);
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
    int bad = ixor_copy_open(&copy, k->depot, of, err);
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

/* The parts first, so that the log itself stands for all of them. */
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

/* ---- one VM ---- */

static const char *execution_name(const struct collecting *k, int64_t id)
{
    for (size_t i = 0; i < k->executions.count; i++) {
        if (k->executions.at[i].id == id)
            return k->executions.at[i].name;
    }
    return "";
}

static void say(const struct ix_vm *vm, const char *what)
{
    char role[IX_NAME_MAX + 1], host[IX_NAME_MAX + 1];
    ixor_safe_text(vm->role, role, sizeof role);
    ixor_safe_text(vm->host, host, sizeof host);
    printf("%s (process %" PRId64 " on %s): %s\n", role, vm->pid, host, what);
}

static int note_here(struct collecting *k, const struct ix_vm *vm, const char *state,
                     const char *copy, const char *path, struct ix_error *err)
{
    const int whole = ixor_log_is_whole(path);
    k->here++;
    k->torn += whole == 0;
    if (whole == 0)
        say(vm, "its log ends in the middle of a record; it is read up to there");
    return ix_catalogue_set_log(k->catalogue, vm->id, state, copy, whole, err);
}

static int bring(struct collecting *k, const struct ix_vm *vm, struct ix_error *err)
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
        say(vm, why.text);
        k->absent++;
        return 0;
    }
    ixor_depot_path(&of, path);
    snprintf(text, sizeof text, "its log is now in %s", path);
    say(vm, text);
    k->brought++;
    if (asprintf(&whole, "%s/%s", ix_catalogue_dir(k->catalogue), path) < 0)
        return ix_fail(err, "out of memory");
    const int bad = note_here(k, vm, "collected", path, whole, err);
    free(whole);
    return bad;
}

/* It cannot be had here: says where it is, and whether anybody need look for it. */
static int leave(struct collecting *k, const struct ix_vm *vm, const struct ix_error *why,
                 struct ix_error *err)
{
    char text[IX_PATH_MAX + 512];
    k->absent++;
    if (strcmp(vm->host, k->host) == 0) {
        say(vm, why->text);
        const bool gone = access(vm->log_there, F_OK) != 0 && errno == ENOENT;
        return gone && strcmp(vm->log_state, "there") == 0
                   ? ix_catalogue_set_log(k->catalogue, vm->id, "lost", NULL, -1, err)
                   : 0;
    }
    if (ixor_log_words(vm, text, sizeof text))
        say(vm, text);
    return 0;
}

static int collect_one(struct collecting *k, const struct ix_vm *vm, struct ix_error *err)
{
    struct ix_error why;
    const bool home = strcmp(vm->log_state, "collected") == 0;
    if (strcmp(vm->ended, "running") == 0 || strcmp(vm->ended, "imported") == 0)
        return 0;
    if (home && access(vm->log, R_OK) == 0)
        return note_here(k, vm, "collected", NULL, vm->log, err);
    if (!is_log_of(vm->log_there, vm, &why))
        return leave(k, vm, &why, err);
    const int inside = ixor_depot_open_inside(k->depot, vm->log_there);
    if (inside < 0)
        return bring(k, vm, err);
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
    k.depot = k.catalogue ? ixor_depot_new(dir, err) : NULL;
    if (k.depot)
        bad = ixor_list_executions(&k.executions, k.catalogue, err);
    if (gethostname(k.host, sizeof k.host - 1) != 0)
        k.host[0] = '\0';
    const int found =
        !bad && execution ? ix_catalogue_find_execution(k.catalogue, execution, &id, err) : 1;
    if (found == 0)
        bad = ix_fail(err, "'%s' has no execution '%s'; 'ixor status %s' lists them", dir,
                      execution, dir);
    else if (found < 0)
        bad = -1;
    if (!bad)
        bad = collect_all(&k, id, err);
    if (!bad)
        printf("%zu log%s here, %zu of them brought now, %zu torn; %zu not here\n", k.here,
               k.here == 1 ? "" : "s", k.brought, k.torn, k.absent);
    ixor_execution_list_free(&k.executions);
    ixor_depot_free(k.depot);
    ix_catalogue_close(k.catalogue);
    return bad;
}

/* All three files or none of them. */
static bool torn_files(const struct ix_tls_files *f)
{
    return !f->certificate != !f->key || !f->key != !f->authorities;
}

int ixor_cmd_collect(int argc, char **argv, struct ix_error *err)
{
    static const struct option options[] = {{"execution", required_argument, NULL, 'e'},
                                            {"server", required_argument, NULL, 's'},
                                            {"key", required_argument, NULL, 'k'},
                                            {"tls-cert", required_argument, NULL, 'c'},
                                            {"tls-key", required_argument, NULL, 'p'},
                                            {"tls-ca", required_argument, NULL, 'a'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *execution = NULL;
    struct ixor_courier_options courier = {0};
    struct ix_tls_files *files = &courier.files;
    opterr = 0;
    for (int o; (o = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        switch (o) {
        case 'e': execution = optarg; break;
        case 's': courier.server = optarg; break;
        case 'k': courier.key = optarg; break;
        case 'c': files->certificate = optarg; break;
        case 'p': files->key = optarg; break;
        case 'a': files->authorities = optarg; break;
        case 'h': fputs(help, stdout); return IXOR_OK;
        default: return ixor_bad_option(o, argv, err);
        }
    }
    const bool sends = courier.server != NULL;
    if (sends && execution)
        ix_fail(err, "option --execution: a log says itself of which it is; leave it out");
    else if (!sends && (courier.key || files->certificate || files->key || files->authorities))
        ix_fail(err, "option --%s: it is for --server", courier.key ? "key" : "tls-cert");
    else if (torn_files(files))
        ix_fail(err, "--tls-cert, --tls-key and --tls-ca go together");
    else if (sends && optind == argc)
        ix_fail(err, "expected the logs that are to be sent");
    else if (!sends && argc - optind != 1)
        ix_fail(err, "expected one campaign's directory");
    else if (sends)
        return ixor_courier_send(&courier, argv + optind, err) == 0 ? IXOR_OK : IXOR_FAILED;
    else
        return collect(argv[optind], execution, err) == 0 ? IXOR_OK : IXOR_FAILED;
    return IXOR_USAGE;
}
