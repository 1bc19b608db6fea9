/* SPDX-License-Identifier: Apache-2.0 */
/* The TCP connections of a process's network namespace: /proc/PID/net/tcp and tcp6. */
#ifndef IXOR_TCP_TABLE_H
#define IXOR_TCP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "schema/base/error.h"

struct ixor_tcp_end {
    uint8_t host[16]; /* an IPv6 address; IPv4 as ::ffff:1.2.3.4 */
    uint16_t port;
};

/* One end of an established connection. */
struct ixor_tcp {
    struct ixor_tcp_end local, remote;
    uint64_t inode; /* of the socket: who has it open has a descriptor "socket:[INODE]" */
    uid_t uid;      /* of its owner */
};

struct ixor_tcp_table {
    struct ixor_tcp *list; /* owned; by local and remote end */
    size_t count, cap;
};

/* Parses a line of either file. False: not an established connection with an owner. */
bool ixor_tcp_line(const char *line, struct ixor_tcp *out);
/* Replaces the table's content. -1: the process is gone or hidden, or memory ran out. */
int ixor_tcp_table_read(pid_t pid, struct ixor_tcp_table *table, struct ix_error *err);
/* The other end of a connection, if it is in the same namespace; NULL: it is not. O(log n). */
const struct ixor_tcp *ixor_tcp_other(const struct ixor_tcp_table *table,
                                      const struct ixor_tcp *end);
void ixor_tcp_table_free(struct ixor_tcp_table *table);

#endif
