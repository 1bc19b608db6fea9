/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/page/trees.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/platform.h"
#include "schema/base/grow.h"

/* Of a thread: what is below that in the run and in normal runs is left out. */
#define LEAST 0.002

struct node {
    uint32_t parent, method;
    double here, elsewhere; /* threads at a packet */
    uint32_t number;        /* among those that are written */
};

struct tree {
    struct roxi_tally paths; /* roxi_pair(parent, method): node - 1 */
    struct node *nodes;      /* owned; 0 is the root */
    size_t count, cap;
};

/* ---- the normal runs ---- */

static int add_items(struct roxi_tally *stacks, const struct roxi_profiles *p,
                     const struct roxi_profile *x)
{
    for (size_t i = 0; i < x->count; i++) {
        const uint32_t role = roxi_profiles_place(p, x->items[i].group).role;
        const uint64_t key = roxi_pair(role, x->items[i].stack);
        if (roxi_tally_add(stacks, key, x->items[i].count) == ROXI_NONE)
            return -1;
    }
    return 0;
}

static int add_answered(struct roxi_tally *answered, const struct roxi_profile *x)
{
    for (size_t i = 0; i < x->role_count; i++)
        if (roxi_tally_add(answered, x->roles[i].role, x->roles[i].answered) == ROXI_NONE)
            return -1;
    return 0;
}

static int look_at_frames(struct roxi_pool *pool, const struct roxi_symbols *s)
{
    const uint32_t count = roxi_symbols_count(s).frames;
    pool->method = calloc((size_t)count + 1, sizeof *pool->method);
    pool->application = calloc((size_t)count + 1, sizeof *pool->application);
    for (uint32_t i = 0; pool->method && pool->application && i < count; i++) {
        const struct roxi_frame f = roxi_symbols_frame_at(s, i);
        pool->method[i] = roxi_tally_add(&pool->methods, roxi_pair(f.class_name, f.method), 0);
        pool->application[i] = !roxi_is_platform(roxi_symbols_text(s, f.class_name));
        if (pool->method[i] == ROXI_NONE)
            return -1;
    }
    return pool->method && pool->application ? 0 : -1;
}

int roxi_pool_make(struct roxi_pool *pool, const struct roxi_sheet *s)
{
    *pool = (struct roxi_pool){0};
    if (look_at_frames(pool, s->profiles->symbols) != 0)
        return -1;
    for (size_t i = 0; i < s->profiles->count; i++)
        if (s->normal[i] &&
            (add_items(&pool->stacks, s->profiles, &s->profiles->executions[i]) != 0 ||
             add_answered(&pool->answered, &s->profiles->executions[i]) != 0))
            return -1;
    return 0;
}

void roxi_pool_free(struct roxi_pool *pool)
{
    roxi_tally_free(&pool->stacks);
    roxi_tally_free(&pool->answered);
    roxi_tally_free(&pool->methods);
    free(pool->method);
    free(pool->application);
}

/* ---- a tree ---- */

static uint32_t child(struct tree *t, uint32_t parent, uint32_t method)
{
    const uint32_t at = roxi_tally_add(&t->paths, roxi_pair(parent, method), 0);
    if (at == ROXI_NONE)
        return ROXI_NONE;
    if (at + 1 < t->count)
        return at + 1;
    struct node *nodes = ix_grow(t->nodes, &t->cap, t->count + 1, sizeof *nodes);
    if (!nodes)
        return ROXI_NONE;
    t->nodes = nodes;
    nodes[t->count] = (struct node){.parent = parent, .method = method};
    return (uint32_t)t->count++;
}

/* ---- a role of a run ---- */

struct comparison {
    const struct roxi_symbols *symbols;
    const struct roxi_pool *pool;
    struct roxi_numbering *numbers;
    struct roxi_tally own;      /* as the pool's, of the run */
    struct roxi_tally answered; /* as the pool's */
    bool in_pool;               /* the run is a normal one: it is not compared with itself */
    uint32_t *path;             /* room for the deepest stack; owned */
    uint32_t *node;             /* by stack: of the present tree; 0: not known; owned */
    bool *application;          /* by stack, if its node is known: is the application on it? */
};

/* Finds the node of a stack; adds it, and those of its callers, if it has none. */
static uint32_t node_of(struct comparison *c, struct tree *t, uint32_t stack)
{
    uint32_t depth = 0, below = stack;
    for (; below && !c->node[below]; below = roxi_symbols_stack_at(c->symbols, below).parent)
        c->path[depth++] = below;
    uint32_t at = below ? c->node[below] : 0;
    bool application = below && c->application[below];
    while (depth--) {
        const uint32_t frame = roxi_symbols_stack_at(c->symbols, c->path[depth]).frame;
        at = child(t, at, c->pool->method[frame]);
        if (at == ROXI_NONE)
            return ROXI_NONE;
        application = application || c->pool->application[frame];
        c->node[c->path[depth]] = at;
        c->application[c->path[depth]] = application;
    }
    return at;
}

/* Adds to the node of a stack only; add_up does the rest. */
static int add_stack(struct comparison *c, struct tree *t, uint32_t stack, const struct node *more)
{
    const uint32_t at = node_of(c, t, stack);
    if (at == ROXI_NONE)
        return -1;
    if (stack && c->application[stack]) {
        t->nodes[at].here += more->here;
        t->nodes[at].elsewhere += more->elsewhere;
    }
    return 0;
}

/* Children come after their parents. */
static void add_up(struct tree *t)
{
    for (size_t i = t->count; i-- > 1;) {
        t->nodes[t->nodes[i].parent].here += t->nodes[i].here;
        t->nodes[t->nodes[i].parent].elsewhere += t->nodes[i].elsewhere;
    }
}

static int fill(struct comparison *c, struct tree *t, uint32_t role)
{
    const struct roxi_tally *stacks = &c->pool->stacks;
    const double here = (double)roxi_tally_count(&c->answered, role);
    const double pooled = (double)roxi_tally_count(&c->pool->answered, role);
    const double elsewhere = pooled - (c->in_pool ? here : 0);
    int result = 0;
    if (!(t->nodes = ix_grow(NULL, &t->cap, 1, sizeof *t->nodes)))
        return -1;
    t->nodes[t->count++] = (struct node){0};
    for (size_t i = 0; i < c->own.n && result == 0 && here > 0; i++) {
        const uint64_t key = roxi_tally_key(&c->own, i);
        const struct node more = {.here = (double)c->own.counts[i] / here};
        if (key >> 32 == role)
            result = add_stack(c, t, (uint32_t)key, &more);
    }
    for (size_t i = 0; i < stacks->n && result == 0 && elsewhere > 0; i++) {
        const uint64_t key = roxi_tally_key(stacks, i);
        if (key >> 32 != role)
            continue;
        const double own = c->in_pool ? (double)roxi_tally_count(&c->own, key) : 0;
        const struct node more = {.elsewhere = ((double)stacks->counts[i] - own) / elsewhere};
        if (more.elsewhere > 0)
            result = add_stack(c, t, (uint32_t)key, &more);
    }
    add_up(t);
    return result;
}

/* Thousandths; what is there is at least one. */
static unsigned long thousandths(double threads)
{
    return threads > 0 && threads < 0.001 ? 1 : (unsigned long)round(1000 * threads);
}

static void write_nodes(FILE *out, const struct comparison *c, struct tree *t)
{
    uint32_t written = 0;
    for (size_t i = 0; i < t->count; i++) {
        struct node *x = &t->nodes[i];
        if (i && x->here < LEAST && x->elsewhere < LEAST)
            continue;
        const uint64_t method = i ? roxi_tally_key(&c->pool->methods, x->method) : 0;
        x->number = written++;
        fprintf(out, "%s%" PRIu32 ",%" PRIu32 ",%lu,%lu", i ? "," : "",
                i ? t->nodes[x->parent].number : 0,
                i ? roxi_number_method(c->numbers, (uint32_t)(method >> 32), (uint32_t)method) : 0,
                thousandths(x->here), thousandths(x->elsewhere));
    }
}

static int write_role(FILE *out, struct comparison *c, uint32_t role)
{
    struct tree t = {0};
    memset(c->node, 0, roxi_symbols_count(c->symbols).stacks * sizeof *c->node);
    const int result = fill(c, &t, role);
    if (result == 0) {
        fprintf(out, "{\"role\":%" PRIu32 ",\"nodes\":[", roxi_number_string(c->numbers, role));
        write_nodes(out, c, &t);
        fputs("]}", out);
    }
    roxi_tally_free(&t.paths);
    free(t.nodes);
    return result;
}

static int prepare(struct comparison *c, const struct roxi_profiles *p,
                   const struct roxi_profile *x)
{
    const size_t stacks = roxi_symbols_count(c->symbols).stacks;
    c->path = calloc((size_t)roxi_symbols_deepest(c->symbols) + 1, sizeof *c->path);
    c->node = calloc(stacks + 1, sizeof *c->node);
    c->application = calloc(stacks + 1, sizeof *c->application);
    if (!c->path || !c->node || !c->application || add_items(&c->own, p, x) != 0)
        return -1;
    return add_answered(&c->answered, x);
}

static void release(struct comparison *c)
{
    roxi_tally_free(&c->own);
    roxi_tally_free(&c->answered);
    free(c->path);
    free(c->node);
    free(c->application);
}

int roxi_trees_write(FILE *out, const struct roxi_sheet *s, const struct roxi_pool *pool,
                     size_t run, struct roxi_numbering *n)
{
    const struct roxi_profile *x = &s->profiles->executions[run];
    struct comparison c = {
        .symbols = s->profiles->symbols, .pool = pool, .numbers = n, .in_pool = s->normal[run]};
    int result = prepare(&c, s->profiles, x);
    putc('[', out);
    for (size_t i = 0; i < x->role_count && result == 0; i++) {
        if (i)
            fputs(",\n", out);
        result = write_role(out, &c, x->roles[i].role);
    }
    putc(']', out);
    release(&c);
    return result;
}
