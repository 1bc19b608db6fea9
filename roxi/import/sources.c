/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/import/sources.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "schema/base/grow.h"

static const char default_role[] = "jvm";

char *dump_role_of(const char *name)
{
    size_t len = 0;
    while (name[len] && name[len] != '.' &&
           !(strchr("-_@", name[len]) && isdigit((unsigned char)name[len + 1])))
        len++;
    return strspn(name, "0123456789") >= len ? strdup(default_role) : strndup(name, len);
}

static int add(struct dump_sources *s, const char *path, const char *run, char *role,
               struct ix_error *err)
{
    struct dump_source *list = ix_grow(s->list, &s->cap, s->count + 1, sizeof *list);
    const char *slash = strrchr(path, '/');
    struct dump_source added = {.path = strdup(path),
                                .run = strdup(run),
                                .role = role,
                                .jvm = dump_role_of(slash ? slash + 1 : path)};
    if (list)
        s->list = list;
    if (list && added.path && added.run && added.role && added.jvm) {
        list[s->count++] = added;
        return 0;
    }
    free(added.path);
    free(added.run);
    free(added.role);
    free(added.jvm);
    return ix_fail(err, "out of memory");
}

/* ---- a directory ---- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* The name of the directory below `root` that the file is in; a copy. */
static char *directory_of(const FTSENT *file, const char *root)
{
    const char *from = file->fts_path + strlen(root);
    from += strspn(from, "/");
    return strndup(from, strcspn(from, "/"));
}

static int take_entry(struct dump_sources *s, FTS *tree, FTSENT *at, const char *root,
                      const char *run, struct ix_error *err)
{
    if (at->fts_level > 0 && *at->fts_name == '.') {
        fts_set(tree, at, FTS_SKIP);
        return 0;
    }
    switch (at->fts_info) {
    case FTS_F:
        return add(s, at->fts_path, run,
                   at->fts_level > 1 ? directory_of(at, root) : dump_role_of(at->fts_name), err);
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return ix_fail(err, "cannot read '%s': %s", at->fts_path, strerror(at->fts_errno));
    default:
        return 0;
    }
}

static int take_directory(struct dump_sources *s, const char *root, const char *run,
                          struct ix_error *err)
{
    char *const roots[] = {(char *)root, NULL};
    const size_t before = s->count;
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    FTSENT *at;
    int result = tree ? 0 : ix_fail(err, "cannot read '%s': %s", root, strerror(errno));
    errno = 0;
    while (result == 0 && (at = fts_read(tree)))
        result = take_entry(s, tree, at, root, run, err);
    if (result == 0 && errno)
        result = ix_fail(err, "cannot read '%s': %s", root, strerror(errno));
    if (result == 0 && s->count == before)
        result = ix_fail(err, "there is no file in '%s'", root);
    if (tree)
        fts_close(tree);
    return result;
}

/* ---- an argument ---- */

static int take_argument(struct dump_sources *s, const char *arg, struct ix_error *err)
{
    struct stat st;
    char real[PATH_MAX];
    if (!realpath(arg, real) || stat(real, &st) != 0)
        return ix_fail(err, "cannot read '%s': %s", arg, strerror(errno));
    char *name = strrchr(real, '/') + 1;
    char *dot = S_ISREG(st.st_mode) ? strrchr(name, '.') : NULL;
    if (dot && dot > name)
        *dot = '\0';
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->list[i].run, name) == 0)
            return ix_fail(err, "'%s' would be a second run '%s'; rename it", arg, name);
    if (S_ISDIR(st.st_mode))
        return *name ? take_directory(s, arg, name, err)
                     : ix_fail(err, "'%s' has no name that the run could have", arg);
    if (!S_ISREG(st.st_mode))
        return ix_fail(err, "cannot read '%s': neither a file nor a directory", arg);
    return add(s, arg, name, strdup(default_role), err);
}

int dump_sources_find(struct dump_sources *s, const char *const *args, size_t count,
                      struct ix_error *err)
{
    *s = (struct dump_sources){0};
    for (size_t i = 0; i < count; i++)
        if (take_argument(s, args[i], err) != 0)
            return -1;
    return 0;
}

void dump_sources_free(struct dump_sources *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->list[i].path);
        free(s->list[i].run);
        free(s->list[i].role);
        free(s->list[i].jvm);
        free(s->list[i].text);
    }
    free(s->list);
    *s = (struct dump_sources){0};
}
