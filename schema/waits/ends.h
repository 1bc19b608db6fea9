/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of a connection, among all JVMs of the run. */
#ifndef IX_SCHEMA_WAITS_ENDS_H
#define IX_SCHEMA_WAITS_ENDS_H

#include "schema/waits/jvms.h"

/* One end: a socket of a JVM that is connected. */
struct waits_end {
    size_t jvm, socket; /* places in the lists */
    const char *local, *remote;
    bool matched; /* its other end is known by both addresses */
};

struct waits_ends {
    const struct waits_jvms *jvms;
    struct waits_end *list; /* owned; sorted by ports, then by addresses */
    size_t count, cap;
    struct waits_end *listening; /* owned; the sockets that listen */
    size_t listening_count, listening_cap;
};

enum waits_found {
    WAITS_FOUND,         /* *end */
    WAITS_FOUND_JVM,     /* several of one JVM fit, or it listens there: *end has the JVM */
    WAITS_FOUND_SEVERAL, /* several fit: not known */
    WAITS_FOUND_OUTSIDE, /* no JVM's */
};

/* Lists the ends of all JVMs at the present packet. -1: out of memory. O(n log n). */
int waits_ends_list(struct waits_ends *ends, const struct waits_jvms *jvms);
/* Finds the other end of a connection of `jvm`: by both addresses; or, if none has these, by both
 * ports, for addresses that are translated on the way. A loopback address, and a socket in the file
 * system, are of one host. O(log n), and O(sockets that listen) if no JVM has the other end. */
enum waits_found waits_ends_find(const struct waits_ends *ends, size_t jvm, const char *local,
                                 const char *remote, struct waits_end *end);
/* The same for a socket of `jvm` that does not listen. *accepted: whether its JVM has accepted the
 * connection, rather than made it. A JVM accepts connections to ports on which it listens. If
 * neither end's JVM is known to listen there, and *end is known, the end with the lower port counts
 * as the one that accepted, because the kernel gives high ports to those that connect. */
enum waits_found waits_ends_find_socket(const struct waits_ends *ends, size_t jvm,
                                        const struct waits_socket *socket, struct waits_end *end,
                                        bool *accepted);
/* How many bytes of an address name a party outside: of a client not the port, which its kernel has
 * chosen. */
size_t waits_ends_outside(const char *address, bool client);
void waits_ends_free(struct waits_ends *ends);

#endif
