/* SPDX-License-Identifier: Apache-2.0 */
/* Which two Unix stream sockets are connected: from the kernel's sock_diag(7), because
 * /proc/net/unix does not say. Only of this process's network namespace. */
#ifndef IXOR_UNIX_PAIRS_H
#define IXOR_UNIX_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct ixor_unix_pair {
    uint32_t inode, peer;
};

struct ixor_unix_pairs {
    struct ixor_unix_pair *list; /* owned; by inode */
    size_t count, cap;
};

/* Takes the sockets of one answer of the kernel. 1: more answers follow; 0: that was the last; -1:
 * the kernel refused, or memory ran out. */
int ixor_unix_answer(struct ixor_unix_pairs *pairs, const void *answer, size_t size);
/* Replaces the list. -1: this kernel does not tell. */
int ixor_unix_pairs_read(struct ixor_unix_pairs *pairs);
/* The inode of the other end; 0: none. O(log n). */
uint32_t ixor_unix_peer(const struct ixor_unix_pairs *pairs, uint64_t inode);
void ixor_unix_pairs_free(struct ixor_unix_pairs *pairs);

#endif
