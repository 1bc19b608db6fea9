#include "schema/keyplace.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 2 };

/* The directory of a place; false if there is none. */
static bool directory(int place, char path[PATH_MAX])
{
    if (place == 1)
        return snprintf(path, PATH_MAX, "/tmp/ixor-%lu", (unsigned long)geteuid()) > 0;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    return runtime && *runtime == '/' &&
           snprintf(path, PATH_MAX, "%s/ixor", runtime) < PATH_MAX;
}

/* Once it is seen to be ours, nobody else can put something in its place: /tmp is sticky. */
static int check(const char *path, struct ix_error *err)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return ix_fail(err, "'%s': %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
        (info.st_mode & (S_IRWXG | S_IRWXO)))
        return ix_fail(err, "'%s' is not a directory that is yours alone (mode 0700)", path);
    return 0;
}

static bool file_in(const char *directory, uint16_t port, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/%u", directory, port) < PATH_MAX;
}

int ix_keyplace_put(uint16_t port, const struct ix_key *agent, struct ix_error *err)
{
    int status = -1;
    for (int i = 0; i < PLACES; i++) {
        char dir[PATH_MAX], path[PATH_MAX];
        if (!directory(i, dir) || !file_in(dir, port, path))
            continue;
        mkdir(dir, 0700); /* whether it is there now, check sees */
        if (check(dir, err) == 0 && ix_key_write(IX_KEY_AGENT, path, agent, err) == 0)
            status = 0;
    }
    return status;
}

static bool find_in(int place, uint16_t port, struct ix_key *agent, char path[PATH_MAX])
{
    char dir[PATH_MAX];
    return directory(place, dir) && file_in(dir, port, path) && check(dir, NULL) == 0 &&
           ix_key_read(IX_KEY_AGENT, path, agent, NULL) == 0;
}

void ix_keyplace_remove(uint16_t port, const struct ix_key *agent)
{
    for (int i = 0; i < PLACES; i++) {
        char path[PATH_MAX];
        struct ix_key there;
        if (find_in(i, port, &there, path) && memcmp(&there, agent, sizeof there) == 0)
            unlink(path);
    }
}

bool ix_keyplace_find(uint16_t port, struct ix_key *agent)
{
    char path[PATH_MAX];
    for (int i = 0; i < PLACES; i++) {
        if (find_in(i, port, agent, path))
            return true;
    }
    return false;
}
