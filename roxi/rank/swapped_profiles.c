/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/swapped_profiles.h"

#include <stdlib.h>
#include <string.h>

/* An execution's exchanges. */
struct names {
    const struct roxi_role_swap *list;
    size_t count;
};

static uint32_t new_role(const struct names *names, uint32_t role)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->list[i].role == role)
            return names->list[i].as;
    return role;
}

/* ROXI_NONE: memory ran out. */
static uint32_t new_group(struct roxi_profiles *out, const struct names *names, uint32_t group)
{
    const uint64_t key = roxi_tally_key(&out->groups, group);
    return roxi_profiles_group(out, new_role(names, (uint32_t)(key >> 32)), (uint32_t)key);
}

static int rename_items(struct roxi_profiles *out, const struct names *names,
                        struct roxi_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((items[i].group = new_group(out, names, items[i].group)) == ROXI_NONE)
            return -1;
    return 0;
}

static int rename_features(struct roxi_profiles *out, const struct names *names,
                           struct roxi_feature_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        items[i].place = roxi_feature_of_role(items[i].feature)
                             ? new_role(names, items[i].place)
                             : new_group(out, names, items[i].place);
        if (items[i].place == ROXI_NONE)
            return -1;
    }
    return 0;
}

/* Makes *to, which is `from` so far, anew. -1: memory ran out, and it is still that. */
static int rename_execution(struct roxi_profiles *out, const struct names *names,
                            const struct roxi_profile *from, struct roxi_profile *to)
{
    struct roxi_profile made;
    struct roxi_item *items = calloc(from->count + 1, sizeof *items);
    struct roxi_feature_item *features = calloc(from->feature_count + 1, sizeof *features);
    if (!items || !features)
        goto failed;
    if (from->count)
        memcpy(items, from->items, from->count * sizeof *items);
    if (from->feature_count)
        memcpy(features, from->features, from->feature_count * sizeof *features);
    if (rename_items(out, names, items, from->count) != 0 ||
        rename_features(out, names, features, from->feature_count) != 0)
        goto failed;
    if (roxi_profile_make(&made, from->name, items, from->count) != 0) {
        free(features);
        return -1;
    }
    made.features = features;
    made.feature_count = roxi_features_merge(features, from->feature_count);
    *to = made;
    return 0;
failed:
    free(items);
    free(features);
    return -1;
}

static int rename_all(struct roxi_profiles *out, const struct roxi_profiles *p,
                      const struct roxi_role_swaps *peers)
{
    for (size_t g = 0; g < p->groups.n; g++)
        if (roxi_tally_add(&out->groups, roxi_tally_key(&p->groups, g), 0) == ROXI_NONE)
            return -1;
    for (size_t i = 0; i < peers->count;) {
        const size_t e = peers->list[i].execution;
        struct names names = {peers->list + i, 0};
        for (; i < peers->count && peers->list[i].execution == e; i++)
            names.count++;
        if (rename_execution(out, &names, &p->executions[e], &out->executions[e]) != 0)
            return -1;
    }
    return 0;
}

struct roxi_profiles *roxi_swapped_profiles(const struct roxi_profiles *p,
                                            const struct roxi_role_swaps *peers)
{
    struct roxi_profiles *out = calloc(1, sizeof *out);
    if (!out)
        return NULL;
    out->symbols = p->symbols;
    out->executions = calloc(p->count + 1, sizeof *out->executions);
    if (out->executions) {
        memcpy(out->executions, p->executions, p->count * sizeof *out->executions);
        out->count = p->count;
        if (rename_all(out, p, peers) == 0)
            return out;
    }
    roxi_swapped_profiles_free(out, p);
    return NULL;
}

void roxi_swapped_profiles_free(struct roxi_profiles *renamed, const struct roxi_profiles *p)
{
    if (!renamed)
        return;
    for (size_t e = 0; e < renamed->count; e++)
        if (renamed->executions[e].name != p->executions[e].name)
            roxi_profile_release(&renamed->executions[e]);
    free(renamed->executions);
    roxi_tally_free(&renamed->groups);
    free(renamed);
}
