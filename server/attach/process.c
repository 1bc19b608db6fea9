/* SPDX-License-Identifier: Apache-2.0 */
#include "server/attach/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/base/units.h"

#define STATUS_MAX 16384

/* What follows "NAME:" at the start of a line, or NULL. */
static const char *field(const char *text, const char *name)
{
    const size_t len = strlen(name);
    for (const char *at = text; at; at = strchr(at, '\n'), at += at != NULL)
        if (strncmp(at, name, len) == 0 && at[len] == ':')
            return at + len + 1;
    return NULL;
}

/* The n-th number, from 0, in a line's field; -1 if it is not there. n < 0: the last one. */
static long long number(const char *at, int n)
{
    long long value = -1;
    for (int i = 0; at; i++) {
        at += strspn(at, " \t");
        if (*at < '0' || *at > '9')
            break;
        char *end;
        errno = 0;
        const long long next = strtoll(at, &end, 10);
        if (errno || next > INT64_C(0xffffffff))
            return -1;
        if (i == n)
            return next;
        value = next;
        at = end;
    }
    return n < 0 ? value : -1;
}

int ixor_status_parse(const char *text, struct ixor_proc *out)
{
    const char *state = field(text, "State"), *caught = field(text, "SigCgt");
    const char *tgid = field(text, "Tgid"), *ns_pid = field(text, "NSpid");
    const long long group = number(tgid, 0);
    const long long inner = number(ns_pid ? ns_pid : tgid, -1); /* no NSpid before Linux 4.1 */
    const long long uid = number(field(text, "Uid"), 1), gid = number(field(text, "Gid"), 1);
    if (group <= 0 || group > INT_MAX || inner <= 0 || inner > INT_MAX || uid < 0 || gid < 0 ||
        !state || !caught)
        return -1;
    state += strspn(state, " \t");
    caught += strspn(caught, " \t");
    if (strspn(caught, "0123456789abcdefABCDEF") == 0)
        return -1;
    *out = (struct ixor_proc){
        .group = (pid_t)group,
        .ns_pid = (pid_t)inner,
        .uid = (uid_t)uid,
        .gid = (gid_t)gid,
        .state = *state,
        .takes_quit = strtoull(caught, NULL, 16) >> (SIGQUIT - 1) & 1,
    };
    const char *groups = field(text, "Groups");
    for (long long id;
         out->group_count < IXOR_GROUPS_MAX && (id = number(groups, (int)out->group_count)) >= 0;)
        out->groups[out->group_count++] = (gid_t)id;
    return 0;
}

int ixor_become_user_of(const struct ixor_proc *p, struct ix_error *err)
{
    if (geteuid() != 0)
        return 0;
    /* Root's own groups would open files that are not this user's to read. */
    if (setgroups(p->group_count, p->groups) != 0 || setegid(p->gid) != 0 || seteuid(p->uid) != 0)
        return ix_fail(err, "cannot become the user of process %ld: %s", (long)p->group,
                       strerror(errno));
    return 0;
}

/* At most size - 1 bytes of /proc/PID/NAME, terminated; -1 and errno. */
static ssize_t read_proc(pid_t pid, const char *name, char *text, size_t size)
{
    char path[PATH_MAX];
    size_t len = 0;
    ssize_t n = 0;
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
        len += (size_t)n;
    const int error = errno;
    close(fd);
    errno = error;
    text[len] = 0;
    return n < 0 ? -1 : (ssize_t)len;
}

int ixor_status_read(pid_t pid, struct ixor_proc *out, struct ix_error *err)
{
    char text[STATUS_MAX];
    if (read_proc(pid, "status", text, sizeof text) < 0) {
        if (errno == ENOENT || errno == ESRCH)
            return ix_fail(err, "there is no process %ld", (long)pid);
        return ix_fail(err, "process %ld: %s", (long)pid, strerror(errno));
    }
    if (ixor_status_parse(text, out) != 0)
        return ix_fail(err, "process %ld: its status in /proc makes no sense", (long)pid);
    return 0;
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

void ixor_maps_line(const char *line, struct ixor_maps *out)
{
    static const char gone[] = " (deleted)";
    /* START-END PERMISSIONS OFFSET DEVICE INODE PATH */
    const char *permissions = strchr(line, ' '), *path = strchr(line, '/');
    if (!permissions || !path || strlen(permissions) < 5 || permissions[3] != 'x')
        return;
    const char *name = strrchr(path, '/') + 1;
    if (strcmp(name, "libjvm.so") == 0 || starts(name, "libjvm.so "))
        out->hotspot = true;
    if (!starts(name, "libixor") || !strstr(name, ".so"))
        return;
    size_t len = strlen(path);
    if (len > strlen(gone) && strcmp(path + len - strlen(gone), gone) == 0)
        len -= strlen(gone);
    if (len < sizeof out->agent) {
        memcpy(out->agent, path, len);
        out->agent[len] = 0;
    }
}

int ixor_maps_read(pid_t pid, struct ixor_maps *out, struct ix_error *err)
{
    char path[64], *line = NULL;
    size_t size = 0;
    bool j9 = false;
    *out = (struct ixor_maps){0};
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return ix_fail(err, "not permitted to look into process %ld: %s", (long)pid,
                       strerror(errno));
    for (ssize_t len; (len = getline(&line, &size, f)) > 0;) {
        line[len - (line[len - 1] == '\n')] = 0;
        ixor_maps_line(line, out);
        j9 = j9 || strstr(line, "/libj9vm");
    }
    free(line);
    fclose(f);
    out->hotspot = out->hotspot && !j9;
    return 0;
}

bool ixor_agent_runs(pid_t pid)
{
    static const char agent[] = "Ixor Agent";
    char path[64];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *tasks = opendir(path);
    for (struct dirent *e; tasks && !found && (e = readdir(tasks));) {
        char name[64], file[sizeof path + sizeof e->d_name];
        snprintf(file, sizeof file, "task/%s/comm", e->d_name);
        found = read_proc(pid, file, name, sizeof name) > 0 && starts(name, agent);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

void ixor_process_name(pid_t pid, char name[64])
{
    char text[64];
    if (read_proc(pid, "comm", text, sizeof text) <= 0)
        snprintf(text, sizeof text, "?");
    text[strcspn(text, "\n")] = '\0';
    ixor_safe_text(text, name, 64);
}

bool ixor_attach_disabled(const char *words, size_t size)
{
    static const char on[] = "-XX:+DisableAttachMechanism", off[] = "-XX:-DisableAttachMechanism";
    bool disabled = false;
    for (size_t at = 0; at + sizeof on - 1 <= size; at++) {
        const size_t end = at + sizeof on - 1;
        if (end < size && words[end] && !strchr(" \t\n'\"", words[end]))
            continue;
        if (memcmp(words + at, on, sizeof on - 1) == 0)
            disabled = true;
        else if (memcmp(words + at, off, sizeof off - 1) == 0)
            disabled = false;
    }
    return disabled;
}
