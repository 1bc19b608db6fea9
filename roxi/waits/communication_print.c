/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/waits/communication_print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "roxi/base/json.h"
#include "roxi/base/text_escape.h"
#include "roxi/waits/print.h"

/* Two names and four numbers make 80 columns, or two shorter ones and six numbers. */
enum { NAME_COLUMNS = 24, SHORT_NAME_COLUMNS = 19 };

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

/* "Client and Message Server exchange 14 times as many messages" */
static void put_more(FILE *out, const struct waits_communication *g, const struct waits_edge *e,
                     put_text *put)
{
    const double times = e->here.messages / e->typical.messages;
    put_party(out, &g->parties[e->from], put);
    fputs(" and ", out);
    put_party(out, &g->parties[e->to], put);
    if (e->typical.messages > 0)
        fprintf(out, " exchange %.*f times as many messages", times < 10, times);
    else
        fputs(" exchange messages, as they do in no typical run", out);
}

/* Are messages recorded in the run, or, if there is none, in one of the others? */
static bool tells_messages(const struct waits_communication *g, bool run)
{
    return run ? g->told_here : g->messages_told > 0;
}

/* ---- text ---- */

static int name_columns(bool messages)
{
    return messages ? SHORT_NAME_COLUMNS : NAME_COLUMNS;
}

/* In exactly so many columns. */
static void print_cell(FILE *out, const struct waits_party *p, size_t width_of_cell)
{
    size_t columns = p->outside ? strlen("outside ") : 0;
    const char *at = p->name;
    char shown[TEXT_SHOWN_SIZE];
    fputs(p->outside ? "outside " : "", out);
    while (*at) {
        const size_t taken = text_show(at, strlen(at), shown);
        const size_t width = (unsigned char)shown[0] < 0x80 ? strlen(shown) : 1;
        /* The last column is for the dots, unless the name ends there. */
        if (columns + width + (at[taken] != '\0') > width_of_cell)
            break;
        fputs(shown, out);
        columns += width;
        at += taken;
    }
    if (*at && ++columns)
        fputs("…", out);
    fprintf(out, "%*s", (int)(width_of_cell - (columns < width_of_cell ? columns : width_of_cell)),
            "");
}

/* Medians can be halves. */
static void print_number(FILE *out, int columns, double number)
{
    fprintf(out, "%*.*f", columns, number != floor(number), number);
}

/* Of one thing, in the run and typically, in `columns` columns. */
static void print_pair(FILE *out, bool run, int columns, double here, double typical)
{
    const int second = run ? 8 : columns;
    if (run)
        print_number(out, columns - second, here);
    print_number(out, second, typical);
}

static void print_edge(FILE *out, const struct waits_communication *g, const struct waits_edge *e,
                       bool run)
{
    const struct waits_amount *here = &e->here, *typical = &e->typical;
    const bool messages = tells_messages(g, run);
    print_cell(out, &g->parties[e->from], (size_t)name_columns(messages));
    fputs("  ", out);
    print_cell(out, &g->parties[e->to], (size_t)name_columns(messages));
    if (messages) {
        print_pair(out, run, run ? 12 : 13, here->connections, typical->connections);
        print_pair(out, run, run ? 14 : 11, here->messages, typical->messages);
        print_pair(out, run, run ? 14 : 8, here->waits, typical->waits);
    } else {
        print_pair(out, run, run ? 15 : 13, here->connections, typical->connections);
        print_pair(out, run, run ? 15 : 8, here->waits, typical->waits);
    }
    putc('\n', out);
}

static void print_head(FILE *out, const struct waits_communication *g, const char *run)
{
    const bool messages = tells_messages(g, run);
    const int name = name_columns(messages), names = 2 * name + 2;
    if (!run) {
        fprintf(out, "medians of %zu run%s\n", g->runs, g->runs == 1 ? "" : "s");
        fprintf(out, "%-*s  %-*s  connections%s   waits\n", name, "from", name, "to",
                messages ? "   messages" : "");
        return;
    }
    text_print(out, run);
    fprintf(out, " beside the medians of %zu %srun%s%s\n", g->runs, g->passed ? "" : "other ",
            g->runs == 1 ? "" : "s", g->passed ? " that passed" : "");
    if (messages) {
        fprintf(out, "%-*s%12s%14s%14s\n", names, "", "connections", "messages", "waits");
        fprintf(out, "%-*s  %-*s%4s%8s%6s%8s%6s%8s\n", name, "from", name, "to", "here", "typical",
                "here", "typical", "here", "typical");
    } else {
        fprintf(out, "%-*s%15s%15s\n", names, "", "connections", "waits");
        fprintf(out, "%-*s  %-*s%7s%8s%7s%8s\n", name, "from", name, "to", "here", "typical",
                "here", "typical");
    }
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

/* What has grown, a line each, and an empty one. */
static void print_grown(FILE *out, const struct waits_communication *g)
{
    bool said = false;
    for (size_t i = 0; i < g->edge_count; i++) {
        const struct waits_edge *e = &g->edges[i];
        if (e->more) {
            put_more(out, g, e, text_print);
            putc('\n', out);
        }
        if (e->grown) {
            put_growth(out, g, e, text_print);
            putc('\n', out);
        }
        said = said || e->more || e->grown;
    }
    if (said)
        putc('\n', out);
}

void waits_communication_text(FILE *out, const struct waits_communication *g, const char *run)
{
    size_t shown = 0;
    print_grown(out, g);
    print_head(out, g, run);
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
    put_amounts(j, "messages", run && g->told_here, e->here.messages,
                g->messages_told ? e->typical.messages : NAN);
    put_amounts(j, "waits", run, e->here.waits, e->typical.waits);
    roxi_json_put_bool(j, "more_messages", e->more);
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
    if (run)
        roxi_json_put_bool(&j, "others_passed", g->passed);
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

/* "3 waits, typical 2" */
static void put_amount(FILE *out, const char *one, bool run, double here, double typical)
{
    const double shown = run ? here : typical;
    print_number(out, 0, shown);
    fprintf(out, " %s%s", one, shown == 1 ? "" : "s");
    if (run && typical != here) {
        fputs(", typical ", out);
        print_number(out, 0, typical);
    }
}

static void put_label(FILE *out, const struct waits_edge *e, bool run, bool messages)
{
    const struct waits_amount *here = &e->here, *typical = &e->typical;
    put_amount(out, "connection", run, here->connections, typical->connections);
    if (messages) {
        fputs("\\n", out);
        put_amount(out, "message", run, here->messages, typical->messages);
    }
    fputs("\\n", out);
    put_amount(out, "wait", run, here->waits, typical->waits);
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
    put_label(out, e, run, tells_messages(g, run));
    fputs(e->grown || e->more ? "\", color=red];\n" : "\"];\n", out);
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
