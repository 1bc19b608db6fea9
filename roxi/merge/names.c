/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/merge/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/text_escape.h"

/* A run's name, and the campaign that it is in. */
struct entry {
    const char *name;
    const struct roxi_shard *shard;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* All names in order, the old ones or the new ones; the caller frees them. */
static struct entry *sorted(const struct roxi_shard *shards, size_t count, bool new_ones, size_t *n,
                            struct ix_error *err)
{
    *n = 0;
    for (size_t i = 0; i < count; i++)
        *n += shards[i].count;
    struct entry *all = calloc(*n + 1, sizeof *all), *at = all;
    if (!all) {
        ix_fail(err, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < shards[i].count; k++) {
            const struct roxi_shard_run *run = &shards[i].runs[k];
            *at++ = (struct entry){new_ones ? run->new_name : run->name, &shards[i]};
        }
    qsort(all, *n, sizeof *all, by_name);
    return all;
}

/* Which campaigns share a name with another one. Within a campaign names are unique. */
static int find_shared(const struct roxi_shard *shards, size_t count, bool *shared,
                       struct ix_error *err)
{
    size_t n;
    struct entry *all = sorted(shards, count, false, &n, err);
    for (size_t i = 1; all && i < n; i++)
        if (strcmp(all[i - 1].name, all[i].name) == 0)
            shared[all[i - 1].shard - shards] = shared[all[i].shard - shards] = true;
    free(all);
    return all ? 0 : -1;
}

/* ---- prefixes ---- */

/* Where the last `components` of the first `len` bytes of a path begin. */
static const char *tail(const char *path, size_t len, size_t components)
{
    const char *at = path + len;
    while (at > path + 1) {
        if (at[-1] == '/' && --components == 0)
            break;
        at--;
    }
    return at;
}

/* Whether all paths, which have `cut` bytes less than before, end with the same component and have
 * another one before it. *longer: `cut` with that component. */
static bool ends_alike(const struct roxi_shard *shards, size_t count, size_t cut, size_t *longer)
{
    const size_t len = strlen(shards[0].real) - cut;
    const char *first = tail(shards[0].real, len, 1);
    const size_t size = (size_t)(shards[0].real + len - first);
    for (size_t i = 0; i < count; i++) {
        const size_t other = strlen(shards[i].real) - cut;
        const char *last = tail(shards[i].real, other, 1);
        if ((size_t)(shards[i].real + other - last) != size || memcmp(last, first, size) != 0 ||
            last <= shards[i].real + 1)
            return false;
    }
    *longer = cut + size + 1; /* with its slash */
    return true;
}

static void free_all(char **prefixes, size_t count)
{
    for (size_t i = 0; prefixes && i < count; i++)
        free(prefixes[i]);
    free(prefixes);
}

/* The last `components` of each path; NULL: out of memory. */
static char **make_prefixes(const struct roxi_shard *shards, size_t count, size_t cut,
                            size_t components)
{
    char **all = calloc(count, sizeof *all);
    for (size_t i = 0; all && i < count; i++) {
        const size_t len = strlen(shards[i].real) - cut;
        const char *from = tail(shards[i].real, len, components);
        all[i] = strndup(from, (size_t)(shards[i].real + len - from));
        if (!all[i]) {
            free_all(all, count);
            return NULL;
        }
        for (char *c = all[i]; (c = strchr(c, '/'));)
            *c = '-';
    }
    return all;
}

static bool are_distinct(char *const *all, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(all[k], all[i]) == 0)
                return false;
    return true;
}

/* The caller frees them. As paths differ, all their components suffice; if even these are alike
 * with "-" in place of "/", the runs' names may still differ. */
static char **choose_prefixes(const struct roxi_shard *shards, size_t count)
{
    size_t cut = 0, longest = 0;
    while (ends_alike(shards, count, cut, &cut))
        ;
    for (size_t i = 0; i < count; i++)
        longest = strlen(shards[i].real) > longest ? strlen(shards[i].real) : longest;
    char **all = NULL;
    for (size_t components = 1; components <= longest; components++) {
        free_all(all, count);
        all = make_prefixes(shards, count, cut, components);
        if (!all || are_distinct(all, count))
            break;
    }
    return all;
}

/* ---- new names ---- */

static int name_runs(struct roxi_shard *s, const char *prefix, struct ix_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        struct roxi_shard_run *run = &s->runs[i];
        if (asprintf(&run->new_name, "%s%s%s", prefix ? prefix : "", prefix ? "-" : "", run->name) <
            0) {
            run->new_name = NULL;
            return ix_fail(err, "out of memory");
        }
        char quoted[TEXT_QUOTE_SIZE];
        const struct ix_span name = {run->new_name, strlen(run->new_name)};
        if (!text_plain(name))
            return ix_fail(err,
                           "'%s' cannot be part of a run's name: not UTF-8, or a control "
                           "character; rename the directory",
                           text_quote(quoted, (struct ix_span){s->real, strlen(s->real)}));
        if (ix_catalogue_check_name(run->new_name, err) != 0)
            return ix_fail_in(err, "'%s': rename the directory", s->dir);
    }
    return 0;
}

static int check_unique(const struct roxi_shard *shards, size_t count, struct ix_error *err)
{
    size_t n;
    int result = 0;
    struct entry *all = sorted(shards, count, true, &n, err);
    for (size_t i = 1; all && result == 0 && i < n; i++)
        if (strcmp(all[i - 1].name, all[i].name) == 0)
            result = ix_fail(err,
                             "a run of '%s' and one of '%s' would both be named '%s'; rename one "
                             "of the directories",
                             all[i - 1].shard->dir, all[i].shard->dir, all[i].name);
    free(all);
    return all ? result : -1;
}

int roxi_merge_name(struct roxi_shard *shards, size_t count, size_t *renamed, struct ix_error *err)
{
    bool *shared = calloc(count, sizeof *shared);
    char **prefixes = choose_prefixes(shards, count);
    int result = shared && prefixes ? find_shared(shards, count, shared, err)
                                    : ix_fail(err, "out of memory");
    *renamed = 0;
    for (size_t i = 0; result == 0 && i < count; i++) {
        *renamed += shared[i];
        result = name_runs(&shards[i], shared[i] ? prefixes[i] : NULL, err);
    }
    if (result == 0)
        result = check_unique(shards, count, err);
    free_all(prefixes, count);
    free(shared);
    return result;
}
