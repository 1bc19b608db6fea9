/* SPDX-License-Identifier: Apache-2.0 */
#include "server/attach/tcp_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/base/grow.h"

#define ESTABLISHED 1

/* The kernel prints each 32-bit word of the address as a number of this machine's byte order. */
static bool parse_host(const char *text, uint8_t host[16])
{
    const size_t len = strlen(text), words = len / 8;
    if (len != 8 && len != 32)
        return false;
    memset(host, 0, 10);
    memset(host + 10, 0xff, 2);
    for (size_t i = 0; i < words; i++) {
        char word[9];
        memcpy(word, text + 8 * i, 8);
        word[8] = '\0';
        const uint32_t number = (uint32_t)strtoul(word, NULL, 16);
        memcpy(host + 16 - 4 * words + 4 * i, &number, 4);
    }
    return true;
}

bool ixor_tcp_line(const char *line, struct ixor_tcp *out)
{
    char local[33], remote[33];
    unsigned local_port, remote_port, state, uid;
    unsigned long long inode;
    if (sscanf(line,
               " %*u: %32[0-9A-Fa-f]:%4x %32[0-9A-Fa-f]:%4x %2x %*x:%*x %*x:%*x %*x %u %*d %llu",
               local, &local_port, remote, &remote_port, &state, &uid, &inode) != 7 ||
        state != ESTABLISHED || inode == 0 || !parse_host(local, out->local.host) ||
        !parse_host(remote, out->remote.host))
        return false;
    out->local.port = (uint16_t)local_port;
    out->remote.port = (uint16_t)remote_port;
    out->inode = inode;
    out->uid = uid;
    return true;
}

static int compare_ends(const struct ixor_tcp_end *a, const struct ixor_tcp_end *b)
{
    const int order = memcmp(a->host, b->host, sizeof a->host);
    return order ? order : (a->port > b->port) - (a->port < b->port);
}

static int compare(const void *a, const void *b)
{
    const struct ixor_tcp *x = a, *y = b;
    const int order = compare_ends(&x->local, &y->local);
    return order ? order : compare_ends(&x->remote, &y->remote);
}

/* A kernel without IPv6 has no tcp6. */
static int read_file(pid_t pid, const char *name, struct ixor_tcp_table *table,
                     struct ix_error *err)
{
    char path[64], *line = NULL;
    size_t size = 0;
    int result = 0;
    snprintf(path, sizeof path, "/proc/%ld/net/%s", (long)pid, name);
    FILE *f = fopen(path, "re");
    if (!f && errno == ENOENT && strcmp(name, "tcp6") == 0)
        return 0;
    if (!f)
        return ix_fail(err, "%s: %s", path, strerror(errno));
    while (result == 0 && getline(&line, &size, f) > 0) {
        struct ixor_tcp tcp;
        if (!ixor_tcp_line(line, &tcp))
            continue;
        struct ixor_tcp *list = ix_grow(table->list, &table->cap, table->count + 1, sizeof *list);
        if (!list) {
            result = ix_fail(err, "out of memory");
            break;
        }
        table->list = list;
        list[table->count++] = tcp;
    }
    free(line);
    fclose(f);
    return result;
}

int ixor_tcp_table_read(pid_t pid, struct ixor_tcp_table *table, struct ix_error *err)
{
    table->count = 0;
    if (read_file(pid, "tcp", table, err) != 0 || read_file(pid, "tcp6", table, err) != 0)
        return -1;
    if (table->count)
        qsort(table->list, table->count, sizeof *table->list, compare);
    return 0;
}

const struct ixor_tcp *ixor_tcp_other(const struct ixor_tcp_table *table,
                                      const struct ixor_tcp *end)
{
    const struct ixor_tcp wanted = {.local = end->remote, .remote = end->local};
    return table->count ? bsearch(&wanted, table->list, table->count, sizeof wanted, compare)
                        : NULL;
}

void ixor_tcp_table_free(struct ixor_tcp_table *table)
{
    free(table->list);
    *table = (struct ixor_tcp_table){0};
}
