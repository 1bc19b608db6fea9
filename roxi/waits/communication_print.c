/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/waits/communication_print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "roxi/base/json.h"
#include "roxi/base/text_escape.h"
#include "roxi/waits/print.h"

/* Two of these and four numbers make 80 columns. */
#define NAME_COLUMNS 24

typedef void put_text(FILE *out, const char *text);

/* False: what only few of the runs have. */
static bool is_shown(const struct waits_edge *e)
{
    return e->here.connections > 0 || e->here.waits > 0 || e->typical.connections > 0 ||
           e->typical.waits > 0;
}

static void put_party(FILE *out, const struct waits_party *p, put_text *put)
{
    fputs(p->outside ? "outside " : "", out);
    put(out, p->name);
}

/* "Client waits for Message Server 14 times as long, since packet 61" */
static void put_growth(FILE *out, const struct waits_communication *g, const struct waits_edge *e,
                       put_text *put)
{
    const double times = e->here.waits / e->typical.waits;
    put_party(out, &g->parties[e->from], put);
    fputs(" waits for ", out);
    put_party(out, &g->parties[e->to], put);
    if (e->typical.waits > 0)
        fprintf(out, " %.*f times as long", times < 10, times);
    else
        fputs(", as it does in no typical run", out);
    if (e->since)
        fprintf(out, ", since packet %" PRIu64, e->since);
}

/* ---- text ---- */

/* In exactly NAME_COLUMNS columns. */
static void print_cell(FILE *out, const struct waits_party *p)
{
    size_t columns = p->outside ? strlen("outside ") : 0;
    const char *at = p->name;
    char shown[TEXT_SHOWN_SIZE];
    fputs(p->outside ? "outside " : "", out);
    while (*at) {
        const size_t taken = text_show(at, strlen(at), shown);
        const size_t width = (unsigned char)shown[0] < 0x80 ? strlen(shown) : 1;
        /* The last column is for the dots, unless the name ends there. */
        if (columns + width + (at[taken] != '\0') > NAME_COLUMNS)
            break;
        fputs(shown, out);
        columns += width;
        at += taken;
    }
    if (*at && ++columns)
        fputs("…", out);
    fprintf(out, "%*s", (int)(NAME_COLUMNS - (columns < NAME_COLUMNS ? columns : NAME_COLUMNS)),
            "");
}

/* Medians can be halves. */
static void print_number(FILE *out, int columns, double number)
{
    fprintf(out, "%*.*f", columns, number != floor(number), number);
}

static void print_edge(FILE *out, const struct waits_communication *g, const struct waits_edge *e,
                       bool run)
{
    print_cell(out, &g->parties[e->from]);
    fputs("  ", out);
    print_cell(out, &g->parties[e->to]);
    if (run)
        print_number(out, 7, e->here.connections);
    print_number(out, run ? 8 : 13, e->typical.connections);
    if (run)
        print_number(out, 7, e->here.waits);
    print_number(out, 8, e->typical.waits);
    putc('\n', out);
}

static void print_head(FILE *out, const struct waits_communication *g, const char *run)
{
    const int names = 2 * NAME_COLUMNS + 2;
    if (!run) {
        fprintf(out, "medians of %zu run%s\n", g->runs, g->runs == 1 ? "" : "s");
        fprintf(out, "%-*s  %-*s  connections   waits\n", NAME_COLUMNS, "from", NAME_COLUMNS, "to");
        return;
    }
    text_print(out, run);
    fprintf(out, " beside the medians of %zu other run%s\n", g->runs, g->runs == 1 ? "" : "s");
    fprintf(out, "%-*s%15s%15s\n", names, "", "connections", "waits");
    fprintf(out, "%-*s  %-*s%7s%8s%7s%8s\n", NAME_COLUMNS, "from", NAME_COLUMNS, "to", "here",
            "typical", "here", "typical");
}

static void print_notes(FILE *out, const struct waits_communication *g, size_t shown)
{
    if (g->edge_count > shown)
        fprintf(out, "not shown: %zu pair%s connected in fewer than half of the runs\n",
                g->edge_count - shown, g->edge_count - shown == 1 ? "" : "s");
    if (g->telling < g->jvms)
        fprintf(out, "%zu of %zu JVMs do not tell their connections: these may be \"outside\"\n",
                g->jvms - g->telling, g->jvms);
    if (g->unknown)
        fprintf(out, "without %zu connections whose other end may be one of several\n", g->unknown);
}

void waits_communication_text(FILE *out, const struct waits_communication *g, const char *run)
{
    size_t shown = 0;
    for (size_t i = 0; i < g->edge_count; i++) {
        if (!g->edges[i].grown)
            continue;
        put_growth(out, g, &g->edges[i], text_print);
        putc('\n', out);
        shown++;
    }
    if (shown)
        putc('\n', out);
    print_head(out, g, run);
    shown = 0;
    for (size_t i = 0; i < g->edge_count; i++)
        if (is_shown(&g->edges[i])) {
            print_edge(out, g, &g->edges[i], run != NULL);
            shown++;
        }
    if (!shown)
        fputs("no connections\n", out);
    print_notes(out, g, shown);
}

/* ---- JSON ---- */

static void put_name(struct roxi_json *j, const char *key, const struct waits_party *p)
{
    roxi_json_key(j, key);
    FILE *out = roxi_json_value(j);
    putc('"', out);
    put_party(out, p, roxi_json_text);
    putc('"', out);
}

static void put_amounts(struct roxi_json *j, const char *key, bool run, double here, double typical)
{
    roxi_json_key(j, key);
    roxi_json_open(j, '{');
    roxi_json_put_number(j, "here", run ? here : NAN);
    roxi_json_put_number(j, "typical", typical);
    roxi_json_close(j);
}

static void put_vertex(struct roxi_json *j, const struct waits_party *p)
{
    roxi_json_new_line(j);
    roxi_json_open(j, '{');
    put_name(j, "name", p);
    roxi_json_put_string(j, "role", p->outside ? NULL : p->name);
    roxi_json_put_string(j, "node", NULL);
    roxi_json_put_string(j, "address", p->outside ? p->name : NULL);
    roxi_json_put_count(j, "jvms", p->jvms);
    roxi_json_close(j);
}

static void put_edge(struct roxi_json *j, const struct waits_communication *g,
                     const struct waits_edge *e, bool run)
{
    roxi_json_new_line(j);
    roxi_json_open(j, '{');
    put_name(j, "from", &g->parties[e->from]);
    put_name(j, "to", &g->parties[e->to]);
    put_amounts(j, "connections", run, e->here.connections, e->typical.connections);
    put_amounts(j, "waits", run, e->here.waits, e->typical.waits);
    roxi_json_put_bool(j, "grown", e->grown);
    roxi_json_put_number(j, "since", e->since ? (double)e->since : NAN);
    if (e->grown) {
        roxi_json_key(j, "text");
        FILE *out = roxi_json_value(j);
        putc('"', out);
        put_growth(out, g, e, roxi_json_text);
        putc('"', out);
    } else {
        roxi_json_put_string(j, "text", NULL);
    }
    roxi_json_close(j);
}

void waits_communication_json(FILE *out, const struct waits_communication *g, const char *run)
{
    struct roxi_json j = {.out = out};
    roxi_json_open(&j, '{');
    roxi_json_put_string(&j, "execution", run);
    roxi_json_put_count(&j, run ? "other_runs" : "runs", g->runs);
    roxi_json_put_count(&j, "jvms", g->jvms);
    roxi_json_put_count(&j, "jvms_that_tell", g->telling);
    roxi_json_put_count(&j, "connections_left_out", g->unknown);
    roxi_json_key(&j, "vertices");
    roxi_json_open(&j, '[');
    for (size_t i = 0; i < g->party_count; i++)
        put_vertex(&j, &g->parties[i]);
    roxi_json_close(&j);
    roxi_json_key(&j, "edges");
    roxi_json_open(&j, '[');
    for (size_t i = 0; i < g->edge_count; i++)
        put_edge(&j, g, &g->edges[i], run != NULL);
    roxi_json_close(&j);
    roxi_json_close(&j);
    putc('\n', out);
}

/* ---- dot ---- */

static void put_label(FILE *out, const struct waits_edge *e, bool run)
{
    const struct waits_amount *a = run ? &e->here : &e->typical;
    print_number(out, 0, a->connections);
    fputs(a->connections == 1 ? " connection\\n" : " connections\\n", out);
    print_number(out, 0, a->waits);
    fputs(a->waits == 1 ? " wait" : " waits", out);
    if (run && e->typical.waits != e->here.waits) {
        fputs("\\ntypical ", out);
        print_number(out, 0, e->typical.waits);
    }
}

static void put_node(FILE *out, const struct waits_communication *g, size_t i)
{
    fprintf(out, "  p%zu [label=\"", i);
    put_party(out, &g->parties[i], waits_print_quoted);
    if (g->parties[i].jvms > 1)
        fprintf(out, "\\n%zu JVMs", g->parties[i].jvms);
    fprintf(out, "\", shape=box%s];\n", g->parties[i].outside ? ", style=dashed" : "");
}

/* With the ends that are outside; to Graphviz it is the same how often they are there. */
static void put_arrow(FILE *out, const struct waits_communication *g, const struct waits_edge *e,
                      bool run)
{
    const size_t ends[] = {e->from, e->to};
    for (size_t i = 0; i < 2; i++)
        if (g->parties[ends[i]].outside)
            put_node(out, g, ends[i]);
    fprintf(out, "  p%zu -> p%zu [label=\"", e->from, e->to);
    put_label(out, e, run);
    fputs(e->grown ? "\", color=red];\n" : "\"];\n", out);
}

void waits_communication_dot(FILE *out, const struct waits_communication *g, const char *run)
{
    fputs("digraph \"", out);
    waits_print_quoted(out, run ? run : "campaign");
    fputs("\" {\n", out);
    for (size_t i = 0; i < g->party_count; i++)
        if (!g->parties[i].outside)
            put_node(out, g, i);
    for (size_t i = 0; i < g->edge_count; i++)
        if (is_shown(&g->edges[i]))
            put_arrow(out, g, &g->edges[i], run != NULL);
    fputs("}\n", out);
}
