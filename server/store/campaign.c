/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/base/units.h"
#include "schema/catalogue/lock.h"
#include "server/base/command.h"
#include "server/base/units.h"
#include "server/store/filesystem.h"

/* Opens or creates the campaign's key and the agent key beside it. */
static int open_keys(struct ixor_campaign *c, struct ix_error *err)
{
    char path[PATH_MAX], agents[PATH_MAX];
    struct ix_key there;
    if (snprintf(path, sizeof path, "%s/key", c->dir) >= (int)sizeof path ||
        snprintf(agents, sizeof agents, "%s/agent.key", c->dir) >= (int)sizeof agents)
        return ix_fail(err, "'%s': the name is too long", c->dir);
    int status = ix_key_read(IX_KEY_CAMPAIGN, path, &c->key, err);
    if (status > 0)
        status =
            ix_key_make(&c->key, err) == 0 ? ix_key_write(IX_KEY_CAMPAIGN, path, &c->key, err) : -1;
    if (status != 0 || ix_key_derive(&c->key, IX_KEY_AGENT, &c->agent_key, err) != 0)
        return -1;
    if (ix_key_read(IX_KEY_AGENT, agents, &there, NULL) == 0 &&
        memcmp(&there, &c->agent_key, sizeof there) == 0)
        return 0;
    return ix_key_write(IX_KEY_AGENT, agents, &c->agent_key, err);
}

static int is_running(void *user, const struct ix_vm *vm)
{
    bool *running = user;
    if (strcmp(vm->ended, "running") == 0)
        *running = true;
    return 0;
}

/* ---- whether it is still there ---- */

/* Without its -wal and -shm a catalogue loses the last writes; SQLite keeps both while it is
 * open. */
static const char *const held[IXOR_CAMPAIGN_HELD] = {"", "/campaign.db", "/campaign.db-wal",
                                                     "/campaign.db-shm", "/server.lock"};

/* A descriptor keeps the inode's number from being given to another file. */
int ixor_hold(const char *path)
{
    return open(path, O_PATH | O_CLOEXEC);
}

int ixor_hold_check(int fd, const char *path, struct ix_error *err)
{
    struct stat was, is;
    if (fd < 0 || fstat(fd, &was) != 0)
        return 0; /* it did not exist before */
    if (stat(path, &is) != 0)
        return ix_fail(err, "'%s' is gone (%s): it was removed or moved while ixor wrote it", path,
                       strerror(errno));
    if (was.st_dev == is.st_dev && was.st_ino == is.st_ino)
        return 0;
    return ix_fail(err, "'%s' was replaced by another one while ixor wrote it", path);
}

static int hold_all(struct ixor_campaign *c, struct ix_error *err)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < IXOR_CAMPAIGN_HELD; i++) {
        if (snprintf(path, sizeof path, "%s%s", c->dir, held[i]) >= (int)sizeof path)
            return ix_fail(err, "'%s': the name is too long", c->dir);
        c->held[i] = ixor_hold(path);
    }
    return 0;
}

int ixor_campaign_check(const struct ixor_campaign *c, struct ix_error *err)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < IXOR_CAMPAIGN_HELD; i++) {
        snprintf(path, sizeof path, "%s%s", c->dir, held[i]);
        if (ixor_hold_check(c->held[i], path, err) != 0)
            return -1;
    }
    return 0;
}

int ixor_campaign_open(struct ixor_campaign *c, const char *dir, struct ix_error *err)
{
    *c = IXOR_NO_CAMPAIGN;
    struct ix_error warning;
    const int doubtful = ixor_filesystem_check(dir, statfs, &warning);
    if (doubtful < 0)
        return ix_fail(err, "%s", warning.text);
    if (doubtful)
        ixor_notice("warning: %s", warning.text);
    c->catalogue = ix_catalogue_open(dir, IX_CATALOGUE_CREATE, err);
    if (!c->catalogue)
        return -1;
    c->dir = realpath(dir, NULL);
    if (!c->dir)
        return ix_fail(err, "'%s': %s", dir, strerror(errno));
    if (ix_lock_to_write(c->dir, &c->lock, err) != 0 || open_keys(c, err) != 0)
        return -1;
    if (ix_catalogue_end_open_commands(c->catalogue, err) != 0)
        return -1;
    if (ix_catalogue_vms(c->catalogue, 0, is_running, &c->crashed, err) != 0)
        return -1;
    if (c->crashed &&
        ix_catalogue_end_running_vms(c->catalogue, "server-stopped", ixor_wall_ns(), err) != 0)
        return -1;
    return hold_all(c, err);
}

void ixor_campaign_close(struct ixor_campaign *c)
{
    ix_catalogue_close(c->catalogue);
    if (c->lock >= 0)
        close(c->lock);
    for (size_t i = 0; i < IXOR_CAMPAIGN_HELD; i++) {
        if (c->held[i] >= 0)
            close(c->held[i]);
    }
    free(c->dir);
    *c = IXOR_NO_CAMPAIGN;
}

int ixor_campaign_announce(struct ixor_campaign *c, const char *server, const char *run_dir,
                           struct ix_error *err)
{
    const bool kept = run_dir && !strchr(run_dir, '\n'); /* too unusual to support */
    if (dprintf(c->lock, "%s\n%s%s", server, kept ? run_dir : "", kept ? "\n" : "") < 0)
        return ix_fail(err, "cannot write '%s/server.lock': %s", c->dir, strerror(errno));
    return 0;
}

static bool is_locked(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return locked;
}

/* The next line without its newline, NULL at the end. */
static char *line_of(FILE *f)
{
    char *line = NULL;
    size_t size = 0;
    const ssize_t len = getline(&line, &size, f);
    if (len <= 0) {
        free(line);
        return NULL;
    }
    line[len - (line[len - 1] == '\n')] = '\0';
    return line;
}

static bool process_exists(const char *pid)
{
    uint64_t number;
    if (!ix_parse_number(pid, strlen(pid), &number) || number == 0 || number > INT_MAX)
        return false;
    return kill((pid_t)number, 0) == 0 || errno == EPERM;
}

int ixor_campaign_announced(const char *dir, struct ixor_announced *out, struct ix_error *err)
{
    char *path;
    *out = (struct ixor_announced){0};
    if (asprintf(&path, "%s/server.lock", dir) < 0)
        return ix_fail(err, "out of memory");
    FILE *f = fopen(path, "re");
    char *pid = f ? line_of(f) : NULL;
    if (pid) {
        out->server = line_of(f);
        out->run_dir = out->server ? line_of(f) : NULL;
    }
    if (f)
        fclose(f);
    /* Locking it even briefly could block a server that is just starting, so that is done only if
     * the process exists. */
    const bool served = pid && process_exists(pid) && is_locked(path);
    free(path);
    free(pid);
    if (served && out->server)
        return 0;
    free(out->server);
    free(out->run_dir);
    if (served)
        return ix_fail(err, "the ixor that writes '%s' does not listen (yet)", dir);
    return ix_fail(err, "'%s' is not being served; start 'ixor serve --out %s' first", dir, dir);
}

struct search {
    const char *series;
    size_t len;
    unsigned number;
    bool open;
};

static int last_of_series(void *user, const struct ix_execution *e)
{
    struct search *s = user;
    char as_ours[IXOR_SERIES_NAME];
    uint64_t number;
    if (strncmp(e->name, s->series, s->len) != 0 ||
        ixor_parse_count(e->name + s->len, 1, IXOR_SERIES_MAX, &number, NULL) != 0)
        return 0;
    ixor_campaign_name(s->series, (unsigned)number, as_ours);
    if (strcmp(as_ours, e->name) != 0)
        return 0; /* run+1, run01: not of this series */
    if (number > s->number) {
        s->number = (unsigned)number;
        s->open = e->end_ns == 0;
    }
    return 0;
}

int ixor_campaign_last(struct ixor_campaign *c, const char *series, unsigned *number, bool *open,
                       struct ix_error *err)
{
    struct search s = {.series = series, .len = strlen(series)};
    if (ix_catalogue_executions(c->catalogue, last_of_series, &s, err) != 0)
        return -1;
    *number = s.number;
    if (open)
        *open = s.open;
    return 0;
}

void ixor_campaign_name(const char *series, unsigned number, char name[IXOR_SERIES_NAME])
{
    snprintf(name, IXOR_SERIES_NAME, "%s%04u", series, number);
}

/* 1: the catalogue or the directory has it; -1 with a message. */
static int is_taken(struct ixor_campaign *c, const char *name, struct ix_error *err)
{
    char path[PATH_MAX];
    struct stat info;
    int64_t id;
    const int known = ix_catalogue_find_execution(c->catalogue, name, &id, err);
    if (known != 0)
        return known;
    if (snprintf(path, sizeof path, "%s/runs/%s", c->dir, name) >= (int)sizeof path)
        return ix_fail(err, "'%s': the name is too long", c->dir);
    return lstat(path, &info) == 0;
}

int ixor_campaign_next(struct ixor_campaign *c, const char *series, unsigned *number,
                       char name[IXOR_SERIES_NAME], struct ix_error *err)
{
    int taken;
    do {
        *number = *number < IXOR_SERIES_MAX ? *number + 1 : 1;
        ixor_campaign_name(series, *number, name);
    } while ((taken = is_taken(c, name, err)) > 0);
    return taken;
}

char *ixor_campaign_make_run_dir(struct ixor_campaign *c, const char *name, struct ix_error *err)
{
    char *path;
    if (asprintf(&path, "%s/runs", c->dir) < 0) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    bool bad = mkdir(path, 0777) != 0 && errno != EEXIST;
    if (bad)
        ix_fail(err, "cannot make '%s': %s", path, strerror(errno));
    free(path);
    if (bad)
        return NULL;
    if (asprintf(&path, "%s/runs/%s", c->dir, name) < 0) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        ix_fail(err, "cannot make '%s': %s", path, strerror(errno));
        free(path);
        return NULL;
    }
    return path;
}

/* DIRECTORY/RELATIVE if it can be read, as an absolute path without links; NULL if not. */
static char *readable(const char *directory, const char *relative)
{
    char *path, *real = NULL;
    if (asprintf(&path, "%s/%s", directory, relative) < 0)
        return NULL;
    if (access(path, R_OK) == 0)
        real = realpath(path, NULL);
    free(path);
    return real;
}

/* Where a build, `make install` and distributions put the agent, seen from the program. */
static const char *const agent_places[] = {"libixor.so", "../lib/libixor.so",
                                           "../lib/ixor/libixor.so", "../lib64/libixor.so",
                                           "../lib64/ixor/libixor.so"};
/* The same of ixor-junit.jar, seen from the agent. */
static const char *const jar_places[] = {"ixor-junit.jar", "../share/java/ixor-junit.jar",
                                         "../../share/java/ixor-junit.jar"};

char *ixor_find_agent(const char *given, struct ix_error *err)
{
    char self[PATH_MAX];
    char *found;
    if (given) {
        struct stat info;
        if (access(given, R_OK) != 0 || stat(given, &info) != 0) {
            ix_fail(err, "the agent '%s': %s", given, strerror(errno));
            return NULL;
        }
        if (!S_ISREG(info.st_mode)) {
            ix_fail(err, "the agent '%s' is not a file; expected the path of libixor.so", given);
            return NULL;
        }
        found = realpath(given, NULL);
        if (!found)
            ix_fail(err, "the agent '%s': %s", given, strerror(errno));
        return found;
    }
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) {
        ix_fail(err, "cannot read /proc/self/exe: %s; say where libixor.so is with --agent",
                strerror(errno));
        return NULL;
    }
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    *(slash ? slash : self) = '\0';
    for (size_t i = 0; i < sizeof agent_places / sizeof *agent_places; i++) {
        found = readable(self, agent_places[i]);
        if (found)
            return found;
    }
    ix_fail(err,
            "libixor.so is in none of '%s', '%s/../lib' and '%s/../lib/ixor'; say where it is with "
            "--agent",
            self, self, self);
    return NULL;
}

char *ixor_find_junit_jar(const char *agent, struct ix_error *err)
{
    char *directory = strdup(agent), *found = NULL;
    if (!directory) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    *strrchr(directory, '/') = '\0'; /* the agent's path is absolute */
    for (size_t i = 0; i < sizeof jar_places / sizeof *jar_places && !found; i++)
        found = readable(directory, jar_places[i]);
    if (!found)
        ix_fail(err,
                "there is no ixor-junit.jar beside the agent '%s', nor in share/java; 'make' "
                "builds it where JUnit 5 is installed (Debian: junit5)",
                agent);
    free(directory);
    return found;
}
