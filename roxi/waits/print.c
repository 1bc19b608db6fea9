/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/waits/print.h"

#include <inttypes.h>
#include <stdbool.h>

#include "roxi/base/text_escape.h"

static const char *role_of(const struct waits_build *b, const struct waits_node *node)
{
    return node->kind == WAITS_OUTSIDE ? "outside" : b->jvms->list[node->jvm].role;
}

/* ---- text ---- */

static void print_name(FILE *out, const struct waits_build *b, const struct waits_node *node)
{
    text_print(out, role_of(b, node));
    if (node->kind == WAITS_JVM)
        return;
    fputs(node->kind == WAITS_THREAD ? " \"" : " ", out);
    text_print(out, node->name);
    if (node->kind == WAITS_THREAD && !*node->name)
        fprintf(out, "virtual-%" PRIu64, node->id);
    if (node->kind == WAITS_THREAD)
        putc('"', out);
}

/* "read 10.0.0.1:4711 -> 10.0.0.2:80", "monitor a.b.Table". */
static void print_why(FILE *out, const struct waits_node *node)
{
    fputs(node->why ? node->why : "", out);
    if (node->from || node->via)
        putc(' ', out);
    if (node->from)
        text_print(out, node->from);
    if (node->from && node->via)
        fputs(" -> ", out);
    if (node->via)
        text_print(out, node->via);
}

static void print_state(FILE *out, const struct waits_node *node)
{
    fputs(node->state, out);
    if (node->why) {
        fputs(" (", out);
        print_why(out, node);
        putc(')', out);
    }
}

static void print_tree(FILE *out, const struct waits_build *b, size_t root, size_t depth)
{
    const struct waits_graph *g = &b->graph;
    size_t at = root;
    while ((at = waits_graph_walk(g, root, at, &depth)) != WAITS_NONE) {
        fprintf(out, "%*s<- ", (int)(2 + 2 * depth), "");
        print_name(out, b, &g->nodes[at]);
        fputs(": ", out);
        print_why(out, &g->nodes[at]);
        putc('\n', out);
    }
}

static void print_ring(FILE *out, const struct waits_build *b, size_t first)
{
    const struct waits_graph *g = &b->graph;
    size_t at = first;
    bool several = false;
    do {
        several = several || g->nodes[at].jvm != g->nodes[first].jvm;
        at = g->nodes[at].next;
    } while (at != first);
    fprintf(out, "  deadlock%s, waited for by %zu thread%s:\n", several ? " of several JVMs" : "",
            g->nodes[first].waiters, g->nodes[first].waiters == 1 ? "" : "s");
    do {
        fputs("    ", out);
        print_name(out, b, &g->nodes[at]);
        fputs(": ", out);
        print_why(out, &g->nodes[at]);
        fputs(", waits for ", out);
        print_name(out, b, &g->nodes[g->nodes[at].next]);
        putc('\n', out);
        print_tree(out, b, at, 1);
        at = g->nodes[at].next;
    } while (at != first);
}

void waits_print_text(FILE *out, const struct waits_build *b)
{
    const struct waits_graph *g = &b->graph;
    for (size_t i = 0; i < g->ring_count; i++)
        print_ring(out, b, g->rings[i]);
    for (size_t i = 0; i < g->end_count; i++) {
        const struct waits_node *node = &g->nodes[g->ends[i]];
        fputs("  ", out);
        print_name(out, b, node);
        fputs(": ", out);
        print_state(out, node);
        fprintf(out, ", waited for by %zu thread%s\n", node->waiters,
                node->waiters == 1 ? "" : "s");
        print_tree(out, b, g->ends[i], 0);
    }
}

/* ---- JSON ---- */

struct printing {
    struct roxi_json *json;
    const struct waits_build *build;
    struct roxi_thread_nodes *nodes; /* NULL: not known */
    struct ix_error *err;
    bool failed;
};

/* Who it is: role, node, thread. */
static void put_party(struct printing *p, const struct waits_node *node)
{
    const bool thread = node->kind == WAITS_THREAD;
    const char *of = "";
    char unnamed[40];
    snprintf(unnamed, sizeof unnamed, "virtual-%" PRIu64, node->id);
    if (thread && p->nodes)
        of = roxi_thread_nodes_of(p->nodes, node->name, node->group, p->err);
    p->failed = p->failed || !of;
    roxi_json_put_string(p->json, "role", node->perhaps ? NULL : role_of(p->build, node));
    roxi_json_put_string(p->json, "node", of && *of ? of : NULL);
    roxi_json_put_string(p->json, "thread", !thread ? NULL : *node->name ? node->name : unnamed);
}

static void put_via(struct roxi_json *j, const struct waits_node *node)
{
    roxi_json_key(j, "via");
    FILE *out = roxi_json_value(j);
    if (!node->from && !node->via) {
        fputs("null", out);
        return;
    }
    putc('"', out);
    if (node->from)
        roxi_json_text(out, node->from);
    if (node->from && node->via)
        fputs(" -> ", out);
    if (node->via)
        roxi_json_text(out, node->via);
    putc('"', out);
}

static void put_element(struct printing *p, const struct waits_node *node)
{
    roxi_json_open(p->json, '{');
    put_party(p, node);
    roxi_json_put_string(p->json, "why", node->why);
    put_via(p->json, node);
    roxi_json_close(p->json);
}

static void put_end(struct printing *p, const struct waits_node *node)
{
    roxi_json_open(p->json, '{');
    put_party(p, node);
    roxi_json_put_string(p->json, "state", node->kind == WAITS_OUTSIDE ? node->name : node->state);
    roxi_json_put_count(p->json, "waited_for_by", node->waiters);
    roxi_json_close(p->json);
}

/* From a thread that nobody waits for to the end, or until the chain comes to a ring. */
static void put_chain(struct printing *p, size_t at)
{
    const struct waits_node *nodes = p->build->graph.nodes;
    roxi_json_open(p->json, '[');
    for (; at != WAITS_NONE && !nodes[at].in_ring; at = nodes[at].next)
        put_element(p, &nodes[at]);
    if (at != WAITS_NONE)
        put_element(p, &nodes[at]);
    roxi_json_close(p->json);
}

static void put_ring(struct printing *p, size_t first)
{
    const struct waits_node *nodes = p->build->graph.nodes;
    size_t at = first;
    roxi_json_open(p->json, '[');
    do {
        put_element(p, &nodes[at]);
        at = nodes[at].next;
    } while (at != first);
    roxi_json_close(p->json);
}

int waits_print_json(struct roxi_json *j, const struct waits_build *b,
                     struct roxi_thread_nodes *nodes, struct ix_error *err)
{
    const struct waits_graph *g = &b->graph;
    struct printing p = {.json = j, .build = b, .nodes = nodes, .err = err};
    roxi_json_new_line(j);
    roxi_json_open(j, '{');
    roxi_json_put_count(j, "packet", b->jvms->packet);
    roxi_json_key(j, "least_progressed");
    roxi_json_open(j, '[');
    for (size_t i = 0; i < g->end_count; i++)
        put_end(&p, &g->nodes[g->ends[i]]);
    roxi_json_close(j);
    roxi_json_key(j, "chains");
    roxi_json_open(j, '[');
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i].next != WAITS_NONE && g->nodes[i].waiters == 0)
            put_chain(&p, i);
    roxi_json_close(j);
    roxi_json_key(j, "deadlocks");
    roxi_json_open(j, '[');
    for (size_t i = 0; i < g->ring_count; i++)
        put_ring(&p, g->rings[i]);
    roxi_json_close(j);
    roxi_json_close(j);
    return p.failed ? -1 : 0;
}

/* ---- dot ---- */

void waits_print_quoted(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

static void put_node(FILE *out, const struct waits_build *b, size_t i)
{
    const struct waits_node *node = &b->graph.nodes[i];
    fprintf(out, "  n%zu [label=\"", i);
    waits_print_quoted(out, role_of(b, node));
    if (node->kind != WAITS_JVM) {
        fputs("\\n", out);
        waits_print_quoted(out, node->name);
    }
    fputs("\\n", out);
    waits_print_quoted(out, node->state);
    fprintf(out, "\"%s];\n",
            node->in_ring              ? ", color=red"
            : node->next == WAITS_NONE ? ", style=filled, fillcolor=lightgrey"
                                       : "");
}

static void put_edge(FILE *out, const struct waits_build *b, size_t i)
{
    const struct waits_node *node = &b->graph.nodes[i];
    fprintf(out, "  n%zu -> n%zu [label=\"", i, node->next);
    waits_print_quoted(out, node->why ? node->why : "");
    if (node->via) {
        fputs("\\n", out);
        waits_print_quoted(out, node->via);
    }
    fputs(node->in_ring ? "\", color=red];\n" : "\"];\n", out);
}

void waits_print_dot(FILE *out, const struct waits_build *b)
{
    const struct waits_graph *g = &b->graph;
    fprintf(out, "digraph \"packet %" PRIu64 "\" {\n  node [shape=box];\n", b->jvms->packet);
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i].next != WAITS_NONE || g->nodes[i].waiters)
            put_node(out, b, i);
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i].next != WAITS_NONE)
            put_edge(out, b, i);
    fputs("}\n", out);
}
