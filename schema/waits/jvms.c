/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/waits/jvms.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"
#include "schema/waits/stack.h"

/* For so many packets former sockets are kept. Who waits for a JVM that is gone learns of that
 * soon, unless its host is gone as well; a run may have thousands of short-lived JVMs. */
#define FORMER_KEPT 1000

/* The agent looks at so many descriptors for each packet, or more, and a little beyond the last
 * one. */
#define LOOKED_AT 8
#define TURN_UNKNOWN 18 /* where the log does not tell how many there are: 128 */

const char *waits_port(const char *address)
{
    const char *colon = strrchr(address, ':');
    return colon && colon[1] >= '0' && colon[1] <= '9' ? colon + 1 : address;
}

size_t waits_jvm_entry(const struct waits_jvm *jvm, uint32_t thread)
{
    size_t low = 0, high = jvm->snapshot.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (jvm->snapshot.entries[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return low < jvm->snapshot.count && jvm->snapshot.entries[low].thread == thread ? low
                                                                                    : SIZE_MAX;
}

/* ---- sockets ---- */

static struct waits_socket *find_socket(struct waits_jvm *jvm, const char *local,
                                        const char *remote)
{
    for (size_t i = 0; i < jvm->socket_count; i++)
        if (strcmp(jvm->sockets[i].local, local) == 0 &&
            strcmp(jvm->sockets[i].remote, remote) == 0)
            return &jvm->sockets[i];
    return NULL;
}

/* Both texts, one behind the other. */
static char *copy_texts(const char *local, const char *remote)
{
    const size_t first = strlen(local) + 1, second = strlen(remote) + 1;
    char *texts = malloc(first + second);
    if (texts) {
        memcpy(texts, local, first);
        memcpy(texts + first, remote, second);
    }
    return texts;
}

static struct waits_socket *add_socket(struct waits_jvm *jvm, const char *local, const char *remote)
{
    struct waits_socket *found = find_socket(jvm, local, remote);
    if (found) {
        found->former = false;
        return found;
    }
    struct waits_socket *sockets =
        ix_grow(jvm->sockets, &jvm->socket_cap, jvm->socket_count + 1, sizeof *sockets);
    if (!sockets)
        return NULL;
    jvm->sockets = sockets;
    char *texts = copy_texts(local, remote);
    if (!texts)
        return NULL;
    found = &sockets[jvm->socket_count++];
    *found = (struct waits_socket){
        .local = texts,
        .remote = texts + strlen(texts) + 1,
        .texts = texts,
        .since = jvm->taken,
    };
    return found;
}

static void drop_socket(struct waits_jvm *jvm, struct waits_socket *socket)
{
    free(socket->texts);
    *socket = jvm->sockets[--jvm->socket_count];
}

void waits_jvm_forget_sockets(struct waits_jvm *jvm)
{
    while (jvm->socket_count)
        drop_socket(jvm, &jvm->sockets[jvm->socket_count - 1]);
}

/* From now on the log does not tell what becomes of them; a new part tells those that are open
 * again, some with each packet, and with other numbers of threads. */
static void retire_sockets(struct waits_jvm *jvm, uint64_t packet)
{
    for (size_t i = 0; i < jvm->socket_count; i++) {
        jvm->sockets[i].former = true;
        jvm->sockets[i].thread = 0;
    }
    jvm->retired = packet;
    jvm->complete = false;
}

void waits_jvm_forget_former(struct waits_jvm *jvm, uint64_t packet)
{
    if (!jvm->retired || packet - jvm->retired <= FORMER_KEPT)
        return;
    for (size_t i = jvm->socket_count; i-- > 0;)
        if (jvm->sockets[i].former)
            drop_socket(jvm, &jvm->sockets[i]);
    jvm->retired = 0;
}

static bool listens_on(const struct waits_jvm *jvm, const char *port)
{
    for (size_t i = 0; i < jvm->socket_count; i++)
        if (jvm->sockets[i].listens && strcmp(waits_port(jvm->sockets[i].local), port) == 0)
            return true;
    return false;
}

/* Cannot take in another one; that there was one is noted. */
static bool is_full(struct waits_jvm *jvm)
{
    if (!jvm->sockets_max || jvm->socket_count < jvm->sockets_max)
        return false;
    jvm->overflown = true;
    return true;
}

static int take_change(struct waits_jvm *jvm, const struct ix_connection *change)
{
    struct waits_socket *socket;
    if (change->state == IX_CONNECTION_CLOSED) {
        socket = find_socket(jvm, change->local, change->remote);
        if (socket)
            drop_socket(jvm, socket);
        return 0;
    }
    if (is_full(jvm))
        return 0;
    socket = add_socket(jvm, change->local, change->remote);
    if (!socket)
        return -1;
    socket->listens = change->state == IX_CONNECTION_LISTENS;
    if (change->thread)
        socket->thread = change->thread;
    return 0;
}

/* The thread has gone over from one connection that others have made to the next: it no longer
 * serves the first. */
static void leave_others(struct waits_jvm *jvm, const struct waits_socket *now)
{
    for (size_t i = 0; i < jvm->socket_count; i++) {
        struct waits_socket *socket = &jvm->sockets[i];
        if (socket != now && socket->accepted && socket->thread == now->thread)
            socket->thread = 0;
    }
}

static int take_wait(struct waits_jvm *jvm, const struct ix_wait *wait)
{
    const bool listens = wait->kind == IX_WAIT_ACCEPT;
    if (wait->kind == IX_WAIT_POLL || wait->kind == IX_WAIT_CONNECT || !*wait->local ||
        strncmp(wait->local, "pipe:", 5) == 0 || (!listens && !*wait->remote) || is_full(jvm))
        return 0;
    struct waits_socket *socket = add_socket(jvm, wait->local, wait->remote);
    if (!socket)
        return -1;
    socket->listens = listens;
    socket->thread = wait->thread;
    return 0;
}

/* Threads that accept again have passed on what they had accepted before. What is told with this
 * snapshot they may have accepted since. */
static void pass_on(struct waits_jvm *jvm)
{
    for (size_t i = 0; i < jvm->socket_count; i++) {
        const struct waits_socket *listens = &jvm->sockets[i];
        const size_t at =
            listens->listens && listens->thread ? waits_jvm_entry(jvm, listens->thread) : SIZE_MAX;
        if (at == SIZE_MAX || !waits_stack_accepts(jvm->log, jvm->snapshot.entries[at].stack))
            continue;
        const char *port = waits_port(listens->local);
        for (size_t k = 0; k < jvm->socket_count; k++)
            jvm->sockets[k].passed_on |= strcmp(waits_port(jvm->sockets[k].local), port) == 0;
    }
}

/* Brings the JVM's sockets up to the snapshot that was read. O(sockets^2) when some have changed.
 */
static int take_sockets(struct waits_jvm *jvm, const struct ix_connections *c)
{
    const size_t before = jvm->socket_count;
    for (size_t i = 0; i < c->change_count; i++)
        if (take_change(jvm, &c->changes[i]) != 0)
            return -1;
    for (size_t i = 0; i < c->wait_count; i++)
        if (take_wait(jvm, &c->waits[i]) != 0)
            return -1;
    const bool changed = c->change_count || jvm->socket_count != before;
    for (size_t i = 0; changed && i < jvm->socket_count; i++)
        jvm->sockets[i].accepted =
            !jvm->sockets[i].listens && listens_on(jvm, waits_port(jvm->sockets[i].local));
    for (size_t i = 0; i < c->wait_count; i++) {
        const struct waits_socket *socket = find_socket(jvm, c->waits[i].local, c->waits[i].remote);
        if (socket && socket->accepted && c->waits[i].kind == IX_WAIT_READ)
            leave_others(jvm, socket);
    }
    return 0;
}

/* ---- snapshots ---- */

void waits_jvm_end(struct waits_jvm *jvm, uint64_t packet)
{
    ix_log_reader_close(jvm->log);
    jvm->log = NULL;
    retire_sockets(jvm, packet);
}

void waits_jvm_follow_part(struct waits_jvm *jvm, uint64_t packet)
{
    if (ix_log_part(jvm->log) == jvm->part)
        return;
    jvm->part = ix_log_part(jvm->log);
    retire_sockets(jvm, packet);
}

int waits_jvm_arrive(struct waits_jvms *jvms, struct waits_jvm *jvm)
{
    const struct ix_facts facts = ix_log_facts(jvm->log);
    const char *kinds = ix_log_meta_value(jvm->log, "facts");
    jvm->here = true;
    jvm->taken++;
    jvm->tells =
        kinds && strstr(kinds, "connections") && !(facts.connections.flags & IX_CONNECTIONS_HIDDEN);
    jvm->complete |= !(facts.connections.flags & IX_CONNECTIONS_PARTIAL);
    jvm->turn = facts.has_process ? facts.process.descriptors / LOOKED_AT + 2 : TURN_UNKNOWN;
    pass_on(jvm);
    jvms->any_facts |= kinds && (strstr(kinds, "connections") || strstr(kinds, "locks"));
    return take_sockets(jvm, &facts.connections);
}

bool waits_jvms_tell(const struct waits_jvms *jvms)
{
    if (jvms->left_out)
        return false;
    for (size_t j = 0; j < jvms->count; j++)
        if (jvms->list[j].log &&
            !(jvms->list[j].tells && jvms->list[j].complete && !jvms->list[j].overflown))
            return false;
    return true;
}

bool waits_jvms_tell_end(const struct waits_jvms *jvms, const struct waits_jvm *of,
                         const struct waits_socket *socket)
{
    uint64_t turn = 0;
    for (size_t j = 0; j < jvms->count; j++)
        if (&jvms->list[j] != of && jvms->list[j].log && jvms->list[j].turn > turn)
            turn = jvms->list[j].turn;
    return waits_jvms_tell(jvms) && (!socket || of->taken - socket->since >= turn);
}

void waits_jvm_free(struct waits_jvm *jvm)
{
    ix_log_reader_close(jvm->log);
    waits_jvm_forget_sockets(jvm);
    free(jvm->sockets);
    *jvm = (struct waits_jvm){0};
}

void waits_jvms_free(struct waits_jvms *jvms)
{
    for (size_t i = 0; i < jvms->count; i++)
        waits_jvm_free(&jvms->list[i]);
    free(jvms->list);
    *jvms = (struct waits_jvms){0};
}
