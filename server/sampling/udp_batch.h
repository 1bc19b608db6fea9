/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a packet's datagrams so that the last JVM gets its own soon after the first: many per
 * system call, and thousands from several threads. Sending one takes some microseconds in the
 * kernel, work that threads on other processors can share.
 */
#ifndef IXOR_UDP_BATCH_H
#define IXOR_UDP_BATCH_H

#include <stddef.h>
#include <sys/socket.h>

/* From this many datagrams on other threads help; waking them takes as long as sending about 50. */
#define IXOR_UDP_BATCH_SHARED 512u
/* Most threads, including the caller's. More do not fill the network card's queue faster. */
#define IXOR_UDP_BATCH_THREADS 4u

struct ixor_udp_batch;

/* threads: how many may send, including the caller's; 0: one per processor that this process may
 * use, up to IXOR_UDP_BATCH_THREADS. They are started when first needed. NULL: out of memory. */
struct ixor_udp_batch *ixor_udp_batch_new(unsigned threads);
void ixor_udp_batch_free(struct ixor_udp_batch *b); /* b may be NULL */

/* Sends `count` datagrams from the socket and returns when the kernel has all of them. Datagrams
 * that it does not accept, because its buffer stays full for IXOR_UDP_BATCH_ROOM_MS or an address
 * cannot be reached, are lost. Returns how many were sent. For one thread at a time. */
#define IXOR_UDP_BATCH_ROOM_MS 10
size_t ixor_udp_batch_send(struct ixor_udp_batch *b, int fd, struct mmsghdr *messages,
                           size_t count);

#endif
