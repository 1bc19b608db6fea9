/* SPDX-License-Identifier: Apache-2.0 */
#include "schema/waits/build.h"

#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"
#include "schema/tracelog/thread_state.h"
#include "schema/waits/stack.h"

/* What is known of a thread besides its node. */
struct waits_thread {
    const struct ix_wait *wait; /* its system call; NULL: none, or not known */
    bool outgoing;              /* it waits on a connection that its JVM has made, or writes */
    bool gets_work;             /* its system call waits for a request, so it works on none */
    bool pending; /* it waits for the socket's other end, of which the thread is not known yet */
    struct waits_end end;
};

static const char *const calls[] = {
    [IX_WAIT_READ] = "read",       [IX_WAIT_WRITE] = "write", [IX_WAIT_ACCEPT] = "accept",
    [IX_WAIT_CONNECT] = "connect", [IX_WAIT_POLL] = "poll",
};
static const char *const call_states[] = {
    [IX_WAIT_READ] = "in read",       [IX_WAIT_WRITE] = "in write", [IX_WAIT_ACCEPT] = "in accept",
    [IX_WAIT_CONNECT] = "in connect", [IX_WAIT_POLL] = "in poll",
};

/* ---- threads ---- */

static int add_thread(struct waits_build *b, size_t j, const struct ix_entry *entry)
{
    const struct ix_log_reader *log = b->jvms->list[j].log;
    const struct ix_thread t = ix_log_thread_at(log, entry->thread);
    struct waits_node node = {
        .kind = WAITS_THREAD,
        .jvm = j,
        .name = t.name,
        .group = t.group,
        .id = t.id,
        .state = ix_thread_state_words(entry->state),
    };
    struct waits_thread *threads =
        ix_grow(b->threads, &b->thread_cap, b->thread_count + 1, sizeof *threads);
    if (!threads)
        return -1;
    b->threads = threads;
    if (entry->state & IX_THREAD_PARKED && !(entry->state & IX_THREAD_RUNNABLE)) {
        node.via = waits_stack_class(log, entry->stack);
        node.why = waits_stack_word(node.via);
    }
    threads[b->thread_count++] = (struct waits_thread){0};
    return waits_graph_add(&b->graph, &node) == WAITS_NONE ? -1 : 0;
}

static int add_threads(struct waits_build *b)
{
    b->thread_count = 0;
    for (size_t j = 0; j < b->jvms->count; j++) {
        const struct waits_jvm *jvm = &b->jvms->list[j];
        b->first[j] = jvm->here ? b->graph.count : WAITS_NONE;
        for (size_t i = 0; jvm->here && i < jvm->snapshot.count; i++)
            if (add_thread(b, j, &jvm->snapshot.entries[i]) != 0)
                return -1;
    }
    return 0;
}

/* The node of a thread in a JVM's numbers; WAITS_NONE: it is not at this packet. */
static size_t node_of(const struct waits_build *b, size_t j, uint32_t thread)
{
    const size_t entry =
        thread && b->jvms->list[j].here ? waits_jvm_entry(&b->jvms->list[j], thread) : SIZE_MAX;
    return entry == SIZE_MAX ? WAITS_NONE : b->first[j] + entry;
}

/* ---- within a JVM ---- */

static bool owns(const struct ix_lock *lock)
{
    return lock->kind == IX_LOCK_OWNS || lock->kind == IX_LOCK_OWNS_SYNCHRONIZER;
}

static size_t owner_of(const struct waits_build *b, size_t j, const struct ix_facts *facts,
                       uint64_t object)
{
    for (size_t i = 0; i < facts->lock_count; i++)
        if (owns(&facts->locks[i]) && facts->locks[i].object == object)
            return node_of(b, j, facts->locks[i].thread);
    return WAITS_NONE;
}

static void wait_for_locks(struct waits_build *b, size_t j, const struct ix_facts *facts)
{
    static const char *const words[] = {
        [IX_LOCK_ENTERS] = "monitor", [IX_LOCK_WAITS] = "wait", [IX_LOCK_PARKED] = "lock"};
    for (size_t i = 0; i < facts->lock_count; i++) {
        const struct ix_lock *lock = &facts->locks[i];
        const size_t at = node_of(b, j, lock->thread);
        if (owns(lock) || at == WAITS_NONE)
            continue;
        struct waits_node *node = &b->graph.nodes[at];
        const size_t owner =
            lock->kind == IX_LOCK_WAITS ? WAITS_NONE : owner_of(b, j, facts, lock->object);
        if (lock->kind == IX_LOCK_PARKED && owner == WAITS_NONE)
            continue; /* its stack tells more */
        node->why = words[lock->kind];
        node->via = ix_log_class_at(b->jvms->list[j].log, lock->class_number).name;
        if (owner != at)
            node->next = owner;
    }
}

static void wait_for_threads(struct waits_build *b, size_t j, const struct ix_connections *c)
{
    const struct waits_jvm *jvm = &b->jvms->list[j];
    for (size_t i = 0; i < c->join_count; i++) {
        const size_t at = node_of(b, j, c->joins[i].thread);
        const size_t joined = node_of(b, j, c->joins[i].joined);
        if (at == WAITS_NONE || joined == WAITS_NONE || at == joined ||
            !waits_stack_joins(jvm->log, jvm->snapshot.entries[at - b->first[j]].stack))
            continue;
        b->graph.nodes[at].why = "join";
        b->graph.nodes[at].via = NULL;
        b->graph.nodes[at].next = joined;
    }
}

static const struct waits_socket *socket_of(const struct waits_jvm *jvm, const struct ix_wait *wait)
{
    for (size_t i = 0; i < jvm->socket_count; i++)
        if (!jvm->sockets[i].listens && strcmp(jvm->sockets[i].local, wait->local) == 0 &&
            strcmp(jvm->sockets[i].remote, wait->remote) == 0)
            return &jvm->sockets[i];
    return NULL;
}

/* What the threads do in system calls, before it is asked for whom. */
static void take_calls(struct waits_build *b, size_t j, const struct ix_connections *c)
{
    const struct waits_jvm *jvm = &b->jvms->list[j];
    for (size_t i = 0; i < c->wait_count; i++) {
        const struct ix_wait *wait = &c->waits[i];
        const size_t at = node_of(b, j, wait->thread);
        if (at == WAITS_NONE)
            continue;
        struct waits_node *node = &b->graph.nodes[at];
        struct waits_thread *thread = &b->threads[at];
        const struct waits_socket *socket = socket_of(jvm, wait);
        const bool request = socket && socket->accepted && wait->kind == IX_WAIT_READ;
        thread->wait = wait;
        thread->outgoing = wait->kind <= IX_WAIT_CONNECT && wait->kind != IX_WAIT_ACCEPT &&
                           *wait->remote && !request;
        thread->gets_work = thread->gets_work || request || wait->kind == IX_WAIT_ACCEPT;
        node->state = call_states[wait->kind];
        node->why = calls[wait->kind];
        node->from = *wait->local ? wait->local : NULL;
        node->via = *wait->remote ? wait->remote : NULL;
    }
}

/* ---- between JVMs ---- */

static size_t add_place(struct waits_build *b, const struct waits_node *wanted)
{
    for (size_t i = b->thread_count; i < b->graph.count; i++) {
        const struct waits_node *node = &b->graph.nodes[i];
        if (node->kind == wanted->kind &&
            (node->kind == WAITS_JVM ? node->jvm == wanted->jvm
                                     : strcmp(node->name, wanted->name) == 0))
            return i;
    }
    return waits_graph_add(&b->graph, wanted);
}

/* What is outside for one that waits is so for all that wait for that address. */
static int go_outside(struct waits_build *b, size_t at, const char *address)
{
    const struct waits_jvm *jvm = &b->jvms->list[b->graph.nodes[at].jvm];
    const struct waits_node outside = {
        .kind = WAITS_OUTSIDE,
        .name = address,
        .state = "outside, or a JVM that does not tell",
        .perhaps = true,
    };
    const size_t next = add_place(b, &outside);
    b->graph.nodes[at].next = next;
    if (next == WAITS_NONE)
        return -1;
    if (waits_jvms_tell_end(b->jvms, jvm, socket_of(jvm, b->threads[at].wait))) {
        b->graph.nodes[next].perhaps = false;
        b->graph.nodes[next].state = "outside";
    }
    return 0;
}

/* It waits for new connections: by its system call, or by its stack if that is not known. */
static bool accepts(const struct waits_build *b, size_t at)
{
    const struct ix_wait *wait = b->threads[at].wait;
    const size_t j = b->graph.nodes[at].jvm;
    const struct waits_jvm *jvm = &b->jvms->list[j];
    return wait ? wait->kind == IX_WAIT_ACCEPT
                : waits_stack_accepts(jvm->log, jvm->snapshot.entries[at - b->first[j]].stack);
}

/* For so many of the JVM's snapshots a connection is known, and nobody seen to accept on its port,
 * before the one who has accepted it is thought to serve it: he may be about to pass it on. That
 * takes long on a busy machine, and one who runs may do so with the next connection, which is not
 * known yet. */
#define ASLEEP_FOR 3
#define RUNNING_FOR 50

/* The thread has accepted the connection so long ago that it will not pass it on. */
static bool has_kept(const struct waits_build *b, size_t at, const struct waits_socket *socket)
{
    const size_t j = b->graph.nodes[at].jvm;
    const uint32_t state = b->jvms->list[j].snapshot.entries[at - b->first[j]].state;
    const bool asleep = !(state & IX_THREAD_RUNNABLE) || b->threads[at].wait;
    return b->jvms->list[j].taken - socket->since >= (asleep ? ASLEEP_FOR : RUNNING_FOR);
}

/* The thread that accepts what comes to the port, unless it waits for that again. */
static size_t acceptor_of(const struct waits_build *b, size_t j, const struct waits_socket *socket)
{
    const struct waits_jvm *jvm = &b->jvms->list[j];
    const char *port = waits_port(socket->local);
    size_t found = WAITS_NONE;
    if (socket->passed_on)
        return WAITS_NONE;
    for (size_t i = 0; i < jvm->socket_count; i++) {
        const struct waits_socket *at = &jvm->sockets[i];
        if (strcmp(waits_port(at->local), port) != 0 || at == socket)
            continue;
        if (!at->listens || found != WAITS_NONE)
            return WAITS_NONE; /* another connection, or another acceptor */
        found = node_of(b, j, at->thread);
    }
    return found == WAITS_NONE || accepts(b, found) || !has_kept(b, found, socket) ? WAITS_NONE
                                                                                   : found;
}

/* From a thread that waits, to the end of the connection that it waits for. */
static int wait_for_end(struct waits_build *b, size_t at, size_t j)
{
    struct waits_thread *thread = &b->threads[at];
    const struct ix_wait *wait = thread->wait;
    const enum waits_found found = waits_ends_find(
        &b->ends, j, wait->kind == IX_WAIT_CONNECT ? "" : wait->local, wait->remote, &thread->end);
    if (found == WAITS_FOUND_SEVERAL)
        return 0;
    if (found == WAITS_FOUND_OUTSIDE)
        return go_outside(b, at, wait->remote);
    const struct waits_socket *socket = &b->jvms->list[thread->end.jvm].sockets[thread->end.socket];
    size_t server = WAITS_NONE;
    if (found == WAITS_FOUND || wait->kind == IX_WAIT_CONNECT)
        server = node_of(b, thread->end.jvm, socket->thread);
    if (server == WAITS_NONE && found == WAITS_FOUND)
        server = acceptor_of(b, thread->end.jvm, socket);
    thread->pending = server == WAITS_NONE;
    if (server != at)
        b->graph.nodes[at].next = server;
    return 0;
}

/* Both ends wait for the other to speak, and neither is known to have asked: nobody waits. */
static void untie(struct waits_build *b)
{
    for (size_t i = 0; i < b->thread_count; i++) {
        const size_t next = b->graph.nodes[i].next;
        const struct ix_wait *wait = b->threads[i].wait;
        if (!wait || wait->kind != IX_WAIT_READ || next >= b->thread_count ||
            b->graph.nodes[next].next != i || !b->threads[next].wait)
            continue;
        const struct ix_wait *other = b->threads[next].wait;
        if (other->kind == IX_WAIT_READ && strcmp(wait->local, other->remote) == 0 &&
            strcmp(wait->remote, other->local) == 0)
            b->graph.nodes[i].next = b->graph.nodes[next].next = WAITS_NONE;
    }
}

/* ---- the only one that it can be ---- */

/* False if this thread shows that others than the JVM's platform threads may serve the socket, or
 * that nobody has to: a loop over many descriptors, virtual threads, one that accepts anew. */
static bool allows_only_one(const struct waits_build *b, size_t at, const struct waits_jvm *jvm,
                            const struct ix_entry *entry, const struct waits_socket *socket)
{
    const struct ix_wait *wait = b->threads[at].wait;
    const struct ix_thread t = ix_log_thread_at(jvm->log, entry->thread);
    if (t.flags & IX_THREAD_VIRTUAL || strcmp(t.group, "CarrierThreads") == 0 ||
        waits_stack_virtual(jvm->log, entry->stack))
        return false;
    if (!wait) /* then the stack has to tell */
        return !waits_stack_accepts(jvm->log, entry->stack) &&
               !waits_stack_selects(jvm->log, entry->stack);
    return wait->kind != IX_WAIT_POLL &&
           (wait->kind != IX_WAIT_ACCEPT ||
            strcmp(waits_port(wait->local), waits_port(socket->local)) != 0);
}

bool waits_group_of_jdk(const char *group)
{
    return strcmp(group, "system") == 0 || strcmp(group, "InnocuousThreadGroup") == 0;
}

/* True if the thread may be working on a request. Its call stack is looked at only if that is
 * asked, which is seldom. */
static bool can_serve(const struct waits_build *b, size_t at, const struct waits_jvm *jvm,
                      const struct ix_entry *entry)
{
    return entry->stack > IX_STACK_CUT && !b->threads[at].gets_work &&
           !waits_group_of_jdk(b->graph.nodes[at].group) &&
           !waits_stack_idle(jvm->log, entry->stack);
}

/* True if the thread serves another connection of its JVM. */
static bool serves_another(const struct waits_jvm *jvm, uint32_t thread,
                           const struct waits_socket *socket)
{
    for (size_t i = 0; i < jvm->socket_count; i++)
        if (&jvm->sockets[i] != socket && jvm->sockets[i].accepted &&
            jvm->sockets[i].thread == thread)
            return true;
    return false;
}

/* True if the thread waits for another that may serve the socket itself. */
static bool waits_for_candidate(const struct waits_build *b, size_t at, const bool *candidate)
{
    size_t steps = 0;
    for (size_t i = b->graph.nodes[at].next; i < b->thread_count && steps++ < b->thread_count;
         i = b->graph.nodes[i].next)
        if (i != at && candidate[i])
            return true;
    return false;
}

/* The thread of the JVM that serves the socket if only one can: each other thread is the JDK's, has
 * nothing to do, serves another connection, or waits for the one. WAITS_NONE: there is no such
 * thread. `candidate` is scratch, all false. */
static size_t only_candidate(const struct waits_build *b, size_t j,
                             const struct waits_socket *socket, bool *candidate)
{
    const struct waits_jvm *jvm = &b->jvms->list[j];
    size_t found = WAITS_NONE;
    if (!jvm->here || !jvm->tells)
        return WAITS_NONE;
    const size_t first = b->first[j], count = jvm->snapshot.count;
    for (size_t i = 0; i < count; i++) {
        const struct ix_entry *entry = &jvm->snapshot.entries[i];
        if (!allows_only_one(b, first + i, jvm, entry, socket))
            return WAITS_NONE;
        candidate[first + i] =
            can_serve(b, first + i, jvm, entry) && !serves_another(jvm, entry->thread, socket);
    }
    for (size_t i = first; i < first + count; i++) {
        if (!candidate[i] || waits_for_candidate(b, i, candidate))
            continue;
        if (found != WAITS_NONE)
            return WAITS_NONE;
        found = i;
    }
    return found;
}

/* For whom a thread waits whose socket has no known thread at the other end. */
static int find_server(struct waits_build *b, size_t at, bool *candidate)
{
    const struct waits_thread *thread = &b->threads[at];
    const struct waits_jvm *jvm = &b->jvms->list[thread->end.jvm];
    const struct waits_node some = {
        .kind = WAITS_JVM,
        .jvm = thread->end.jvm,
        .state = jvm->here  ? "thread not known"
                 : jvm->log ? "no snapshot of this packet"
                            : "has ended",
    };
    size_t next = only_candidate(b, thread->end.jvm, &jvm->sockets[thread->end.socket], candidate);
    memset(candidate, 0, b->thread_count * sizeof *candidate);
    if (next == WAITS_NONE || next == at)
        next = add_place(b, &some);
    b->graph.nodes[at].next = next;
    return next == WAITS_NONE ? -1 : 0;
}

static int find_servers(struct waits_build *b)
{
    bool *candidate = calloc(b->thread_count + 1, sizeof *candidate);
    int result = candidate ? 0 : -1;
    for (size_t i = 0; result == 0 && i < b->thread_count; i++)
        if (b->threads[i].pending)
            result = find_server(b, i, candidate);
    free(candidate);
    return result;
}

/* ---- all ---- */

static int connect_all(struct waits_build *b)
{
    for (size_t j = 0; j < b->jvms->count; j++) {
        if (!b->jvms->list[j].here)
            continue;
        const struct ix_facts facts = ix_log_facts(b->jvms->list[j].log);
        wait_for_locks(b, j, &facts);
        wait_for_threads(b, j, &facts.connections);
        take_calls(b, j, &facts.connections);
    }
    for (size_t i = 0; i < b->thread_count; i++)
        if (b->threads[i].outgoing && wait_for_end(b, i, b->graph.nodes[i].jvm) != 0)
            return -1;
    untie(b);
    return find_servers(b);
}

int waits_build(struct waits_build *b, const struct waits_jvms *jvms)
{
    b->jvms = jvms;
    waits_graph_clear(&b->graph);
    if (!b->first)
        b->first = calloc(jvms->count + 1, sizeof *b->first);
    if (!b->first || add_threads(b) != 0 || waits_ends_list(&b->ends, jvms) != 0 ||
        connect_all(b) != 0)
        return -1;
    return waits_graph_finish(&b->graph);
}

void waits_build_free(struct waits_build *b)
{
    waits_graph_free(&b->graph);
    waits_ends_free(&b->ends);
    free(b->threads);
    free(b->first);
    *b = (struct waits_build){0};
}
