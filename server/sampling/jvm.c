/* SPDX-License-Identifier: Apache-2.0 */
#include "server/sampling/jvm.h"

#include <stdlib.h>
#include <string.h>

/* A string of a block that is being filled. */
static const char *put(char **at, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = memcpy(*at, text, size);
    *at += size;
    return copy;
}

struct ixor_hello *ixor_hello_copy(const struct ix_hello *h)
{
    struct ixor_hello *copy =
        malloc(sizeof *copy + strlen(h->execution) + strlen(h->role) + strlen(h->host) +
               strlen(h->jvm) + strlen(h->log) + strlen(h->machine) + 6);
    if (!copy)
        return NULL;
    char *at = (char *)(copy + 1);
    *copy = (struct ixor_hello){
        .udp_port = h->udp_port,
        .pid = h->pid,
        .started_ns = h->started_ns,
        .mono_ns = h->mono_ns,
        .last_packet = h->last_packet,
        .test = h->test,
        .burst_ns = h->burst_ns,
    };
    copy->execution = put(&at, h->execution);
    copy->role = put(&at, h->role);
    copy->host = put(&at, h->host);
    copy->jvm = put(&at, h->jvm);
    copy->log = put(&at, h->log);
    copy->machine = put(&at, h->machine);
    return copy;
}
