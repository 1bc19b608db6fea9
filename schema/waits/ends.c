/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/waits/ends.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

static int by_ports(const struct waits_end *a, const struct waits_end *b)
{
    const int order = strcmp(waits_port(a->local), waits_port(b->local));
    return order ? order : strcmp(waits_port(a->remote), waits_port(b->remote));
}

static int compare(const void *a, const void *b)
{
    const struct waits_end *x = a, *y = b;
    int order = by_ports(x, y);
    if (!order)
        order = strcmp(x->local, y->local);
    if (!order)
        order = strcmp(x->remote, y->remote);
    return order ? order : (x->jvm > y->jvm) - (x->jvm < y->jvm);
}

/* Means something on its own host only. */
static bool is_of_host(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strncmp(address, "[::1]:", 6) == 0 ||
           strncmp(address, "unix:", 5) == 0;
}

static const char *host_of(const struct waits_ends *ends, size_t jvm)
{
    return ends->jvms->list[jvm].host;
}

/* The range of ends whose ports are those, in reverse. */
static size_t first_of(const struct waits_ends *ends, const struct waits_end *wanted)
{
    size_t low = 0, high = ends->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_ports(&ends->list[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_former(const struct waits_ends *ends, const struct waits_end *end)
{
    return ends->jvms->list[end->jvm].sockets[end->socket].former;
}

/* What has been found so far, and one more. One that is surely open comes before former ones. */
static void join(const struct waits_ends *ends, enum waits_found *found, struct waits_end *end,
                 const struct waits_end *more)
{
    const bool first = *found == WAITS_FOUND_OUTSIDE;
    if (first || (is_former(ends, end) && !is_former(ends, more))) {
        *found = WAITS_FOUND;
        *end = *more;
    } else if (is_former(ends, end) == is_former(ends, more)) {
        *found = *found != WAITS_FOUND_SEVERAL && end->jvm == more->jvm ? WAITS_FOUND_JVM
                                                                        : WAITS_FOUND_SEVERAL;
    }
}

/* Among the ends with the ports of `wanted`: those with its addresses, or, with by_port, those that
 * belong to no other connection. */
static enum waits_found find(const struct waits_ends *ends, size_t jvm,
                             const struct waits_end *wanted, bool by_port, struct waits_end *end)
{
    enum waits_found found = WAITS_FOUND_OUTSIDE;
    for (size_t i = first_of(ends, wanted);
         i < ends->count && by_ports(&ends->list[i], wanted) == 0; i++) {
        const struct waits_end *at = &ends->list[i];
        const bool same =
            strcmp(at->local, wanted->local) == 0 && strcmp(at->remote, wanted->remote) == 0;
        const bool near = strcmp(host_of(ends, at->jvm), host_of(ends, jvm)) == 0;
        if (by_port ? !at->matched && !is_of_host(at->local) && !same
                    : same && (near || !is_of_host(wanted->local)))
            join(ends, &found, end, at);
    }
    return found;
}

/* A JVM that listens where the connection goes: it has not accepted it yet, or that is not known.
 */
static enum waits_found find_listening(const struct waits_ends *ends, size_t jvm,
                                       const char *remote, struct waits_end *end)
{
    enum waits_found found = WAITS_FOUND_OUTSIDE;
    for (size_t i = 0; i < ends->listening_count; i++) {
        const struct waits_end *at = &ends->listening[i];
        const bool near = strcmp(host_of(ends, at->jvm), host_of(ends, jvm)) == 0;
        const bool exact = strcmp(at->local, remote) == 0;
        const bool any =
            strncmp(at->local, "0.0.0.0:", 8) == 0 || strncmp(at->local, "[::]:", 5) == 0;
        if (strcmp(waits_port(at->local), waits_port(remote)) == 0 && (exact || any) &&
            (near || (!any && !is_of_host(remote))))
            join(ends, &found, end, at);
    }
    return found == WAITS_FOUND ? WAITS_FOUND_JVM : found;
}

enum waits_found waits_ends_find(const struct waits_ends *ends, size_t jvm, const char *local,
                                 const char *remote, struct waits_end *end)
{
    const struct waits_end wanted = {.local = remote, .remote = local};
    enum waits_found found = WAITS_FOUND_OUTSIDE;
    if (*local || strncmp(remote, "unix:", 5) == 0)
        found = find(ends, jvm, &wanted, false, end);
    if (found == WAITS_FOUND_OUTSIDE && *local && !is_of_host(remote))
        found = find(ends, jvm, &wanted, true, end);
    if (found == WAITS_FOUND_OUTSIDE)
        found = find_listening(ends, jvm, remote, end);
    return found;
}

/* Equal ports: of both ends of a connection this is still true for one only. */
static bool has_lower_port(const struct waits_socket *socket)
{
    const unsigned long here = strtoul(waits_port(socket->local), NULL, 10);
    const unsigned long there = strtoul(waits_port(socket->remote), NULL, 10);
    return here != there ? here < there : strcmp(socket->local, socket->remote) < 0;
}

enum waits_found waits_ends_find_socket(const struct waits_ends *ends, size_t jvm,
                                        const struct waits_socket *socket, struct waits_end *end,
                                        bool *accepted)
{
    const enum waits_found found = waits_ends_find(ends, jvm, socket->local, socket->remote, end);
    *accepted = socket->accepted;
    if (found == WAITS_FOUND && !*accepted &&
        !ends->jvms->list[end->jvm].sockets[end->socket].accepted)
        *accepted = has_lower_port(socket);
    return found;
}

size_t waits_ends_outside(const char *address, bool client)
{
    const char *port = waits_port(address);
    return client && port != address ? (size_t)(port - 1 - address) : strlen(address);
}

static void match_all(struct waits_ends *ends)
{
    struct waits_end end;
    for (size_t i = 0; i < ends->count; i++) {
        struct waits_end *at = &ends->list[i];
        const struct waits_end wanted = {.local = at->remote, .remote = at->local};
        at->matched = find(ends, at->jvm, &wanted, false, &end) != WAITS_FOUND_OUTSIDE;
    }
}

static int add(struct waits_end **list, size_t *count, size_t *cap, const struct waits_end *end)
{
    struct waits_end *grown = ix_grow(*list, cap, *count + 1, sizeof *grown);
    if (!grown)
        return -1;
    *list = grown;
    grown[(*count)++] = *end;
    return 0;
}

int waits_ends_list(struct waits_ends *ends, const struct waits_jvms *jvms)
{
    ends->jvms = jvms;
    ends->count = ends->listening_count = 0;
    for (size_t i = 0; i < jvms->count; i++)
        for (size_t k = 0; k < jvms->list[i].socket_count; k++) {
            const struct waits_socket *socket = &jvms->list[i].sockets[k];
            const struct waits_end end = {i, k, socket->local, socket->remote, false};
            const int added = socket->listens ? add(&ends->listening, &ends->listening_count,
                                                    &ends->listening_cap, &end)
                                              : add(&ends->list, &ends->count, &ends->cap, &end);
            if (added != 0)
                return -1;
        }
    if (ends->count)
        qsort(ends->list, ends->count, sizeof *ends->list, compare);
    match_all(ends);
    return 0;
}

void waits_ends_free(struct waits_ends *ends)
{
    free(ends->list);
    free(ends->listening);
    *ends = (struct waits_ends){0};
}
