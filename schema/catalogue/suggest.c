/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/catalogue/suggest.h"

#include <string.h>

#include "schema/base/nearest.h"
#include "schema/catalogue/catalogue.h"

enum { SUGGESTIONS = 3 };
_Static_assert(IX_EXECUTION_NAME_MAX <= IX_NEAREST_MAX, "all names can be compared");

struct suggestions {
    const char *wanted;
    size_t count;
    size_t distance[SUGGESTIONS]; /* ascending */
    char name[SUGGESTIONS][IX_EXECUTION_NAME_MAX + 1];
};

static int suggest(void *user, const struct ix_execution *e)
{
    struct suggestions *s = user;
    if (strlen(e->name) > IX_EXECUTION_NAME_MAX)
        return 0;
    size_t distance = ix_edit_distance(s->wanted, e->name), at = s->count;
    while (at > 0 && s->distance[at - 1] > distance)
        at--;
    if (at == SUGGESTIONS)
        return 0;
    size_t kept = s->count < SUGGESTIONS ? s->count : SUGGESTIONS - 1;
    memmove(&s->distance[at + 1], &s->distance[at], (kept - at) * sizeof s->distance[0]);
    memmove(&s->name[at + 1], &s->name[at], (kept - at) * sizeof s->name[0]);
    s->distance[at] = distance;
    memcpy(s->name[at], e->name, strlen(e->name) + 1);
    s->count = kept + 1;
    return 0;
}

int ix_catalogue_fail_unknown(struct ix_catalogue *c, const char *name, struct ix_error *err)
{
    struct suggestions s = {.wanted = name};
    if (strlen(name) > IX_EXECUTION_NAME_MAX)
        return ix_fail(err, "'%s' has no run '%.40s...'", c->dir, name);
    if (ix_catalogue_executions(c, suggest, &s, err) != 0)
        return -1;
    if (s.count == 0)
        return ix_fail(err, "'%s' has no run '%s'; it has none yet", c->dir, name);
    return ix_fail(err, "'%s' has no run '%s'; the nearest names are %s%s%s%s%s", c->dir, name,
                   s.name[0], s.count > 1 ? ", " : "", s.name[1], s.count > 2 ? ", " : "",
                   s.name[2]);
}
