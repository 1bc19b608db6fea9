/* SPDX-License-Identifier: Apache-2.0 */
/* A call graph for Graphviz: nodes are methods (with --lines: frames) below roles and threads,
 * edges are calls. A node has two numbers: in how many snapshots of threads it was executing,
 * and in how many it was anywhere in the call stack, counted once even if it calls itself. Only
 * the nodes with the highest counts are kept; a comment states what was left out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/export/export.h"
#include "schema/base/grow.h"

enum node_kind { NODE_FRAME, NODE_CUT, NODE_THREAD, NODE_ROLE };

struct node_key {
    uint32_t kind;   /* enum node_kind */
    uint32_t number; /* frame, group, or the role's string */
};

struct node {
    uint64_t total, self;
    uint64_t seen_in; /* number, from 1, of the last stack in which it was counted, to count each
                         stack once */
    bool kept;
};

struct state {
    struct export_counts counts;
    struct ix_intern names; /* keys: struct node_key */
    struct node *nodes;     /* owned, by number in `names` */
    size_t node_cap;
    struct roxi_tally edges; /* keys: roxi_pair(caller, callee) */
    uint64_t *edge_seen_in;  /* owned, by number in `edges` */
    size_t edge_cap;
    uint32_t *path; /* owned: a stack's nodes, the executing one first */
    size_t path_cap;
    uint64_t samples;
};

static int snapshot(struct export *x, const struct ix_snapshot *s, struct ix_error *err)
{
    struct state *state = x->state;
    return export_count(x, &state->counts, s, x->options->no_threads ? 0 : EXPORT_BY_THREAD, err);
}

static int vm_end(struct export *x, struct ix_error *err)
{
    (void)err;
    export_count_end(&((struct state *)x->state)->counts);
    return 0;
}

/* ---- from stacks to a graph ---- */

/* The node's number, assigned on first use; EXPORT_NONE: out of memory. */
static uint32_t node_of(struct state *state, enum node_kind kind, uint32_t number)
{
    struct node_key key = {kind, number};
    bool added;
    state->names.key_size = sizeof key;
    uint32_t node = ix_intern(&state->names, &key, sizeof key, &added);
    struct node *nodes = node == IX_INTERN_FAILED ? NULL
                                                  : ix_grow(state->nodes, &state->node_cap,
                                                            (size_t)node + 1, sizeof *nodes);
    if (!nodes)
        return EXPORT_NONE;
    state->nodes = nodes;
    if (added)
        nodes[node] = (struct node){0};
    return node;
}

static int add_to_path(struct state *state, size_t *depth, enum node_kind kind, uint32_t number)
{
    uint32_t node = node_of(state, kind, number);
    uint32_t *path = ix_grow(state->path, &state->path_cap, *depth + 1, sizeof *path);
    if (node == EXPORT_NONE || !path)
        return -1;
    state->path = path;
    path[(*depth)++] = node;
    return 0;
}

static int make_path(struct export *x, uint32_t group, uint32_t stack, size_t *depth)
{
    struct state *state = x->state;
    *depth = 0;
    for (; stack > IX_STACK_CUT; stack = export_stack_at(&x->dictionary, stack).parent)
        if (add_to_path(state, depth, NODE_FRAME, export_stack_at(&x->dictionary, stack).frame))
            return -1;
    if (stack == IX_STACK_CUT && add_to_path(state, depth, NODE_CUT, 0) != 0)
        return -1;
    if (x->options->no_threads)
        return 0;
    if (add_to_path(state, depth, NODE_THREAD, group) != 0)
        return -1;
    return add_to_path(state, depth, NODE_ROLE, export_group_at(&state->counts, group).role);
}

static int count_edge(struct state *state, uint32_t caller, uint32_t callee, uint64_t stack,
                      uint64_t count)
{
    uint64_t key = roxi_pair(caller, callee);
    uint32_t edge = roxi_tally_add(&state->edges, key, 0);
    size_t before = state->edge_cap;
    uint64_t *seen_in =
        ix_grow(state->edge_seen_in, &state->edge_cap, state->edges.n, sizeof *seen_in);
    if (edge == ROXI_NONE || !seen_in)
        return -1;
    memset(seen_in + before, 0, (state->edge_cap - before) * sizeof *seen_in);
    state->edge_seen_in = seen_in;
    if (seen_in[edge] != stack)
        state->edges.counts[edge] += count;
    seen_in[edge] = stack;
    return 0;
}

static int count_stack(struct export *x, uint64_t key, uint64_t count, uint64_t stack)
{
    struct state *state = x->state;
    size_t depth;
    if (make_path(x, (uint32_t)(key >> 32), (uint32_t)key, &depth) != 0)
        return -1;
    for (size_t i = 0; i < depth; i++) {
        struct node *node = &state->nodes[state->path[i]];
        if (node->seen_in != stack)
            node->total += count;
        node->seen_in = stack;
        if (i == 0)
            node->self += count;
        else if (count_edge(state, state->path[i], state->path[i - 1], stack, count) != 0)
            return -1;
    }
    state->samples += count;
    return 0;
}

/* ---- what is kept ---- */

struct ranked {
    uint64_t total;
    uint32_t node;
};

static int most_first(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static int choose(struct state *state, size_t max_nodes)
{
    size_t n = state->names.count;
    struct ranked *ranked = calloc(n + 1, sizeof *ranked);
    if (!ranked)
        return -1;
    for (size_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){state->nodes[i].total, (uint32_t)i};
    qsort(ranked, n, sizeof *ranked, most_first);
    for (size_t i = 0; i < n && i < max_nodes; i++)
        state->nodes[ranked[i].node].kept = true;
    free(ranked);
    return 0;
}

static bool edge_kept(const struct state *state, uint64_t edge)
{
    return state->nodes[edge >> 32].kept && state->nodes[(uint32_t)edge].kept;
}

/* ---- writing ---- */

/* In a label '\' and '"' have a meaning in DOT, '&' in Graphviz. */
static const char *instead(char c)
{
    return c == '&' ? "&amp;" : c == '"' ? "\\\"" : c == '\\' ? "\\\\" : NULL;
}

static void put_text(FILE *out, const char *text)
{
    export_print(out, text, instead);
}

static void put_label(const struct export *x, struct node_key key)
{
    const struct state *state = x->state;
    const struct export_dictionary *d = &x->dictionary;
    switch ((enum node_kind)key.kind) {
    case NODE_FRAME: {
        struct export_place place = export_place_of(d, key.number);
        int32_t line = export_frame_at(d, key.number).line;
        put_text(x->out, place.class_name);
        fputs("\\n", x->out);
        put_text(x->out, place.method);
        if (line > 0)
            fprintf(x->out, ":%" PRId32, line);
        break;
    }
    case NODE_CUT:
        fputs("[callers cut off]", x->out);
        break;
    case NODE_THREAD:
        put_text(x->out, export_text(d, export_group_at(&state->counts, key.number).thread));
        break;
    case NODE_ROLE:
        put_text(x->out, export_text(d, key.number));
        break;
    }
}

static double percent(const struct state *state, uint64_t count)
{
    return state->samples ? 100.0 * (double)count / (double)state->samples : 0;
}

static void put_nodes(const struct export *x)
{
    static const char *const styles[] = {[NODE_FRAME] = "",
                                         [NODE_CUT] = ", style=dashed",
                                         [NODE_THREAD] = ", shape=ellipse",
                                         [NODE_ROLE] = ", shape=ellipse, style=bold"};
    const struct state *state = x->state;
    for (uint32_t i = 0; i < state->names.count; i++) {
        const struct node *node = &state->nodes[i];
        struct node_key key;
        memcpy(&key, state->names.keys.data + i * sizeof key, sizeof key);
        if (!node->kept)
            continue;
        fprintf(x->out, "  n%" PRIu32 " [label=\"", i);
        put_label(x, key);
        fprintf(x->out, "\\n%" PRIu64 " of %" PRIu64 " (%.1f%%)\"%s];\n", node->self, node->total,
                percent(state, node->total), styles[key.kind]);
    }
}

static void put_edges(const struct export *x)
{
    const struct state *state = x->state;
    for (size_t i = 0; i < state->edges.n; i++) {
        uint64_t edge = roxi_tally_key(&state->edges, i);
        if (edge_kept(state, edge))
            fprintf(x->out,
                    "  n%" PRIu64 " -> n%" PRIu64 " [label=\"%" PRIu64
                    "\", weight=%d, penwidth=%.2f];\n",
                    edge >> 32, edge & UINT32_MAX, state->edges.counts[i],
                    1 + (int)percent(state, state->edges.counts[i]),
                    0.5 + percent(state, state->edges.counts[i]) / 25);
    }
}

static void put_dropped(const struct export *x)
{
    const struct state *state = x->state;
    size_t nodes = 0, edges = 0;
    uint64_t self = 0, largest = 0;
    for (uint32_t i = 0; i < state->names.count; i++) {
        const struct node *node = &state->nodes[i];
        nodes += !node->kept;
        self += node->kept ? 0 : node->self;
        if (!node->kept && node->total > largest)
            largest = node->total;
    }
    for (size_t i = 0; i < state->edges.n; i++)
        edges += !edge_kept(state, roxi_tally_key(&state->edges, i));
    fprintf(x->out,
            "// %" PRIu64
            " snapshots of threads. Left out (--max-nodes): %zu nodes, of at most %" PRIu64
            " snapshots each; %" PRIu64 " snapshots executed in them; %zu edges.\n",
            state->samples, nodes, largest, self, edges);
}

static int end(struct export *x, struct ix_error *err)
{
    struct state *state = x->state;
    const struct roxi_tally *seen = &state->counts.seen;
    for (size_t i = 0; i < seen->n; i++)
        if (count_stack(x, roxi_tally_key(seen, i), seen->counts[i], i + 1) != 0)
            return ix_fail(err, "out of memory");
    if (choose(state, x->options->max_nodes) != 0)
        return ix_fail(err, "out of memory");
    fputs("// {", x->out);
    export_origin(x->out, x->options);
    fputs("}\n", x->out);
    put_dropped(x);
    fputs("digraph calls {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
          "  edge [fontname=\"sans-serif\", fontsize=9];\n",
          x->out);
    put_nodes(x);
    put_edges(x);
    fputs("}\n", x->out);
    return 0;
}

static void release(void *user)
{
    struct state *state = user;
    export_counts_free(&state->counts);
    ix_intern_free(&state->names);
    roxi_tally_free(&state->edges);
    free(state->nodes);
    free(state->edge_seen_in);
    free(state->path);
}

const struct export_format export_dot = {
    .name = "dot",
    .takes = EXPORT_TAKES_LINES | EXPORT_TAKES_THREADS | EXPORT_TAKES_NODES,
    .state_size = sizeof(struct state),
    .snapshot = snapshot,
    .vm_end = vm_end,
    .end = end,
    .release = release,
};
