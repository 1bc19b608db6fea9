/* SPDX-License-Identifier: Apache-2.0 */
#include "server/viewer/talks.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

static struct ixor_party jvm_party(size_t jvm)
{
    return (struct ixor_party){.jvm = jvm};
}

static struct ixor_party outside_party(const char *address, bool client, bool perhaps)
{
    return (struct ixor_party){WAITS_NONE, address, waits_ends_outside(address, client), perhaps};
}

static int add(struct ixor_talks *t, const struct ixor_talk *talk)
{
    return ix_append(t->list, t->count, t->cap, *talk);
}

/* ---- connections ---- */

/* One between two JVMs is counted at the end that has connected. */
static int add_socket(struct ixor_talks *t, const struct waits_build *b, size_t j,
                      const struct waits_socket *socket)
{
    struct waits_end end;
    bool accepted;
    const enum waits_found found = waits_ends_find_socket(&b->ends, j, socket, &end, &accepted);
    if (found == WAITS_FOUND_SEVERAL) {
        t->unknown += !accepted;
        return 0;
    }
    if (accepted && found != WAITS_FOUND_OUTSIDE)
        return 0;
    const char *address = *socket->remote ? socket->remote : socket->local;
    const struct ixor_party here = jvm_party(j);
    const bool perhaps = !waits_jvms_tell_end(b->jvms, &b->jvms->list[j], socket);
    const struct ixor_party there = found == WAITS_FOUND_OUTSIDE
                                        ? outside_party(address, accepted, perhaps)
                                        : jvm_party(end.jvm);
    return add(t, &(struct ixor_talk){.from = accepted ? there : here,
                                      .to = accepted ? here : there,
                                      .connections = 1});
}

static int add_connections(struct ixor_talks *t, const struct waits_build *b)
{
    for (size_t j = 0; j < b->jvms->count; j++) {
        const struct waits_jvm *jvm = &b->jvms->list[j];
        for (size_t i = 0; i < jvm->socket_count; i++)
            if (!jvm->sockets[i].listens && !jvm->sockets[i].former &&
                add_socket(t, b, j, &jvm->sockets[i]) != 0)
                return -1;
    }
    return 0;
}

/* ---- threads that wait ---- */

/* The JVM's end of the connection that the node waits on has been connected to. */
static bool is_accepted(const struct waits_jvm *jvm, const struct waits_node *node)
{
    for (size_t i = 0; node->from && node->via && i < jvm->socket_count; i++)
        if (jvm->sockets[i].accepted && strcmp(jvm->sockets[i].local, node->from) == 0 &&
            strcmp(jvm->sockets[i].remote, node->via) == 0)
            return true;
    return false;
}

/* The nodes that wait on connections are those that wait for another JVM, or say on which. */
static int add_waits(struct ixor_talks *t, const struct waits_build *b)
{
    for (size_t i = 0; i < b->thread_count; i++) {
        const struct waits_node *node = &b->graph.nodes[i];
        if (node->next == WAITS_NONE)
            continue;
        const struct waits_node *next = &b->graph.nodes[node->next];
        const bool outside = next->kind == WAITS_OUTSIDE;
        if (!outside && next->jvm == node->jvm && !node->from)
            continue;
        const struct ixor_party there =
            outside ? outside_party(next->name, is_accepted(&b->jvms->list[node->jvm], node),
                                    next->perhaps)
                    : jvm_party(next->jvm);
        const struct ixor_talk talk = {.from = jvm_party(node->jvm), .to = there, .waiting = 1};
        if (add(t, &talk) != 0)
            return -1;
    }
    return 0;
}

/* ---- all ---- */

/* JVMs come before those outside. */
static int compare_parties(const struct ixor_party *x, const struct ixor_party *y)
{
    if (x->jvm != y->jvm || x->jvm != WAITS_NONE)
        return (x->jvm > y->jvm) - (x->jvm < y->jvm);
    const int order = memcmp(x->address, y->address, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static int by_parties(const void *a, const void *b)
{
    const struct ixor_talk *x = a, *y = b;
    const int order = compare_parties(&x->from, &y->from);
    return order ? order : compare_parties(&x->to, &y->to);
}

static int by_waits(const void *a, const void *b)
{
    const struct ixor_talk *x = a, *y = b;
    if (x->waiting != y->waiting)
        return x->waiting > y->waiting ? -1 : 1;
    if (x->connections != y->connections)
        return x->connections > y->connections ? -1 : 1;
    return by_parties(a, b);
}

/* Makes one of those that have the same parties. */
static void merge(struct ixor_talks *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (kept && by_parties(&t->list[kept - 1], &t->list[i]) == 0) {
            t->list[kept - 1].connections += t->list[i].connections;
            t->list[kept - 1].waiting += t->list[i].waiting;
            t->list[kept - 1].from.perhaps &= t->list[i].from.perhaps;
            t->list[kept - 1].to.perhaps &= t->list[i].to.perhaps;
        } else {
            t->list[kept++] = t->list[i];
        }
    }
    t->count = kept;
}

int ixor_talks_make(struct ixor_talks *t, const struct waits_build *b)
{
    *t = (struct ixor_talks){0};
    if (add_connections(t, b) != 0 || add_waits(t, b) != 0)
        return -1;
    if (t->count) {
        qsort(t->list, t->count, sizeof *t->list, by_parties);
        merge(t);
        qsort(t->list, t->count, sizeof *t->list, by_waits);
    }
    return 0;
}

void ixor_talks_free(struct ixor_talks *t)
{
    free(t->list);
    *t = (struct ixor_talks){0};
}
