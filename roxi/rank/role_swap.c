/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/rank/role_swap.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/distance/group.h"
#include "roxi/rank/median.h"
#include "schema/base/grow.h"

/* How often a peer was in a state in an execution, as a logarithm above 0. */
struct cell {
    uint32_t execution, role, key;
    float much;
};

/* Peers, and what each of them did in every execution. */
struct crowd {
    const struct roxi_profiles *profiles;
    const bool *reference; /* NULL: all */
    const uint32_t *role;  /* ascending */
    size_t roles;
    struct roxi_tally keys; /* roxi_pair(thread's string, state): what any of them was seen in */
    struct cell *did;       /* by execution, then role; this and the following are owned */
    size_t cells, cap;
    size_t *from;    /* executions x roles + 1: where did has what each did */
    double *typical; /* roles x keys */
    double *sum;     /* of typical, by role */
    double *off;     /* executions x roles: how far from the role's own typical */
    double *usual;   /* by role: the median of that */
    double *work;    /* by execution */
};

/* ---- names ---- */

size_t roxi_role_stem(const char *role)
{
    const size_t len = strlen(role);
    size_t stem = len;
    while (stem > 0 && isdigit((unsigned char)role[stem - 1]))
        stem--;
    if (stem == len && len > 1 && isalpha((unsigned char)role[len - 1]) && isascii(role[len - 2]) &&
        !isalnum((unsigned char)role[len - 2]))
        stem--;
    return stem < len ? stem : 0;
}

static uint32_t role_of(const struct roxi_profiles *p, uint32_t group)
{
    return (uint32_t)(roxi_tally_key(&p->groups, group) >> 32);
}

struct name {
    const char *text;
    size_t stem;
    uint32_t role;
};

static int by_stem(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    const int order = x->stem == y->stem ? memcmp(x->text, y->text, x->stem)
                                         : (x->stem > y->stem) - (x->stem < y->stem);
    return order ? order : (x->role > y->role) - (x->role < y->role);
}

/* All roles that can have peers, peers beside each other; *count: how many. NULL: memory ran out.
 */
static struct name *list_roles(const struct roxi_profiles *p, size_t *count)
{
    uint32_t *role = calloc(p->groups.n + 1, sizeof *role);
    struct name *list = calloc(p->groups.n + 1, sizeof *list);
    size_t n = 0;
    for (uint32_t g = 0; role && g < p->groups.n; g++)
        role[g] = role_of(p, g);
    const size_t roles = role ? roxi_distinct(role, p->groups.n) : 0;
    for (size_t i = 0; list && i < roles; i++) {
        const char *text = roxi_symbols_text(p->symbols, role[i]);
        const size_t stem = roxi_role_stem(text);
        if (stem)
            list[n++] = (struct name){text, stem, role[i]};
    }
    if (list && n)
        qsort(list, n, sizeof *list, by_stem);
    if (!role) {
        free(list);
        list = NULL;
    }
    free(role);
    *count = n;
    return list;
}

static bool are_peers(const struct name *a, const struct name *b)
{
    return a->stem == b->stem && memcmp(a->text, b->text, a->stem) == 0;
}

/* ---- what they did ---- */

/* The crowd's number of the role that an item is about; c->roles: it is of no concern here. */
static size_t crowd_role(const struct crowd *c, const struct roxi_feature_item *item)
{
    if (item->feature != ROXI_STATES)
        return c->roles;
    const uint32_t role = role_of(c->profiles, item->place);
    size_t i = 0;
    while (i < c->roles && c->role[i] != role)
        i++;
    return i;
}

static int add_cell(struct crowd *c, struct cell cell)
{
    struct cell *did = ix_grow(c->did, &c->cap, c->cells + 1, sizeof *did);
    if (!did)
        return -1;
    c->did = did;
    did[c->cells++] = cell;
    return 0;
}

/* -1: memory ran out. */
static int gather(struct crowd *c)
{
    for (size_t e = 0; e < c->profiles->count; e++) {
        const struct roxi_profile *x = &c->profiles->executions[e];
        for (size_t i = 0; i < x->feature_count; i++) {
            const struct roxi_feature_item *item = &x->features[i];
            const size_t role = crowd_role(c, item);
            if (role == c->roles)
                continue;
            const uint64_t group = roxi_tally_key(&c->profiles->groups, item->place);
            const uint32_t key = roxi_tally_add(&c->keys, roxi_pair((uint32_t)group, item->a), 0);
            if (key == ROXI_NONE || add_cell(c, (struct cell){(uint32_t)e, (uint32_t)role, key,
                                                              log2f(1 + (float)item->count)}) != 0)
                return -1;
        }
    }
    return 0;
}

static int by_peer(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->execution != y->execution)
        return x->execution < y->execution ? -1 : 1;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static int by_key(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->role != y->role)
        return x->role < y->role ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->execution > y->execution) - (x->execution < y->execution);
}

static void sort(struct crowd *c, int (*order)(const void *, const void *))
{
    if (c->cells)
        qsort(c->did, c->cells, sizeof *c->did, order);
}

static bool counts(const struct crowd *c, size_t e)
{
    return !c->reference || c->reference[e];
}

/* What each role typically does, from cells by key; `n` executions count. */
static void learn(struct crowd *c, size_t n)
{
    for (size_t i = 0, next; i < c->cells; i = next) {
        const struct cell *first = &c->did[i];
        size_t m = 0;
        for (next = i;
             next < c->cells && c->did[next].role == first->role && c->did[next].key == first->key;
             next++)
            if (counts(c, c->did[next].execution))
                c->work[m++] = (double)c->did[next].much;
        const double typical = roxi_median(c->work, m, n);
        c->typical[first->role * c->keys.n + first->key] = typical;
        c->sum[first->role] += typical;
    }
}

/* How far a peer was from what another one, or itself, typically does. */
static double apart(const struct crowd *c, size_t e, size_t role, size_t as)
{
    const double *typical = c->typical + as * c->keys.n;
    const size_t *from = c->from + e * c->roles + role;
    double sum = c->sum[as];
    for (size_t i = from[0]; i < from[1]; i++)
        sum += fabs((double)c->did[i].much - typical[c->did[i].key]) - typical[c->did[i].key];
    return sum;
}

/* How far each is from its own, from cells by peer. */
static void measure(struct crowd *c)
{
    const size_t n = c->profiles->count;
    size_t i = 0;
    for (size_t at = 0; at < n * c->roles; at++) {
        c->from[at] = i;
        while (i < c->cells && c->did[i].execution * c->roles + c->did[i].role == at)
            i++;
    }
    c->from[n * c->roles] = i;
    for (size_t role = 0; role < c->roles; role++) {
        size_t m = 0;
        for (size_t e = 0; e < n; e++) {
            const double off = c->off[e * c->roles + role] = apart(c, e, role, role);
            if (counts(c, e))
                c->work[m++] = off;
        }
        c->usual[role] = roxi_median(c->work, m, m);
    }
}

/* ---- who exchanged names ---- */

static bool was_there(const struct crowd *c, size_t e, size_t role)
{
    const size_t *from = c->from + e * c->roles + role;
    return from[0] < from[1];
}

/* The pair that comes nearest by an exchange; as[role] is whose name it has so far. */
static bool best_pair(const struct crowd *c, size_t e, const size_t *as, size_t pair[2])
{
    double least = 0.5;
    for (size_t a = 0; a < c->roles; a++) {
        for (size_t b = a + 1; b < c->roles; b++) {
            const double now = as[a] == a && as[b] == b
                                   ? c->off[e * c->roles + a] + c->off[e * c->roles + b]
                                   : apart(c, e, a, as[a]) + apart(c, e, b, as[b]);
            if (!(now > 2 * (c->usual[as[a]] + c->usual[as[b]])) || !was_there(c, e, a) ||
                !was_there(c, e, b))
                continue;
            const double then = apart(c, e, a, as[b]) + apart(c, e, b, as[a]);
            if (then < least * now) {
                least = then / now;
                pair[0] = a;
                pair[1] = b;
            }
        }
    }
    return least < 0.5;
}

/* Each exchange brings the peers nearer, so it ends. */
static int exchange(const struct crowd *c, size_t e, struct roxi_role_swaps *out)
{
    size_t as[ROXI_ROLE_SWAP_PEERS_MAX], pair[2];
    for (size_t r = 0; r < c->roles; r++)
        as[r] = r;
    while (best_pair(c, e, as, pair)) {
        const size_t kept = as[pair[0]];
        as[pair[0]] = as[pair[1]];
        as[pair[1]] = kept;
    }
    for (size_t r = 0; r < c->roles; r++) {
        if (as[r] == r)
            continue;
        struct roxi_role_swap *list = ix_grow(out->list, &out->cap, out->count + 1, sizeof *list);
        if (!list)
            return -1;
        out->list = list;
        list[out->count++] = (struct roxi_role_swap){e, c->role[r], c->role[as[r]]};
    }
    return 0;
}

static int look_at(struct crowd *c, struct roxi_role_swaps *out)
{
    const size_t n = c->profiles->count;
    size_t counted = 0;
    if (gather(c) != 0)
        return -1;
    c->from = calloc(n * c->roles + 1, sizeof *c->from);
    c->typical = calloc(c->roles * c->keys.n + 1, sizeof *c->typical);
    c->sum = calloc(c->roles, sizeof *c->sum);
    c->off = calloc(n * c->roles + 1, sizeof *c->off);
    c->usual = calloc(c->roles, sizeof *c->usual);
    c->work = calloc(n + 1, sizeof *c->work);
    if (!c->from || !c->typical || !c->sum || !c->off || !c->usual || !c->work)
        return -1;
    for (size_t e = 0; e < n; e++)
        counted += counts(c, e);
    sort(c, by_key);
    learn(c, counted);
    sort(c, by_peer);
    measure(c);
    for (size_t e = 0; e < n; e++)
        if (exchange(c, e, out) != 0)
            return -1;
    return 0;
}

static int look_at_crowd(const struct roxi_profiles *p, const bool *reference,
                         const struct name *peers, size_t count, struct roxi_role_swaps *out)
{
    uint32_t role[ROXI_ROLE_SWAP_PEERS_MAX];
    struct crowd c = {.profiles = p, .reference = reference, .role = role, .roles = count};
    for (size_t i = 0; i < count; i++)
        role[i] = peers[i].role;
    const int result = look_at(&c, out);
    roxi_tally_free(&c.keys);
    free(c.did);
    free(c.from);
    free(c.typical);
    free(c.sum);
    free(c.off);
    free(c.usual);
    free(c.work);
    return result;
}

/* ---- all ---- */

static int by_execution(const void *a, const void *b)
{
    const struct roxi_role_swap *x = a, *y = b;
    if (x->execution != y->execution)
        return x->execution < y->execution ? -1 : 1;
    return (x->role > y->role) - (x->role < y->role);
}

int roxi_role_swaps_find(struct roxi_role_swaps *peers, const struct roxi_profiles *p,
                         const bool *reference)
{
    size_t count;
    *peers = (struct roxi_role_swaps){0};
    struct name *names = list_roles(p, &count);
    int result = names ? 0 : -1;
    for (size_t from = 0, to; result == 0 && from < count; from = to) {
        for (to = from + 1; to < count && are_peers(&names[from], &names[to]); to++)
            ;
        if (to - from > 1 && to - from <= ROXI_ROLE_SWAP_PEERS_MAX)
            result = look_at_crowd(p, reference, names + from, to - from, peers);
    }
    if (result == 0 && peers->count)
        qsort(peers->list, peers->count, sizeof *peers->list, by_execution);
    free(names);
    if (result != 0)
        roxi_role_swaps_free(peers);
    return result;
}

void roxi_role_swaps_free(struct roxi_role_swaps *peers)
{
    free(peers->list);
    *peers = (struct roxi_role_swaps){0};
}

uint32_t roxi_role_swaps_role(const struct roxi_role_swaps *peers, size_t execution, uint32_t as)
{
    for (size_t i = 0; i < peers->count; i++)
        if (peers->list[i].execution == execution && peers->list[i].as == as)
            return peers->list[i].role;
    return as;
}
