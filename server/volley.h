/* Hands a packet's datagrams to the kernel, so that the last VM has its own soon after the first: many
 * at a time, and where there are thousands from several threads. A datagram costs its sender some
 * microseconds of the kernel's work, which threads on other processors can do as well.
 */
#ifndef IXOR_VOLLEY_H
#define IXOR_VOLLEY_H

#include <stddef.h>
#include <sys/socket.h>

/* From so many datagrams on others help: waking them takes as long as some 50. */
#define IXOR_VOLLEY_SHARED 512u
/* Threads at most, the caller's included. More fill the network card's queue no faster. */
#define IXOR_VOLLEY_THREADS 4u

struct ixor_volley;

/* threads: how many may send, the caller's included; 0: one for each processor that this process may
 * use, up to IXOR_VOLLEY_THREADS. They are started when they are needed first. NULL: out of memory. */
struct ixor_volley *ixor_volley_new(unsigned threads);
void ixor_volley_free(struct ixor_volley *v); /* v may be NULL */

/* Sends `count` datagrams from the socket and returns when the kernel has all of them. What it does not
 * take, because its buffer stays full for IXOR_VOLLEY_ROOM_MS or an address cannot be reached, is
 * lost; how many were not is returned. For one thread at a time. */
#define IXOR_VOLLEY_ROOM_MS 10
size_t ixor_volley_send(struct ixor_volley *v, int fd, struct mmsghdr *messages, size_t count);

#endif
