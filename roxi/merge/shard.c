/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/merge/shard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roxi/base/text_escape.h"
#include "schema/base/grow.h"
#include "schema/catalogue/copy.h"
#include "schema/catalogue/lock.h"

struct listing {
    struct roxi_shard *shard;
    struct ix_error *err;
};

/* Names become parts of paths, so those of a damaged or crafted catalogue are refused. */
static int take_run(void *user, const struct ix_execution *e)
{
    struct listing *l = user;
    struct roxi_shard *s = l->shard;
    char quoted[TEXT_QUOTE_SIZE];
    const struct ix_span name = {e->name, strlen(e->name)};
    if (ix_catalogue_check_name(e->name, l->err) != 0)
        return ix_fail_in(l->err, "'%s'", s->dir);
    if (!text_plain(name))
        return ix_fail(l->err, "'%s': the name of run '%s' is not UTF-8", s->dir,
                       text_quote(quoted, name));
    struct roxi_shard_run *all = ix_grow(s->runs, &s->cap, s->count + 1, sizeof *all);
    if (!all)
        return ix_fail(l->err, "out of memory");
    s->runs = all;
    all[s->count] = (struct roxi_shard_run){.id = e->id, .name = strdup(e->name)};
    return all[s->count++].name ? 0 : ix_fail(l->err, "out of memory");
}

static int open_shard(struct roxi_shard *s, struct ix_error *err)
{
    struct listing l = {s, err};
    s->catalogue = ix_catalogue_open(s->dir, IX_CATALOGUE_READ, err);
    if (!s->catalogue)
        return -1;
    s->real = realpath(s->dir, NULL);
    if (!s->real)
        return ix_fail(err, "cannot open the campaign '%s': %s", s->dir, strerror(errno));
    if (ix_lock_to_read(s->dir, &s->lock, err) != 0 || ix_catalogue_begin(s->catalogue, err) != 0 ||
        ix_catalogue_created(s->catalogue, &s->created_ns, err) != 0 ||
        ix_catalogue_executions(s->catalogue, take_run, &l, err) != 0)
        return -1;
    return s->count ? 0 : ix_fail(err, "the campaign '%s' has no runs yet", s->dir);
}

int roxi_shard_open(struct roxi_shard *s, const char *dir, struct ix_error *err)
{
    *s = (struct roxi_shard){.dir = dir, .lock = -1};
    if (open_shard(s, err) == 0)
        return 0;
    roxi_shard_close(s);
    return -1;
}

void roxi_shard_close(struct roxi_shard *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->runs[i].name);
        free(s->runs[i].new_name);
    }
    free(s->runs);
    free(s->real);
    ix_catalogue_close(s->catalogue);
    if (s->lock >= 0)
        close(s->lock);
    *s = (struct roxi_shard){.lock = -1};
}

static int by_id(const void *a, const void *b)
{
    const struct roxi_shard_run *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

const struct roxi_shard_run *roxi_shard_run_at(const struct roxi_shard *s, int64_t id)
{
    const struct roxi_shard_run key = {.id = id};
    return bsearch(&key, s->runs, s->count, sizeof key, by_id);
}

const struct roxi_shard_run *roxi_shard_run_named(const struct roxi_shard *s, const char *name,
                                                  size_t len)
{
    for (size_t i = 0; i < s->count; i++)
        if (strlen(s->runs[i].name) == len && memcmp(s->runs[i].name, name, len) == 0)
            return &s->runs[i];
    return NULL;
}

int roxi_shards_distinct(const struct roxi_shard *shards, size_t count, struct ix_error *err)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct roxi_shard *a = &shards[k], *b = &shards[i];
            if (strcmp(a->real, b->real) == 0)
                return ix_fail(err, "'%s' and '%s' are the same campaign", a->dir, b->dir);
            if (a->created_ns && a->created_ns == b->created_ns)
                return ix_fail(err, "'%s' and '%s' are copies of the same campaign; leave one out",
                               a->dir, b->dir);
        }
    return 0;
}
