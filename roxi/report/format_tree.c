/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/report/format_tree.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "roxi/base/json.h"
#include "roxi/report/format.h"

/* ---- Newick ---- */

static void newick_name(FILE *out, const char *name)
{
    bool plain = *name != '\0';
    for (const char *c = name; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || *c == '.' || *c == '-');
    if (plain) {
        fputs(name, out);
        return;
    }
    putc('\'', out);
    for (const char *c = name; *c; c++) {
        if (*c == '\'')
            putc('\'', out);
        putc(*c, out);
    }
    putc('\'', out);
}

static double height_of(const struct roxi_dendrogram *d, size_t cluster)
{
    return cluster < d->n ? 0 : d->merges[cluster - d->n].height;
}

/* A cluster being written: its parent, and how much is done. */
struct place {
    size_t cluster;
    double above;
    int state; /* 0: nothing written, 1: first part, 2: both */
};

/* One step for the topmost item: an explicit stack instead of recursion, because trees can be
 * deep. */
static size_t newick_step(FILE *out, const struct roxi_dendrogram *d, const char *const *names,
                          struct place *stack, size_t depth)
{
    struct place *top = &stack[depth - 1];
    double height = height_of(d, top->cluster);
    if (top->cluster >= d->n && top->state < 2) {
        const struct roxi_merge *m = &d->merges[top->cluster - d->n];
        putc(top->state == 0 ? '(' : ',', out);
        stack[depth] = (struct place){.cluster = top->state == 0 ? m->a : m->b, .above = height};
        top->state++;
        return depth + 1;
    }
    if (top->cluster < d->n)
        newick_name(out, names[top->cluster]);
    else
        putc(')', out);
    if (depth > 1)
        fprintf(out, ":%.17g", top->above - height);
    return depth - 1;
}

int roxi_write_newick(FILE *out, const struct roxi_dendrogram *d, const char *const *names,
                      struct ix_error *err)
{
    struct place *stack = calloc(d->n + 1, sizeof *stack);
    if (!stack)
        return ix_fail(err, "out of memory");
    stack[0] = (struct place){.cluster = 2 * d->n - 2};
    for (size_t depth = 1; depth > 0;)
        depth = newick_step(out, d, names, stack, depth);
    fputs(";\n", out);
    free(stack);
    return 0;
}

/* ---- SciPy ---- */

void roxi_write_linkage(FILE *out, const struct roxi_dendrogram *d)
{
    roxi_write_npy_header(out, d->n - 1, 4);
    for (size_t i = 0; i + 1 < d->n; i++) {
        const struct roxi_merge *m = &d->merges[i];
        roxi_write_npy_number(out, (double)(m->a < m->b ? m->a : m->b));
        roxi_write_npy_number(out, (double)(m->a < m->b ? m->b : m->a));
        roxi_write_npy_number(out, m->height);
        roxi_write_npy_number(out, (double)m->size);
    }
}

/* ---- R ---- */

/* -1, -2, ... are objects, 1, 2, ... merges. */
static long r_number(const struct roxi_dendrogram *d, size_t cluster)
{
    return cluster < d->n ? -(long)cluster - 1 : (long)(cluster - d->n) + 1;
}

/* As in hclust: an object before a merge; of two objects, or two merges, the smaller absolute
 * value first. */
static void r_parts(const struct roxi_dendrogram *d, size_t i, size_t *left, size_t *right)
{
    size_t a = d->merges[i].a, b = d->merges[i].b;
    *left = a < b ? a : b;
    *right = a < b ? b : a;
}

/* Objects in the order in which the tree can be drawn without crossings. */
static int r_order(FILE *out, const struct roxi_dendrogram *d)
{
    size_t *stack = calloc(d->n + 1, sizeof *stack), depth = 1;
    const char *between = "";
    if (!stack)
        return -1;
    stack[0] = 2 * d->n - 2;
    while (depth > 0) {
        size_t cluster = stack[--depth];
        if (cluster < d->n) {
            fprintf(out, "%s%zu", between, cluster + 1);
            between = ",";
        } else {
            r_parts(d, cluster - d->n, &stack[depth + 1], &stack[depth]);
            depth += 2;
        }
    }
    free(stack);
    return 0;
}

int roxi_write_rhclust(FILE *out, const struct roxi_dendrogram *d, const char *const *names,
                       const char *method, const char *dist_method, struct ix_error *err)
{
    fputs("\"merge\":[", out);
    for (size_t i = 0; i + 1 < d->n; i++) {
        size_t left, right;
        r_parts(d, i, &left, &right);
        fprintf(out, "%s[%ld,%ld]", i ? "," : "", r_number(d, left), r_number(d, right));
    }
    fputs("],\n\"height\":[", out);
    for (size_t i = 0; i + 1 < d->n; i++) {
        fputs(i ? "," : "", out);
        roxi_json_number(out, d->merges[i].height);
    }
    fputs("],\n\"order\":[", out);
    if (r_order(out, d) != 0)
        return ix_fail(err, "out of memory");
    fputs("],\n\"labels\":[", out);
    for (size_t i = 0; i < d->n; i++) {
        fputs(i ? "," : "", out);
        roxi_json_string(out, names[i]);
    }
    fprintf(out, "],\n\"method\":\"%s\",\"dist.method\":\"%s\"", method, dist_method);
    return 0;
}

/* ---- CLUTO ---- */

int roxi_write_cluto_tree(FILE *out, const struct roxi_dendrogram *d, enum roxi_measure on,
                          struct ix_error *err)
{
    size_t all = 2 * d->n - 1;
    long *parent = calloc(all, sizeof *parent);
    if (!parent)
        return ix_fail(err, "out of memory");
    parent[all - 1] = -1;
    for (size_t i = 0; i + 1 < d->n; i++)
        parent[d->merges[i].a] = parent[d->merges[i].b] = (long)(d->n + i);
    for (size_t i = 0; i < all; i++) {
        double alike = i < d->n ? 0 : (on == ROXI_ON_COSINE) - height_of(d, i);
        fprintf(out, "%ld %.17g %.17g\n", parent[i], alike, alike);
    }
    free(parent);
    return 0;
}
