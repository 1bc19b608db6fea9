/* SPDX-License-Identifier: Apache-2.0 */
#include "server/junit/reports.h"

#include <stdio.h>
#include <sys/stat.h>

#include "server/junit/find.h"

struct collecting {
    struct ixor_junit_reports *all;
    struct timespec since;
};

/* Files get the time of the kernel's last tick, which can be before that of CLOCK_REALTIME. */
struct timespec ixor_junit_now(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now;
}

static bool before(struct timespec a, struct timespec b)
{
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

static void keep_first(struct ixor_junit_reports *all, const struct ix_error *why)
{
    if (all->bad++ == 0)
        all->why = *why;
}

static void take(void *user, const char *path)
{
    struct collecting *c = user;
    struct ixor_junit_reports *all = c->all;
    struct stat info;
    struct ix_error why;
    if (stat(path, &info) != 0)
        return; /* removed meanwhile */
    all->matching++;
    if (before(info.st_mtim, c->since))
        return;
    all->fresh++;
    if (ixor_junit_read_file(&all->sum, path, &why) != 0)
        keep_first(all, &why);
}

struct ixor_junit_reports ixor_junit_collect(const char *pattern, struct timespec since)
{
    struct ixor_junit_reports all = {.bad = 0};
    struct collecting c = {&all, since};
    struct ix_error why;
    if (ixor_find_files(pattern, take, &c, &why) != 0)
        keep_first(&all, &why);
    return all;
}

bool ixor_junit_trouble(const struct ixor_junit_reports *all, const char *pattern, char *text,
                        size_t size)
{
    char others[64] = "";
    const char *then = all->sum.failed ? "" : "; the verdict is by the exit status";
    if (all->bad > 1)
        snprintf(others, sizeof others, " (nor %zu other%s)", all->bad - 1,
                 all->bad == 2 ? "" : "s");
    if (all->bad)
        snprintf(text, size, "%s%s%s", all->why.text, others, then);
    else if (!all->matching)
        snprintf(text, size, "no JUnit report matches '%s'%s", pattern, then);
    else if (!all->fresh)
        snprintf(text, size,
                 "no JUnit report was written during the run: what matches '%s' is older%s",
                 pattern, then);
    else
        return false;
    return true;
}
