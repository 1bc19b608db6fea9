/* SPDX-License-Identifier: Apache-2.0 */
#include "roxi/waits/connections.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

/* The connection with these addresses; NULL: out of memory. */
static struct waits_connection *know(struct waits_connections *c, size_t jvm, const char *local,
                                     const char *remote)
{
    const uint32_t here = roxi_symbols_string(c->addresses, local, strlen(local));
    const uint32_t there = roxi_symbols_string(c->addresses, remote, strlen(remote));
    const uint64_t key = (uint64_t)here << 32 | there;
    if (here == ROXI_NONE || there == ROXI_NONE)
        return NULL;
    const uint32_t number = ix_idmap_get(&c->known[jvm], key);
    if (number)
        return &c->list[number - 1];
    struct waits_connection *list = ix_grow(c->list, &c->cap, c->count + 1, sizeof *list);
    if (!list)
        return NULL;
    c->list = list;
    if (c->count >= UINT32_MAX || ix_idmap_put(&c->known[jvm], key, (uint32_t)c->count + 1) != 0)
        return NULL;
    list[c->count] = (struct waits_connection){
        .jvm = jvm,
        .local = roxi_symbols_text(c->addresses, here),
        .remote = roxi_symbols_text(c->addresses, there),
        .span = {WAITS_NO_SPAN, WAITS_NO_SPAN},
    };
    return &list[c->count++];
}

/* ---- a packet ---- */

static int take_changes(struct waits_connections *c, size_t jvm, const struct ix_connections *facts)
{
    for (size_t i = 0; i < facts->change_count; i++) {
        const struct ix_connection *change = &facts->changes[i];
        if (change->state == IX_CONNECTION_CLOSED)
            continue;
        struct waits_connection *at = know(c, jvm, change->local, change->remote);
        if (!at)
            return -1;
        at->open = true;
        at->listens = change->state == IX_CONNECTION_LISTENS;
    }
    return 0;
}

static int take_traffic(struct waits_connections *c, size_t jvm, const struct ix_facts *facts)
{
    for (size_t i = 0; i < facts->traffic_count; i++) {
        const struct ix_traffic *traffic = &facts->traffic[i];
        struct waits_connection *at = know(c, jvm, traffic->local, traffic->remote);
        if (!at)
            return -1;
        at->open = true;
        at->messages += traffic->sent + traffic->received;
    }
    return 0;
}

/* One more packet at which a thread waits. */
static int extend(struct waits_connections *c, struct waits_connection *at, bool reads)
{
    const size_t now = c->packet_count - 1;
    struct waits_span *span = at->span[reads] == WAITS_NO_SPAN ? NULL : &c->spans[at->span[reads]];
    if (span && span->last + 1 == now) {
        span->last = now;
        return 0;
    }
    struct waits_span *spans = ix_grow(c->spans, &c->span_cap, c->span_count + 1, sizeof *spans);
    if (!spans)
        return -1;
    c->spans = spans;
    at->span[reads] = c->span_count;
    spans[c->span_count++] = (struct waits_span){(size_t)(at - c->list), now, now, reads};
    return 0;
}

static int take_waits(struct waits_connections *c, size_t jvm, const struct ix_connections *facts)
{
    for (size_t i = 0; i < facts->wait_count; i++) {
        const struct ix_wait *wait = &facts->waits[i];
        const bool connects = wait->kind == IX_WAIT_CONNECT;
        if (wait->kind == IX_WAIT_POLL || strncmp(wait->local, "pipe:", 5) == 0 ||
            (wait->kind == IX_WAIT_ACCEPT ? !*wait->local : !*wait->remote))
            continue;
        struct waits_connection *at = know(c, jvm, connects ? "" : wait->local, wait->remote);
        if (!at)
            return -1;
        at->open = at->open || !connects;
        at->listens = wait->kind == IX_WAIT_ACCEPT;
        if (!at->listens && extend(c, at, wait->kind == IX_WAIT_READ) != 0)
            return -1;
    }
    return 0;
}

/* What the JVMs tell at the present packet. `told`: whether each JVM has told anything so far. */
static int take_packet(struct waits_connections *c, bool *told)
{
    uint64_t *packets =
        ix_grow(c->packets, &c->packet_cap, c->packet_count + 1, sizeof *c->packets);
    if (!packets)
        return -1;
    c->packets = packets;
    packets[c->packet_count++] = c->jvms.packet;
    for (size_t i = 0; i < c->jvms.count; i++) {
        const struct waits_jvm *jvm = &c->jvms.list[i];
        if (!jvm->here)
            continue;
        const struct ix_facts facts = ix_log_facts(jvm->log);
        told[i] = told[i] || jvm->tells;
        if (take_changes(c, i, &facts.connections) != 0 || take_traffic(c, i, &facts) != 0 ||
            take_waits(c, i, &facts.connections) != 0)
            return -1;
    }
    return 0;
}

/* ---- after the last packet ---- */

/* Gives each JVM all its sockets, for waits_ends. */
static int gather_sockets(struct waits_connections *c)
{
    for (size_t j = 0; j < c->jvms.count; j++)
        waits_jvm_forget_sockets(&c->jvms.list[j]);
    for (size_t i = 0; i < c->count; i++) {
        struct waits_connection *at = &c->list[i];
        struct waits_jvm *jvm = &c->jvms.list[at->jvm];
        struct waits_socket *sockets =
            ix_grow(jvm->sockets, &jvm->socket_cap, jvm->socket_count + 1, sizeof *sockets);
        if (!sockets)
            return -1;
        jvm->sockets = sockets;
        at->socket = jvm->socket_count++;
        sockets[at->socket] =
            (struct waits_socket){.local = at->local, .remote = at->remote, .listens = at->listens};
    }
    return 0;
}

static uint32_t port_number(struct waits_connections *c, const char *address)
{
    const char *port = waits_port(address);
    return roxi_symbols_string(c->addresses, port, strlen(port));
}

/* Which sockets others have connected to: those of ports on which their JVM listens. */
static int mark_accepted(struct waits_connections *c, struct ix_idmap *ports)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct waits_connection *at = &c->list[i];
        const uint32_t port = port_number(c, at->local);
        if (port == ROXI_NONE || (at->listens && ix_idmap_put(&ports[at->jvm], port, 1) != 0))
            return -1;
    }
    for (size_t i = 0; i < c->count; i++) {
        const struct waits_connection *at = &c->list[i];
        c->jvms.list[at->jvm].sockets[at->socket].accepted =
            !at->listens && ix_idmap_get(&ports[at->jvm], port_number(c, at->local)) != 0;
    }
    return 0;
}

static int find_accepted(struct waits_connections *c)
{
    struct ix_idmap *ports = calloc(c->jvms.count + 1, sizeof *ports);
    const int result = ports ? mark_accepted(c, ports) : -1;
    for (size_t i = 0; ports && i < c->jvms.count; i++)
        ix_idmap_free(&ports[i]);
    free(ports);
    return result;
}

/* Finds the other end of each connection. */
static int find_ends(struct waits_connections *c)
{
    struct waits_ends ends = {0};
    const int result = waits_ends_list(&ends, &c->jvms);
    for (size_t i = 0; result == 0 && i < c->count; i++) {
        struct waits_connection *at = &c->list[i];
        at->found = WAITS_FOUND_OUTSIDE;
        if (at->listens)
            continue;
        const struct waits_socket *socket = &c->jvms.list[at->jvm].sockets[at->socket];
        at->found = waits_ends_find_socket(&ends, at->jvm, socket, &at->end, &at->accepted);
    }
    waits_ends_free(&ends);
    return result;
}

/* ---- all ---- */

static int read_packets(struct waits_connections *c, struct ix_error *err)
{
    bool *told = calloc(c->jvms.count + 1, sizeof *told);
    c->known = calloc(c->jvms.count + 1, sizeof *c->known);
    c->addresses = roxi_symbols_new();
    int more = told && c->known && c->addresses ? 1 : ix_fail(err, "out of memory");
    while (more > 0 && (more = waits_jvms_next(&c->jvms, err)) > 0)
        if (take_packet(c, told) != 0)
            more = ix_fail(err, "out of memory");
    for (size_t i = 0; more == 0 && i < c->jvms.count; i++)
        c->telling += told[i];
    free(told);
    return more;
}

int waits_connections_read(struct waits_connections *c,
                           const struct roxi_listed_execution *execution, bool quiet,
                           struct ix_error *err)
{
    *c = (struct waits_connections){0};
    if (waits_jvms_open(&c->jvms, execution, quiet, err) != 0 || read_packets(c, err) != 0)
        return -1;
    if (gather_sockets(c) != 0 || find_accepted(c) != 0 || find_ends(c) != 0)
        return ix_fail(err, "out of memory");
    return 0;
}

void waits_connections_free(struct waits_connections *c)
{
    for (size_t i = 0; c->known && i < c->jvms.count; i++)
        ix_idmap_free(&c->known[i]);
    free(c->known);
    waits_jvms_free(&c->jvms);
    roxi_symbols_free(c->addresses);
    free(c->list);
    free(c->spans);
    free(c->packets);
    *c = (struct waits_connections){0};
}
